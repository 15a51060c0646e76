// One race: a run of the tool that is stopped at a step, while its tree changes.

import Glibc
import TestSupport

struct Race: Sendable, CustomStringConvertible {
  let verb: RaceVerb
  let size: RaceSize
  let step: RaceStep
  let kind: RaceKind

  var description: String {
    "\(verb.rawValue), \(size.rawValue), \(step.rawValue): \(kind.rawValue)"
  }

  /// True if the directory is open when the file is opened.
  private var isNear: Bool {
    verb.walks && verb != .hashFollow && verb != .duplicates
  }

  /// A shard compares the status with its plan before it reads.
  var phase: RacePhase {
    verb == .shard && step == .afterStatus ? .opened : step.phase(size, isWalked: isNear)
  }

  static let neighbors = 600

  static let all: [Race] = RaceVerb.allCases.flatMap { verb in
    verb.sizes.flatMap { size in
      verb.steps(size).flatMap { step in
        RaceKind.allCases.filter { kind in
          verb.takes(kind) && (step != .beforeManifest || kind.target != .content)
        }
        .map { Race(verb: verb, size: size, step: step, kind: $0) }
      }
    }
  }
}

/// What a run of a race has left.
struct RaceRecord: Sendable {
  var claims: [(name: String, result: String)] = []
  var messages: [String] = []
  var text = ""
  var status: Int32?
  var problems: [String] = []
  var isReached = false
}

/// The things that races share: programs, contents, and trees that nothing may lead to.
struct RaceGround: Sendable {
  let directory: TemporaryDirectory
  let library: String
  let results: [RaceSize: RaceResults]

  init() async throws {
    directory = try TemporaryDirectory()
    library = try await Compiled.faultLibrary
    var results: [RaceSize: RaceResults] = [:]
    for size in RaceSize.allCases {
      results[size] = try await RaceResults(size, neighbors: Race.neighbors)
      let root = "\(size)"
      for path in [root, "\(root)/t", "\(root)/t/d", "\(root)/t/e"] {
        try directory.makeDirectory(path)
      }
      for name in ["d/a", "d/v", "d/z", "d/secret-name", "e/x"] {
        try directory.write(RaceText.secret.bytes(size.bytes), to: "\(root)/t/\(name)".utf8)
        setOldTime(directory.path("\(root)/t/\(name)"))
      }
    }
    self.results = results
  }

  func outside(_ size: RaceSize) -> String { "\(directory.text)/\(size)" }
}

private func setOldTime(_ path: [UInt8]) {
  let time = timespec(tv_sec: 1_500_000_000, tv_nsec: 123_456_789)
  utimensat(AT_FDCWD, terminated(path), [time, time], 0)
}

/// Waits until files that were made just now are old: a younger file is read a second time.
private func awaitOldTimes() {
  var (step, begin, now) = (timespec(), timespec(), timespec())
  clock_getres(CLOCK_REALTIME_COARSE, &step)
  clock_gettime(CLOCK_REALTIME_COARSE, &begin)
  repeat {
    usleep(1000)
    clock_gettime(CLOCK_REALTIME_COARSE, &now)
  } while (now.tv_sec - begin.tv_sec) * 1_000_000_000 + now.tv_nsec - begin.tv_nsec
    <= 2 * step.tv_nsec
}

extension Race {
  func run(on ground: RaceGround) throws -> RaceRecord {
    let directory = try TemporaryDirectory()
    try makeTree(in: directory, ground)
    awaitOldTimes()
    if !verb.preparation.isEmpty { _ = try tool(verb.preparation, in: directory).runBlocking() }
    let outcome = try racing(in: directory, ground).runBlocking()
    var record = RaceRecord()
    record.status = outcome.status
    if outcome.wasLate { record.problems.append("did not end within its limit") }
    if outcome.status.map({ $0 > 4 }) ?? true {
      record.problems.append("ended with \(outcome.status ?? -1)")
    }
    var output = outcome.outputText
    var errors = outcome.errorText
    if verb == .hashToFile { output += readManifest(directory, &record) }
    if !verb.ending.isEmpty {
      let ended = try tool(verb.ending, in: directory).runBlocking()
      output = ended.outputText
      errors += ended.errorText
      record.status = ended.status
    }
    record.claims = verb.claims(output)
    record.messages = errors.split(separator: "\n").map(String.init)
    record.text = output + errors
    readReport(directory, &record)
    return record
  }

