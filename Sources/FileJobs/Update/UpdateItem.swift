// One name of the plan of an update, in one block of memory.

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
    var source: Int32 = 0
    /// True if it is a directory or a list that could not be read.
    var isDirectory = false
    /// The number of bytes of the name that lead to the root of the walk; 0 if links are followed.
    var rootCount: UInt32 = 0
    var size: UInt64 = 0
    var time = FileTime(seconds: 0, nanoseconds: 0)
    var order: UInt64 = 0
    fileprivate var nameCount: UInt32 = 0
    fileprivate var targetCount: UInt32 = 0
    fileprivate var recordCount: UInt32 = 0
    fileprivate var knownCount: UInt32 = 0

    init(_ step: Step) { self.step = step }
  }

  private let memory: UnsafeRawBufferPointer
  let header: Header

  private static let headerSize = MemoryLayout<Header>.stride
  /// Most files are unchanged: an item of one has the step, the source, the number of algorithms, the
  /// name and the digests of its record.
  private static let shortHeaderSize = 10

  /// Reads an item, which follows a key.
  init(_ memory: UnsafeRawBufferPointer) {
    self.memory = memory
    if memory[0] == Step.unchanged.rawValue {
      var header = Header(.unchanged)
      header.source = memory.littleEndian(at: 1)
      header.nameCount = memory.littleEndian(at: 5)
      self.header = header
    } else {
      header = memory.loadUnaligned(as: Header.self)
    }
  }

  private var nameStart: Int {
    step == .unchanged ? UpdateItem.shortHeaderSize : UpdateItem.headerSize
  }

  /// The digests of an unchanged file.
  var digests: RecordDigests {
    let begin = nameStart + Int(header.nameCount)
    let end = begin + Int(memory[UpdateItem.shortHeaderSize - 1])
    return RecordDigests(
      rest: UnsafeRawBufferPointer(rebasing: memory[end...]),
      indices: UnsafeRawBufferPointer(rebasing: memory[begin..<end]))
  }

  static func capacity(unchanged name: UnsafeRawBufferPointer, _ digests: RecordDigests) -> Int {
    shortHeaderSize + name.count + digests.indices.count + digests.rest.count
  }

  static func write(
    unchanged name: UnsafeRawBufferPointer, source: Int32, _ digests: RecordDigests,
    to line: inout LineWriter
  ) {
    line.append(Step.unchanged.rawValue)
    line.append(littleEndian: source)
    line.append(littleEndian: UInt32(name.count))
    line.append(UInt8(digests.indices.count))
    line.append(name)
    line.append(digests.indices)
    line.append(digests.rest)
  }

  private func part(after count: Int, _ length: UInt32) -> UnsafeRawBufferPointer {
    let begin = nameStart + count
    return UnsafeRawBufferPointer(rebasing: memory[begin..<begin + Int(length)])
  }

  var step: Step { header.step }
  var source: Int { Int(header.source) }
  var name: UnsafeRawBufferPointer { part(after: 0, header.nameCount) }
  /// The target of a link.
  var target: UnsafeRawBufferPointer { part(after: Int(header.nameCount), header.targetCount) }
  /// The record of the ledger; `nil` if there is none.
  var record: LedgerEntry? {
    if header.recordCount == 0 { return nil }
    return LedgerEntry(part(after: Int(header.nameCount + header.targetCount), header.recordCount))
  }
  /// The record of the run that this one continues.
  var known: LedgerEntry? {
    if header.knownCount == 0 { return nil }
    let before = header.nameCount + header.targetCount + header.recordCount
    return LedgerEntry(part(after: Int(before), header.knownCount))
  }

  /// The name as lines have it: a file that is called `-` is not standard input.
  var lineName: UnsafeRawBufferPointer {
    !header.isDescriptor && DashFile.isDash(name) ? DashFile.name : name
  }

  static func capacity(
    _ name: UnsafeRawBufferPointer, _ target: UnsafeRawBufferPointer = .empty,
    _ record: LedgerEntry? = nil, _ known: LedgerEntry? = nil
  ) -> Int {
    headerSize + name.count + target.count + (record?.memory.count ?? 0)
      + (known?.memory.count ?? 0)
  }

  static func write(
    _ header: Header, _ name: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer = .empty,
    _ record: LedgerEntry? = nil, _ known: LedgerEntry? = nil, to line: inout LineWriter
  ) {
    var header = header
    header.nameCount = UInt32(name.count)
    header.targetCount = UInt32(target.count)
    header.recordCount = UInt32(record?.memory.count ?? 0)
    header.knownCount = UInt32(known?.memory.count ?? 0)
    withUnsafeBytes(of: header) { bytes in
      line.append(bytes)
      for _ in bytes.count..<headerSize { line.append(UInt8(0)) }
    }
    line.append(name)
    line.append(target)
    if let record { line.append(record.memory) }
    if let known { line.append(known.memory) }
  }
}
