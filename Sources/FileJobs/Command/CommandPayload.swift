// The bytes of commands, in a part and in the spool.

internal import Weir

/// The content of a record of a command.
enum CommandPayload {
  /// A slot of the output of the command that ends next.
  case output(UnsafeRawBufferPointer)
  case end(CommandConclusion, items: [CommandItem])

  private static let outputMark: UInt8 = 0
  private static let endMark: UInt8 = 1

  /// The numbers before the omissions: mark, outcome, value, attempts, start, seconds, omissions.
  private static let headCount = 1 + 1 + 4 + 4 + 8 + 8 + 4
  private static let omissionCount = 8
  /// The number of the command.
  private static let numberCount = 8

  static func bytes(ofSlot slot: UnsafeRawBufferPointer) -> [UInt8] { [outputMark] + slot }

  /// Returns the record of the end of a command.
  static func bytes(of conclusion: CommandConclusion, items: [CommandItem]) -> [UInt8] {
    let outcome = OutcomeCode(conclusion.outcome)
    var bytes = [endMark, outcome.kind]
    bytes.append(littleEndian: outcome.value)
    bytes.append(littleEndian: UInt32(conclusion.attempts))
    bytes.append(littleEndian: conclusion.start.bitPattern)
    bytes.append(littleEndian: conclusion.seconds.bitPattern)
    bytes.append(littleEndian: UInt32(conclusion.omissions.count))
    for omission in conclusion.omissions {
      bytes.append(littleEndian: UInt32(omission.index))
      bytes.append(littleEndian: omission.error)
    }
    return bytes + CommandInvocation(number: conclusion.number, items: items).packed
  }

  /// Reads a record; `nil` if it is malformed.
  init?(_ bytes: UnsafeRawBufferPointer, output: CommandOutput?) {
    if bytes.first == CommandPayload.outputMark {
      self = .output(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
      return
    }
    let head = CommandPayload.headCount
    guard bytes.first == CommandPayload.endMark, bytes.count >= head else { return nil }
    let count = Int(bytes.littleEndian(at: head - 4) as UInt32)
    let begin = head + count * CommandPayload.omissionCount
    guard bytes.count > begin + CommandPayload.numberCount, bytes.last == 0,
      let code = OutcomeCode(kind: bytes[1], value: bytes.littleEndian(at: 2))
    else { return nil }
    let omissions = (0..<count).map { number in
      let offset = head + number * CommandPayload.omissionCount
      return CommandConclusion.Omission(
        index: Int(bytes.littleEndian(at: offset) as UInt32),
        error: bytes.littleEndian(at: offset + 4))
    }
    let invocation = CommandInvocation(packed: UnsafeRawBufferPointer(rebasing: bytes[begin...]))
    self = .end(
      CommandConclusion(
        number: invocation.number, outcome: code.outcome,
        attempts: Int(bytes.littleEndian(at: 6) as UInt32),
        start: Double(bitPattern: bytes.littleEndian(at: 10)),
        seconds: Double(bitPattern: bytes.littleEndian(at: 18)), omissions: omissions,
        output: output),
      items: invocation.items)
  }
}

/// An outcome as two numbers.
private struct OutcomeCode {
  let kind: UInt8
  let value: Int32

  init(_ outcome: CommandOutcome?) {
    (kind, value) =
      switch outcome {
      case nil: (0, 0)
      case .ended(.exited(let status)): (1, status)
      case .ended(.signaled(let signal)): (2, signal)
      case .timedOut(.exited(let status)): (3, status)
      case .timedOut(.signaled(let signal)): (4, signal)
      case .notStarted(let error): (5, error)
      case .lost(let error): (6, error)
      }
  }

  /// The outcomes of the kinds from 1 on.
  private static let outcomes: [@Sendable (Int32) -> CommandOutcome] = [
    { .ended(.exited($0)) }, { .ended(.signaled($0)) }, { .timedOut(.exited($0)) },
    { .timedOut(.signaled($0)) }, { .notStarted($0) }, { .lost($0) },
  ]

  init?(kind: UInt8, value: Int32) {
    guard kind <= OutcomeCode.outcomes.count else { return nil }
    self.kind = kind
    self.value = value
  }

  var outcome: CommandOutcome? { kind == 0 ? nil : OutcomeCode.outcomes[Int(kind) - 1](value) }
}
