// A run that is going on, as its channel sees it.

/// A run that is going on.
protocol ActiveRun: Sendable {
  var number: Int { get }
  /// Ends the run; it may still report what had happened.
  func stop()
  /// Kills the processes of the run.
  func kill()
  /// Sends a command.
  func send(_ name: String, _ value: Int)
}

extension ActiveRun {
  func stop() { kill() }
}
