// The messages of the rows, with hostile names in them, on a terminal and in a log. A new
// message with foreign text needs a row.

import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct MessagesTests {
  @Test("no message of any verb carries a control byte", arguments: MessageRow.all)
  func messages(row: MessageRow) async throws {
    async let terminal = onThread { try row.onTerminal() }
    async let pipes = onThread { try row.onPipes() }
    let (arrived, errors) = (try await terminal, try await pipes.errors)
    report(ArrivedBytes.faults(onTerminal: arrived), "on a terminal")
    if !row.isFormat { requireQuotes(arrived, "on a terminal") }
    if let prefix = row.prefix {
      report(ArrivedBytes.faults(inLog: errors, prefix: prefix), "in a log")
      requireQuotes(errors, "in a log")
    }
  }

  private func report(_ faults: [ArrivedFault], _ place: String) {
    guard !faults.isEmpty else { return }
    Issue.record("\(place): \(faults.count) faults: \(faults.prefix(3))")
  }

  /// Records an issue if a name was escaped before the terminal only, and not quoted.
  private func requireQuotes(_ output: [UInt8], _ place: String) {
    let text = String(decoding: output, as: UTF8.self)
    guard let range = text.firstRange(of: HostileName.unquoted) else { return }
    let begin = text.index(range.lowerBound, offsetBy: -120, limitedBy: text.startIndex)
    let excerpt = String(text[(begin ?? text.startIndex)..<range.upperBound])
    Issue.record("\(place), not quoted: \(String(reflecting: excerpt))")
  }
}
