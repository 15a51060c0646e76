// The entries of a walk that one of several workers lists.

package import Weir

/// The division of a walk among workers, by the hash of directories' names.
///
/// A directory at the split depth goes to a worker with all that is below it. Any other entry
/// down to this depth goes to the worker that has the hash of its directory's name, and a
/// PATH to the one that has its own. So a worker reads the directories down to the split
/// depth, and below only its own.
package struct PlanListSelection: Sendable {
  private let file: PlanListFile
  private let depth: Int

  /// - Parameter depth: The split depth, at least 1.
  package init(_ file: PlanListFile, depth: Int) {
    self.file = file
    self.depth = depth
  }

  package var selector: FileSelector {
    { entry in
      if entry.depth > depth { return .take }
      if entry.depth == 0 { return isOwn(entry.path) ? .take : .skip }
      if entry.depth == depth && entry.type == .directory {
        return isOwn(entry.path) ? .take : .skipContents
      }
      let end = entry.path.count - entry.name.count
      return isOwn(UnsafeRawBufferPointer(rebasing: entry.path[..<end])) ? .take : .skip
    }
  }

  private func isOwn(_ name: UnsafeRawBufferPointer) -> Bool {
    NameHash.shard(of: name, count: file.workers) == file.worker
  }
}
