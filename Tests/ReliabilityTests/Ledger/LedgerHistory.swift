// A history of a tree: people, time and disks change it, runs of the tool follow, and some of those
// are killed. After each run the report and the ledger are those of the oracle, and the invariants
// hold.

import Glibc
import TestSupport

struct LedgerProblem: Error, CustomStringConvertible {
  let description: String
}

final class LedgerHistory {
  let tree: LedgerTree
  private let contents: LedgerContents
  private var random: SeededGenerator
  private var form = LedgerForm()
  private var last: LedgerRun?
  /// The run that was interrupted.
  private var pending: LedgerRun?
  /// True if the manifest was replaced and its ledger was not.
  private var isHalfReplaced = false
  /// True if the last run was not refused.
  private var isRecorded = false
  private(set) var counts: [String: Int] = [:]

  private var place: TemporaryDirectory { tree.place }

  init(_ seed: UInt64, _ contents: LedgerContents) throws {
    random = SeededGenerator(seed: seed, for: "ledger")
    self.contents = contents
    tree = try LedgerTree(contents, SeededGenerator(seed: seed, for: "tree"))
    form.isMtree = random.chance(4)
    form.isTagged = !form.isMtree && random.chance(5)
    form.isZeroTerminated = !form.isMtree && !form.isTagged && random.chance(6)
  }

  func run() throws {
    // The lines of a text that was replaced before its first ledger have no times to judge by.
    for _ in 0..<random.pick([2, 3, 3, 4, 4, 5, 6, 16])
    where !isHalfReplaced || text(ledgerName) != nil {
      let changes = random.below(5)
      for _ in 0..<changes { try tree.change() }
      try step()
      counts["steps", default: 0] += changes + 1
    }
  }

  // MARK: Steps

  private func step() throws {
    guard let pending else {
      let run = chosen()
      if !run.dryRun && random.chance(5) { return try kill(run) }
      if run.update && random.chance(12), try tamper(run) { return }
      try perform(run)
      // A run that was refused may have other algorithms than the manifest.
      if random.chance(3) && isRecorded { try check(run) }
      return
    }
    if !isHalfReplaced && random.chance(8) {
      // Nobody continues a run by accident.
      var other = pending
      other.resume = random.chance(2)
      if other.resume { other.algorithms = other.algorithms == ["md5"] ? ["sha256"] : ["md5"] }
      return try perform(other)
    }
    if !isHalfReplaced && random.chance(8) {
      tree.note("rm -f M.partial*")
      for name in ["M.partial", "M.partial.next", "M.partial.text"] {
        unlink(terminated(place.path(name)))
      }
      self.pending = nil
      return
    }
    var next = pending
    next.resume = true
    (next.quiet, next.isJSON) = (next.update && random.chance(4), permitsJSON && !random.chance(5))
    if next.update {
      next.acceptsGone = random.chance(6)
      next.maxGone = next.acceptsGone ? "100%" : ""
    }
    if random.chance(2) { return try kill(next) }
    try perform(next)
  }

  private func chosen() -> LedgerRun {
    var run = last ?? LedgerRun(inputs: [.path(spelled("t"))], algorithms: ["sha256"])
    run.resume = false
    run.replace = false
    if last == nil || random.chance(3) { run.inputs = inputs() }
    if last == nil || random.chance(6) {
      let all = [["sha256"], ["sha512", "md5"], ["blake3"], ["md5"], ["sha256", "blake3"]]
      run.algorithms = random.pick(all).filter { contents.digests[$0] != nil }
      if run.algorithms.isEmpty { run.algorithms = ["sha256"] }
    }
    let exists = place.content("M") != nil
    run.update = exists ? !random.chance(30) : random.chance(2)
    run.replace = exists && !run.update && random.chance(2)
    run.resume = run.update && random.chance(2)
    (run.quiet, run.isJSON) = (run.update && random.chance(5), permitsJSON && !random.chance(5))
    run.dryRun = run.update && !run.resume && random.chance(8)
    run.acceptsGone = run.update && random.chance(8)
    run.acceptsRot = run.update && random.chance(12)
    run.accepted =
      run.update && random.chance(6) ? [Array(random.pick(["a", "b", "d", "*"]).utf8)] : []
    run.maxGone = run.update ? random.pick(["", "", "100%", "100%", "100%", "0", "1", "34%"]) : ""
    run.jobs = 1 + random.below(3)
    if !run.dryRun { last = run }
    return run
  }

