// A directory in which one command runs again and again, each time from the same state.

import Glibc
import TestSupport

struct FaultEnd {
  var outcome: Outcome
  var report: FaultReport
  /// The contents of the files by path; directories end in a slash and are empty.
  var files: [String: [UInt8]]
  /// True if a child of the program was alive after it.
  var leftChild: Bool
}

final class FaultWorkspace {
  /// The beginning of the paths of files in TMPDIR.
  private static let temporary = "TMPDIR:"

  let scenario: FaultScenario
  private let directory: TemporaryDirectory
  private let library: String
  /// The state before each run.
  private var initial: [String: [UInt8]] = [:]

  init(_ scenario: FaultScenario, library: String) throws {
    self.scenario = scenario
    self.library = library
    directory = try TemporaryDirectory()
    try prepare()
    initial = contents()
  }

  private var place: String { directory.text + "/w" }

  private func prepare() throws {
    for name in [
      "w", "temporary", "w/tree", "w/tree/deep", "w/tree/deep/inner", "w/each", "w/links",
    ] {
      try directory.makeDirectory(name)
    }
    for name in ["w/parts", "w/lists"] where uses(name.dropFirst(2)) {
      try directory.makeDirectory(name)
    }
    let same = Self.text("one of two", lines: 3)
    let large = Self.text("large", lines: 4000)
    try directory.write(same, to: "w/tree/alpha.txt")
    try directory.write(same, to: "w/tree/bravo.txt")
    try directory.write("", to: "w/tree/charlie.txt")
    try directory.write(large, to: "w/tree/deep/delta.txt")
    try directory.write(large, to: "w/tree/deep/inner/echo.txt")
    try directory.write(Self.text("foxtrot", lines: 1), to: "w/tree/deep/foxtrot.txt")
    try directory.write(Self.text("golf", lines: 9), to: "w/tree/golf.txt")
    for (name, lines) in [("hotel", 2), ("india", 4000), ("juliet", 1), ("kilo", 0)] {
      try directory.write(Self.text("\(name).txt", lines: lines), to: "w/each/\(name).txt")
    }
    try directory.link("w/links/lima.txt", to: "../tree/golf.txt")
    let names = ["tree/alpha.txt", "tree/deep/foxtrot.txt", "tree/golf.txt"]
    try directory.write(names.joined(separator: "\n") + "\n", to: "w/list.txt")
    try directory.write(names.joined(separator: "\0") + "\0", to: "w/list.nul")
    try directory.write("each/hotel.txt\neach/juliet.txt\n", to: "w/each.txt")
    if scenario.program != "weir" {
      guard
        symlink(String(decoding: weirPath, as: UTF8.self), place + "/../" + scenario.program) == 0
      else { throw SystemError(call: "symlink") }
    }
    for arguments in scenario.setUp {
      let made = try command(program: nil, arguments, environment: []).runBlocking()
      guard made.status == 0 else {
        throw SetUpFailure(description: "\(scenario.name): \(arguments): \(made.errorText)")
      }
    }
    for change in scenario.files {
      if change.from.isEmpty {
        unlink(place + "/" + change.name)
        continue
      }
      let content = String(decoding: contents()[change.from] ?? [], as: UTF8.self)
      let lines = content.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      let count = Int(Double(lines.count) * change.part)
      let text: String = lines.prefix(count).map { $0 + "\n" }.joined()
      try directory.write(text, to: "w/" + change.name)
    }
  }

  private func uses(_ name: some StringProtocol) -> Bool {
    (scenario.setUp + [scenario.arguments]).contains { $0.contains { $0 == name } }
  }

  private static func text(_ word: String, lines: Int) -> String {
    (0..<lines).map { "\(word) line \($0)\n" }.joined()
  }

  // MARK: Runs

  private func command(program: String?, _ arguments: [String], environment: [String]) -> Command {
    let path = program.map { Array("\(directory.text)/\($0)".utf8) } ?? weirPath
    var command = Command(path, arguments.map { Array($0.utf8) })
    command.directory = Array(place.utf8)
    command.environment =
      [
        "LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin", "TERM=dumb", "SWIFT_BACKTRACE=enable=no",
        "TMPDIR=\(directory.text)/temporary",
      ] + environment
    if !environment.isEmpty, let input = scenario.input {
      command.input = .file(Array("\(place)/\(input)".utf8), O_RDONLY)
    }
    return command
  }

