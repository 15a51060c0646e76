// What a check reads of a file, and how many files it reads: the contents, and the limits of a run.

internal import Weir

package enum CheckedContent: Sendable {
  /// The contents as the system has them, in memory or on the disk.
  case any
  /// The contents on the disk: a file is dropped from memory before it is read.
  case disk
  /// None: only types, sizes and times. No file is opened.
  case none
}

/// The limits of a run. The files that are being read at the end of the time are read to their
/// ends; no other file is begun.
package final class CheckBudget: Sendable {
  private let deadline: SuspendingClock.Instant?
  private let bytesMax: UInt64?
  /// The time after which no file is begun that is known to fail.
  private let half: SuspendingClock.Instant?
  private let begun = Locked(Begun())

  private struct Begun {
    /// True after the first file that may be begun, and after the first that was.
    var (mayBegin, hasBegun) = (false, false)
    var all: UInt64 = 0
    /// The part of files that are not known to fail.
    var others: UInt64 = 0
    /// True after a file that may not be begun.
    var isClosed = false
  }

  /// - Parameter bytes: The sum of the sizes of the files; `nil` for no limit.
  package init(seconds: Double?, bytes: UInt64?) {
    deadline = seconds.map { .now + .seconds($0) }
    half = seconds.map { .now + .seconds($0 / 2) }
    bytesMax = bytes
  }

  var hasLimit: Bool { deadline != nil || bytesMax != nil }

  private var isOver: Bool { deadline.map { .now >= $0 } ?? false }

  /// Returns true if the time is not over, or for the first file: a run whose time is over when it
  /// begins would never verify anything.
  private func hasTime(_ first: WritableKeyPath<Begun, Bool>) -> Bool {
    let isOver = isOver
    return begun.with { begun in
      defer { begun[keyPath: first] = true }
      return !isOver || !begun[keyPath: first]
    }
  }

  /// Begins a file. Returns false if the time is over.
  func begin() -> Bool { hasTime(\.hasBegun) }

  /// Returns true if a file may be begun. The first file may have any size: it would never be read
  /// otherwise. After a file that may not, none may, or big files would always come last. Files that
  /// are known to fail come before all others, and get half, or no other would ever be read.
  func takes(failed: Bool = false, size: @autoclosure () -> UInt64) -> Bool {
    if failed && half.map({ .now >= $0 }) ?? false || !hasTime(\.mayBegin) { return false }
    guard let bytesMax else { return true }
    let size = size()
    return begun.with { begun in
      if begun.isClosed { return false }
      let all = begun.all.addingClamped(size)
      let isFirst = failed ? begun.all == 0 : begun.others == 0
      if !isFirst && all > (failed ? bytesMax / 2 : bytesMax) {
        begun.isClosed = !failed
        return false
      }
      begun.all = all
      if !failed { begun.others = begun.others.addingClamped(size) }
      return true
    }
  }
}

struct CheckMethod: Sendable {
  let content: CheckedContent
  let budget: CheckBudget?
  let undropped = Locked<UInt64>(0)

  /// Prepares a file that may be read.
  ///
  /// - Parameter isUnknown: False before the lane asks if another name of the file was read, which
  ///   reads the first piece; true if none was.
  func prepare(_ file: borrowing OpenFile, isUnknown: Bool) {
    // Another lane may be reading a file with several names.
    guard content == .disk, isUnknown == (file.status.links > 1) else { return }
    if !PageCache.drop(file.descriptor) { undropped.with { $0 += 1 } }
  }
}
