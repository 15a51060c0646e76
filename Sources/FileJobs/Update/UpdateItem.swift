internal import Weir

/// The names of an update in the order of the new ledger, each with what is done for it.
struct UpdateItem {
  enum Step: UInt8 {
    /// A directory: a line of its own.
    case directory
    case link
    /// The file has the size and the time of its record.
    case unchanged
    /// The file is read.
    case read
    /// The file was read by the run that this one continues.
    case known
    /// The file cannot be examined: its record stays.
    case kept
    /// The record has no file.
    case gone
    /// The record is that of a link, which is not there.
    case unlinked
  }

  struct Header {
    var step: Step
    /// True if the source is a descriptor, which can be another file in each run.
    var isDescriptor = false
    /// True if the file is a source itself, and not found in a walk.
    var isNamed = false
    /// True if it is a directory or a list that could not be read.
    var isDirectory = false
    var source: Int32 = 0
    /// The number of bytes of the name that lead to the root of the walk; 0 if links are followed.
    var rootCount: UInt32 = 0
    var order: UInt64 = 0
    fileprivate var nameCount: UInt32 = 0
    fileprivate var recordCount: UInt32 = 0
    fileprivate var foundCount: UInt32 = 0
    fileprivate var knownCount: UInt32 = 0

    init(_ step: Step) { self.step = step }

    /// Returns a name as lines have it: a file that is called `-` is not standard input.
    func lineName(of name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
      !isDescriptor && DashFile.isDash(name) ? DashFile.name : name
    }
  }

  /// The record of the plan: the key of the place in the new ledger, its end, and the rest.
  let bytes: UnsafeRawBufferPointer
  private let placeCount: Int
  let header: Header
  let record: InventoryEntry?
  let name: UnsafeRawBufferPointer

  private static let headerSize = MemoryLayout<Header>.stride

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    placeCount = bytes.keyCount
    header = bytes.loadUnaligned(fromByteOffset: placeCount + 1, as: Header.self)
    let begin = placeCount + 1 + UpdateItem.headerSize
    let end = begin + Int(header.nameCount)
    let recordEnd = end + Int(header.recordCount)
    record = header.recordCount == 0 ? nil : InventoryEntry(bytes[end..<recordEnd].rebased)
    name = header.nameCount == 0 ? record?.recordName ?? .empty : bytes[begin..<end].rebased
  }

  init?(note: UnsafeRawBufferPointer) {
    if note.isEmpty { return nil }
    self.init(note)
  }

  var step: Step { header.step }
  var source: Int { Int(header.source) }
  var place: UnsafeRawBufferPointer { bytes[..<placeCount].rebased }

  var found: InventoryEntry? { entry(0, header.foundCount) }
  /// The record of the run that this one continues.
  var known: InventoryEntry? { entry(header.foundCount, header.knownCount) }
  var target: UnsafeRawBufferPointer { found?.text ?? .empty }

  private func entry(_ offset: UInt32, _ count: UInt32) -> InventoryEntry? {
    if count == 0 { return nil }
    let begin = placeCount + 1 + UpdateItem.headerSize
    let rest = bytes[(begin + Int(header.nameCount + header.recordCount + offset))...]
    return InventoryEntry(rest.prefix(Int(count)).rebased)
  }

  var lineName: UnsafeRawBufferPointer { header.lineName(of: name) }

  /// Appends the item of a name. `found` is `nil` if nothing more of the walk's entry has to be
  /// known; `known` is the record of the run that this one continues.
  static func append(
    _ header: Header, _ name: UnsafeRawBufferPointer, _ found: InventoryEntry?,
    _ record: InventoryEntry?, _ known: InventoryEntry?, at place: UnsafeRawBufferPointer,
    to items: SortedRuns
  ) throws(Fault) {
    var header = header
    // Most files have the name of their record, which is stored once.
    let hasName = record.map { !$0.recordName.hasSameBytes(as: name) } ?? true
    header.nameCount = hasName ? UInt32(name.count) : 0
    header.recordCount = UInt32(record?.count ?? 0)
    header.foundCount = UInt32(found?.count ?? 0)
    header.knownCount = UInt32(known?.count ?? 0)
    let entries = header.recordCount + header.foundCount + header.knownCount
    let capacity = place.count + 1 + headerSize + name.count + Int(entries)
    try items.append(writing: capacity) { line in
      line.append(place)
      line.append(UInt8(0))
      withUnsafeBytes(of: header) { bytes in
        line.append(bytes)
        for _ in bytes.count..<headerSize { line.append(UInt8(0)) }
      }
      if hasName { line.append(name) }
      record?.write(to: &line)
      found?.write(to: &line)
      known?.write(to: &line)
    }
  }
}