  func baseline() throws -> FaultEnd {
    defer { reset() }
    return try run(scenario.arguments, fault: nil)
  }

  func run(_ fault: Fault?) throws -> FaultEnd { try run(scenario.arguments, fault: fault) }

  func runAgain() throws -> FaultEnd {
    try run(scenario.again ?? scenario.arguments, fault: nil)
  }

  private func run(_ arguments: [String], fault: Fault?) throws -> FaultEnd {
    let reportFile = directory.text + "/report"
    let made = open(reportFile, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard made >= 0, ftruncate(made, off_t(FaultReport.size)) == 0 else {
      throw SystemError(call: "report")
    }
    defer { close(made) }
    let environment = ["LD_PRELOAD=\(library)", "FAULT_REPORT=\(reportFile)"]
    let outcome = try command(
      program: scenario.program == "weir" ? nil : scenario.program, arguments,
      environment: environment + (fault?.environment ?? [])
    ).runBlocking()
    var bytes = [UInt8](repeating: 0, count: FaultReport.size)
    guard pread(made, &bytes, bytes.count, 0) == bytes.count, let report = FaultReport(bytes) else {
      throw SystemError(call: "report")
    }
    return FaultEnd(
      outcome: outcome, report: report, files: contents(), leftChild: !isUnlocked(made))
  }

  func merged() throws -> [UInt8] {
    guard scenario.isShard else { return [] }
    return try command(
      program: nil, ["merge", "--plan", "plan.out", "parts"], environment: []
    ).runBlocking().output
  }

  /// Returns true once no child of the program holds its lock. One that was killed may need a
  /// moment.
  private func isUnlocked(_ report: Int32) -> Bool {
    eventuallyBlocking { flock(report, LOCK_EX | LOCK_NB) == 0 }
  }

  // MARK: States

  func reset() {
    let now = contents()
    for path in now.keys.sorted(by: >) where initial[path] == nil {
      let name = path.split(separator: ":").last.map(String.init) ?? path
      let file =
        path.hasPrefix(Self.temporary) ? "\(directory.text)/temporary/\(name)" : "\(place)/\(path)"
      if path.hasSuffix("/") { rmdir(file) } else { unlink(file) }
    }
    for (path, content) in initial where now[path] != content && !path.hasSuffix("/") {
      // A file that the tool replaced by another one has another mode and other links.
      unlink(place + "/" + path)
      try? directory.write(content, to: Array("w/\(path)".utf8))
    }
  }

  /// True if no file of the tree differs from its initial state.
  func keepsInput(_ files: [String: [UInt8]]) -> Bool {
    ["tree/", "each/", "links/"].allSatisfy { prefix in
      files.filter { $0.key.hasPrefix(prefix) } == initial.filter { $0.key.hasPrefix(prefix) }
    }
  }

  var before: [String: [UInt8]] { initial }

  private func contents() -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    collect("", in: place, into: &found)
    collect(Self.temporary, in: directory.text + "/temporary", into: &found)
    return found
  }

  private func collect(_ prefix: String, in path: String, into found: inout [String: [UInt8]]) {
    guard let listing = opendir(path) else { return }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let type = Int32(entry.pointee.d_type)
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name == "." || name == ".." { continue }
      if type == Int32(DT_DIR) {
        found[prefix + name + "/"] = []
        collect(prefix + name + "/", in: path + "/" + name, into: &found)
      } else {
        found[prefix + name] =
          type == Int32(DT_REG)
          ? TestSupport.contents(ofFile: Array((path + "/" + name).utf8)) ?? [] : []
      }
    }
  }

}

struct SetUpFailure: Error, CustomStringConvertible {
  let description: String
}

struct SystemError: Error, CustomStringConvertible {
  let call: String
  let number = errno

  var description: String { "\(call): \(String(cString: strerror(number)))" }
}
