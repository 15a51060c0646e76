// The listings of the demos: they compile, and each is the code of its run.

import Synchronization
import TestSupport
import Testing
import Weir

@testable import Demos

@Suite(.timeLimit(.minutes(5)))
struct ListingTests {
  @Test("each listing compiles, for every value of every knob")
  func compile() async throws {
    var swift: [String] = []
    var c: Set<String> = []
    for demo in Demos.Demo.all {
      for listing in valuesOfKnobs(demo).flatMap({ demo.code($0) }) {
        let text = listing.lines.map(\.text).joined(separator: "\n")
        if listing.language == "C" { c.insert(text) } else { swift.append(text) }
      }
    }
    let directory = try TemporaryDirectory()
    let folder = String(decoding: directory.path(""), as: UTF8.self)
    try directory.write(swiftFile(Set(swift).sorted()), to: "listings.swift")
    for (number, text) in c.sorted().enumerated() {
      try directory.write("\(preludeC)\n\(text)\n", to: "listing\(number).c")
    }
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
    if path(ofProgram: "swiftc") != nil && !c.isEmpty {
      let result = try await shell(
        """
        resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\\(.*\\)".*/\\1/p')
        exec "${resources%/lib/swift}/bin/clang" -std=gnu11 -fblocks -fsyntax-only -Wall -Wno-unused -Werror \
          -I "$2/include" -isystem "$resources" "$1"/listing*.c
        """, folder, repository, in: directory
      ).run()
      #expect(result.status == 0, "\(result.outputText)\(result.errorText)")
    }
  }

  @Test("each listing is the code of its simulated run, for every value of every knob")
  func agreement() async {
    await #expect(processExitsWith: .success) {
      for demo in Demos.Demo.all {
        for values in valuesOfKnobs(demo) where demo.complaint(values) == nil {
          let name = "\(demo.name) \(demo.knobs.map { "\($0.name) \(values[$0.name])" })"
          let run = try WatchedRun(demo, values)
          for language in ["Swift", "C"] {
            let listings = demo.code(values).filter { $0.language == language }
            guard listings.contains(where: { $0.lines.contains { $0.tag != nil } }) else {
              continue
            }
            for fault in run.faults(of: listings.flatMap(\.lines), language) {
              Issue.record("\(name), \(language): \(fault)")
            }
          }
        }
      }
    }
  }
}

/// The directory of the repository.
private let repository = #filePath.split(separator: "/").dropLast(5).map { "/" + $0 }.joined()

