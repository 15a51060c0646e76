// All messages, with hostile names in them, on a terminal and in a log.

import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct MessagesTests {
  /// The output of all rows, as text.
  private actor Outputs {
    private(set) var text = ""
    func add(_ output: [UInt8]) {
      text += MessageSites.folded(String(decoding: output, as: UTF8.self)) + " "
    }
  }

  @Test("no message of any verb carries a control byte, and each is reached or excepted")
  func allMessages() async throws {
    let outputs = Outputs()
    try await concurrently(MessageRow.all) { row in
      let arrived = try await onThread { try row.onTerminal() }
      await outputs.add(arrived)
      // NUL ends a record of a format.
      let shown = row.isFormat ? arrived.filter { $0 != 0 } : arrived
      report(ArrivedBytes.faults(onTerminal: shown), "\(row.name) on a terminal")
      if !row.isFormat { requireQuotes(arrived, "\(row.name) on a terminal") }
      let outcome = try await onThread { try row.onPipes() }
      await outputs.add(outcome.errors)
      if let prefix = row.prefix {
        report(ArrivedBytes.faults(inLog: outcome.errors, prefix: prefix), "\(row.name) in a log")
        requireQuotes(outcome.errors, "\(row.name) in a log")
      }
    }
    try await compare(outputs.text)
  }

  /// Compares the messages of the sources with those that the rows reached.
  private func compare(_ text: String) async throws {
    let sites = try MessageSites.all(in: ["WeirTool", "FileJobs"])
    #expect(sites.count > 130)
    let excepted = MessageExceptions.all
    let reached = sites.filter { text.contains(MessageSites.folded($0.text)) }
    let missing = sites.filter { !reached.contains($0) }
    for site in missing where excepted[site.text] == nil {
      Issue.record("no row reaches \(site.place): \(site.text)")
    }
    let known = Set(sites.map(\.text))
    for text in excepted.keys.sorted() where !known.contains(text) {
      Issue.record("an exception has no message: \(text)")
    }
    for site in reached where excepted[site.text] != nil {
      print("a row reaches an excepted message: \(site.place): \(site.text)")
    }
    print(
      "\(MessageRow.all.count) rows reach \(reached.count) of \(sites.count) messages with "
        + "foreign text, \(missing.count) are excepted")
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

  /// Calls `body` for four rows at a time.
  private func concurrently(
    _ rows: [MessageRow], _ body: @escaping @Sendable (MessageRow) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, row) in rows.enumerated() {
        if index >= 4 { try await group.next() }
        group.addTask { try await body(row) }
      }
      try await group.waitForAll()
    }
  }
}
