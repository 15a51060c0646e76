// The state of a check that takes many nights: the time at which each line was last proved.
//
// DESIGN. The file is text. Its first line has the number of the lines that a run has written as a
// whole, in the order of the manifests, and the directory of relative names. A later run appends a line for each verdict, and the file is
// written back every three seconds; at the end it is replaced by a whole one, which has the lines of
// the present manifests and no others. So a kill at any moment loses the verdicts of the last
// seconds, and a proof that is in the file has happened. A damaged line among the whole ones is an
// error. Among the appended ones it is where a machine stopped: the file is used up to there, and
// the rest is proved again. The latest line of a key counts.
//
// In memory a line takes 32 bytes: a hash of its key, one of its content, by which a renamed file is
// found, and two times. Swift's hash has a random key
// in each process, so nobody can choose a name that passes for another one (as in JobLogHistory).
// (Rejected: to read the state in step with the manifests, in no memory at all. A sorted manifest
// would be proved anew.) The names of failures whose lines have left the manifests are read from the
// file once more, before it is replaced: there are none of them in nearly every run.

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A state file, open and locked.
///
/// @unchecked Sendable: one thread at a time loads, appends and ends.
package final class ProofState: @unchecked Sendable {
  private struct Entry {
    let hash: UInt64
    let content: UInt64
    let times: ProofTimes
    /// True if the line is in the manifests.
    var isListed = false
  }

  let path: [UInt8]
  /// The working directory; `nil` if it is unknown.
  private let directory: [UInt8]?
  /// The directory of the proofs, if it is not the working directory.
  private(set) var otherDirectory: [UInt8]?
  private let file: FileDescriptor
  private let sync: FileSync
  private let status: stat
  private var entries: [Entry] = []
  /// The latest times of the lines that are not in the manifests, by the hashes of their contents.
  private lazy var unlisted = Dictionary(
    grouping: entries.indices.filter { last in
      let isLast = last + 1 == entries.count || entries[last + 1].hash != entries[last].hash
      return isLast && !entries[last].isListed
    }.map { entries[$0] }, by: \.content)
  /// The contents of failures that have moved to listed lines.
  private var moved: Set<UInt64> = []
  /// The times of damages that have no listed line, by the hashes of their keys.
  private var dropped: [UInt64: UInt32] = [:]
  private var lines: [UInt8] = []
  /// The begin of the round that is not at its end; 0 if every line was verified.
  private(set) var round: UInt32 = 0

  private static let begin = "#weir proofs 1 lines="
  private static let (roundWord, roundLine) = ("round", "#round ")
  private static let directoryWord = "directory"
  private static let columns = "# proved             failed               digests  name\n"
  private static let wayOut: Message =
    "; restore it, or remove it: every line then counts as never proved"

  /// Opens or creates a state, and reads it. Throws an error if another run holds it, or if it is
  /// damaged or another file. `directory` is the working directory; `nil` if it is unknown.
  package init(_ name: [UInt8], in directory: [UInt8]?) throws(Fault) {
    self.directory = directory
    path = try ReplacingFile.resolved(name)
    file = try OutputFile.lock(path)
    // The owner and the mode of the next one, which are not worth an error.
    status = (try? stat(of: file)) ?? stat()
    sync = FileSync(
      file, directory: path.directory, interval: OutputFile.interval)
    try load()
  }

  deinit {
    try? sync.finish()
    // Explicitly: a child between fork and exec may still have the descriptor.
    _ = flock(file.rawValue, LOCK_UN)
    close(file.rawValue)
  }

  // MARK: Reading

  private func load() throws(Fault) {
    let reader = ManifestReader(file, from: 0, lengthMax: .max)
    let now = UTCTime.now
    var (size, whole) = (0, 0)
    while let line = try Fault.of(path, try reader.next()) {
      let line = UnsafeRawBufferPointer(line)
      if reader.lineNumber == 1 {
        guard let header = header(line, isCut: reader.isCut) else { throw Fault(path, .notOurs) }
        whole = header
      }
      if reader.isCut { break }
      if line.first != UInt8(ascii: "#") {
        guard let (times, key) = ProofLine.parse(line, now: now) else {
          if entries.count >= whole { break }
          throw damaged("line \(reader.lineNumber) cannot be read")
        }
        entries.append(
          Entry(
            hash: ProofState.hash(key), content: ProofState.contentHash(key), times: times))
      } else if line.starts(with: ProofState.roundLine.utf8) {
        let time = line.dropFirst(ProofState.roundLine.utf8.count)
        round = UTCTime.parse(time.rebased) ?? round
      }
      size += line.count + 1
    }
    // As a proof in the future, it would be older than none.
    if round > now { round = 0 }
    if entries.count < whole { throw damaged("it has \(entries.count) of \(whole) lines") }
    entries.sort { ($0.hash, $0.times.read) < ($1.hash, $1.times.read) }
    // A state without proofs begins anew, in any directory.
    if entries.isEmpty { (size, round, otherDirectory) = (0, 0, nil) }
    // What is appended must not continue a line that is cut.
    try Fault.attributing(to: path) { () throws(Errno) in
      try retryingOnInterrupt { ftruncate(file.rawValue, off_t(size)) }
      try retryingOnInterrupt { Int(lseek(file.rawValue, 0, SEEK_END)) }
    }
    if size == 0 { lines += header(lines: 0, round: 0) }
  }

  private func damaged(_ how: Message) -> Fault {
    Fault(path, .damaged("is damaged: " + how + ProofState.wayOut))
  }

  /// Reads the first line. Returns the number of whole lines; `nil` if it is no such line, nor the
  /// beginning of one.
  private func header(_ line: UnsafeRawBufferPointer, isCut: Bool) -> Int? {
    let begin = ProofState.begin.utf8
    if isCut { return line.starts(with: begin) || begin.starts(with: line) ? 0 : nil }
    guard line.starts(with: begin) else { return nil }
    let digits = line.dropFirst(begin.count).prefix { $0 != UInt8(ascii: " ") }
    let rest = Array(line[digits.endIndex...]).split(separator: UInt8(ascii: " "))
    for word in LedgerHeader.words(rest[...]) ?? [] {
      switch word.keyword {
      case ProofState.roundWord: round = word.value.withUnsafeBytes { UTCTime.parse($0) } ?? 0
      case ProofState.directoryWord where directory.map { $0 != word.value } ?? false:
        otherDirectory = word.value
      default: break
      }
    }
    return UInt64(decimal: digits).flatMap { Int(exactly: $0) }
  }

  private static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: key)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  private static func contentHash(_ key: UnsafeRawBufferPointer) -> UInt64 {
    hash(key.prefix { $0 != UInt8(ascii: " ") }.rebased)
  }

  static func contentHash(_ key: [UInt8]) -> UInt64 { key.withUnsafeBytes { contentHash($0) } }

  /// Returns the latest times of the key of a listed line; `nil` if it has no line.
  func takeTimes(of key: [UInt8]) -> ProofTimes? {
    let hash = key.withUnsafeBytes { ProofState.hash($0) }
    let end = entries.indices.binarySearch { entries[$0].hash > hash }
    guard end > 0, entries[end - 1].hash == hash else { return nil }
    entries[end - 1].isListed = true
    return entries[end - 1].times
  }

  /// Returns the times of a content whose name is not listed, each once; `nil` if there are none.
  /// Called after all keys were taken. If one of several files of this content is known to fail, any
  /// of them may be that one, so all count as failed until they are read.
  func takeTimes(ofContent content: UInt64) -> ProofTimes? {
    guard let known = unlisted[content], var times = known.last?.times else { return nil }
    if let failed = known.map(\.times.failed).max(), failed > 0 {
      times.failed = failed
      times.isEdited = known.allSatisfy { $0.times.failed == 0 || $0.times.isEdited }
      moved.insert(content)
      return times
    }
    unlisted[content]?.removeLast()
    return times
  }

  var isEmpty: Bool { entries.isEmpty }

  /// Frees the entries, which were all taken, but for the damages that have no listed line.
  func forget() {
    for entry in unlisted.values.joined() where entry.times.failed > 0 && !entry.times.isEdited {
      if !moved.contains(entry.content) { dropped[entry.hash] = entry.times.failed }
    }
    (entries, unlisted) = ([], [:])
  }

  /// Calls `body` with the name and the time of each damage that has no listed line.
  func forEachDropped(_ body: (_ name: [UInt8], _ failed: UInt32) -> Void) throws(Fault) {
    if dropped.isEmpty { return }
    let reader = ManifestReader(file, from: 0, lengthMax: .max)
    while let line = try Fault.of(path, try reader.next()) {
      guard let (times, key) = ProofLine.parse(UnsafeRawBufferPointer(line), now: .max) else {
        continue
      }
      // Its latest line alone: only that one has the time.
      let hash = ProofState.hash(key)
      if times.failed > 0 && dropped[hash] == times.failed {
        dropped[hash] = nil
        body(ProofLine.name(in: key), times.failed)
      }
    }
  }

  // MARK: Writing

  private func header(lines: Int, round: UInt32) -> [UInt8] {
    var line = Array("\(ProofState.begin)\(lines)".utf8)
    if round > 0 { line += Array(" \(ProofState.roundWord)=\(UTCTime.text(round))".utf8) }
    if let directory {
      line += Array(" \(ProofState.directoryWord)=".utf8) + LedgerHeader.escaped(directory)
    }
    return line + Array("\n\(ProofState.columns)".utf8)
  }

  func begin(round: UInt32) {
    self.round = round
    lines += Array("\(ProofState.roundLine)\(UTCTime.text(round))\n".utf8)
  }

  func append(_ times: ProofTimes, key: [UInt8]) { ProofLine.append(times, key: key, to: &lines) }

  func flush() throws(Fault) {
    if lines.isEmpty { return }
    defer { lines.removeAll(keepingCapacity: true) }
    try Fault.attributing(to: path) { () throws(Errno) in
      try file.write(all: lines)
      sync.markDirty()
      if let failure = sync.failure { throw failure }
    }
  }

  func finish() throws(Fault) {
    try flush()
    try Fault.of(path, try sync.finish())
  }

  /// Replaces the file by `count` lines, which `write` hands to its argument. `round` is 0 at the
  /// end of the round.
  func replace(
    lines count: Int, round: UInt32,
    _ write: ((ProofTimes, [UInt8]) throws(Errno) -> Void) throws(Errno) -> Void
  ) throws(Fault) {
    try finish()
    try Fault.attributing(to: path) { () throws(Errno) in
      let new = try ReplacingFile(path)
      do throws(Errno) {
        let writer = BufferedWriter(new.descriptor)
        try writer.append(header(lines: count, round: round))
        var line: [UInt8] = []
        try write { (times, key) throws(Errno) in
          line.removeAll(keepingCapacity: true)
          ProofLine.append(times, key: key, to: &line)
          try writer.append(line)
        }
        try writer.flush()
        new.descriptor.copyOwnership(of: status)
        try new.replace()
      } catch {
        new.discard()
        throw error
      }
    }
  }
}
