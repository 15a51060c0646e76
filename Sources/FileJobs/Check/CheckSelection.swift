// The lines of manifests that one shard verifies.
//
// DESIGN. Every shard reads all manifests, and verifies the lines whose names are its own: by a
// hash of the name, or as a plan says. Plan and manifest are then read in step, as both have the
// order of the run, so that the memory does not grow with either. Lines without a name, and the
// end of a manifest, belong to shard 0.

package import SystemPackage

/// A choice among the lines of manifests.
///
/// @unchecked Sendable: the feeding thread selects, and the owner asks after the run.
package final class CheckSelection: @unchecked Sendable {
  /// The reason why a shard of a plan cannot be verified.
  package enum Failure: Error {
    /// The name of a line is not in the rest of the plan.
    case notInPlan(manifest: Int, line: Int, name: [UInt8])
    /// A manifest was not read to its end.
    case manifest(Int, Errno)
    case plan(Fault)
  }

  private let shard: Int
  private let shards: Int
  /// Opens the plan; `nil` to select by the hash of the name.
  private let openPlan: (() throws(Fault) -> PlanReader)?
  private var plan: PlanReader?
  /// The record of the plan that a name was found at.
  private var record: PlanEntry?
  /// The number of items to skip, which an earlier attempt has answered.
  private var rest: UInt64
  package private(set) var failure: Failure?
  /// The number of lines so far that get a verdict from any shard, with the ends of manifests.
  package private(set) var lines: UInt64 = 0
  /// The number of lines of the current manifest that other shards verify. For all shards but
  /// the first it is 1 more, since only that one reports a manifest without lines.
  private(set) var elsewhere: UInt64 = 0

  package init(shard: Int, of shards: Int) {
    self.shard = shard
    self.shards = shards
    openPlan = nil
    rest = 0
  }

  /// Selects as a plan says, after `skipped` items. `plan` is called once for each manifest.
  package init(
    shard: Int, of shards: Int, skipping skipped: UInt64,
    plan: @escaping () throws(Fault) -> PlanReader
  ) {
    self.shard = shard
    self.shards = shards
    openPlan = plan
    rest = skipped
  }

  var selectsNameless: Bool { shard == 0 }
  /// True if the results become a part, of which every line is known to be somewhere.
  var isOfPlan: Bool { openPlan != nil }

  func beginManifest() {
    (plan, record) = (nil, nil)
    elsewhere = selectsNameless ? 0 : 1
  }

  /// Counts a line, and one without a name that another shard reports.
  func count() { lines += 1 }
  func countElsewhere() { elsewhere += 1 }

  /// Returns true unless an earlier attempt has answered the item.
  func takesItem() -> Bool {
    if rest == 0 { return true }
    rest -= 1
    return false
  }

  /// Decides on the line of a directory, a link or a special file, which no shard reads.
  func selects(other name: UnsafeRawBufferPointer) -> Bool {
    let isSelected = NameHash.shard(of: name, count: shards) == shard
    if !isSelected { elsewhere += 1 }
    return isSelected
  }

  func selects(file name: UnsafeRawBufferPointer, manifest: UInt32, line: Int) -> Bool {
    guard openPlan != nil else { return selects(other: name) }
    if failure != nil { return false }
    do throws(Fault) {
      guard let found = try find(name) else {
        failure = .notInPlan(manifest: Int(manifest), line: line, name: Array(name))
        return false
      }
      return found == shard
    } catch {
      failure = .plan(error)
      return false
    }
  }

  /// Returns the shard of a name at or after the current place in the plan.
  private func find(_ name: UnsafeRawBufferPointer) throws(Fault) -> Int? {
    if let record, CheckSelection.isSame(record.path, name) { return record.shard }
    while let next = try nextRecord() {
      guard let shard = next.shard, CheckSelection.isSame(next.path, name) else { continue }
      record = next
      return shard
    }
    record = nil
    return nil
  }

  private func nextRecord() throws(Fault) -> PlanEntry? {
    if plan == nil { plan = try openPlan?() }
    return try plan?.next()
  }

  /// Returns true if two names are the same but for `./` at their beginnings.
  private static func isSame(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
  ) -> Bool {
    left.hasSameBytes(as: right) || withoutDot(left).elementsEqual(withoutDot(right))
  }

  private static func withoutDot(_ name: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
    name.starts(with: "./".utf8) ? name.dropFirst(2) : name[...]
  }

  /// Ends a manifest. After the last one, reads the plan to its end, which proves it.
  func endManifest(_ manifest: UInt32, error: Int32, isLast: Bool) {
    guard openPlan != nil, failure == nil else { return }
    if error != 0 { failure = .manifest(Int(manifest), Errno(rawValue: error)) }
    guard isLast else { return }
    do throws(Fault) {
      while try nextRecord() != nil {}
    } catch {
      failure = .plan(error)
    }
  }
}
