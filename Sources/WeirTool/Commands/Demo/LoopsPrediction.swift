// What somebody expects of a loop, before looking.

internal import Glibc

/// How many blocks a stride makes, and how long the loop takes then.
struct LoopsPrediction: Equatable, Sendable {
  var blocks: Int?
  /// In nanoseconds.
  var time: Double?

  init(blocks: Int?, time: Double?) {
    self.blocks = blocks
    self.time = time
  }

  /// As it stands behind `--predict`: `25,5ms`.
  init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, let blocks = LoopsPrediction.number(parts[0]),
      let time = LoopsTime.nanoseconds(parts[1])
    else { return nil }
    self.init(blocks: blocks, time: time)
  }

  private static func number(_ text: some StringProtocol) -> Int? {
    guard text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    return Int(text)
  }

  /// Whether there is somebody to ask.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// Asks for it. An empty line is no answer, and what cannot be understood is
  /// asked for again.
  ///
  /// - Parameter write: Writes to the terminal.
  static func asked(
    _ plan: LoopsPlan, write: (String) throws -> Void
  ) throws -> LoopsPrediction? {
    try write("Before you look, with \(LoopsForm.stride(plan.stride).name) (Enter passes):\n")
    let blocks = try answer("  How many blocks will there be? ", write) { number($0) }
    let time = try answer("  How long will it take, as 7 ms? ", write) {
      LoopsTime.nanoseconds($0)
    }
    if blocks == nil && time == nil { return nil }
    return LoopsPrediction(blocks: blocks, time: time)
  }

  private static func answer<Value>(
    _ question: String, _ write: (String) throws -> Void, _ read: (Substring) -> Value?
  ) throws -> Value? {
    while true {
      try write(question)
      guard let line = readLine() else {
        try write("\n")
        return nil
      }
      let text = line.drop { $0 == " " }.prefix { $0 != "\r" }
      if text.isEmpty { return nil }
      if let value = read(text) { return value }
    }
  }
}
