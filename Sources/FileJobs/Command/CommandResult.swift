// What became of commands.

internal import SystemPackage
public import Weir

/// How a command ended.
public enum CommandOutcome: Sendable, Hashable {
  /// It ran to its end.
  case ended(ChildProcess.Ending)
  /// It took too long and was ended.
  case timedOut(ChildProcess.Ending)
  /// It could not be started: its arguments are too long, say.
  case notStarted(Int32)

  /// Whether it ended with 0 by itself.
  public var isSuccess: Bool { self == .ended(.exited(0)) }
}

/// What became of one command.
public struct CommandResult: Sendable {
  /// Which one: 1 for the first.
  public let number: UInt64
  /// What it was run for.
  public let items: [CommandItem]
  /// The program and its arguments.
  public let arguments: [[UInt8]]
  /// How it ended, the last time.
  public let outcome: CommandOutcome
  /// How often it was run.
  public let attempts: Int
  /// When it was started the last time, in seconds since 1970.
  public let start: Double
  /// How long it took then.
  public let seconds: Double
  /// What it wrote then; `nil` where that was not read.
  public let output: CommandOutput?
}

/// What a run has to tell, in the order of the items.
public enum CommandEvent: Sendable {
  /// A command has ended.
  case finished(CommandResult)
  /// A directory or a list could not be read, or what a list has is no argument.
  case unreadable([UInt8], Int32)
  /// Something that a walk has found and that is no file.
  case special([UInt8], EntryType)
}

/// What ends a run early.
public enum CommandFailure: Error, Sendable, Hashable {
  /// The program could not be started at all.
  case program([UInt8], Int32)
  /// What a command wrote could not be kept in this directory.
  case spool([UInt8], Int32)
  /// The log could not be read or written.
  case log([UInt8], Int32)
  /// Another run has the log open.
  case logInUse([UInt8])
  /// There is a log already.
  case logExists([UInt8])
  /// The file is none.
  case noLog([UInt8], line: Int)
  /// The log has a command that is not of this run's.
  case otherCommand([UInt8], line: Int)
}
