// A run that is going on, as its channel sees it.

/// A run that is going on.
protocol ActiveRun: Sendable {
  var number: Int { get }
  /// Ends the run: its processes are killed.
  func stop()
  /// Sends a command.
  func send(_ name: String, _ value: Int)
}
