// A set of names, in which an audit finds a name by its key.

/// A set of names: their bytes one after the other, and a hash table of their places. A name
/// takes its bytes and about twenty more.
///
/// The set stores a name as given, and the length of the part before its key, so that it can
/// return both.
///
/// @unchecked Sendable: one thread at a time fills it; many threads read it afterwards.
final class AuditNameSet: @unchecked Sendable {
  /// The position of a name in the set's memory.
  typealias Place = UInt64

  private static let pieceBits: UInt64 = 20
  private static let pieceSize = 1 << Int(pieceBits)
  /// Length (4), and length of the part before the key (1).
  private static let headerSize = 5
  private static let tagBits: UInt64 = 24
  private static let tagMask: UInt64 = 1 << tagBits - 1

  private var pieces: [UnsafeMutableRawBufferPointer] = []
  /// The bytes in use in the last piece.
  private var used = 0
  /// A place plus one, and a part of the hash; 0 if the slot is empty.
  private var slots: UnsafeMutablePointer<UInt64>
  private var mask: Int
  private(set) var count = 0

  init() {
    mask = 1023
    slots = AuditNameSet.makeSlots(mask + 1)
  }

  deinit {
    pieces.forEach { $0.deallocate() }
    slots.deallocate()
  }

  /// Inserts a name.
  ///
  /// - Parameters:
  ///   - name: The name as given.
  ///   - key: The key, which is the end of `name` or lies in other memory. In the latter
  ///     case only the key is stored.
  /// - Returns: The place, and true if the key is new.
  func insert(
    _ name: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer
  ) -> (place: Place, isNew: Bool) {
    if count * 4 >= mask * 3 { grow() }
    let hash = AuditNameSet.hash(key)
    let (index, found) = find(key, hash)
    if let found { return (found, false) }
    let place = store(AuditNameSet.stored(name, key), keyCount: key.count)
    slots[index] = (place + 1) << AuditNameSet.tagBits | hash & AuditNameSet.tagMask
    count += 1
    return (place, true)
  }

  /// Returns true if the set has a name with this key.
  func contains(_ key: UnsafeRawBufferPointer) -> Bool {
    find(key, AuditNameSet.hash(key)).place != nil
  }

  /// Returns the name that was given first, or its key if only that is stored.
  func name(at place: Place) -> UnsafeRawBufferPointer {
    let record = record(at: place)
    return UnsafeRawBufferPointer(start: record.bytes, count: record.count)
  }

  func key(at place: Place) -> UnsafeRawBufferPointer {
    let record = record(at: place)
    return UnsafeRawBufferPointer(
      start: record.bytes + record.before, count: record.count - record.before)
  }

  /// Returns the bytes to store for a name.
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
    let piece = pieces[Int(place >> AuditNameSet.pieceBits)]
    guard let start = piece.baseAddress else { fatalError("a piece of names has no memory") }
    let begin = UnsafeRawPointer(start) + Int(place) % AuditNameSet.pieceSize
    return (
      begin + AuditNameSet.headerSize, Int(begin.loadUnaligned(as: UInt32.self)),
      Int(begin.load(fromByteOffset: 4, as: UInt8.self))
    )
  }

  private func store(_ bytes: UnsafeRawBufferPointer, keyCount: Int) -> Place {
    let size = AuditNameSet.headerSize + bytes.count
    if pieces.last.map({ used + size > $0.count || used >= AuditNameSet.pieceSize }) ?? true {
      pieces.append(.allocate(byteCount: max(size, AuditNameSet.pieceSize), alignment: 16))
      used = 0
    }
    let piece = pieces[pieces.count - 1]
    piece.storeBytes(of: UInt32(bytes.count), toByteOffset: used, as: UInt32.self)
    piece.storeBytes(
      of: UInt8(bytes.count - keyCount), toByteOffset: used + 4, as: UInt8.self)
    UnsafeMutableRawBufferPointer(rebasing: piece[(used + AuditNameSet.headerSize)...])
      .copyMemory(from: bytes)
    defer { used += size }
    return UInt64(pieces.count - 1) << AuditNameSet.pieceBits | UInt64(used)
  }

  // MARK: The table

  private static func makeSlots(_ count: Int) -> UnsafeMutablePointer<UInt64> {
    let slots = UnsafeMutablePointer<UInt64>.allocate(capacity: count)
    slots.initialize(repeating: 0, count: count)
    return slots
  }

  /// Returns a hash that differs between runs, so that no attacker can choose names that
  /// collide.
  private static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(bytes: key)
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  /// Returns the slot and the place of a key; for an absent key, the slot to use.
  private func find(
    _ key: UnsafeRawBufferPointer, _ hash: UInt64
  ) -> (slot: Int, place: Place?) {
    var index = Int(truncatingIfNeeded: hash >> AuditNameSet.tagBits) & mask
    while slots[index] != 0 {
      if (slots[index] ^ hash) & AuditNameSet.tagMask == 0 {
        let place = slots[index] >> AuditNameSet.tagBits - 1
        if self.key(at: place).hasSameBytes(as: key) { return (index, place) }
      }
      index = (index + 1) & mask
    }
    return (index, nil)
  }

  private func grow() {
    let old = UnsafeBufferPointer(start: slots, count: mask + 1)
    mask = mask * 2 + 1
    slots = AuditNameSet.makeSlots(mask + 1)
    for slot in old where slot != 0 {
      let hash = AuditNameSet.hash(key(at: slot >> AuditNameSet.tagBits - 1))
      var index = Int(truncatingIfNeeded: hash >> AuditNameSet.tagBits) & mask
      while slots[index] != 0 { index = (index + 1) & mask }
      slots[index] = slot
    }
    old.deallocate()
  }
}
