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
      let faults = ArrivedBytes.faults(onTerminal: arrived)
      #expect(faults.isEmpty, "\(row.name) on a terminal: \(faults.prefix(3))")
      let text = String(decoding: arrived, as: UTF8.self)
      if !row.isFormat {
        #expect(!text.contains(HostileName.unquoted), "\(row.name): \(excerpt(text))")
      }
      let outcome = try await onThread { try row.onPipes() }
      await outputs.add(outcome.errors)
      if let prefix = row.prefix {
        let faults = ArrivedBytes.faults(inLog: outcome.errors, prefix: prefix)
        #expect(faults.isEmpty, "\(row.name) in a log: \(faults.prefix(3))")
        let log = outcome.errorText
        #expect(!log.contains(HostileName.unquoted), "\(row.name): \(excerpt(log))")
      }
    }
    try await compare(outputs.text)
  }

  /// Compares the messages of the sources with those that the rows reached.
  private func compare(_ text: String) async throws {
    let sites = try MessageSites.all(in: ["WeirTool", "FileJobs"])
    #expect(sites.count > 150)
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

  /// The surroundings of a name that was not quoted.
  private func excerpt(_ text: String) -> String {
    guard let range = text.firstRange(of: HostileName.unquoted) else { return "" }
    let begin = text.index(range.lowerBound, offsetBy: -120, limitedBy: text.startIndex)
    return String(reflecting: String(text[(begin ?? text.startIndex)..<range.upperBound]))
  }

  /// Calls `body` for two rows at a time.
  private func concurrently(
    _ rows: [MessageRow], _ body: @escaping @Sendable (MessageRow) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, row) in rows.enumerated() {
        if index >= 2 { try await group.next() }
        group.addTask { try await body(row) }
      }
      try await group.waitForAll()
    }
  }
}
