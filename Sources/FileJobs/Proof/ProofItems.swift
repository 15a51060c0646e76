// The items of a check that has a state, in the order in which they are verified.
//
// DESIGN. The manifests are read once, before the first file. Each item goes to a file without a
// name beside the state; in memory it takes 16 bytes, and each line 8. So items are read again in
// any order, and the state is written anew from them, whatever happens to the manifests meanwhile.
// (Rejected: to read the manifests once for each age. After a year of nights there are hundreds.)

internal import CWeir
internal import SystemPackage
internal import Weir
internal import WeirLibC

/// The items of manifests, with the times of their lines.
///
/// Times are of a second, and of two lines with one time the first in the manifests counts as the
/// older one. Where the order of a run goes back in the manifests, later lines must get a later time
/// all the same, or the first lines would be verified more often than the last ones. So a run counts
/// these places before it begins, dates its first lines back by a second for each of them, and makes
/// up a second where it needs one: no proof is dated after it has happened, or a minute before.
///
/// @unchecked Sendable: one thread reads the items in, then the feeding thread takes them; the times
/// belong to the thread that delivers.
final class ProofItems: @unchecked Sendable {
  private struct Item {
    let offset: Int
    /// The last time that all its lines were verified.
    let read: UInt32
    let kind: Kind

    /// The place in the order of the oldest first.
    var rank: (Int, UInt32, Int) {
      switch kind {
      case .free: (0, 0, offset)
      case .open, .proved: (1, read, offset)
      case .end: (2, 0, offset)
      }
    }
  }

  private enum Kind: UInt8 {
    case open
    /// A file that this round has proved.
    case proved
    /// No content: it takes nothing of the budget.
    case free
    /// The end of a manifest, which follows all its lines in any order.
    case end
  }

  private let spool: RecordSpool
  private var items: [Item] = []
  private var taken = 0
  /// The seconds by which lines are dated back, and the largest number.
  private var reserve: UInt32 = 0
  private static let reserveMax: UInt32 = 60
  private var last = (offset: 0, time: UInt32(0))
  /// The times by the place of a line: that of its manifest and its number.
  private var times: [ProofTimes] = []
  /// The place before the first line of each manifest.
  private var bases = [0]
  /// The number of lines that this round has proved.
  private(set) var provedCount = 0
  /// The number of lines that the state knows.
  private(set) var knownCount = 0
  /// True if the name of a line begins in the working directory.
  private(set) var hasRelativeNames = false
  /// True if no line has a content.
  var isEmpty: Bool { times.isEmpty }
  /// True if a manifest could not be read to its end.
  private(set) var isIncomplete = false
  private var record: [UInt8] = []

  private static let headSize = 16

  init(beside path: [UInt8]) throws(Errno) { spool = try RecordSpool(beside: path) }

  // MARK: Reading in

  /// - Parameter round: The begin of a round whose proofs count; `nil` to verify all lines.
  func append(_ item: FileItem, _ state: ProofState, round: UInt32?) throws(Errno) {
    let (path, note) = (item.lentPath, item.lentNote)
    guard let header = CheckNote.header(of: note) else { return }
    record.removeAll(keepingCapacity: true)
    record.append(littleEndian: UInt32(item.cItem.kind.rawValue))
    record.append(littleEndian: item.cItem.descriptor)
    record.append(littleEndian: UInt64(note.count))
    record.append(contentsOf: note)
    record.append(contentsOf: path)
    var (read, proved, kind) = (UInt32.max, UInt32.max, Kind.free)
    forEachLine(of: item) { place, key in
      kind = .open
      hasRelativeNames = hasRelativeNames || path.first != UInt8(ascii: "/")
      while times.count <= place { times.append(ProofTimes()) }
      if let known = state.times(of: key) {
        times[place] = known
        knownCount += 1
      }
      (read, proved) = (min(read, times[place].read), min(proved, times[place].proved))
    }
    if let round, kind == .open, proved >= round {
      kind = .proved
      provedCount += header.lineCount
    }
    if header.kind == CheckNote.Kind.end.rawValue {
      kind = .end
      bases.append((bases.last ?? 0) + Int(header.line) + 1)
      isIncomplete = isIncomplete || header.error != 0
    }
    items.append(Item(offset: try spool.append(record), read: read, kind: kind))
  }

  /// Sets the order in which items are taken: that of the manifests, or the oldest first. Returns
  /// a time that precedes no proof of this run.
  func finish(oldestFirst: Bool) throws(Errno) -> UInt32 {
    try spool.finish()
    if oldestFirst {
      items.sort { $0.rank < $1.rank }
    }
    let open = items.lazy.filter { $0.kind == .open }
    for (item, next) in zip(open, open.dropFirst()) where next.offset < item.offset {
      reserve = min(reserve + 1, ProofItems.reserveMax)
    }
    return UTCTime.now - min(reserve, UTCTime.now)
  }

