// How many bytes a run is going to read, found out beside it.

internal import FileJobs
internal import Weir

/// Finds out on a thread of its own what there will be to read, so that the run
/// need not wait for it. For those who watch.
final class ExpectedBytes: Sendable {
  private struct State {
    var bytes: UInt64?
    var isOver = false
  }

  private let state = Locked(State())
  private let thread = Locked<SideThread?>(nil)
  private let find: @Sendable (_ isOver: () -> Bool) -> UInt64?

  /// Begins. Signals have to be blocked, so that the thread has none.
  ///
  /// - Parameter find: What finds out; it ends soon where it is told to.
  init(_ find: @escaping @Sendable (_ isOver: () -> Bool) -> UInt64?) {
    self.find = find
    thread.with { $0 = SideThread { self.run() } }
  }

  private func run() {
    let found = find { state.with { $0.isOver } }
    state.with { $0.bytes = found }
  }

  /// How many bytes; `nil` where that is not known, or not yet.
  var bytes: UInt64? { state.with { $0.bytes } }

  /// Ends it.
  func finish() {
    state.with { $0.isOver = true }
    thread.with { $0.take() }?.join()
  }
}