  private func tool(_ arguments: [String], in directory: TemporaryDirectory) -> Command {
    weir(arguments.map { Array($0.utf8) }, in: directory)
  }

  private func racing(in directory: TemporaryDirectory, _ ground: RaceGround) -> Command {
    let command = kind.command(size, outside: ground.outside(size))
    let stops = ["\(step.stop(size)) \(command)"] + kind.ending
    var run = tool(verb.arguments, in: directory)
    run.environment = [
      "LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin", "SWIFT_BACKTRACE=enable=no",
      "LD_PRELOAD=\(ground.library)", "STOPS_REPORT=\(directory.text)/report",
      "STOPS=" + stops.joined(separator: "\n"),
    ]
    return run
  }

  private func makeTree(in directory: TemporaryDirectory, _ ground: RaceGround) throws {
    for name in ["gone", "t", "t/d", "t/e"] { try directory.makeDirectory(name) }
    func write(_ text: RaceText, _ name: String, _ count: Int = Race.neighbors) throws {
      try directory.write(text.bytes(count), to: name.utf8)
      setOldTime(directory.path(name))
    }
    for root in ["t", "new"] where root == "t" || kind.after == .other {
      for name in ["", "/d", "/e"] { try directory.makeDirectory("\(root)\(name)") }
      try write(.first, "\(root)/d/a")
      try write(root == "t" ? .before : .other, "\(root)/d/v", size.bytes)
      try write(.last, "\(root)/d/z")
      try write(.first, "\(root)/e/x")
    }
    if verb == .duplicates { try makeEquals(in: directory, write) }
    guard verb == .check, let results = ground.results[size] else { return }
    let recorded: [(String, RaceText)] = [
      ("t/d/a", .first), ("t/d/v", .before), ("t/d/z", .last), ("t/e/x", .first),
    ]
    let lines = recorded.map { name, text in
      "\(results.digests[text] ?? "")  \(name)\n"
    }
    try directory.write(lines.joined(), to: "sums")
  }

  /// Files that are equal to the file before and after the change, to the secret, and to a mixture.
  private func makeEquals(
    in directory: TemporaryDirectory, _ write: (RaceText, String, Int) throws -> Void
  ) throws {
    try write(.before, "t/e/before", size.bytes)
    try write(.secret, "t/e/secret", size.bytes)
    guard let after = kind.after else { return }
    try write(after, "t/e/after", after == .last ? Race.neighbors : size.bytes)
    let old = RaceText.before.bytes(size.bytes), new = after.bytes(size.bytes)
    if old.count == new.count && size == .three && old[..<(1 << 20)] != new[..<(1 << 20)] {
      try directory.write(Array(old[..<(1 << 20)] + new[(1 << 20)...]), to: "t/e/mixture".utf8)
      setOldTime(directory.path("t/e/mixture"))
    }
  }

  private func readManifest(_ directory: TemporaryDirectory, _ record: inout RaceRecord) -> String {
    let manifest = contents(ofFile: directory.path("sums"))
    if (manifest != nil) != [0, 3].contains(record.status) {
      record.problems.append("a manifest in spite of the status, or none")
    }
    if access(directory.text + "/sums.partial", F_OK) == 0 && manifest != nil {
      record.problems.append("sums.partial is left")
    }
    return String(decoding: manifest ?? [], as: UTF8.self)
  }

  private func readReport(_ directory: TemporaryDirectory, _ record: inout RaceRecord) {
    let report = String(decoding: contents(ofFile: directory.path("report")) ?? [], as: UTF8.self)
    for line in report.split(separator: "\n") {
      if line.hasPrefix("reached: ") { record.isReached = true }
      if line.hasPrefix("failed: ") { record.problems.append("the harness: \(line)") }
    }
  }
}
