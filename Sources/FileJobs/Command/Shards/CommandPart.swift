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
