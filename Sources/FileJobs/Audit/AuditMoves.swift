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
///
/// A class: a copy for each new file would take as long as the manifest is.
final class AuditMoves {
  /// A file that is or may be a missing one. It is reported at the end.
  private struct Candidate {
    let name: [UInt8]
    let groups: [Int]
    var isUsed = false
  }

  private struct Place: Hashable {
    let group: Int
    let base: [UInt8]
  }

  private let missing: MissingFiles
  /// The missing files without a new name, by group and base name.
  private var files: [Place: ArraySlice<Int>] = [:]
  private var candidates: [Candidate] = []
  /// By group: the number of files without a new name, and the candidates that wait.
  private var open: [Int: Int] = [:]
  private var waiting: [Int: [Int]] = [:]
  /// The candidates of missing files.
  private var moved: [Int: Int] = [:]

  init(_ missing: MissingFiles) {
    self.missing = missing
    for (index, file) in missing.files.enumerated() {
      guard let group = file.group else { continue }
      files[Place(group: group, base: file.base), default: []].append(index)
      open[group, default: 0] += 1
    }
  }

  /// Offers a new file with the content of groups: of several if their lines record other facts
  /// of one content. Returns false if the file is new.
  func offer(_ name: [UInt8], groups: [Int], isEmpty: Bool) -> Bool {
    let base = Array(name.lastComponent)
    for group in groups {
      guard let file = files[Place(group: group, base: base)]?.popFirst() else { continue }
      moved[file] = candidates.count
      candidates.append(Candidate(name: name, groups: groups, isUsed: true))
      open[group, default: 0] -= 1
      return true
    }
    let room = groups.reduce(0) { $0 + open[$1, default: 0] }
    let most = groups.map { waiting[$0]?.count ?? 0 }.max() ?? 0
    // All empty files have the same content.
    if isEmpty || most >= room { return false }
    for group in groups { waiting[group, default: []].append(candidates.count) }
    candidates.append(Candidate(name: name, groups: groups))
    return true
  }

  /// Assigns the waiting candidates to the remaining missing files, both in order.
  func assignRemaining() {
    var next: [Int: Int] = [:]
    for (index, file) in missing.files.enumerated() where moved[index] == nil {
      guard let group = file.group, let waiting = waiting[group] else { continue }
      // A candidate may wait in several groups.
      let free = waiting[next[group, default: 0]...].firstIndex { !candidates[$0].isUsed }
      next[group] = free ?? waiting.count
      guard let free else { continue }
      moved[index] = waiting[free]
      candidates[waiting[free]].isUsed = true
    }
  }

  /// Returns the new name of the missing file of a line; `nil` if it has none with the content
  /// that the line records.
  func newName(of line: MissingFiles.Line) -> [UInt8]? {
    guard let group = line.group, let candidate = moved[line.file].map({ candidates[$0] }),
      candidate.groups.contains(group)
    else { return nil }
    return candidate.name
  }

  /// The kept files that no missing file has become, in order.
  var unused: [[UInt8]] { candidates.filter { !$0.isUsed }.map(\.name) }
}
