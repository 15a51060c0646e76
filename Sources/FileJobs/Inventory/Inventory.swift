/// A stream of entries in the order of their keys. All lines of a name are one entry.
final class Inventory {
  enum Source {
    /// A manifest that is expected to be in order.
    case manifest(ManifestInventory)
    case sorted(SortedRuns.Reader, hasTypes: Bool)
  }

  private let source: Source
  /// The record returned last, and the one after it.
  private var current = EntryBuffer()
  private var following = EntryBuffer()
  private var hasFollowing = false
  /// True if a record of the manifest precedes the one before it. Nothing more is returned then.
  private(set) var isOutOfOrder = false

  init(_ source: Source) throws {
    self.source = source
    hasFollowing = try read()
  }

  /// True if the inventory has entries for directories, links and special files.
  var hasTypes: Bool {
    switch source {
    case .manifest(let manifest): manifest.hasTypes
    case .sorted(_, let hasTypes): hasTypes
    }
  }

  /// The faults of a manifest so far; `nil` for records that were kept.
  var faults: ManifestFaults? {
    if case .manifest(let manifest) = source { manifest.faults } else { nil }
  }

  /// Returns the next record; `nil` at the end. The record is valid until the next call.
  func next() throws -> EntryBuffer? {
    if !hasFollowing { return nil }
    swap(&current, &following)
    while true {
      hasFollowing = try read()
      if !hasFollowing { return current }
      let order = following.key.order(to: current.key)
      if order > 0 { return current }
      if order < 0 {
        isOutOfOrder = true
        return nil
      }
      current.add(following.entry)
    }
  }

  private func read() throws -> Bool {
    switch source {
    case .manifest(let manifest): return try manifest.read(to: following)
    case .sorted(let reader, _):
      guard let record = try reader.next() else { return false }
      following.put(record)
      return true
    }
  }
}

/// A side of a comparison.
package enum Side: Sendable {
  case a, b

  var other: Side { self == .a ? .b : .a }
}

package struct Sides<Value> {
  package var a: Value
  package var b: Value

  package init(_ a: Value, _ b: Value) { (self.a, self.b) = (a, b) }

  package subscript(side: Side) -> Value {
    get { side == .a ? a : b }
    // A set of a bitmap would copy it.
    _modify { if side == .a { yield &a } else { yield &b } }
  }
}

extension Sides: Sendable where Value: Sendable {}

final class Join {
  let sides: Sides<Inventory>
  private var heads = Sides<EntryBuffer?>(nil, nil)
  private var isTaken = Sides(true, true)
  /// The last name of each side that hides those below it, which follow it at once.
  private var hiding = Sides<[UInt8]?>(nil, nil)

  init(_ a: Inventory, _ b: Inventory) { sides = Sides(a, b) }

  /// True if a manifest is not in the order of the walk, so that the join has to begin again.
  var isOutOfOrder: Bool { sides.a.isOutOfOrder || sides.b.isOutOfOrder }

  /// Returns the records that the sides have of the next name; `nil` at the end. They are valid
  /// until the next call.
  func next() throws -> Sides<EntryBuffer?>? {
    if isTaken.a { heads.a = try advance(.a) }
    if isTaken.b { heads.b = try advance(.b) }
    if isOutOfOrder { return nil }
    switch (heads.a, heads.b) {
    case (nil, nil): return nil
    case (_, nil): isTaken = Sides(true, false)
    case (nil, _): isTaken = Sides(false, true)
    case (let a?, let b?):
      let order = a.key.order(to: b.key)
      isTaken = Sides(order <= 0, order >= 0)
    }
    return Sides(isTaken.a ? heads.a : nil, isTaken.b ? heads.b : nil)
  }

  private func advance(_ side: Side) throws -> EntryBuffer? {
    guard let record = try sides[side].next() else { return nil }
    if !record.flags.isDisjoint(with: [.unreadable, .ignored]) { hiding[side] = Array(record.key) }
    return record
  }

  /// Returns true if a name is below one of the other side that could not be read, or is ignored.
  func isHidden(_ record: EntryBuffer, of side: Side) -> Bool {
    hiding[side.other].map { EntryKey.isBelow(record.key, $0) } ?? false
  }
}
