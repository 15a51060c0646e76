// The names of a manifest, to be found again.

internal import Glibc

/// A set of names, compactly: the bytes of each one after the other, and a table
/// of places. A name costs its bytes and some twenty more.
///
/// What is stored is a name as it was given, with the length of what stands before
/// its key: so both can be had back.
///
/// @unchecked Sendable: it is filled by one thread at a time, and looked into by
/// many when that is over.
final class AuditNames: @unchecked Sendable {
  /// Where a name is.
  typealias Place = UInt64

  private static let pieceBits: UInt64 = 20
  private static let pieceSize = 1 << Int(pieceBits)
  /// Length (4), and how much stands before the key (1).
  private static let headerSize = 5
  private static let tagBits: UInt64 = 24
  private static let tagMask: UInt64 = 1 << tagBits - 1

  private var pieces: [UnsafeMutableRawBufferPointer] = []
  /// How much of the last piece is in use.
  private var used = 0
  /// A place, plus one, and a part of the hash; 0 where nothing is.
  private var slots: UnsafeMutablePointer<UInt64>
  private var mask: Int
  private(set) var count = 0

  init() {
    mask = 1023
    slots = AuditNames.makeSlots(mask + 1)
  }

  deinit {
    pieces.forEach { $0.deallocate() }
    slots.deallocate()
  }

  /// Takes a name.
  ///
  /// - Parameters:
  ///   - name: As it was given.
  ///   - key: What it is found by: the end of `name`, or of other memory. Then
  ///     that alone is stored.
  /// - Returns: Where it is, and whether it was not there before.
  func insert(
    _ name: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer
  ) -> (place: Place, isNew: Bool) {
    if count * 4 >= mask * 3 { grow() }
    let hash = AuditNames.hash(key)
    let (index, found) = find(key, hash)
    if let found { return (found, false) }
    let place = store(AuditNames.stored(name, key), keyCount: key.count)
    slots[index] = (place + 1) << AuditNames.tagBits | hash & AuditNames.tagMask
    count += 1
    return (place, true)
  }

  /// Whether a name with this key is there.
  func contains(_ key: UnsafeRawBufferPointer) -> Bool {
    find(key, AuditNames.hash(key)).place != nil
  }

  /// The name that was given first, or where that is not stored its key.
  func name(at place: Place) -> UnsafeRawBufferPointer {
    let record = record(at: place)
    return UnsafeRawBufferPointer(start: record.bytes, count: record.count)
  }

  func key(at place: Place) -> UnsafeRawBufferPointer {
    let record = record(at: place)
    return UnsafeRawBufferPointer(
      start: record.bytes + record.before, count: record.count - record.before)
  }

  /// What is stored of a name.
  private static func stored(
    _ name: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    guard let start = name.baseAddress, let its = key.baseAddress, its >= start,
      its + key.count == start + name.count, its - start <= UInt8.max
    else { return key }
    return name
  }

  // MARK: Pieces

  private func record(
    at place: Place
  ) -> (bytes: UnsafeRawPointer, count: Int, before: Int) {
    let piece = pieces[Int(place >> AuditNames.pieceBits)]
    guard let start = piece.baseAddress else { fatalError("a piece of names has no memory") }
    let begin = UnsafeRawPointer(start) + Int(place) % AuditNames.pieceSize
    return (
      begin + AuditNames.headerSize, Int(begin.loadUnaligned(as: UInt32.self)),
      Int(begin.load(fromByteOffset: 4, as: UInt8.self))
    )
  }

  private func store(_ bytes: UnsafeRawBufferPointer, keyCount: Int) -> Place {
    let size = AuditNames.headerSize + bytes.count
    if pieces.last.map({ used + size > $0.count || used >= AuditNames.pieceSize }) ?? true {
      pieces.append(.allocate(byteCount: max(size, AuditNames.pieceSize), alignment: 16))
      used = 0
    }
    let piece = pieces[pieces.count - 1]
    piece.storeBytes(of: UInt32(bytes.count), toByteOffset: used, as: UInt32.self)
    piece.storeBytes(
      of: UInt8(bytes.count - keyCount), toByteOffset: used + 4, as: UInt8.self)
    UnsafeMutableRawBufferPointer(rebasing: piece[(used + AuditNames.headerSize)...])
      .copyMemory(from: bytes)
    defer { used += size }
    return UInt64(pieces.count - 1) << AuditNames.pieceBits | UInt64(used)
  }

  // MARK: The table

  private static func makeSlots(_ count: Int) -> UnsafeMutablePointer<UInt64> {
    let slots = UnsafeMutablePointer<UInt64>.allocate(capacity: count)
    slots.initialize(repeating: 0, count: count)
    return slots
  }

  /// Other in each run: nobody can choose names that meet in the table.
  private static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: key)
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  /// Where a key is, or the slot that it is to have.
  private func find(
    _ key: UnsafeRawBufferPointer, _ hash: UInt64
  ) -> (slot: Int, place: Place?) {
    var index = Int(truncatingIfNeeded: hash >> AuditNames.tagBits) & mask
    while slots[index] != 0 {
      if (slots[index] ^ hash) & AuditNames.tagMask == 0 {
        let place = slots[index] >> AuditNames.tagBits - 1
        if isSame(self.key(at: place), key) { return (index, place) }
      }
      index = (index + 1) & mask
    }
    return (index, nil)
  }

  private func grow() {
    let old = UnsafeBufferPointer(start: slots, count: mask + 1)
    mask = mask * 2 + 1
    slots = AuditNames.makeSlots(mask + 1)
    for slot in old where slot != 0 {
      let hash = AuditNames.hash(key(at: slot >> AuditNames.tagBits - 1))
      var index = Int(truncatingIfNeeded: hash >> AuditNames.tagBits) & mask
      while slots[index] != 0 { index = (index + 1) & mask }
      slots[index] = slot
    }
    old.deallocate()
  }
}

/// Whether two pieces of memory hold the same bytes.
func isSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  guard left.count == right.count else { return false }
  guard let ours = left.baseAddress, let theirs = right.baseAddress else { return true }
  return memcmp(ours, theirs, left.count) == 0
}
