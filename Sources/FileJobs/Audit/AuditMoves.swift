// Which file that is missing has become which one that is new.
//
// DESIGN. New files come in the order of the walk, and must not be kept, since
// there may be any number. Those with the digest of a missing file are few. Where
// one also has the base name of a missing file, nothing that comes later can change
// that they are the same. The others wait, as many of a digest as there are files
// missing that have it, and at the end are given to those that are left. Rejected:
// to take the next missing file at once, whatever its name. A copy that the walk
// meets first would then take the place of the file that was moved.

/// Finds new names for missing files, each of which has one at most.
struct AuditMoves {
  /// What becomes of a new file.
  enum Decision {
    /// It is a missing one, or may be: it is said at the end.
    case kept
    /// It is new.
    case new
  }

  /// A new name.
  private struct Candidate {
    let group: Int32
    let begin: Int
    let count: Int
    var isUsed = false
  }

  private let missing: AuditMissing
  /// The next missing file of those that one stands for.
  private var heads: [Int: Int] = [:]
  private var candidates: [Candidate] = []
  private var names: [UInt8] = []
  /// By group: the files that have no new name yet, and the candidates that wait.
  private var open: [Int32]
  private var waiting: [Int: [Int32]] = [:]
  /// By missing file: which candidate it has become, or -1.
  private var moved: [Int32]

  init(_ missing: AuditMissing) {
    self.missing = missing
    open = missing.groupCounts
    moved = [Int32](repeating: -1, count: missing.files.count)
  }

  /// Takes a new file that has the digest of a group.
  mutating func offer(
    _ name: UnsafeRawBufferPointer, group: Int, isEmpty: Bool
  ) -> Decision {
    if let file = takeNext(AuditMissing.base(of: name), group) {
      keep(name, group)
      candidates[candidates.count - 1].isUsed = true
      moved[file] = Int32(candidates.count - 1)
      open[group] -= 1
      return .kept
    }
    // All empty files are alike.
    if isEmpty || waiting[group]?.count ?? 0 >= Int(open[group]) { return .new }
    keep(name, group)
    waiting[group, default: []].append(Int32(candidates.count - 1))
    return .kept
  }

  /// The next missing file of a group that has a base name.
  private mutating func takeNext(_ base: UnsafeRawBufferPointer, _ group: Int) -> Int? {
    guard let its = missing.find(base, in: group) else { return nil }
    let head = heads[its] ?? missing.first(of: its)
    if head < 0 { return nil }
    heads[its] = Int(missing.files[head].next)
    return head
  }

  private mutating func keep(_ name: UnsafeRawBufferPointer, _ group: Int) {
    candidates.append(
      Candidate(group: Int32(group), begin: names.count, count: name.count))
    names.append(contentsOf: name)
  }

  /// Gives those that wait to the missing files that are left: the first to the
  /// first.
  mutating func settle() {
    var next: [Int: Int] = [:]
    for (index, file) in missing.files.enumerated() where moved[index] < 0 && file.group >= 0 {
      let group = Int(file.group)
      let position = next[group] ?? 0
      guard let those = waiting[group], position < those.count else { continue }
      moved[index] = those[position]
      candidates[Int(those[position])].isUsed = true
      next[group] = position + 1
    }
  }

  /// Calls `body` with the new name of a missing file, or with `nil`.
  func withNewName<R>(
    of file: Int, _ body: (UnsafeRawBufferPointer?) throws -> R
  ) rethrows -> R {
    guard moved[file] >= 0 else { return try body(nil) }
    return try withName(Int(moved[file])) { try body($0) }
  }

  /// Calls `body` with the names that were kept and are new after all, in their
  /// order.
  func forEachLeft(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    for index in candidates.indices where !candidates[index].isUsed {
      try withName(index, body)
    }
  }

  private func withName<R>(
    _ index: Int, _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    let (begin, count) = (candidates[index].begin, candidates[index].count)
    return try names.withUnsafeBytes {
      try body(UnsafeRawBufferPointer(rebasing: $0[begin..<begin + count]))
    }
  }
}