/// The values of a demo's knobs: each choice and flag with each other, a number that has no default
/// given and not, and all other numbers at their default and at another value.
private func valuesOfKnobs(_ demo: Demos.Demo) -> [KnobValues] {
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

/// The calls of a run on a simulated machine, and its log.
private struct WatchedRun {
  let demo: Demos.Demo
  let values: KnobValues
  let calls: MachineCalls
  let log: TraceLog
  let isStuck: Bool

  init(_ demo: Demos.Demo, _ values: KnobValues) throws {
    let machine = WatchedMachine(SimulatedMachine())
    let start = demo.start
    let watched = Demos.Demo(
      name: demo.name, abstract: "", speed: 1, knobs: demo.knobs, questions: demo.questions,
      introduction: { _ in "" },
      start: { values, _, finish in start(values, machine, finish) },
      findings: demo.findings, code: demo.code)
    let run = try DemoRun.perform(watched, values, on: machine.base, watchdog: 1)
    (log, isStuck) = (run.log, run.isStuck)
    self.demo = demo
    self.values = values
    calls = machine.calls.withLock { $0 }
  }

  /// Queues of the demo itself, which no listing shows.
  private static let helpers: Set = ["main", "cell", "finger", "connection", "dependent"]

  /// Returns the differences between a listing and the run.
  func faults(of lines: [Listing.Line], _ language: String) -> [String] {
    let tags = Set(lines.compactMap(\.tag))
    let text = lines.map(\.text).joined(separator: "\n")
    var faults: [String] = []
    func expect(_ isSo: Bool, _ fault: @autoclosure () -> String) {
      if !isSo { faults.append(fault()) }
    }
    let words = text.split { !$0.isLetter && !$0.isNumber }
    func has(_ number: Int) -> Bool { words.contains { $0 == "\(number)" } }
    let entersByItself = text.contains("(group: group)") || text.contains("dispatch_group_async")
    for (tag, kinds, isImplied) in [
      ("wait", [TraceLog.Kind.wait, .acquired], false), ("signal", [.signal], false),
      ("enter", [.enter], entersByItself), ("leave", [.leave], entersByItself),
    ] {
      let hasRun = log.events.contains { kinds.contains($0.kind) }
      let isShown = tags.contains(tag) || isImplied
      // A run that is stuck did not come to all of its code.
      let mayBeAhead = isStuck && values["forget"] != tag
      expect(hasRun == isShown || isShown && mayBeAhead, "\(tag): run \(hasRun), code \(isShown)")
    }
    let forgets = text.contains("forgets") || tags.contains("enter") && !tags.contains("leave")
    expect(forgets == (values["forget"] == "leave"), "the leave that is left out")
    expect(isStuck || log.isBalanced, "enter and leave of the run")
    expect(calls.notifies == tags.contains("notify"), "notify")

    let groupWait = lines.first {
      $0.text.contains("group.wait(") || $0.text.contains("group_wait(")
    }
    expect(calls.groupWaits.isEmpty == (groupWait == nil), "the wait for the group")
    if let groupWait {
      expect(
        calls.groupWaits.contains(true) == groupWait.text.contains(#/timeout|limit/#),
        "the time-out of the wait for the group")
    }
    if let wait = lines.first(where: { $0.tag == "wait" }), !calls.waits.isEmpty {
      expect(calls.waits.contains(true) == wait.text.contains("imeout"), "the time-out of the wait")
    }
    if log.events.contains(where: { $0.kind == .timeout || $0.kind == .cancel }) {
      expect(
        text.contains(#/imeout|cancel|close|resize|permits = |throwing|Throwing|map/#), "a time-out"
      )
    }
    for (label, kind) in calls.queues where !Self.helpers.contains(label) {
      guard demo.name != "loops" || kind == .serial else { continue }
      let name = label.split(separator: " ")[0] == "serial" ? "\"serial" : "\"\(label)\""
      guard
        let line = lines.first(where: { $0.text.contains(name) && !$0.text.contains("  print(") })
      else {
        if language == "Swift" { faults.append("no queue \(label)") }
        continue
      }
      switch kind {
      case .serial:
        expect(!line.text.contains(#/anes|oncurrent|CONCURRENT/#), "\(label) is serial")
      case .concurrent:
        expect(line.text.lowercased().contains("concurrent"), "\(label) is concurrent")
      case .lanes(let width):
        expect(line.text.contains("anes"), "\(label) is lanes")
        let hasWidth = ["width: \(width))", "width = \(width)}"].contains { line.text.contains($0) }
        expect(hasWidth, "\(label) has width \(width)")
      }
    }
    if tags.contains("wait") && text.contains("emaphore") && !text.contains("getdtablesize") {
      for permits in calls.permits { expect(has(permits), "\(permits) permits") }
    }
    faults += faultsOfNumbers(text, has)
    return faults + (language == "Swift" ? faultsOfPrints(text) : [])
  }

  /// Returns the differences between the lines that a listing prints and the notes of the run. The
  /// tour of the queues prints all of its notes, in the order of its calls.
  private func faultsOfPrints(_ text: String) -> [String] {
    let notes = log.events(.note).filter { !$0.label.hasPrefix("main") }
    let printed = text.matches(of: #/( *)(\S.*)?print\("([^"\\:]+)/#)
    var faults: [String] = []
    for word in printed.map({ String($0.3) })
    where !isStuck && !notes.contains(where: { $0.label.hasPrefix(word) }) {
      faults.append("prints \(word)")
    }
    guard demo.name == "queues", values["form"] == "tour" else { return faults }
    for event in notes where !event.label.hasPrefix("START") && !event.label.hasPrefix("END") {
      let word = event.label.prefix { $0.isLetter || $0 == " " || $0 == "-" }
        .trimmingPrefix(" ")
      let start = String(word.reversed().drop { $0 == " " }.reversed())
      if !["print(\"\(start)", "// \(start)", ".\(start)()"].contains(where: text.contains) {
        faults.append("the note \(event.label)")
      }
    }
    // A print that begins its line is in the order of the run, and in a block of its own exactly if
    // its margin is another than that of the print before it.
    let statements = printed.filter { $0.2 == nil }
    let places = statements.map { print in notes.firstIndex { $0.label.hasPrefix(print.3) } ?? -1 }
    if places != places.sorted() { faults.append("the order of \(statements.map(\.3))") }
    let jobs = jobsOfNotes
    for (a, b) in zip(statements.indices, statements.indices.dropFirst())
    where (statements[a].1 == statements[b].1) != (jobs[places[a]] == jobs[places[b]]) {
      faults.append("the blocks of \(statements[a].3) and \(statements[b].3)")
    }
    let blocks = log.events(.submit, of: "main").count
    // One more ends the run.
    let shown = text.matches(of: #/main\.async|queue: \.main/#).count
    if blocks != shown + 1 { faults.append("\(blocks) blocks of the main queue, \(shown) shown") }
    return faults
  }

  /// The innermost job in which each note was made.
  private var jobsOfNotes: [TraceLog.Job?] {
    var stacks: [Int: [TraceLog.Job]] = [:]
    var jobs: [TraceLog.Job?] = []
    for event in log.events {
      let job = TraceLog.Job(object: event.object, label: event.label, task: event.task ?? 0)
      switch event.kind {
      case .start: stacks[event.thread, default: []].append(job)
      case .end: stacks[event.thread]?.removeAll { $0 == job }
      case .note where !event.label.hasPrefix("main"): jobs.append(stacks[event.thread]?.last)
      default: break
      }
    }
    return jobs
  }

  /// Returns the differences in the number of blocks, in the stride and in the limit.
  private func faultsOfNumbers(_ text: String, _ has: (Int) -> Bool) -> [String] {
    var faults: [String] = []
    let submits = Dictionary(grouping: log.events(.submit)) { event in
      ["network", "disk"].contains(event.label) ? "requests" : event.label
    }.mapValues(\.count)
    let isCut = ["fail", "cancel-after", "cancel", "close"].contains { !values[$0].isEmpty }
    let unnumbered: Set = ["serial", "owner", "average", "waiter", "suspended"]
    for (label, count) in submits
    where !Self.helpers.union(unnumbered).contains(label) && !isCut && values.int("queues") < 2 {
      if !label.hasPrefix("com.apple") && !has(count) {
        faults.append("\(count) blocks of \(label)")
      }
    }
    if demo.name == "loops" {
      let strides = log.notes("START").map(\.value)
      if !has(strides.count) { faults.append("\(strides.count) blocks") }
      if let stride = strides.first, strides.count > 1, !text.contains("* \(stride)") {
        faults.append("the stride \(stride)")
      }
    }
    let limits = text.matches(of: #/(?:value|width|permits|limit): (\d+)/#).compactMap { Int($0.1) }
    let hasChanged = !log.notes("network").isEmpty || !values["resize"].isEmpty
    if let limit = limits.max(), !hasChanged, log.events(.timeout).isEmpty, values["step"] != "1" {
      let labels = Set(log.events(.start).map(\.label)).subtracting(Self.helpers)
      let peak =
        labels.subtracting(unnumbered).filter { !text.contains("\($0)\", attributes") }
        .map { log.peakJobs(of: $0) }.max() ?? 0
      // A task at a gate has begun when it waits there: its permits count.
      let held = log.events.compactMap(\.inUse).max() ?? 0
      let most = text.contains("Gate(") ? held : peak
      if most > limit && !text.contains("emaphore") {
        faults.append("\(most) at once, a limit of \(limit)")
      }
    }
    return faults
  }
}

/// The calls that the log does not show.
private struct MachineCalls {
  var queues: [(String, QueueKind)] = []
  var permits: [Int] = []
  /// For each wait for a semaphore: true if it has a time-out.
  var waits: [Bool] = []
  /// The same for a group.
  var groupWaits: [Bool] = []
  var notifies = false
}

/// A simulated machine that notes the calls.
private final class WatchedMachine: Machine {
  let base: SimulatedMachine
  let calls = Mutex(MachineCalls())

  init(_ base: SimulatedMachine) { self.base = base }

  var isSimulated: Bool { true }
  var speed: Double { base.speed }
  var cores: Int { base.cores }
  var mainQueue: any QueueEngine { base.mainQueue }
  var isOnMainQueue: Bool { base.isOnMainQueue }

  func makeQueue(label: String, kind: QueueKind, quality: QueueQuality) -> any QueueEngine {
    if !label.hasPrefix("com.apple") { calls.withLock { $0.queues.append((label, kind)) } }
    return base.makeQueue(label: label, kind: kind, quality: quality)
  }

  func makeSemaphore(permits: Int) -> any SemaphoreEngine {
    WatchedSemaphore(base: base.makeSemaphore(permits: permits), permits: permits, machine: self)
  }

  func makeGroup() -> any GroupEngine { WatchedGroup(base: base.makeGroup(), machine: self) }
  func sleep(_ seconds: Double) { base.sleep(seconds) }
  func compute(_ seconds: Double) { base.compute(seconds) }
  func pause(_ seconds: Double) async throws { try await base.pause(seconds) }
  func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> { base.task(body) }
}

private struct WatchedSemaphore: SemaphoreEngine {
  let base: any SemaphoreEngine
  let permits: Int
  let machine: WatchedMachine

  func tryWait() -> Bool {
    machine.calls.withLock { $0.permits.append(permits) }
    return base.tryWait()
  }

  func wait(nanoseconds: UInt64?, isWallTime: Bool) -> Bool {
    machine.calls.withLock { $0.waits.append(nanoseconds != nil) }
    return base.wait(nanoseconds: nanoseconds, isWallTime: isWallTime)
  }

  func signal() -> Bool { base.signal() }
}

private struct WatchedGroup: GroupEngine {
  let base: any GroupEngine
  let machine: WatchedMachine

  func enter() { base.enter() }
  func leave() { base.leave() }

  func wait(nanoseconds: UInt64?) -> Bool {
    machine.calls.withLock { $0.groupWaits.append(nanoseconds != nil) }
    return base.wait(nanoseconds: nanoseconds)
  }

  func notify(on queue: any QueueEngine, _ block: @escaping @Sendable () -> Void) {
    machine.calls.withLock { $0.notifies = true }
    base.notify(on: queue, block)
  }
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
  return ([imports.sorted().joined(separator: "\n"), preludeSwift] + functions)
    .joined(separator: "\n\n")
}

/// The declarations that the listings in Swift assume.
private let preludeSwift = """
  struct Picture: Sendable {}
  typealias Image = Picture
  struct ChildError: Error {}
  enum TaskState { case pending, inProgress(Int), completed }
  nonisolated(unsafe) var forever: [OwnedPermit] = []
  let reader: Int32 = 0
  func showAlert() {}
  func download(_ task: Int) {}
  func downloadSuspending(_ task: Int) async throws {}
  func show(_ picture: Picture?) {}
  func show(_ pictures: [Picture]) {}
  func load(_ id: Int) throws -> Image { Image() }
  func fetch(_ id: Int) async throws -> Picture { Picture() }
  func isCancelled(_ id: Int) -> Bool { false }
  func cancel(_ id: Int) {}
  func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {}
  func wifiAppears(_ body: @escaping @Sendable () -> Void) {}
  func request(_ task: Int) {}
  func startSecondStage() {}
  func startLanes() {}
  func finish() {}
  func work(_ task: Int) {}
  """

/// The declarations that the listings in C assume.
private let preludeC = """
  #include <dispatch/dispatch.h>
  #include <fcntl.h>
  #include <stdbool.h>
  #include <stdio.h>
  #include <stdlib.h>
  #include <unistd.h>
  #include "weir.h"
  extern int getdtablesize(void);
  extern dispatch_queue_t waiter;
  extern dispatch_group_t group, files;
  extern weir_lanes_t network, disk;
  extern dispatch_semaphore_t budget;
  extern int tasks[], *last;
  void request(void *task);
  void start_second_stage(void *context);
  void process(int descriptor, void *file);
  void *name(int file);
  void show_result(void *context);
  extern int numbers[];
  void run_task(void *task);
  void sleep_block(void *unused);
  void print(void *text);
  void average_async(int *numbers, dispatch_queue_t queue, void (*completion)(int average));
  void free_context(void *context);
  void print_context(void *queue);
  void add_to_context(void *queue);
  void work(size_t index);
  """
