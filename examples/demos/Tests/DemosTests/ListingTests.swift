// The listings of the demos: they compile, and each has the steps of its run, which keeps its promises.

import TestSupport
import Testing

@testable import Demos

@Suite(.timeLimit(.minutes(10)))
struct ListingTests {
  @Test("each listing compiles, for every value of every knob")
  func compile() async throws {
    let texts = Demos.Demo.all.flatMap { demo in
      valuesOfKnobs(demo).flatMap { demo.code($0) }.map { listing in
        listing.lines.map(\.text).joined(separator: "\n")
      }
    }
    let directory = try TemporaryDirectory()
    let folder = String(decoding: directory.path(""), as: UTF8.self)
    try directory.write(swiftFile(Set(texts).sorted()), to: "listings.swift")
    if path(ofProgram: "swiftc") != nil {
      let result = try await shell(
        """
        dir=${0%/*}
        root=$dir
        while [ ! -d "$root/checkouts" ]; do root=${root%/*}; done
        exec swiftc -typecheck -suppress-warnings "$1/listings.swift" -I "$dir/Modules" -I "$2/include" \
          -Xcc -fmodule-map-file="$root/checkouts/swift-system/Sources/CSystem/include/module.modulemap"
        """, folder, repository, in: directory
      ).run()
      #expect(result.status == 0, "\(result.outputText)\(result.errorText)")
    }
  }

  @Test("each listing has the steps of its simulated run, for every value of every knob")
  func agreement() async {
    await #expect(processExitsWith: .success) { try compareListings() }
  }
}

private let repository = #filePath.split(separator: "/").dropLast(5).map { "/" + $0 }.joined()

/// The values of a demo's knobs: each choice and flag with each other, a number that has no default
/// given and not, and all other numbers at their default and at another value.
func valuesOfKnobs(_ demo: Demos.Demo) -> [KnobValues] {
  var given: [[String: String]] = [[:]]
  var others: [String: String] = [:]
  for knob in demo.knobs {
    let texts: [String]
    switch knob.kind {
    case .choice(let choices): texts = choices
    case .flag: texts = ["", "yes"]
    case .number(let range):
      let other = min(range.upperBound, max(range.lowerBound, (Int(knob.defaultValue) ?? 2) + 2))
      if range.count <= 6 {
        texts = range.map(String.init)
      } else if knob.defaultValue.isEmpty {
        texts = ["", "\(other)"]
      } else {
        others[knob.name] = "\(other)"
        continue
      }
    case .seconds(let range):
      texts = [knob.defaultValue, "\(min(range.upperBound, max(range.lowerBound, 0.3)))"]
    }
    given = given.flatMap { given in
      texts.map { $0.isEmpty ? given : given.merging([knob.name: $0]) { $1 } }
    }
  }
  if !others.isEmpty { given += given.map { $0.merging(others) { $1 } } }
  return given.map { KnobValues(demo.knobs, given: $0) }
}

// MARK: - The run

private func compareListings() throws {
  for demo in Demos.Demo.all {
    for values in valuesOfKnobs(demo) where demo.complaint(values) == nil {
      let name = "\(demo.name) \(demo.knobs.map { "\($0.name) \(values[$0.name])" })"
      let run = DemoRun.perform(demo, values, on: SimulatedMachine(), watchdog: 1)
      for listing in demo.code(values) {
        // A task is at one line.
        let steps = listing.lines.flatMap { line in
          words(line.tag).filter { ["submit", "wait", "run"].contains($0) }.flatMap { step in
            words(line.queues ?? "all").map { "\(step) \($0)" }
          }
        }
        #expect(Set(steps).count == steps.count, "\(name), \(listing.title): \(steps)")
      }
      for fault in faults(of: demo.code(values).flatMap(\.lines), values, run) {
        Issue.record("\(name): \(fault)")
      }
      #expect(demo.findings(values, run).isSound, "\(name)")
    }
  }
}

/// The words of a tag.
private func words(_ text: String?) -> [String] {
  text?.split(separator: ",").map(String.init) ?? []
}

