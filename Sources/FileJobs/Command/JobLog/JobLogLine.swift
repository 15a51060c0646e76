internal import Weir

/// A line of a job log, with the columns of GNU parallel:
///
/// ```text
/// Seq	Host	Starttime	JobRuntime	Send	Receive	Exitval	Signal	Command
/// 1	:	1795291086.891	     0.012	0	3	0	0	echo hi
/// ```
enum JobLogLine {
  static let header = Array(
    "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n".utf8)

  static func bytes(of result: CommandResult) -> [UInt8] {
    var line: [UInt8] = []
    let runtime = fixed(result.seconds)
    line += "\(result.number)\t:\t\(fixed(result.start))\t".utf8
    line += repeatElement(UInt8(ascii: " "), count: max(0, 10 - runtime.utf8.count))
    line += "\(runtime)\t0\t\(result.output?.count ?? 0)\t".utf8
    let (status, signal) = numbers(result.outcome)
    line += "\(status)\t\(signal)\t".utf8
    line += ShellWords.line(of: result.arguments)
    line.append(UInt8(ascii: "\n"))
    return line
  }

  /// Returns the exit status and the signal. A command that timed out has the status -1,
  /// as with GNU parallel, and so does one whose status is unknown.
  private static func numbers(_ outcome: CommandOutcome) -> (Int32, Int32) {
    switch outcome {
    case .ended(.exited(let status)): (status, 0)
    case .ended(.signaled(let signal)): (0, signal)
    case .timedOut(.exited): (-1, 0)
    case .timedOut(.signaled(let signal)): (-1, signal)
    case .notStarted: (127, 0)
    case .lost: (-1, 0)
    }
  }

  /// Formats a number with three decimals. A part may have any number, also none.
  private static func fixed(_ value: Double) -> String {
    let thousandths = value > 0 ? UInt64(min(value * 1000, 1e18)) : 0
    let rest = String(thousandths % 1000)
    return "\(thousandths / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }

  struct Entry {
    let number: UInt64
    let isSuccess: Bool
    let command: ArraySlice<UInt8>
  }

  /// Parses a line without its newline; returns `nil` for any other text.
  static func parse(_ line: ArraySlice<UInt8>) -> Entry? {
    let columns = line.split(
      separator: UInt8(ascii: "\t"), maxSplits: 8, omittingEmptySubsequences: false)
    guard columns.count == 9, let number = UInt64(text(columns[0])), number > 0,
      let status = Int32(text(columns[6])), let signal = Int32(text(columns[7]))
    else { return nil }
    return Entry(
      number: number, isSuccess: status == 0 && signal == 0, command: columns[8])
  }

  private static func text(_ column: ArraySlice<UInt8>) -> String {
    String(decoding: column, as: UTF8.self)
  }
}
