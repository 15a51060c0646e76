// One run of a verb under limits and signals, and the verdict on it.

import Glibc
import TestSupport

/// A verb whose output is known.
struct EnduranceVerb: Sendable {
  let name: String
  let words: [[UInt8]]
  let status: Int32
  let output: [UInt8]
  /// True if an interrupted run has written a beginning of the output.
  let hasPrefixes: Bool
  /// The content of the file that the verb writes, whose name is `@` in the words; `nil` if it
  /// is not known.
  var file: [UInt8]?
  /// The path of the program.
  var program = weirPath
}

/// The pressure on a run.
struct EndurancePressure: Sendable {
  /// `ulimit -n`.
  var descriptors: Int?
  /// `ulimit -v`, in KiB.
  var addressSpace: Int?
  /// True if SIGSTOP and SIGCONT come before the last signal.
  var isStopped = false
  /// The signal that ends the run.
  var signal: Int32?
  /// True if the reader of the output goes away.
  var losesReader = false
  /// Microseconds before each signal.
  var delay: useconds_t = 0

  init(using random: inout SeededGenerator) {
    delay = .random(in: 0...30_000, using: &random)
    if Bool.random(using: &random) { descriptors = .random(in: 16...64, using: &random) }
    if Int.random(in: 0..<4, using: &random) == 0 {
      addressSpace = .random(in: 30_000...500_000, using: &random)
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: signal = [SIGINT, SIGTERM, SIGHUP].randomElement(using: &random)
    case 1: isStopped = true
    case 2: losesReader = true
    default: break
    }
  }

  var limitsMemory: Bool { addressSpace != nil }
}

/// The verdict on a run.
enum EnduranceVerdict: Sendable {
  case right
  case interrupted
  /// The run ended for lack of memory, and said so.
  case refused
  case wrong(String)
}

extension EnduranceVerb {
  /// Runs the verb. Blocks.
  func run(_ pressure: EndurancePressure, in directory: TemporaryDirectory) throws
    -> EnduranceVerdict
  {
    var script = ""
    if let limit = pressure.descriptors { script += "ulimit -n \(limit); " }
    if let limit = pressure.addressSpace { script += "ulimit -v \(limit); " }
    script += "exec \"$0\" \"$@\""
    if pressure.losesReader {
      script = "{ (\(script)); echo \"status $?\" >&2; } | head -c 100 > /dev/null"
    }
    let place = "place-\(pthread_self())"
    let words = words.map { $0 == Array("@".utf8) ? Array("\(place)/F".utf8) : $0 }
    if words != self.words { try directory.makeDirectory(place) }
    defer { if words != self.words { remove(place, in: directory) } }
    let command = other("sh", TestSupport.words("-c", script) + [program] + words, in: directory)
    let child = try Child(command)
    usleep(pressure.delay)
    if pressure.isStopped {
      // Not the group: docs/reliability.md says what that can do to a command that is starting.
      kill(child.pid, SIGSTOP)
      usleep(pressure.delay)
      kill(child.pid, SIGCONT)
    }
    if let signal = pressure.signal { kill(child.pid, signal) }
    let verdict = verdict(try child.finish(limit: 120), pressure)
    guard let file else { return verdict }
    let made = contents(ofFile: directory.path("\(place)/F"))
    if made == file { return verdict }
    if case .right = verdict { return .wrong("\(name): another file") }
    guard let made else { return verdict }
    // A file that could not be read for lack of memory has no line, and status 3.
    return pressure.limitsMemory && lines(of: made).isSubset(of: lines(of: file))
      ? verdict : .wrong("\(name): half a file: \(pressure)")
  }

  /// Removes the directory of a run, with the companions of its file.
  private func remove(_ place: String, in directory: TemporaryDirectory) {
    for name in ["F", "F.mtree", "F.partial", "F.partial.next", "F.partial.text"] {
      unlink("\(directory.text)/\(place)/\(name)")
    }
    rmdir("\(directory.text)/\(place)")
  }

  private func verdict(_ outcome: Outcome, _ pressure: EndurancePressure) -> EnduranceVerdict {
    let told =
      "\(name), \(pressure): status \(outcome.status ?? -1), signal \(outcome.signal ?? 0), "
    let text = told + String(outcome.errorText.suffix(300)) + difference(outcome.output)
    if outcome.wasLate { return .wrong("hangs: \(text)") }
    // Without memory a file in the middle may be unreadable.
    let beginning =
      hasPrefixes && !pressure.limitsMemory ? output.starts(with: outcome.output) : true
    // Without memory Swift's runtime ends a program.
    let traps = [SIGABRT, SIGILL, SIGTRAP, SIGSEGV, SIGBUS]
    if pressure.losesReader {
      let statuses =
        pressure.limitsMemory
        ? [status, 141, 1, 2, 3, 127, 137] + traps.map { 128 + $0 } : [status, 141]
      guard let line = outcome.errorLines.last(where: { $0.hasPrefix("status ") }),
        let ended = Int32(line.dropFirst(7)), statuses.contains(ended)
      else { return .wrong(text) }
      return ended == 141 ? .interrupted : ended == status ? .right : .refused
    }
    if outcome.status == status && outcome.output == output { return .right }
    if let signal = pressure.signal, outcome.signal == signal {
      return beginning ? .interrupted : .wrong("not a beginning: \(text)")
    }
    let isAborted = outcome.signal.map(traps.contains) ?? false
    guard pressure.limitsMemory, outcome.signal == nil || isAborted, outcome.status != 0 else {
      return .wrong(text)
    }
    // 127 is the loader's status, which finds no room for a library.
    let reasons = ["Cannot allocate memory", "Resource temporarily unavailable", "no thread"]
    let isSaid = reasons.contains { outcome.errorText.contains($0) }
    if name.hasPrefix("hash"), !lines(of: outcome.output).isSubset(of: lines(of: output)) {
      return .wrong("a wrong line: \(text)")
    }
    return isSaid || isAborted || outcome.status == 127 ? .refused : .wrong(text)
  }

  /// Returns the first line of an output that is not the expected one.
  private func difference(_ made: [UInt8]) -> String {
    if made == output { return "" }
    let lines = [made, output].map { $0.split(separator: 0x0A, omittingEmptySubsequences: false) }
    let place = zip(lines[0], lines[1]).prefix { $0 == $1 }.count
    let texts = lines.map { String(decoding: $0.dropFirst(place).first ?? [], as: UTF8.self) }
    return "; \(made.count) bytes for \(output.count), line \(place + 1): \(texts)"
  }

  /// The whole lines of an output.
  private func lines(of output: [UInt8]) -> Set<ArraySlice<UInt8>> {
    Set(output.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast())
  }
}
