// The names that the manifests of an audit list, as an inventory.

internal import Weir

struct MissingLine {
  let manifest: Int
  let number: Int
  let kind: CheckedLine.Kind
  let isRepeated: Bool
  let known: KnownFailure?
  /// The name as the line has it; empty if that is how new names are written too.
  let name: [UInt8]

  private static let kinds: [CheckedLine.Kind] = [.checksum, .file, .other]

  init(_ line: CheckedLine, shownAs shown: [UInt8]) {
    (manifest, number, kind, known) = (line.manifest, line.number, line.kind, line.known)
    isRepeated = line.isRepeated
    let name = LongName.shortened(line.name)
    self.name = name == shown ? [] : name
  }

  init(_ text: UnsafeRawBufferPointer) {
    manifest = Int(text.littleEndian(at: 0) as UInt32)
    number = Int(text.littleEndian(at: 4) as UInt64)
    (kind, isRepeated) = (MissingLine.kinds[Int(text[12] >> 1)], text[12] & 1 != 0)
    known = KnownFailure(kind: text[13], time: text.littleEndian(at: 14))
    name = Array(text[18...])
  }

  var text: [UInt8] {
    LineWriter.bytes(capacity: 18 + name.count) { line in
      line.append(littleEndian: UInt32(manifest))
      line.append(littleEndian: UInt64(number))
      line.append(UInt8(MissingLine.kinds.firstIndex(of: kind) ?? 0) << 1 | (isRepeated ? 1 : 0))
      line.append(known?.kind.rawValue ?? 0)
      line.append(littleEndian: known?.time ?? 0)
      line.append(name)
    }
  }
}

/// The names in the manifests, with the recorded content of missing files. `./a/b`, `a//b`, `a/./b`
/// and, if the working directory is `/srv`, `/srv/a/b` are one name. The bytes alone decide: a name
/// keeps `..`, whose meaning depends on symbolic links.
struct AuditListing: Sendable {
  private struct State {
    let runs: SortedRuns
    let keys: KeyWriter
    let record = EntryBuffer()
    /// The bytes before the first name below the root, which new names begin with too.
    var prefix: [UInt8]?
    var failure: (any Error)?

    func append(_ entry: InventoryEntry) throws {
      record.put(keys.key, entry)
      try runs.append(record.bytes)
    }

    mutating func findPrefix(in line: CheckedLine) {
      if prefix != nil { return }
      let (key, name) = (EntryKey.shownName(of: keys.key), line.name)
      if State.isBelowRoot(key) && name.suffix(key.count).elementsEqual(key) {
        prefix = Array(name.dropLast(key.count))
      }
    }

    func shownName(_ name: [UInt8]) -> [UInt8] {
      if name.isEmpty { return [UInt8(ascii: ".")] }
      return State.isBelowRoot(name) ? (prefix ?? []) + name : name
    }

    /// Returns false for the root and names above it, which do not show how names are written.
    private static func isBelowRoot(_ name: [UInt8]) -> Bool {
      !name.isEmpty && name.first != UInt8(ascii: "/") && !name.elementsEqual("..".utf8)
        && !name.starts(with: "../".utf8)
    }
  }

  private let state: Locked<State>

  init(_ keys: sending KeyWriter, _ space: SortSpace) {
    state = Locked(State(runs: space.makeRuns(eighths: 2), keys: keys))
  }

  /// Takes the verdict on a line. Returns true if its file is missing, so that the report
  /// has to wait for the end of the walk.
  func take(_ line: CheckedLine) throws -> Bool {
    switch line.outcome {
    case .malformed, .unsupported: return false
    default: break
    }
    return try state.with { state in
      guard line.withName({ state.keys.write($0) }) else { return false }
      state.findPrefix(in: line)
      guard case .missing = line.outcome else {
        try state.append(InventoryEntry(nil))
        return false
      }
      var entry = InventoryEntry(line.kind == .other ? .directory : .file)
      (entry.flags, entry.size) = (.missing, line.expectedSize)
      let shown = state.shownName(EntryKey.shownName(of: state.keys.key))
      let text = MissingLine(line, shownAs: shown).text
      try line.recordedDigests.withUnsafeBytes { digests in
        try text.withUnsafeBytes { text in
          (entry.digests, entry.text) = (digests, text)
          try state.append(entry)
        }
      }
      return true
    }
  }

  /// Adds an entry that gets no verdict. Called on another thread than `take`.
  func skip(_ name: UnsafeRawBufferPointer, isIgnored: Bool) {
    state.with { state in
      if !state.keys.write(name) { return }
      var entry = InventoryEntry(nil)
      if isIgnored { entry.flags = .ignored }
      do { try state.append(entry) } catch { state.failure = error }
    }
  }

  /// Ends the appending. Returns the records of all lines.
  func finish() throws -> SortedRuns {
    try state.with { state in
      if let failure = state.failure { throw failure }
      try state.runs.finish()
      return state.runs
    }
  }

  /// Returns a name as a line of the manifests would have it.
  func shownName(_ name: [UInt8]) -> [UInt8] { state.with { $0.shownName(name) } }
}

extension CheckedLine {
  fileprivate var recordedDigests: [UInt8] {
    guard let expected else { return [] }
    var digests: [UInt8] = []
    digests.append(EntryDigest(expected.algorithm, or: expected.alternative, expected.digest))
    if let otherDigests {
      for digest in otherDigests { digests.append(EntryDigest(digest.algorithm, digest.digest)) }
    }
    return digests
  }
}