/// Returns the differences between the steps of a listing and those of its run.
private func faults(
  of lines: [Listing.Line], _ values: KnobValues, _ run: DemoRun
) -> [String] {
  let (log, isStuck) = (run.log, run.isStuck)
  let tags = Set(lines.flatMap { words($0.tag) })
  let text = lines.map(\.text).joined(separator: "\n")
  var faults: [String] = []
  func expect(_ isSo: Bool, _ fault: @autoclosure () -> String) {
    if !isSo { faults.append(fault()) }
  }
  // A line of one queue has no tasks of another.
  let rows = log.events.flatMap(\.rows).filter { $0.id.hasPrefix("j") }
  let groups = Set(Dictionary(rows.map { ($0.id, $0.group) }, uniquingKeysWith: { $1 }).values)
  for line in lines where !["submit", "wait", "run"].allSatisfy({ !words(line.tag).contains($0) }) {
    expect(line.queues != nil || groups.count < 2, "whose tasks are at: \(line.text)")
    for queue in words(line.queues).map({ String($0.prefix { $0 != "=" }) }) {
      expect(
        isStuck || groups.contains { $0 == queue || $0.hasPrefix("\(queue) ") },
        "no queue \(queue) at: \(line.text)")
    }
  }
  let entersByItself = text.contains("(group: group)")
  for (tag, kinds, isImplied) in [
    ("wait", [TraceLog.Kind.wait, .acquired], false), ("signal", [.signal], false),
    ("enter", [.enter], entersByItself), ("leave", [.leave], entersByItself),
  ] {
    let hasRun =
      log.events.contains { kinds.contains($0.kind) }
      || tag == "wait" && !log.notes("group wait").isEmpty
    let isShown = tags.contains(tag) || isImplied
    // A run that is stuck did not come to all of its code.
    let mayBeAhead = isStuck && values["forget"] != tag
    // A wait of sync for its block need not be shown.
    let mustShow = tag == "wait" ? log.events.contains { $0.waiting != nil } : hasRun
    expect(
      isShown ? hasRun || mayBeAhead : !mustShow, "\(tag): run \(hasRun), code \(isShown)")
  }
  let forgets = text.contains("forgets") || tags.contains("enter") && !tags.contains("leave")
  expect(forgets == (values["forget"] == "leave"), "the leave that is left out")
  expect(isStuck || log.isBalanced, "enter and leave of the run")
  if log.events.contains(where: { $0.kind == .timeout || $0.kind == .cancel }) {
    expect(
      text.contains(#/imeout|cancel|close|resize|permits = |throwing|Throwing|map/#), "a time-out")
  }
  // What a listing prints is printed, but for lines that the end of a run cuts off.
  let notes = log.events(.note)
  for print in text.matches(of: #/print\("([^"\\:]+)/#) where !isStuck {
    expect(notes.contains { $0.label.hasPrefix(print.1) }, "prints \(print.1)")
  }
  return faults
}

// MARK: - The text around a listing

/// Returns a file with each listing in a function of its own.
private func swiftFile(_ listings: [String]) -> String {
  var imports: Set = ["import Dispatch", "import Glibc", "import Synchronization", "import Weir"]
  let functions = listings.enumerated().map { number, text in
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    imports.formUnion(lines.filter { $0.hasPrefix("import ") }.map(String.init))
    let isAsync = lines.contains {
      $0.hasPrefix("let ") && $0.contains("try await with") || $0.contains("= try await (")
    }
    let body = lines.filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
    return "func listing\(number)()\(isAsync ? " async throws" : "") {\n\(body)\n}"
  }
  return ([imports.sorted().joined(separator: "\n"), prelude] + functions)
    .joined(separator: "\n\n")
}

/// The declarations that the listings assume.
private let prelude = """
  struct Picture: Sendable {}
  typealias Image = Picture
  enum TaskState { case pending, inProgress(Int), completed }
  nonisolated(unsafe) var forever: [OwnedPermit] = []
  let reader: Int32 = 0
  func showAlert() {}
  func download(_ task: Int) {}
  func downloadSuspending(_ task: Int) async throws {}
  func show(_ picture: Picture?) {}
  func show(_ pictures: [Picture]) {}
  func show(_ pictures: [Picture?]) {}
  final class Pictures: Sendable {
    var all: [Picture] { [] }
    func append(_ picture: Picture) {}
  }
  func load(_ id: Int) throws -> Image { Image() }
  func fetch(_ id: Int) async throws -> Picture { Picture() }
  func isCancelled(_ id: Int) -> Bool { false }
  func cancel(_ id: Int) {}
  func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {}
  func wifiAppears(_ body: @escaping @Sendable () -> Void) {}
  func request(_ task: Int) {}
  func startSecondStage() {}
  func finish() {}
  func work(_ task: Int) {}
  """
