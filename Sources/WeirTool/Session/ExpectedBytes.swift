// The number of bytes that a run is going to read.

internal import FileJobs
internal import Weir

/// The number of bytes that a run is going to read, found by a thread of its own so
/// that the run does not wait for it.
final class ExpectedBytes: Sendable {
  /// A search for the number of bytes. It ends soon after `isOver` returns true.
  typealias Search = @Sendable (_ isOver: () -> Bool) -> UInt64?

  private struct State {
    var bytes: UInt64?
    var isOver = false
  }

  private let state = Locked(State())
  private let thread = Locked<SideThread?>(nil)

  /// Starts the search. Signals must be blocked, so that the thread receives none.
  init(_ search: @escaping Search) {
    thread.with { [state] thread in
      thread = SideThread {
        let found = search { state.with { $0.isOver } }
        state.with { $0.bytes = found }
      }
    }
  }

  /// The number of bytes; `nil` if it is unknown or not known yet.
  var bytes: UInt64? { state.with { $0.bytes } }

  /// Ends the search and its thread.
  func finish() {
    state.with { $0.isOver = true }
    thread.with { $0.take() }?.join()
  }
}
