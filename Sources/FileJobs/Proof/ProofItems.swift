// The items of a check that has a state, in the order in which they are verified.
//
// DESIGN. The manifests are read once, before the first file. Each item goes to a file without a
// name beside the state; in memory it takes 24 bytes, and each line 12. So items are read again in
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
    let size: UInt32
    /// The last time that all its lines were verified.
    var read = UInt32.max
    var kind = Kind.free
    let isEnd: Bool
    /// The number of lines with a digest.
    var lineCount: UInt8 = 0

    /// The place in the order: that of the manifests, or that of the oldest first. What is known to
    /// fail precedes both.
    func rank(oldestFirst: Bool) -> (Int, UInt32, Int) {
      switch kind {
      case .free: (isEnd ? 3 : oldestFirst ? 0 : 2, 0, offset)
      case .failed: (1, read, offset)
      case .open, .proved: (2, oldestFirst ? read : 0, offset)
      }
    }
  }

  private enum Kind: UInt8 {
    case open
    /// A file that is known to fail.
    case failed
    /// A file that this round has proved.
    case proved
    /// No content, or the end of a manifest: it takes nothing of the budget.
    case free
  }

  /// The items in the order of the manifests, and the one that was read last.
  private let file: FileDescriptor
  private let writer: BufferedWriter
  private let piece = ByteBuffer()
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
  private(set) var provedCount = 0
  private(set) var knownCount = 0
  /// The lines that the state does not know by their names: the hash of the content, the place, and
  /// the item.
  private var renamed: [(content: UInt64, place: Int, item: Int)] = []
  /// True if the name of a line begins in the working directory.
  private(set) var hasRelativeNames = false
  /// True if no line has a content.
  var isEmpty: Bool { times.isEmpty }
  /// True if a manifest could not be read to its end.
  private(set) var isIncomplete = false
  private var record: [UInt8] = []

  private static let headSize = 16

  init(beside path: [UInt8]) throws(Errno) {
    file = try ReplacingFile.unnamed(beside: path)
    writer = BufferedWriter(file)
  }

  deinit { close(file.rawValue) }

  // MARK: Reading in

  func append(_ item: FileItem, _ state: ProofState) throws(Errno) {
    let (path, note) = (item.lentPath, item.lentNote)
    guard let header = CheckNote.header(of: note) else { return }
    record.removeAll(keepingCapacity: true)
    record.append(littleEndian: UInt32(item.cItem.kind.rawValue))
    record.append(littleEndian: item.cItem.descriptor)
    record.append(littleEndian: UInt64(note.count))
    record.append(contentsOf: note)
    record.append(contentsOf: path)
    forEachLine(of: item) { place, key in
      hasRelativeNames = hasRelativeNames || path.first != UInt8(ascii: "/")
      while times.count <= place { times.append(ProofTimes()) }
      if let known = state.takeTimes(of: key) {
        times[place] = known
        knownCount += 1
      } else {
        renamed.append((ProofState.contentHash(key), place, items.count))
      }
    }
    if header.kind == .end {
      bases.append((bases.last ?? 0) + Int(header.line) + 1)
      isIncomplete = isIncomplete || header.error != 0
    }
    items.append(
      Item(offset: writer.count, size: UInt32(record.count), isEnd: header.kind == .end))
    try writer.append(record)
    classify(items.count - 1, item)
  }

  /// Finds the proofs of the lines that the state does not know by their names: those of the same
  /// content under a name that is not listed any more.
  func findRenamed(_ state: ProofState) throws(Errno) {
    try writer.flush()
    var found: Set<Int> = []
    for (content, place, item) in renamed {
      guard let known = state.takeTimes(ofContent: content) else { continue }
      times[place] = known
      knownCount += 1
      found.insert(item)
    }
    renamed = []
    for index in found { classify(index, try read(items[index])) }
  }

  private func classify(_ index: Int, _ item: FileItem) {
    var isFailed = CheckNote.header(of: item.lentNote)?.known != nil
    (items[index].read, items[index].lineCount) = (.max, 0)
    forEachLine(of: item) { place, _ in
      items[index].read = min(items[index].read, times[place].read)
      items[index].lineCount += 1
      isFailed = isFailed || times[place].failed > 0
    }
    if items[index].lineCount > 0 { items[index].kind = isFailed ? .failed : .open }
  }

  /// Sets the order in which items are taken. Returns a time that precedes no proof of this run.
  ///
  /// - Parameters:
  ///   - round: The begin of a round whose proofs count; `nil` to verify all lines.
  ///   - failedFirst: True to verify first what is known to fail.
  ///   - oldestFirst: True to verify first what was verified longest ago.
  func finish(round: UInt32?, failedFirst: Bool, oldestFirst: Bool) -> UInt32 {
    if let round {
      for index in items.indices where items[index].kind == .open && items[index].read >= round {
        items[index].kind = .proved
        provedCount += Int(items[index].lineCount)
      }
    }
    if oldestFirst || failedFirst && items.contains(where: { $0.kind == .failed }) {
      items.sort { $0.rank(oldestFirst: oldestFirst) < $1.rank(oldestFirst: oldestFirst) }
    }
    let open = items.lazy.filter { $0.kind == .open || $0.kind == .failed }
    for (item, next) in zip(open, open.dropFirst()) where next.offset < item.offset {
      reserve = min(reserve + 1, ProofItems.reserveMax)
    }
    return UTCTime.now - min(reserve, UTCTime.now)
  }

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

  /// Returns the next item that the budget allows; `nil` at the end. `skipped` is called with the
  /// header of each file that is not taken.
  func next(
    _ budget: CheckBudget, skipped: (CheckNote.Header) -> Void
  ) throws(Errno) -> FileItem? {
    while taken < items.count {
      let next = items[taken]
      taken += 1
      let item = try read(next)
      guard var header = CheckNote.header(of: item.lentNote) else { continue }
      switch next.kind {
      case .free: return item
      case .failed:
        header.known = header.known ?? KnownFailure(failedAt: next.read)
        header.isUnread = !budget.takes(failed: true, size: item.expectedSize)
      case .open where budget.takes(size: item.expectedSize): break
      case .open, .proved:
        skipped(header)
        continue
      }
      header.error = Int32(bitPattern: beginTime(at: next.offset))
      CheckNote.setHeader(header, of: item.lentNote)
      return item
    }
    return nil
  }

  private func beginTime(at offset: Int) -> UInt32 {
    if offset < last.offset && UTCTime.now - reserve <= last.time && reserve > 0 { reserve -= 1 }
    last = (offset, UTCTime.now - reserve)
    return last.time
  }

  /// Reads an item; valid until the next one is read.
  private func read(_ item: Item) throws(Errno) -> FileItem {
    let size = Int(item.size)
    piece.reserve(size)
    let whole = piece.memory[..<size].rebased
    if try file.read(filling: whole, at: item.offset) < size { throw .ioError }
    let record = UnsafeRawBufferPointer(whole)
    let end = ProofItems.headSize + Int(record.littleEndian(at: 8) as UInt64)
    let note = record[ProofItems.headSize..<end].rebased
    let path = record[end...].rebased
    var item = FileItem(
      weir_item_kind_t(record.littleEndian(at: 0) as UInt32), lent: path, note: note)
    item.cItem.descriptor = record.littleEndian(at: 4)
    return item
  }

  // MARK: Times

  /// Notes the verdict on a line. Returns its new times.
  func note(_ line: CheckedLine) -> ProofTimes {
    let place = place(line.number, of: UInt32(line.manifest))
    if line.isRight {
      times[place] = ProofTimes(proved: line.begun)
    } else {
      let wasDamaged = times[place].failed > 0 && !times[place].isEdited
      times[place].failed = line.begun
      times[place].isEdited = line.isEdited && !wasDamaged
    }
    return times[place]
  }

  /// Calls `body` with the times and the key of each line, in the order of the manifests.
  func forEachTime(
    _ body: (ProofTimes, _ key: [UInt8]) throws(Errno) -> Void
  ) throws(Errno) {
    items.sort { $0.offset < $1.offset }
    for item in items where item.lineCount > 0 {
      var lines: [(Int, [UInt8])] = []
      forEachLine(of: try read(item)) { lines.append(($0, $1)) }
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
