// The names of a group, one after the other: of a search, or of the part of a shard.

internal import Weir

/// A group whose names are requested in their order, once.
package protocol DuplicatesNames {
  var fileCount: Int { get }
  var nameCount: Int { get }
  var firstNameCount: Int { get }
  var size: UInt64 { get }
  var saving: UInt64 { get }
  var shared: UInt64 { get }
  var digest: [UInt8] { get }

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

package struct PartGroup: DuplicatesNames {
  private let head: DuplicatesGroupHead
  package let saving: UInt64
  package var shared: UInt64 { head.shared ?? size &* UInt64(fileCount - 1) &- saving }
  private let part: PartReader
  private let damage: Fault

  init(_ head: DuplicatesGroupHead, saving: UInt64, in part: PartReader, damage: Fault) {
    self.head = head
    self.saving = saving
    self.part = part
    self.damage = damage
  }

  package var fileCount: Int { head.fileCount }
  package var nameCount: Int { head.nameCount }
  package var firstNameCount: Int { head.firstNameCount }
  package var size: UInt64 { head.size }
  package var digest: [UInt8] { head.digest }

  package func forEachName(
    _ body: (_ name: [UInt8], _ index: Int, _ file: Int) throws -> Void
  ) throws {
    var (count, index, file) = (0, 0, -1)
    while count < head.nameCount {
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
    if count != head.nameCount || file + 1 != head.fileCount { throw damage }
  }

  private static func takeName(
    _ rest: inout Slice<UnsafeRawBufferPointer>
  ) -> (isFirst: Bool, bytes: [UInt8])? {
    let bytes = UnsafeRawBufferPointer(rebasing: rest)
    guard bytes.count >= 5 else { return nil }
    let count = Int(bytes.littleEndian(at: 1) as UInt32)
    guard bytes.count - 5 >= count else { return nil }
    rest = rest.dropFirst(5 + count)
    return (bytes[0] == 1, Array(bytes[5..<5 + count]))
  }
}
