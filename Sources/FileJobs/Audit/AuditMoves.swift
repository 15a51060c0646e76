// The matching of missing files to new files.
//
// DESIGN. New files come in the order of the walk. They must not be kept, because their
// number is unlimited; those with the content of a missing file are few. If such a file also
// has the base name of a missing file, the match is final, whatever follows. The others
// wait, at most as many of a content as there are missing files with it. At the end they are
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
    let groups: [Int]
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

  /// Offers a new file with the content of groups: of several if their lines record other facts
  /// of one content.
  mutating func offer(
    _ name: UnsafeRawBufferPointer, groups: [Int], isEmpty: Bool
  ) -> Decision {
    for group in groups {
      guard let file = takeNext(MissingFiles.base(of: name), group) else { continue }
      keep(name, groups)
      candidates[candidates.count - 1].isUsed = true
      moved[file] = Int32(candidates.count - 1)
      open[group] -= 1
      return .kept
    }
    let room = groups.reduce(0) { $0 + Int(open[$1]) }
    let most = groups.reduce(0) { max($0, waiting[$1]?.count ?? 0) }
    // All empty files have the same content.
    if isEmpty || most >= room { return .new }
    keep(name, groups)
    for group in groups { waiting[group, default: []].append(Int32(candidates.count - 1)) }
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

  private mutating func keep(_ name: UnsafeRawBufferPointer, _ groups: [Int]) {
    candidates.append(Candidate(groups: groups, begin: names.count, count: name.count))
    names.append(contentsOf: name)
  }

  /// Assigns the waiting candidates to the remaining missing files, both in order.
  mutating func assignRemaining() {
    var next: [Int: Int] = [:]
    for (index, file) in missing.files.enumerated() where moved[index] < 0 && file.group >= 0 {
      let group = Int(file.group)
      guard let waiting = waiting[group] else { continue }
      // A candidate may wait in several groups.
      let free = waiting[(next[group] ?? 0)...].firstIndex { !candidates[Int($0)].isUsed }
      next[group] = free ?? waiting.count
      guard let free else { continue }
      moved[index] = waiting[free]
      candidates[Int(waiting[free])].isUsed = true
    }
  }

  /// Calls `body` with the new name of the missing file of a line; with `nil` if it has none with
  /// the content that the line records.
  func withNewName<R>(
    of line: MissingFiles.Line, _ body: (UnsafeRawBufferPointer?) throws -> R
  ) rethrows -> R {
    let candidate = Int(moved[Int(line.file)])
    guard candidate >= 0, candidates[candidate].groups.contains(Int(line.group)) else {
      return try body(nil)
    }
    return try withName(candidate) { try body($0) }
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
