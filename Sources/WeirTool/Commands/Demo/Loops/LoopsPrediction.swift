// The prediction of the user, before the loop runs.

internal import Glibc

/// The number of blocks of a stride, and the time of the loop with that stride.
struct LoopsPrediction: Equatable, Sendable {
  var blocks: Int?
  /// The time in nanoseconds.
  var time: Double?
}

extension LoopsPrediction {
  /// Parses the argument of `--predict`: `25,5ms`.
  init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let blocks = LoopsPrediction.number(parts[0]),
      let time = LoopsDuration.nanoseconds(parts[1])
    else { return nil }
    self.init(blocks: blocks, time: time)
  }

  private static func number(_ text: some StringProtocol) -> Int? {
    guard text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    return Int(text)
  }

  /// A Boolean value that indicates whether standard input and output are a terminal.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// Asks for a prediction. An empty line skips a question; an invalid answer repeats the
  /// question.
  ///
  /// - Parameter write: Writes to the terminal.
  static func ask(
    _ plan: LoopsPlan, write: (String) throws -> Void
  ) throws -> LoopsPrediction? {
    try write("Before the loop runs with \(LoopsForm.stride(plan.stride).name) (Enter skips):\n")
    let blocks = try answer("  How many blocks will there be? ", write) { number($0) }
    let time = try answer("  How long will it take, such as 7 ms? ", write) {
      LoopsDuration.nanoseconds($0)
    }
    if blocks == nil && time == nil { return nil }
    return LoopsPrediction(blocks: blocks, time: time)
  }

  private static func answer<Value>(
    _ question: String, _ write: (String) throws -> Void, _ parse: (Substring) -> Value?
  ) throws -> Value? {
    while true {
      try write(question)
      guard let line = readLine() else {
        try write("\n")
        return nil
      }
      let text = line.drop { $0 == " " }.prefix { $0 != "\r" }
      if text.isEmpty { return nil }
      if let value = parse(text) { return value }
    }
  }
}