  /// Calls `body` with the place and the key of each line of an item that has a digest.
  private func forEachLine(
    of item: FileItem, _ body: (_ place: Int, _ key: [UInt8]) -> Void
  ) {
    let (path, note) = (item.lentPath, item.lentNote)
    guard let header = CheckNote.header(of: note), header.hasLines || header.hasStatus else {
      return
    }
    let digests = ExpectedDigests(of: note)
    guard let first = digests.first else { return }
    if !header.hasLines {
      return body(place(first.line, of: header.manifest), ProofLine.key(digests, path))
    }
    for digest in digests {
      let key = ProofLine.key(CollectionOfOne(digest), path)
      body(place(digest.line, of: header.manifest), key)
    }
  }

  private func place(_ line: Int, of manifest: UInt32) -> Int { bases[Int(manifest)] + line }

  // MARK: Taking

  /// Returns the next item that the budget allows; `nil` at the end.
  ///
  /// - Parameter skipped: Called with the header of each file that is not taken.
  func next(
    _ budget: CheckBudget, skipped: (CheckNote.Header) -> Void
  ) throws(Errno) -> FileItem? {
    while taken < items.count {
      let (kind, offset) = (items[taken].kind, items[taken].offset)
      taken += 1
      let item = try item(at: offset)
      guard let header = CheckNote.header(of: item.lentNote) else { continue }
      switch kind {
      case .free, .end: return item
      case .open where budget.takes(size: item.expectedSize):
        setTime(header, of: item.lentNote, at: offset)
        return item
      case .open, .proved: skipped(header)
      }
    }
    return nil
  }

  /// Sets the time at which a file is given to the lanes.
  private func setTime(
    _ header: CheckNote.Header, of note: UnsafeRawBufferPointer, at offset: Int
  ) {
    var header = header
    if offset < last.offset && UTCTime.now - reserve <= last.time && reserve > 0 { reserve -= 1 }
    last = (offset, UTCTime.now - reserve)
    header.error = Int32(bitPattern: last.time)
    UnsafeMutableRawBufferPointer(mutating: note).storeBytes(of: header, as: CheckNote.Header.self)
  }

  /// Reads an item; valid until the next one is read.
  private func item(at offset: Int) throws(Errno) -> FileItem {
    let record = try spool.record(at: offset)
    let end = ProofItems.headSize + Int(record.littleEndian(at: 8) as UInt64)
    let note = UnsafeRawBufferPointer(rebasing: record[ProofItems.headSize..<end])
    let path = UnsafeRawBufferPointer(rebasing: record[end...])
    var item = FileItem(
      weir_item_kind_t(record.littleEndian(at: 0) as UInt32), lent: path, note: note)
    item.cItem.descriptor = record.littleEndian(at: 4)
    return item
  }

  // MARK: Times

  /// Notes the verdict on a line. Returns its new times.
  func note(_ line: CheckedLine) -> ProofTimes {
    let place = place(line.number, of: UInt32(line.manifest))
    switch line.outcome {
    case .matched, .touched: times[place] = ProofTimes(proved: line.begun)
    default: times[place].failed = line.begun
    }
    return times[place]
  }

  /// Calls `body` with the times and the key of each line, in the order of the manifests.
  func forEachTime(
    _ body: (ProofTimes, _ key: [UInt8]) throws(Errno) -> Void
  ) throws(Errno) {
    items.sort { $0.offset < $1.offset }
    for item in items where item.kind == .open || item.kind == .proved {
      var lines: [(Int, [UInt8])] = []
      forEachLine(of: try self.item(at: item.offset)) { lines.append(($0, $1)) }
      for (place, key) in lines { try body(times[place], key) }
    }
  }
}

extension FileItem {
  fileprivate var lentPath: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: cItem.path, count: cItem.path_length)
  }
  var lentNote: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: cItem.note, count: cItem.note_length)
  }

  /// The size of a file to verify: the recorded one, or the present one; 0 without content, and
  /// if the file is missing.
  var expectedSize: UInt64 {
    guard let status = try? LongPath.status(Array(lentPath) + [0], followsLinks: true) else {
      return 0
    }
    if CheckNote.header(of: lentNote)?.hasStatus == true,
      let size = ExpectedStatus.of(lentNote).size
    {
      return size
    }
    return status.isRegularFile ? UInt64(status.st_size) : 0
  }
}