  /// True if a run that reports in JSON finds the form of its manifest in that.
  private var permitsJSON: Bool { !form.isMtree || place.content("M")?.isEmpty == false }

  private func spelled(_ path: String) -> Name {
    let text = random.pick([
      path, path, path, "./\(path)", "\(path)/", "\(path)/.", ".//\(path)", "\(place.text)/\(path)",
    ])
    return Array(text.utf8)
  }

  private func inputs() -> [LedgerRun.Input] {
    let directories = ["t/d", "t/e", "t/d/d"].filter { tree.node(Array($0.utf8)) == .directory }
    var inputs: [LedgerRun.Input] = [.path(spelled("t"))]
    switch random.below(12) {
    case 0: inputs.append(.path(spelled(random.pick(directories + ["t"]))))
    case 1:
      inputs = (directories.isEmpty ? ["t"] : directories).shuffled(using: &random)
        .map { .path(spelled($0)) }
    case 2, 3:
      var names = tree.files.shuffled(using: &random)
        .map {
          random.chance(3)
            ? Array("\(place.text)/".utf8) + $0
            : Array(random.pick(["./", ".//", "", ""]).utf8) + $0
        }
      if random.chance(3), let name = names.first { names.append(name) }
      if random.chance(3) { names.append(Array("t/none".utf8)) }
      if names.isEmpty { break }
      if random.chance(2) { names += LedgerTree.slow }
      let endsInNUL = random.chance(2) || names.contains { $0.contains { [10, 13].contains($0) } }
      inputs =
        (random.chance(3) && !directories.isEmpty ? [.path(spelled(directories[0]))] : [])
        + [.list(names, endsInNUL: endsInNUL)]
    case 4:
      if let file = tree.files.randomElement(using: &random) { inputs.append(.path(file)) }
    default: break
    }
    return inputs
  }

  // MARK: Files

  private var ledgerName: String { form.isMtree ? "M" : "M.mtree" }

  private func text(_ name: String) -> LedgerText? {
    place.content(name).map { LedgerText($0, in: place.path) }
  }

  private var output: [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in place.names(beginningWith: "M") { files[name] = place.content(name) }
    return files
  }

  private func command(_ arguments: [Name], _ input: Name = [], _ before: String = "") -> Command {
    let prefix = tree.isRestricted ? LedgerTree.withoutRights : []
    let words = prefix.map { Array($0.utf8) } + [weirPath] + arguments
    var command = Command(words[0], Array(words.dropFirst()))
    command.directory = place.path
    command.input = .bytes(input)
    let list = input.isEmpty ? "" : "printf %b \(shellWord(input)) | "
    let tool = (prefix + ["$W"] + arguments.map { shellWord($0) }).joined(separator: " ")
    tree.note("\(list)\(before)\(tool); echo \"status $?\"")
    return command
  }

  private func command(_ run: LedgerRun, _ before: String = "") -> Command {
    command(run.arguments(form), run.standardInput, before)
  }

  private func count(_ what: String) { counts[what, default: 0] += 1 }

  private func expect(_ condition: Bool, _ problem: @autoclosure () -> String) throws {
    if !condition { throw LedgerProblem(description: problem()) }
  }

  private func expectNone(_ problem: String?) throws {
    if let problem { throw LedgerProblem(description: problem) }
  }

  private func expectation(_ run: LedgerRun) -> LedgerExpectation {
    LedgerExpectation(
      run, tree, contents, former: run.update ? text(ledgerName) : nil,
      partial: run.resume ? text("M.partial") : nil)
  }

  // MARK: Runs

  private func perform(_ run: LedgerRun, isTampered: Bool = false) throws {
    isRecorded = false
    let before = output
    let expectation = expectation(run)
    let begin = isoTime(0)
    let outcome = try command(run).runBlocking()
    try expect(outcome.signal == nil && !outcome.wasLate, "signal \(outcome.signal ?? 0)")
    try judge(run, outcome, expectation, before, since: begin, isTampered)
  }

