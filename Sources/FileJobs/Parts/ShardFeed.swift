// The items of a shard: its files in the order of the plan.
//
// A shard reads the whole plan, a hundred bytes a file, and takes its own records. An index for
// each shard would save a minute at 10^8 names, and be one more thing that can be wrong.

package import Weir

/// A source of the files that a plan gives to one shard, in flat memory. If the plan turns out to
/// be damaged, the items end, and ``failure`` has the reason: no result of the run may then be
/// used.
///
/// @unchecked Sendable: one thread at a time feeds, and the owner reads `failure` after the run.
package final class ShardFeed: @unchecked Sendable {
  private let plan: PlanReader
  private let shard: Int
  private var rest: UInt64
  private let expectsUnchanged: Bool
  /// The memory of the note of the last item.
  private let note = ByteBuffer()
  /// The number of records so far: the place of the last one, counted from 1.
  private var place: UInt64 = 0
  /// Called with each record of the plan, also with those of other shards.
  var observer: ((PlanEntry) -> Void)?
  package private(set) var failure: Fault?
  /// The number of items so far, with those that were skipped.
  package private(set) var count: UInt64 = 0

  /// - Parameters:
  ///   - plan: A reader that has read no record yet.
  ///   - skipped: The number of items that an earlier attempt has answered.
  ///   - expectsUnchanged: True if a note has the size and time of a file, to find changes.
  package init(
    _ plan: PlanReader, shard: Int, skipping skipped: UInt64, expectsUnchanged: Bool
  ) {
    self.plan = plan
    self.shard = shard
    rest = skipped
    self.expectsUnchanged = expectsUnchanged
  }

  package var source: FileSource { .items { self.item() } }

  /// The source for a job that needs the places of its items: the notes have the place of the
  /// record in the plan, with the size and time of the file, which are always expected.
  package var placedSource: FileSource { .items { self.placedItem() } }

  /// Returns the next item of the shard; `nil` at the end of the plan.
  private func item() -> FileItem? {
    guard let record = next() else { return nil }
    guard expectsUnchanged && record.kind == .file else {
      return FileItem(lent: record.path, isWalked: false)
    }
    let planned = PlannedFile(size: record.size, modified: record.modified)
    return FileItem(lent: record.path, note: note.hold(planned.note), isWalked: false)
  }

  private func placedItem() -> FileItem? {
    guard let record = next() else { return nil }
    // A name that was no file has become one if it has a size, and belongs to another shard.
    let planned =
      record.kind == .file
      ? PlannedFile(size: record.size, modified: record.modified) : PlannedFile.none
    return FileItem(lent: record.path, note: note.hold(planned.note(place: place)), isWalked: false)
  }

  /// Returns the next record of the shard, which is valid until the next call.
  package func next() -> PlanEntry? {
    if failure != nil { return nil }
    do throws(Fault) {
      while let record = try plan.next() {
        place += 1
        observer?(record)
        guard record.shard == shard else { continue }
        count += 1
        if rest == 0 { return record }
        rest -= 1
      }
    } catch {
      failure = error
    }
    return nil
  }
}
