// The main queue, and whether one is on it.
//
// On Linux the main queue's blocks run on a thread of the pool once the program
// has come to dispatchMain(), or to the end of an async main: so the queue is
// asked, never the thread.

internal import Dispatch

/// The main queue.
public enum MainQueue {
  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// True if the calling code runs on the main queue.
  public static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }

  /// Makes ``isCurrent`` work for blocks that are submitted from now on.
  static func prepare() { _ = mark }
}
