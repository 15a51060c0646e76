// The errors that end the program with status 2, and the exit statuses.

internal import FileJobs

/// The exit statuses other than success.
enum ExitStatus: Int32, Error {
  /// Something differs.
  case difference = 1
  /// A usage error, or nothing could be started or written.
  case usage = 2
  /// An existing file could not be read.
  case unreadable = 3
  /// Nothing differs, but an audit found new or moved files.
  case newOrMoved = 4
  /// A part of a shard is cut or changed.
  case damaged = 5

  /// Shards of a plan are missing.
  static let incomplete = ExitStatus.unreadable
  /// A part belongs to another plan, or was made by another command.
  static let otherPlan = ExitStatus.newOrMoved
}

/// An error that keeps a run from starting or from writing its output: status 2.
struct FileError: Error {
  /// `NAME: reason`, with the name quoted, or a sentence.
  let message: [UInt8]

  init(message: [UInt8]) { self.message = message }

  init(_ name: RawArgument, _ error: any Error) {
    self.init(message: QuotedName.bytes(of: name.bytes) + Array(": \(error)".utf8))
  }
}

extension FileError {
  init(_ fault: Fault) {
    let reason = fault.reason.text.parts.map { part in
      switch part {
      case .text(let text): Array(text.utf8)
      case .name(let name): QuotedName.bytes(of: name)
      case .command(let words): CommandText.bytes(of: words)
      }
    }
    self.init(message: QuotedName.bytes(of: fault.name) + Array(": ".utf8) + reason.joined())
  }
}

extension Console {
  /// Writes the message of an error to standard error.
  func report(_ error: any Error) {
    if let error = error as? FileError { report(error.message) } else { report("\(error)") }
  }
}

/// A reason for a `FileError` that is no error of the system.
struct Refusal: Error, CustomStringConvertible {
  let description: String
  init(_ reason: String) { description = reason }
}

/// A mistake in a command line: a message of one line, with the help to read, and
/// status 2.
struct UsageError: Error {
  /// The sentence, without a period; words of the command line are quoted.
  let message: [UInt8]

  init(_ message: String) {
    self.message = Array(message.utf8)
  }

  init(_ begin: String, _ word: RawArgument, _ end: String = "") {
    message = Array(begin.utf8) + QuotedName.bytes(of: word.bytes) + Array(end.utf8)
  }

  /// An option that a verb does not have, with the one that does what other tools do by it.
  init(unknownOption name: RawArgument, among names: [String]) {
    let word = name.text.drop { $0 == "-" }
    let isRecursion = ["r", "R", "recursive"].contains(word)
    let isWidth = ["P", "T", "threads", "num-threads", "max-procs"].contains(word)
    let hint =
      if isRecursion && names.contains(WalkOptions.followName) {
        " (directories are walked without it)"
      } else if isWidth && names.contains(CommonOptions.jobsName) {
        " (did you mean \(CommonOptions.jobsName)?)"
      } else {
        UsageError.suggestion(for: name.text, among: names)
      }
    self.init("unknown option ", name, hint)
  }

  /// Returns a question that suggests the nearest name, or nothing if none is near.
  static func suggestion(for word: String, among names: some Sequence<String>) -> String {
    guard let name = nearest(to: word, among: names) else { return "" }
    return " (did you mean \(name)?)"
  }

  /// Returns the nearest name: one that begins with the word, or else differs from it by
  /// a few letters, in upper case or lower case.
  static func nearest(to word: String, among names: some Sequence<String>) -> String? {
    let letters = Array(word.lowercased().utf8)
    guard (3...40).contains(letters.count) else { return nil }
    let ranked = names.sorted().map { name -> (name: String, distance: Int) in
      let others = Array(name.lowercased().utf8)
      return (name, others.starts(with: letters) ? 0 : distance(letters, others))
    }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, letters.count / 4) ? best.name : nil
  }

  /// The Damerau-Levenshtein distance: the number of insertions, deletions, changes and
  /// exchanges of neighbours between two words.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var earlier: [Int] = []
    var before = Array(0...right.count)
    for i in left.indices {
      var now = [i + 1]
      for j in right.indices {
        let isSame = left[i] == right[j]
        var least = min(before[j] + (isSame ? 0 : 1), before[j + 1] + 1, now[j] + 1)
        if i > 0 && j > 0 && left[i] == right[j - 1] && left[i - 1] == right[j] {
          least = min(least, earlier[j - 1] + 1)
        }
        now.append(least)
      }
      earlier = before
      before = now
    }
    return before[right.count]
  }
}
