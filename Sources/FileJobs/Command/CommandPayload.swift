// The bytes of commands: in the note of an item, in the spool, and in a part.
//
// DESIGN. In a part, the output of a command comes before its end, in records of at most 64 KiB that
// answer no item: it may be larger than memory. An attempt that continues an interrupted one copies
// the records up to the last one that answers items, so no output is there twice.

internal import Weir

struct CommandInvocation {
  let number: UInt64
  let items: [CommandItem]
}

extension CommandInvocation {
  init(packed bytes: UnsafeRawBufferPointer) {
    number = bytes.loadUnaligned(as: UInt64.self)
    var items: [CommandItem] = []
    var rest = bytes[CommandInvocation.headerBytes...]
    while let flags = rest.popFirst() {
      var planned: PlannedFile?
      if flags & CommandInvocation.plannedFlag != 0 {
        planned = PlannedFile(note: rest.prefix(PlannedFile.noteCount).rebased)
        rest = rest.dropFirst(PlannedFile.noteCount)
      }
      let name = rest.prefix { $0 != 0 }
      items.append(
        CommandItem(
          Array(name), isWalked: flags & CommandInvocation.walkedFlag != 0, planned: planned))
      rest = rest.dropFirst(name.count + 1)
    }
    self.items = items
  }

  private static let walkedFlag: UInt8 = 1
  private static let plannedFlag: UInt8 = 2
  private static let headerBytes = MemoryLayout<UInt64>.size

  /// The invocation as bytes: the number, and for each item flags, its size and time in a plan
  /// if it has them, its name and a NUL.
  var packed: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(items.reduce(CommandInvocation.headerBytes) { $0 + $1.bytes.count + 2 })
    withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) }
    for item in items {
      bytes.append(
        (item.isWalked ? CommandInvocation.walkedFlag : 0)
          | (item.planned == nil ? 0 : CommandInvocation.plannedFlag))
      if let planned = item.planned { bytes += planned.note }
      bytes.append(contentsOf: item.bytes)
      bytes.append(0)
    }
    return bytes
  }
}

enum CommandPayload {
  /// A slot of the output of the command that ends next.
  case output(UnsafeRawBufferPointer)
  case end(CommandPartEntry)

  private static let outputMark: UInt8 = 0
  private static let endMark: UInt8 = 1

  /// The numbers before the omissions: mark, outcome, value, attempts, start, seconds, omissions.
  private static let headCount = 1 + 1 + 4 + 4 + 8 + 8 + 4
  private static let omissionCount = 8
  private static let numberCount = 8

  static func bytes(ofSlot slot: UnsafeRawBufferPointer) -> [UInt8] { [outputMark] + slot }

  static func bytes(of entry: CommandPartEntry) -> [UInt8] {
    let (kind, value) = code(of: entry.outcome)
    var bytes = [endMark, kind]
    bytes.append(littleEndian: value)
    bytes.append(littleEndian: UInt32(entry.attempts))
    bytes.append(littleEndian: entry.start.bitPattern)
    bytes.append(littleEndian: entry.seconds.bitPattern)
    bytes.append(littleEndian: UInt32(entry.omissions.count))
    for omission in entry.omissions {
      bytes.append(littleEndian: UInt32(omission.index))
      bytes.append(littleEndian: omission.error)
    }
    return bytes + entry.invocation.packed
  }

  /// Reads a record; `nil` if it is malformed.
  init?(_ bytes: UnsafeRawBufferPointer, output: CommandOutput?) {
    if bytes.first == CommandPayload.outputMark {
      self = .output(bytes.dropFirst().rebased)
      return
    }
    let head = CommandPayload.headCount
    guard bytes.first == CommandPayload.endMark, bytes.count >= head else { return nil }
    let count = Int(bytes.littleEndian(at: head - 4) as UInt32)
    let begin = head + count * CommandPayload.omissionCount
    guard bytes.count > begin + CommandPayload.numberCount, bytes.last == 0,
      bytes[1] <= CommandPayload.outcomes.count
    else { return nil }
    var entry = CommandPartEntry(
      invocation: CommandInvocation(packed: bytes[begin...].rebased),
      attempts: Int(bytes.littleEndian(at: 6) as UInt32),
      start: Double(bitPattern: bytes.littleEndian(at: 10)),
      seconds: Double(bitPattern: bytes.littleEndian(at: 18)), output: output)
    if bytes[1] > 0 {
      entry.outcome = CommandPayload.outcomes[Int(bytes[1]) - 1](bytes.littleEndian(at: 2))
    }
    entry.omissions = stride(from: head, to: begin, by: CommandPayload.omissionCount).map {
      CommandPartEntry.Omission(
        index: Int(bytes.littleEndian(at: $0) as UInt32), error: bytes.littleEndian(at: $0 + 4))
    }
    self = .end(entry)
  }

  private static func code(of outcome: CommandOutcome?) -> (kind: UInt8, value: Int32) {
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
}

extension CommandPartEntry {
  /// Returns the record as bytes, which have the output from now on.
  func pack() -> [UInt8] {
    [output == nil ? 0 : 1] + (output?.pack() ?? []) + CommandPayload.bytes(of: self)
  }

  /// Unpacks a record; `nil` if it is malformed.
  init?(packed bytes: UnsafeRawBufferPointer, _ spool: OutputSpool) {
    var rest = bytes.dropFirst().rebased
    let hasOutput = bytes.first == 1
    let output = hasOutput ? CommandOutput(spool, packed: &rest) : nil
    guard hasOutput == (output != nil), case .end(let entry) = CommandPayload(rest, output: output)
    else { return nil }
    self = entry
  }
}

extension PartWriter {
  /// Appends a command: its output, then its end.
  ///
  /// - Throws: `Fault`, or `CommandFailure` if the output cannot be read.
  package func append(_ command: CommandPartEntry) throws {
    let items = command.invocation.items
    let check = (items.first?.bytes ?? []).withUnsafeBytes { NameHash.check($0) }
    try command.output?.forEachSlot { slot in
      try append(CommandPayload.bytes(ofSlot: slot), items: 0, nameCheck: check, .success)
    }
    // A command that failed outweighs a file that has changed.
    let verdict: PartVerdict =
      command.hasFailed ? .difference : command.omissions.isEmpty ? .success : .unreadable
    try append(CommandPayload.bytes(of: command), items: items.count, nameCheck: check, verdict)
    try flush()
  }
}
