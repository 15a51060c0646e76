// The invariants of a ledger, which hold whatever the words are.

import TestSupport

struct LedgerFacts {
  let run: LedgerRun
  let contents: LedgerContents
  let expectation: LedgerExpectation
  let after: LedgerText
  /// The changes that were reported; `nil` if they are not known.
  let changes: [LedgerChange]?

  /// Returns the problem, if a good digest ends unseen, a record is not that of a content that was
  /// read, or an open point is forgotten.
  func problem() -> String? {
    var records: [Name: [LedgerRecord]] = [:]
    for record in after.records { records[record.path, default: []].append(record) }
    var items: [Name: [LedgerItem]] = [:]
    for item in expectation.items { items[item.path, default: []].append(item) }
    for record in run.update ? expectation.former.records : [] {
      let problem = problem(
        of: record, records[record.path] ?? [], items[record.path] ?? [])
      if let problem { return "1. \(shellWord(record.path)): \(problem)" }
    }
    for record in after.records where record.open.isEmpty {
      let former = run.update ? expectation.records[record.path] : nil
      let isKept = former.map {
        $0.open.isEmpty && $0.size == record.size && $0.time == record.time
          && contents.agree($0.digests, record.digests)
      }
      if contents.number(record.digests) == nil {
        return "2. \(shellWord(record.path)): digests of no content"
      }
      let isRead = items[record.path]?.contains {
        $0.size == record.size && $0.time == record.time
          && contents.agree(record.digests, contents.digests(of: $0.content))
      }
      if isKept != true && isRead != true {
        return "2. \(shellWord(record.path)): recorded with a content that was not read"
      }
    }
    guard let changes, run.update else { return nil }
    for record in after.records where !record.open.isEmpty {
      if !changes.contains(where: {
        // What was rotten stays so when it is gone.
        $0.path == record.path && !$0.isAccepted
          && ($0.word == record.open || $0.word == "gone" && record.open == "rot")
      }) {
        return "3. \(shellWord(record.path)): open and not reported"
      }
    }
    return nil
  }

  private func problem(
    of record: LedgerRecord, _ after: [LedgerRecord], _ items: [LedgerItem]
  ) -> String? {
    let isRight = items.contains { expectation.isSame(record, $0) }
    if let same = after.first(where: { contents.agree($0.digests, record.digests) }) {
      if record.open.isEmpty || isRight || !same.open.isEmpty { return nil }
      // Digests of other algorithms may be those of another content.
      if same.digests.contains(where: { record.digests[$0.key] == $0.value }) {
        return "the \(record.open) is forgotten"
      }
    }
    let isAccepted =
      items.isEmpty
      ? expectation.mayBeAccepted(record) : expectation.isAccepted("rot", record.path)
    if isAccepted { return nil }
    let isEdited = items.contains { $0.size != record.size || $0.time != record.time }
    if isEdited {
      let isReported = changes?.contains { $0.path == record.path && $0.word == "edited" } ?? true
      return run.quiet || isReported ? nil : "edited without a word"
    }
    let isFound = items.isEmpty && expectation.items.contains { expectation.canMove(record, $0) }
    guard isFound else { return "a digest is lost" }
    guard let changes, !run.quiet else { return nil }
    return changes.contains { $0.from == record.path && $0.word == "moved" }
      ? nil : "a digest is lost, and no move is reported"
  }
}
