/// A group whose names are requested in their order, once.
package protocol DuplicatesNames {
  var fileCount: Int { get }
  /// The number of names of all files.
  var nameCount: Int { get }
  /// The number of names of the first file.
  var firstNameCount: Int { get }
  var size: UInt64 { get }
  /// The bytes that would be freed if only the first file were kept.
  var saving: UInt64 { get }
  /// The bytes that would not be, since something else has the same blocks.
  var shared: UInt64 { get }
  var digest: [UInt8] { get }

  /// Calls a closure with each name, its index among the names of its file, and that of the file.
  func forEachName(_ body: (_ name: [UInt8], _ index: Int, _ file: Int) throws -> Void) throws
}

extension DuplicatesGroup: DuplicatesNames {
  package var fileCount: Int { members.count }
  package var nameCount: Int { members.reduce(0) { $0 + candidates.names(of: $1).count } }
  package var firstNameCount: Int { members.first.map { candidates.names(of: $0).count } ?? 0 }

  package func forEachName(
    _ body: (_ name: [UInt8], _ index: Int, _ file: Int) throws -> Void
  ) throws {
    for (number, file) in files.enumerated() {
      for (index, name) in file.names.enumerated() { try body(name, index, number) }
    }
  }
}

extension DuplicatesNames {
  /// The data besides the names, for a part.
  var head: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: size)
    for count in [fileCount, nameCount, firstNameCount] {
      bytes.append(littleEndian: UInt64(count))
    }
    bytes += digest
    let isAll = size &* UInt64(fileCount - 1) &- saving == shared
    if !isAll { bytes.append(littleEndian: shared) }
    return bytes
  }
}

/// A group in the part of a shard. Its names are read from the part when they are requested.
package struct PartGroup: DuplicatesNames {
  package let (size, saving, shared): (UInt64, UInt64, UInt64)
  package let (fileCount, nameCount, firstNameCount): (Int, Int, Int)
  package let digest: [UInt8]
  private let part: PartReader
  private let damage: Fault

  private static let headCount = 32

  /// Reads the head of a group; throws `damage` if it is malformed.
  init(
    _ head: UnsafeRawBufferPointer, saving: UInt64, in part: PartReader, damage: Fault
  ) throws(Fault) {
    guard head.count >= PartGroup.headCount,
      let files = Int(exactly: head.littleEndian(at: 8) as UInt64),
      let names = Int(exactly: head.littleEndian(at: 16) as UInt64),
      let first = Int(exactly: head.littleEndian(at: 24) as UInt64),
      files > 0, names >= files, first > 0
    else { throw damage }
    let size: UInt64 = head.littleEndian(at: 0)
    // A digest has 16 bytes or none. The shared bytes follow if they are not all that would not be
    // freed.
    let isLonger = head.count % 16 == 8
    let end = isLonger ? head.count - 8 : head.count
    let shared: UInt64 =
      isLonger ? head.littleEndian(at: end) : size &* UInt64(files - 1) &- saving
    (self.size, self.saving, self.shared) = (size, saving, shared)
    (fileCount, nameCount, firstNameCount) = (files, names, first)
    digest = Array(head[PartGroup.headCount..<end])
    (self.part, self.damage) = (part, damage)
  }

  package func forEachName(
    _ body: (_ name: [UInt8], _ index: Int, _ file: Int) throws -> Void
  ) throws {
    var (count, index, file) = (0, 0, -1)
    while count < nameCount {
      guard let record = try part.next(),
        record.payload.first == DuplicatesPartKind.names.rawValue
      else { throw damage }
      var rest = record.payload.dropFirst()
      while !rest.isEmpty {
        guard let name = PartGroup.takeName(&rest) else { throw damage }
        (index, file) = name.isFirst ? (0, file + 1) : (index + 1, file)
        count += 1
        if file < 0 { throw damage }
        try body(name.bytes, index, file)
      }
    }
    if count != nameCount || file + 1 != fileCount { throw damage }
  }

  private static func takeName(
    _ rest: inout Slice<UnsafeRawBufferPointer>
  ) -> (isFirst: Bool, bytes: [UInt8])? {
    let bytes = rest.rebased
    guard bytes.count >= 5 else { return nil }
    let count = Int(bytes.littleEndian(at: 1) as UInt32)
    guard bytes.count - 5 >= count else { return nil }
    rest = rest.dropFirst(5 + count)
    return (bytes[0] == 1, Array(bytes[5..<5 + count]))
  }
}
