// The matching of missing files to new files.
//
// DESIGN. New files come in the order of the walk. They must not be kept, because their
// number is unlimited; those with the digest of a missing file are few. If such a file also
// has the base name of a missing file, the match is final, whatever follows. The others
// wait, at most as many of a digest as there are missing files with it. At the end they are
// assigned to the missing files that remain. Rejected: to match the next missing file at
// once, whatever its name. A copy that the walk finds first would then take the place of
// the moved file.

/// The new names of missing files, at most one for each.
struct AuditMoves {
  /// The decision on a new file.
  enum Decision {
    /// The file is or may be a missing one. It is reported at the end.
    case kept
    /// The file is new.
    case new
  }

  /// A kept file.
  private struct Candidate {
    let group: Int32
    let begin: Int
    let count: Int
    var isUsed = false
  }

  private let missing: MissingFiles
  /// The next missing file without a new name, by representative.
  private var heads: [Int: Int] = [:]
  private var candidates: [Candidate] = []
  private var names: [UInt8] = []
  /// By group: the number of files without a new name, and the candidates that wait.
  private var open: [Int32]
  private var waiting: [Int: [Int32]] = [:]
  /// By missing file: its candidate, or -1.
  private var moved: [Int32]

  init(_ missing: MissingFiles) {
    self.missing = missing
    open = missing.groupCounts
    moved = [Int32](repeating: -1, count: missing.files.count)
  }

  /// Offers a new file with the digest of a group.
  mutating func offer(
    _ name: UnsafeRawBufferPointer, group: Int, isEmpty: Bool
  ) -> Decision {
    if let file = takeNext(MissingFiles.base(of: name), group) {
      keep(name, group)
      candidates[candidates.count - 1].isUsed = true
      moved[file] = Int32(candidates.count - 1)
      open[group] -= 1
      return .kept
    }
    // All empty files have the same content.
    if isEmpty || waiting[group]?.count ?? 0 >= Int(open[group]) { return .new }
    keep(name, group)
    waiting[group, default: []].append(Int32(candidates.count - 1))
    return .kept
  }

  /// Removes and returns the next missing file of a group with a base name.
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

  /// Assigns the waiting candidates to the remaining missing files, both in order.
  mutating func assignRemaining() {
    var next: [Int: Int] = [:]
    for (index, file) in missing.files.enumerated() where moved[index] < 0 && file.group >= 0 {
      let group = Int(file.group)
      let position = next[group] ?? 0
      guard let candidates = waiting[group], position < candidates.count else { continue }
      moved[index] = candidates[position]
      self.candidates[Int(candidates[position])].isUsed = true
      next[group] = position + 1
    }
  }

  /// Calls `body` with the new name of a missing file; with `nil` if it has none.
  func withNewName<R>(
    of file: Int, _ body: (UnsafeRawBufferPointer?) throws -> R
  ) rethrows -> R {
    guard moved[file] >= 0 else { return try body(nil) }
    return try withName(Int(moved[file])) { try body($0) }
  }

  /// Calls `body` with each kept file that no missing file has become, in order.
  func forEachUnused(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
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