  /// Updates a manifest that has a line more or less than its ledger, which is refused. Returns false
  /// if there is none to damage.
  private func tamper(_ run: LedgerRun) throws -> Bool {
    let name = random.pick(["M", "M.mtree"])
    guard !form.isMtree, let bytes = place.content(name), let records = text("M.mtree")?.records,
      records.count > 1, records.allSatisfy({ $0.digests.count == 1 }),
      Set(records.map(\.path)).count == records.count
    else { return false }
    let end: UInt8 = form.isZeroTerminated && name == "M" ? 0 : 10
    var lines = bytes.split(separator: end)
    let all = lines.indices.filter { name == "M" || lines[$0].contains(Array("type=file".utf8)) }
    let number = random.pick(all)
    lines.remove(at: number)
    tree.note("cp \(name) kept; sed -i \(end == 0 ? "-z " : "")\(number + 1)d \(name)")
    try place.write(lines.flatMap { $0 + [end] }, to: name.utf8)
    try perform(run, isTampered: true)
    tree.note("mv kept \(name)")
    try place.write(bytes, to: name.utf8)
    count("refused: a line was lost")
    return true
  }

  private func judge(
    _ run: LedgerRun, _ outcome: Outcome, _ expectation: LedgerExpectation,
    _ before: [String: [UInt8]], since begin: String, _ isTampered: Bool = false
  ) throws {
    // Nothing was recorded before the first line was complete.
    let hasRecords = before["M.partial"]?.contains(10) == true
    let isOther =
      pending.map { !run.resume || hasRecords && $0.algorithms != run.algorithms } ?? false
    let isForgetful = before["M"]?.isEmpty == false && !run.update && !run.replace && !run.resume
    let refusal =
      isOther || isForgetful || isTampered
      ? .always : expectation.refusal(formerExists: before["M"]?.isEmpty == false)
    let errors = outcome.errorText
    if outcome.status == 2 || errors.contains("unchanged, since nothing could be read") {
      // Which PATHs are below others is a matter of the tree, and named by the records.
      let isCovered = run.resume && run.inputs.count > 1 && errors.contains("other PATH")
      try expect(
        refusal != .never || isCovered || !expectation.isExact && errors.contains("two digests"),
        "refused: \(errors)")
      let after = output
      try expect(
        after["M"] == before["M"] && after["M.mtree"] == before["M.mtree"], "a refused run replaces"
      )
      pending = after["M.partial"]?.isEmpty != false ? nil : pending ?? run
      return count(isOther ? "refused: unfinished" : "refused")
    }
    try expect(refusal != .always, "not refused, status \(outcome.status ?? -1): \(errors)")
    if run.dryRun { return try judge(plan: run, outcome, expectation, before) }
    let after = try readLedger(run)
    try expect(output["M.partial"] == nil, "M.partial stays")
    if let former = before["M"], run.update && pending == nil {
      // An update without changes leaves M.old too.
      let isSame = ["M", "M.mtree"].allSatisfy { output[$0] == before[$0] }
      let old = output["M.old"]
      try expect(
        old == former || isSame && old == before["M.old"], "M.old is not the former M")
    }
    pending = nil
    isHalfReplaced = false
    isRecorded = true
    try expectNone(expectation.problem(ledger: after, times: (begin, isoTime(1))))
    let report = run.isJSON && run.update ? LedgerReport(outcome.output, in: place.path) : nil
    let isReported = before[ledgerName] != nil || run.resume && hasRecords
    let changes = isReported ? report?.changes : nil
    let facts = LedgerFacts(
      run: run, contents: contents, expectation: expectation, after: after, changes: changes)
    try expectNone(facts.problem())
    let open = after.records.contains { !$0.open.isEmpty }
    let status: Int32 = open ? 1 : expectation.failures + expectation.unreadable > 0 ? 3 : 0
    try expect(outcome.status == status, "status \(outcome.status ?? -1), not \(status): \(errors)")
    if let report, isReported {
      try expectNone(expectation.problem(changes: report.changes, after: after))
      for change in report.changes { count(change.word + (change.isAccepted ? ", accepted" : "")) }
      if expectation.isExact {
        let read = expectation.read - expectation.unreadable
        let kept = expectation.kept.count
        for (word, number) in [("read", read), ("unread", expectation.unread), ("kept", kept)] {
          try expect(report.counts[word] == number, "\(word) is not \(number): \(report.counts)")
        }
      }
    }
    count(run.resume ? "resumed or nightly" : run.update ? "updated" : "new")
    if expectation.items.contains(where: \.isKnown) { count("with files of an interrupted run") }
    if !expectation.isExact { count("with a name twice") }
    if !expectation.kept.isEmpty { count("with files that cannot be read") }
  }

