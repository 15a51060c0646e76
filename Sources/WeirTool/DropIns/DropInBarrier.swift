internal import Dispatch
internal import FileJobs
internal import SystemPackage
internal import Weir

/// Counts the items submitted to the lanes and the items delivered, and waits until the two
/// counts are equal.
///
/// Only the feeder's thread calls the methods, except ``addDelivered(_:)``.
final class DropInBarrier: @unchecked Sendable {
  // @unchecked: the mutex of Locked guards the counts; only the feeder's thread uses the rest.
  private struct Counts {
    var submitted = 0
    var delivered = 0
    var isAwaited = false
  }

  private let counts = Locked(Counts())
  private let areEqual = DispatchSemaphore(value: 0)
  private var isRequested = false
  private var file: (name: UnsafeRawBufferPointer, note: UnsafeRawBufferPointer)?

  func addSubmitted() {
    counts.with { $0.submitted += 1 }
  }

  func addDelivered(_ count: Int) {
    let isAwaited = counts.with { counts in
      counts.delivered += count
      return counts.isAwaited && counts.delivered == counts.submitted
    }
    if isAwaited { areEqual.signal() }
  }

  func request() {
    isRequested = true
  }

  /// Requests a barrier before a file, which the feeder's thread reads afterwards.
  func request(before name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer) {
    isRequested = true
    file = (name, note)
  }

  /// If a barrier was requested, waits until every submitted item is delivered.
  ///
  /// - Returns: The file of the request, if it had one.
  func wait() -> (name: UnsafeRawBufferPointer, note: UnsafeRawBufferPointer)? {
    guard isRequested else { return nil }
    isRequested = false
    let mustWait = counts.with { counts in
      counts.isAwaited = counts.delivered != counts.submitted
      return counts.isAwaited
    }
    if mustWait { areEqual.wait() }
    counts.with { $0.isAwaited = false }
    defer { file = nil }
    return file
  }
}
