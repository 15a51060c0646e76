// The JSON of weir run: docs/schema/run.json.
//
// DESIGN. The output of a command may be larger than memory, here and in the reader. So
// it is not a member of the command's object. It comes before that object, in objects of
// at most 64 KiB, in the order in which it was written. A piece does not end within a
// character of UTF-8.

internal import FileJobs
internal import Weir

enum RunJSON {
  static func write(_ result: CommandResult, to console: Console) throws {
    var pieces = Pieces()
    try result.output?.forEach { stream, bytes in
      for (stream, data) in pieces.take(stream, bytes) {
        try console.write(output(result.number, stream, data))
      }
    }
    for (stream, data) in pieces.rest() {
      try console.write(output(result.number, stream, data))
    }
    try console.write(object(result))
  }

  private static func output(
    _ number: UInt64, _ stream: ChildProcess.Stream, _ data: [UInt8]
  ) -> [UInt8] {
    JSONText.object("output") { json in
      json.append("command", number)
      json.append("stream", stream == .output ? "stdout" : "stderr")
      data.withUnsafeBytes { json.append("data", name: $0) }
    }
  }

  private static func object(_ result: CommandResult) -> [UInt8] {
    JSONText.object("command") { json in
      json.append("command", result.number)
      json.append("items", elements: result.items.map { name(of: $0.bytes) })
      json.append("arguments", elements: result.arguments.map { name(of: $0) })
      switch result.outcome {
      case .ended(let ending), .timedOut(let ending):
        switch ending {
        case .exited(let status): json.append("status", status)
        case .signaled(let signal): json.append("signal", signal)
        }
      case .notStarted(let error), .lost(let error):
        json.append("error", error)
      }
      var hasTimedOut = false
      if case .timedOut = result.outcome { hasTimedOut = true }
      json.append("timed_out", hasTimedOut)
      json.append("attempts", result.attempts)
      json.append("start", seconds: result.start)
      json.append("seconds", seconds: result.seconds)
    }
  }

  private static func name(of bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBytes { JSONName.bytes(of: $0) }
  }

  static func summary(_ statistics: CommandStatistics, _ ending: Session.Ending) -> [UInt8] {
    JSONText.object("summary") { json in
      json.append("complete", ending.isComplete && !statistics.isHalted)
      json.append(CommandReport.counts(statistics))
      json.append("seconds", seconds: ending.seconds)
    }
  }

  /// Keeps the beginning of a character until the rest of it comes.
  private struct Pieces {
    private var held: (output: [UInt8], error: [UInt8]) = ([], [])

    mutating func take(
      _ stream: ChildProcess.Stream, _ bytes: UnsafeRawBufferPointer
    ) -> [(ChildProcess.Stream, [UInt8])] {
      var data = (stream == .output ? held.output : held.error) + bytes
      let tail = Array(data.suffix(Pieces.incompleteLength(data)))
      data.removeLast(tail.count)
      if stream == .output { held.output = tail } else { held.error = tail }
      return data.isEmpty ? [] : [(stream, data)]
    }

    mutating func rest() -> [(ChildProcess.Stream, [UInt8])] {
      defer { held = ([], []) }
      return [(ChildProcess.Stream.output, held.output), (.error, held.error)]
        .filter { !$0.1.isEmpty }
    }

    private static func incompleteLength(_ data: [UInt8]) -> Int {
      for back in 1...3 where back <= data.count {
        let byte = data[data.count - back]
        if byte & 0xC0 == 0x80 { continue }
        let length =
          switch byte {
          case 0xC2...0xDF: 2
          case 0xE0...0xEF: 3
          case 0xF0...0xF4: 4
          default: 1
          }
        return length > back ? back : 0
      }
      return 0
    }
  }
}
