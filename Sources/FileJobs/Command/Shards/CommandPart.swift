// The records of commands in a part.
//
// DESIGN. The output of a command comes before its end, in records of at most 64 KiB that answer
// no item: it may be larger than memory. An attempt that is interrupted may end in the middle of
// it. The one that continues its work copies the records up to the last one that answers items,
// so no output is there twice.

internal import Weir

extension PartWriter {
  /// Appends a command: its output, then its end.
  ///
  /// - Throws: `Fault`, or `CommandFailure` if the output cannot be read.
  package func append(_ command: CommandPartEntry) throws {
    let check = UInt32(truncatingIfNeeded: NameHash.hash(of: command.items))
    try command.conclusion.output?.forEachSlot { slot in
      try append(
        CommandPayload.bytes(ofSlot: slot), items: 0, nameCheck: check, .success)
    }
    try append(
      CommandPayload.bytes(of: command.conclusion, items: command.items),
      items: command.items.count, nameCheck: check, command.verdict)
    try flush()
  }
}

extension CommandPartEntry {
  /// The answer for the exit status: a command that failed outweighs a file that has changed.
  var verdict: PartVerdict {
    conclusion.hasFailed ? .difference : conclusion.omissions.isEmpty ? .success : .unreadable
  }
}

extension NameHash {
  fileprivate static func hash(of items: [CommandItem]) -> UInt64 {
    (items.first?.bytes ?? []).withUnsafeBytes { hash($0) }
  }
}
