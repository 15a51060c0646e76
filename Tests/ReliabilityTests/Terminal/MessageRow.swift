// A row of the table of messages: commands that make the tool say something.

import Glibc
import TestSupport
import Testing

/// Commands for a shell that make the tool write messages with hostile names in them.
struct MessageRow: Sendable, CustomTestStringConvertible {
  let name: String
  /// `w` is weir without input, `q` runs a command silently; `$N` is the hostile name. The tree
  /// t, the manifest M and a socket exist.
  let script: String
  /// True for what quotes names in another way than messages do: a format, a drop-in tool.
  var isFormat = false
  /// The beginning of each line of standard error in a log; `nil` for several beginnings.
  var prefix: String? = "weir: "

  var testDescription: String { name }

  init(_ name: String, isFormat: Bool = false, prefix: String? = "weir: ", _ script: String) {
    self.name = name
    self.isFormat = isFormat
    self.prefix = prefix
    self.script = script
  }

  private static let beginning = """
    W=$0 N=$1 T=$2
    w() { "$W" "$@" </dev/null; }
    q() { "$@" >/dev/null 2>&1 </dev/null; }
    tool() { name=$1; shift; ln -sf "$W" "./$name"; "./$name" "$@"; }
    mkdir t; printf a >"t/$N"; printf a >"t/2$N"; mkdir "t/d$N"; printf b >"t/d$N/x"
    ln -s nowhere "t/l$N"; mkfifo "t/f$N"
    zeros=0000000000000000000000000000000000000000000000000000000000000000
    "$W" hash t >M 2>/dev/null
    if [ "$T" ]; then exec >"$T" 2>&1; fi

    """
  private static let end = "\nprintf '\\n%s\\n' end-of-the-row\n"

  private func command(
    in directory: TemporaryDirectory, _ terminal: [UInt8], _ name: [UInt8], _ locale: String
  ) throws -> Command {
    try directory.makeSocket("socket")
    var command = Command(
      Array("sh".utf8),
      [
        Array("-c".utf8), Array((Self.beginning + script + Self.end).utf8), weirPath,
        name, terminal,
      ])
    command.directory = directory.path
    command.environment = [
      "LC_ALL=\(locale)", "TERM=xterm", "PATH=\(getenv("PATH").map { String(cString: $0) } ?? "")",
    ]
    return command
  }

  /// Runs the commands with both outputs on a terminal, and returns what arrives there. NUL, which ends
  /// a record of a format, is left out.
  func onTerminal(
    name: [UInt8] = HostileName.bytes, locale: String = "C.UTF-8"
  ) throws -> [UInt8] {
    let directory = try TemporaryDirectory()
    let terminal = try Terminal(columns: 100)
    let child = try Child(try command(in: directory, terminal.name, name, locale))
    let isWhole = terminal.collect(untilBytes: {
      $0.suffix(16).elementsEqual("end-of-the-row\r\n".utf8)
    })
    _ = try child.finish()
    guard isWhole else { throw RowFailure(name: self.name, output: terminal.text) }
    return isFormat ? terminal.bytes.filter { $0 != 0 } : terminal.bytes
  }

  func onPipes() throws -> Outcome {
    let directory = try TemporaryDirectory()
    let outcome = try command(in: directory, [], HostileName.bytes, "C.UTF-8").runBlocking()
    guard outcome.status == 0 else { throw RowFailure(name: name, output: outcome.errorText) }
    return outcome
  }
}

struct RowFailure: Error, CustomStringConvertible {
  let name: String
  let output: String

  var description: String { "the row \(name) did not end: \(String(reflecting: output))" }
}
