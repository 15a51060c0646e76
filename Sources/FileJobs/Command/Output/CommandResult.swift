// The results, events and errors of a run of commands.

internal import SystemPackage
public import Weir

/// The outcome of a command.
public enum CommandOutcome: Sendable, Hashable {
  /// The command ended by itself.
  case ended(ChildProcess.TerminationStatus)
  /// The command exceeded the timeout and was ended.
  case timedOut(ChildProcess.TerminationStatus)
  /// The command could not be started, with the errno value: its arguments are too long,
  /// for example.
  case notStarted(Int32)
  /// The output of the command or its ending could not be read, with the errno value. The
  /// command was ended.
  case lost(Int32)

  /// A Boolean value that indicates whether the command ended by itself with status 0.
  public var isSuccess: Bool { self == .ended(.exited(0)) }
}

/// The result of one command.
public struct CommandResult: Sendable {
  /// The number of the command; 1 for the first.
  public let number: UInt64
  /// The items of the command.
  public let items: [CommandItem]
  /// The program and its arguments.
  public let arguments: [[UInt8]]
  /// The outcome of the last attempt.
  public let outcome: CommandOutcome
  /// The number of attempts.
  public let attempts: Int
  /// The start of the last attempt, in seconds since 1970.
  package let start: Double
  package let seconds: Double
  /// The duration of the last attempt.
  public var duration: Duration { .seconds(seconds) }
  /// The output of the last attempt; `nil` if it went to the output of this process.
  public let output: CommandOutput?
}

/// An event of a run, in the order of the items.
public enum CommandEvent: Sendable {
  /// A command ended.
  case finished(CommandResult)
  /// A directory or a list could not be read, or an item of a list cannot be an argument.
  case unreadable([UInt8], Int32)
  /// A walk found a FIFO, a socket or a device.
  case special([UInt8], FileWalk.EntryType)
}

/// An error that ends a run early.
public enum CommandFailure: Error, Sendable, Hashable {
  /// The program could not be started.
  case program([UInt8], Int32)
  /// The output of a command could not be kept in this directory.
  case spool([UInt8], Int32)
  /// The log could not be read or written.
  case log([UInt8], Int32)
  /// The result of a command could not be passed on.
  case delivery(Int32)
  /// Another run writes the log.
  case logInUse([UInt8])
  /// The log is a FIFO, which keeps nothing.
  case logIsFIFO([UInt8])
  /// The log exists.
  case logExists([UInt8])
  /// The file is not a job log.
  case notALog([UInt8], line: Int)

  /// Returns a value and throws the system error of its expression as an error of a log.
  @discardableResult
  static func ofLog<R>(
    _ path: [UInt8], _ value: @autoclosure () throws(Errno) -> R
  ) throws(CommandFailure) -> R {
    do throws(Errno) { return try value() } catch { throw .log(path, error.rawValue) }
  }
}