  /// Reads the ledger, which agrees with the manifest line by line.
  private func readLedger(_ run: LedgerRun) throws -> LedgerText {
    guard let ledger = text(ledgerName), let manifest = place.content("M") else {
      throw LedgerProblem(description: "there is no manifest")
    }
    if !form.isMtree {
      let text = ledger.manifest(
        run.algorithms, isTagged: form.isTagged, isZeroTerminated: form.isZeroTerminated)
      try expect(text == manifest, "M and M.mtree differ")
    }
    return ledger
  }

  private func judge(
    plan run: LedgerRun, _ outcome: Outcome, _ expectation: LedgerExpectation,
    _ before: [String: [UInt8]]
  ) throws {
    try expect(output == before, "a dry run changes something")
    let isOpen =
      expectation.items.contains {
        expectation.records[$0.path]?.open == "rot" && !expectation.isAccepted("rot", $0.path)
      } || !expectation.gone.allSatisfy(expectation.isGoneAccepted)
      || expectation.keptByPlan.contains { !$0.open.isEmpty }
    let status: Int32 = isOpen ? 1 : expectation.failures > 0 ? 3 : 0
    try expect(
      outcome.status == status || !expectation.isExact,
      "dry run: status \(outcome.status ?? -1), not \(status)")
    count("dry run")
    guard run.isJSON, expectation.isExact else { return }
    let report = LedgerReport(outcome.output, in: place.path)
    let new = expectation.items.count { expectation.records[$0.path] == nil && $0.isExamined }
    for (name, number) in [
      ("read", expectation.read), ("new", new),
      (
        "gone",
        expectation.gone.count { !expectation.isGoneAccepted($0) }
          + expectation.keptByPlan.count { $0.open == "gone" }
      ),
    ] {
      try expect(report.counts[name] == number, "dry run: \(name) is not \(number)")
    }
  }

  // MARK: Kills

  private func kill(_ run: LedgerRun) throws {
    let isSlow =
      random.chance(2) && tree.node(LedgerTree.slow[0]) == nil
      && tree.node(LedgerTree.top) == .directory
    if isSlow { try tree.makeSlow() }
    defer { if isSlow { tree.removeSlow() } }
    let before = output
    let expectation = expectation(run)
    let recorded = text("M.partial")?.records.count ?? 0
    let isLate = isSlow || random.chance(2)
    let delay = UInt32(random.below(isLate ? 3_000 : 20_000))
    let signal = random.pick([SIGTERM, SIGTERM, SIGINT, SIGKILL])
    let begin = isoTime(0)
    let child = try Child(command(run, "timeout -s \(signal) \(Double(delay) / 1_000_000) "))
    // The moment is what this step is about.
    if isLate { waitForRecords("\n") }
    usleep(delay)
    Glibc.kill(child.pid, signal)
    if isSlow && signal != SIGKILL {
      // The signal lets a run finish the open files, and record what it has read.
      waitForRecords("type=file")
      if random.chance(4) { Glibc.kill(child.pid, SIGKILL) }
    }
    let outcome = try child.finish(limit: 50)
    try expect(!outcome.wasLate, "a run goes on after a signal")
    if outcome.signal == nil {
      count("ended before the signal")
      return try judge(run, outcome, expectation, before, since: begin)
    }
    count("killed")
    let after = output
    let (isText, isLedger) = (after["M"] != before["M"], after[ledgerName] != before[ledgerName])
    pending = after["M.partial"]?.isEmpty != false ? nil : pending ?? run
    isHalfReplaced = isHalfReplaced || isText && !isLedger
    if isLedger {
      isHalfReplaced = false
      count("killed after the end")
      let ledger = try readLedger(run)
      try expectNone(expectation.problem(ledger: ledger, times: (begin, isoTime(1))))
      return try expectNone(
        LedgerFacts(
          run: run, contents: contents, expectation: expectation, after: ledger, changes: nil
        ).problem())
    }
    if isHalfReplaced { count("killed between two renames") }
    let partial = text("M.partial")?.records ?? []
    for record in partial.dropFirst(recorded) where !LedgerTree.slow.contains(record.path) {
      try expect(
        expectation.items.contains {
          $0.path == record.path && $0.size == record.size && $0.time == record.time
            && contents.agree(contents.digests(of: $0.content), record.digests)
        }, "\(shellWord(record.path)): M.partial has another content")
    }
    if signal != SIGKILL { try expectFinished(outcome.errorText, partial.count - recorded) }
    if !partial.isEmpty { count("killed with files recorded") }
    if !isHalfReplaced && random.chance(4) { try damagePartial() }
  }

  private func waitForRecords(_ text: String) {
    for _ in 0..<200 {
      let records = String(decoding: place.content("M.partial") ?? [], as: UTF8.self)
      if records.contains(text) { return }
      usleep(200)
    }
  }

  /// Expects that each file that is said to be read is recorded.
  private func expectFinished(_ errors: String, _ recorded: Int) throws {
    guard
      let line = errors.split(separator: "\n").last(where: { $0.hasPrefix("weir: interrupted: ") }),
      let number = line.split(separator: " ").dropFirst(2).first.flatMap({ Int($0) })
    else { return }
    try expect(number == recorded, "\(recorded) records of an interrupted run: \(line)")
  }

  /// Cuts the records, as a crash of the machine does.
  private func damagePartial() throws {
    guard let bytes = place.content("M.partial"), !bytes.isEmpty else { return }
    let end = random.below(bytes.count)
    tree.note("truncate -s \(end) M.partial")
    var damaged = Array(bytes[..<end])
    if damaged.contains(10) && random.chance(3) {
      damaged += [UInt8](repeating: 0, count: 40)
      tree.note("head -c 40 /dev/zero >>M.partial")
    }
    try place.write(damaged, to: "M.partial".utf8)
    if damaged.isEmpty { pending = nil }
    count("records cut")
  }

  // MARK: Checks

  private func check(_ run: LedgerRun) throws {
    guard let ledger = text(ledgerName), let manifest = place.content("M"), !manifest.isEmpty,
      !ledger.records.isEmpty
    else { return }
    var words = ["check"]
    if form.isZeroTerminated { words.append("--zero") }
    for algorithm in run.algorithms where !form.isMtree { words += ["-a", algorithm] }
    let outcome = try command((words + ["M"]).map { Array($0.utf8) }).runBlocking()
    var isWrong = false
    var isUnreadable = form.isMtree && ledger.links.keys.contains(where: tree.isOutOfReach)
    for record in ledger.records {
      let node = tree.node(record.path, followsLink: true)
      if tree.isOutOfReach(record.path) || node != .listed && node?.isReadable == false {
        isUnreadable = true
      } else if case .file(_, _, let content) = node {
        let isRight = contents.agree(contents.digests(of: content), record.digests)
        isWrong = isWrong || !isRight
      } else {
        isWrong = true
      }
    }
    let isOpen = ledger.records.contains { !$0.open.isEmpty }
    count("checked")
    // A directory of which only the names can be read may be empty: then its files are missing.
    let isEmpty =
      outcome.status == 1 && isUnreadable && outcome.errorText.contains(": is empty, and ")
    // What is open and right again is settled by the next update.
    try expect(
      outcome.status == (isWrong ? 1 : isUnreadable ? 3 : 0) || isOpen && !isWrong || isEmpty,
      "check: status \(outcome.status ?? -1), wrong \(isWrong), open \(isOpen): \(outcome.outputText) \(outcome.errorText)"
    )
  }
}

private func isoTime(_ seconds: Int) -> String {
  var now = time(nil) + seconds
  var parts = tm()
  gmtime_r(&now, &parts)
  var text = [CChar](repeating: 0, count: 32)
  strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
  return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
