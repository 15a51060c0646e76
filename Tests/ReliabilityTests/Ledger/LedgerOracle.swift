// What an update owes: a plain reimplementation of the rules in docs/reference.md, for trees that do not
// change during a run.

import TestSupport

/// A run of `weir hash -o M`.
struct LedgerRun {
  /// Names and lists in their order, as they are spelled.
  var inputs: [Input] = []
  var algorithms: [String] = []
  var update = true
  var resume = false
  var replace = false
  var dryRun = false
  var quiet = false
  var isJSON = true
  var acceptsGone = false
  var acceptsRot = false
  /// The value of `--max-gone`; empty for none.
  var maxGone = ""
  /// Globs without special characters.
  var accepted: [Name] = []
  var jobs = 1

  enum Input: Equatable {
    case path(Name)
    /// The names of a list, which is standard input.
    case list([Name], endsInNUL: Bool)
  }

  func arguments(_ form: LedgerForm) -> [Name] {
    var words = ["hash", "-o", "M", "-j", "\(jobs)", "-a", algorithms.joined(separator: ",")]
    let flags = [
      ("--update", update), ("--resume", resume), ("--replace", replace), ("--dry-run", dryRun),
      ("--quiet", quiet), ("--accept-gone", acceptsGone), ("--accept-rot", acceptsRot),
      ("--max-gone=\(maxGone)", !maxGone.isEmpty), ("--tag", form.isTagged),
      ("--zero", form.isZeroTerminated),
    ]
    words += flags.filter(\.1).map(\.0)
    if update && isJSON {
      words.append("--format=json")
    } else if form.isMtree {
      words.append("--format=mtree")
    }
    var bytes = words.map { Array($0.utf8) }
    for glob in accepted { bytes += [Array("--accept".utf8), glob] }
    for input in inputs {
      switch input {
      case .path(let name): bytes.append(name)
      case .list(_, let endsInNUL):
        bytes += [Array((endsInNUL ? "--files0-from" : "--files-from").utf8), Array("-".utf8)]
      }
    }
    return bytes
  }

  func isTooMany(_ count: Int, of all: Int) -> Bool {
    let limit = maxGone.isEmpty ? "50%" : maxGone
    let number = Int(limit.filter(\.isNumber)) ?? 0
    return limit.hasSuffix("%") ? count * 100 > all * number : count > number
  }

  var standardInput: [UInt8] {
    inputs.flatMap { input -> [UInt8] in
      guard case .list(let names, let endsInNUL) = input else { return [] }
      return names.flatMap { $0 + [endsInNUL ? 0 : 10] }
    }
  }
}

/// The form of a manifest, which the runs of a history share.
struct LedgerForm {
  var isMtree = false
  var isTagged = false
  var isZeroTerminated = false
}

struct LedgerItem {
  var path: Name
  var size: Int
  var time: FileClock
  var content: Int
  /// True if the run that this one continues has read it.
  var isKnown = false

  /// False if nothing is known but the name.
  var isExamined: Bool { size >= 0 }
  var isReadable: Bool { content != LedgerContents.unreadable }
}

struct LedgerExpectation {
  private let run: LedgerRun
  private let contents: LedgerContents
  let former: LedgerText
  /// True if no record is compared, and no change is reported.
  private let isFirst: Bool
  private(set) var items: [LedgerItem] = []
  /// The records by their paths; of several the last.
  private(set) var records: [Name: LedgerRecord] = [:]
  private(set) var links: [Name: Name] = [:]
  /// Recorded links that are there, or may be there beside the PATHs, whether or not the run finds them.
  private var presentLinks: Set<Name> = []
  /// Names of lists and PATHs without a file, and directories that cannot be read.
  private(set) var failures = 0
  /// Directories that cannot be read, and PATHs and names below them.
  private var hidden: [Name] = []
  private var hasDirectories = false
  private var hasLinkTwice = false
  private var hasMissingPath = false
  /// The numbers of the results of each PATH.
  private var results: [(path: Name, count: Int)] = []
  /// True if each path has one record at most, and one file at most: then the report and the ledger
  /// are known exactly.
  private(set) var isExact = true
  /// True if the words of the report are known: with several names of a file, if none may have moved.
  private var hasKnownWords: Bool {
    let mayMove = gone.contains { record in items.contains { canMove(record, $0) } }
    return isExact || suspects.isEmpty && !mayMove
  }
  /// Records without a file that may have rotted: a new file has the size and the time, if that is in
  /// whole seconds also the last component, and another content.
  private var suspects: Set<Name> = []
  /// The suspects that are none if their new files are moves.
  private var doubtful: Set<Name> = []

  /// - Parameter partial: The records of the run that this one continues.
  init(
    _ run: LedgerRun, _ tree: LedgerTree, _ contents: LedgerContents, former: LedgerText?,
    partial: LedgerText?
  ) {
    (self.run, self.contents) = (run, contents)
    isFirst = former == nil && partial == nil || !run.update
    self.former = former ?? LedgerText([], in: [])
    for record in self.former.records { records[record.path] = record }
    var known: [Name: LedgerRecord] = [:]
    for record in partial?.records ?? [] { known[record.path] = record }
    for (place, input) in run.inputs.enumerated() {
      switch input {
      case .path(let name):
        if isCovered(place, in: tree) { continue }
        find(name, in: tree)
      case .list(let names, _): for name in names { find(name, in: tree, isListed: true) }
      }
    }
    let paths = results.map { $0.path + [0x2F] }
    presentLinks = Set(
      self.former.links.keys.filter { link in
        tree.node(link)?.isLink == true
          || tree.isOutOfReach(link) && !paths.contains { link.starts(with: $0) }
      })
    for index in items.indices {
      let item = items[index]
      guard let read = known[item.path], read.size == item.size, read.time == item.time,
        let content = contents.number(read.digests)
      else { continue }
      // What would be rot is read again.
      let agrees = records[item.path].map { record in
        let shared = read.digests.keys.filter { record.digests[$0] != nil }
        let isUntouched = record.size == item.size && record.time == item.time
        return !shared.isEmpty
          && (!isUntouched || shared.allSatisfy { record.digests[$0] == read.digests[$0] })
      }
      if isUnchanged(item) || agrees == false { continue }
      (items[index].content, items[index].isKnown) = (content, true)
    }
    isExact =
      Set(items.map(\.path) + hidden).count == items.count + hidden.count
      && records.count == self.former.records.count && !hasLinkTwice
    // Which of several contents with one digest has moved depends on their order.
    let isAmbiguous =
      items.contains { contents.isAmbiguous($0.content) && records[$0.path] == nil }
      && gone.contains { contents.number($0.digests).map(contents.isAmbiguous) ?? false }
    if isAmbiguous && run.algorithms.contains("md5") { isExact = false }
    findSuspects()
  }

  private mutating func findSuspects() {
    if !run.update || run.dryRun || isFirst { return }
    let lost = Set(gone.compactMap { moveKey(of: $0) })
    let found = items.filter { records[$0.path] == nil && $0.isReadable }
    let moved = Set(found.map { moveKey(of: $0) })
    for record in gone where run.algorithms.contains(where: { record.digests[$0] != nil }) {
      let base = record.path.split(separator: 0x2F).last
      let alike = found.filter { item in
        item.size == record.size && item.time == record.time
          && (record.time.nanoseconds != 0 || item.path.split(separator: 0x2F).last == base)
          && !isSame(record, item)
      }
      if alike.isEmpty { continue }
      // Which of several is a move depends on their order.
      let mayMove = moveKey(of: record).map(moved.contains) ?? false
      if mayMove || alike.allSatisfy({ lost.contains(moveKey(of: $0)) }) {
        isExact = false
        doubtful.insert(record.path)
      }
      suspects.insert(record.path)
    }
  }

  private func isRotten(_ record: LedgerRecord) -> Bool {
    record.open == "rot" || suspects.contains(record.path)
  }

  /// Returns true if the same PATH precedes a PATH, or a walk of another one finds the file. A relative name
  /// and an absolute one are not compared.
  private func isCovered(_ place: Int, in tree: LedgerTree) -> Bool {
    let paths = run.inputs.map { input -> Name in
      guard case .path(let name) = input else { return [0] }
      let path = LedgerText.canonical(name, in: tree.place.path)
      return name.first == 0x2F ? [0x2F] + path : path
    }
    var end = paths[place]
    if paths[..<place].contains(end) { return true }
    guard case .file = tree.node(end), !tree.isOutOfReach(end) else { return false }
    while let slash = end.lastIndex(of: 0x2F) {
      if case .link = tree.node(end) { return false }
      end = Array(end[..<slash])
      if paths.contains(end) && tree.node(end, followsLink: true) == .directory { return true }
    }
    return false
  }

  private mutating func find(_ name: Name, in tree: LedgerTree, isListed: Bool = false) {
    let path = LedgerText.canonical(name, in: tree.place.path)
    let isDot = name.suffix(2) == [0x2F, 0x2E]
    if tree.isOutOfReach(path) || isDot && tree.node(path, followsLink: true) == .listed {
      failures += 1
      if !isListed { results.append((path, 1)) }
      return hidden.append(path)
    }
    let node = tree.node(path, followsLink: true)
    let isDirectory = name.last == 0x2F || isDot
    guard let node, !node.isFile || !isDirectory else {
      failures += 1
      hasMissingPath = hasMissingPath || !isListed
      return
    }
    var count = 0
    var (items, links, hidden) = (items, links, hidden)
    var (hasDirectories, hasLinkTwice) = (hasDirectories, hasLinkTwice)
    func take(_ path: Name, _ node: LedgerNode) {
      count += 1
      switch node {
      case .file(let size, let time, let content):
        if size < 0 { failures += 1 }
        items.append(LedgerItem(path: path, size: size, time: time, content: content))
      case .directory, .listed: hasDirectories = true
      case .closed: hidden.append(path)
      case .link(let target):
        if target.isEmpty { failures += 1 }
        hasLinkTwice = hasLinkTwice || links[path] != nil
        links[path] = target.isEmpty ? former.links[path] : target
      }
    }
    take(path, node)
    tree.walk(path) { take($0, $1) }
    failures += hidden.count - self.hidden.count
    (self.items, self.links, self.hidden) = (items, links, hidden)
    (self.hasDirectories, self.hasLinkTwice) = (hasDirectories, hasLinkTwice)
    if !isListed { results.append((path, count)) }
  }

  // MARK: Words

  private func matches(_ path: Name) -> Bool {
    let parts = path.split(separator: 0x2F)
    return run.accepted.contains { $0 == [0x2A] || parts.contains($0[...]) }
  }

  /// Returns true if the digests that a run compares are the same: those of its algorithms, or of
  /// others if the record has none of these.
  func isSame(_ record: LedgerRecord, _ item: LedgerItem) -> Bool {
    let own = contents.digests(of: item.content)
    let shared = own.filter { run.algorithms.contains($0.key) && record.digests[$0.key] != nil }
    return contents.agree(record.digests, shared.isEmpty ? own : shared)
  }

  private func isRecorded(_ item: LedgerItem) -> Bool { item.isReadable || isUnchanged(item) }

  /// The records that stay as they are, since nothing is known of their files.
  var kept: [LedgerRecord] {
    let unread = Set(items.filter { !isRecorded($0) }.map(\.path))
    return former.records.filter { unread.contains($0.path) || isHidden($0.path) }
  }

  /// The records that a plan keeps.
  var keptByPlan: [LedgerRecord] {
    let unexamined = Set(items.filter { !$0.isExamined }.map(\.path))
    return former.records.filter { unexamined.contains($0.path) || isHidden($0.path) }
  }

  private func isHidden(_ path: Name) -> Bool { hidden.contains(path) || isBelowHidden(path) }

  private func isBelowHidden(_ path: Name) -> Bool {
    hidden.contains { path.starts(with: $0 + [0x2F]) }
  }

  private func isUnchanged(_ item: LedgerItem) -> Bool {
    guard let record = records[item.path], !run.acceptsRot, !matches(item.path) else {
      return false
    }
    return record.open.isEmpty && record.size == item.size && record.time == item.time
      && run.algorithms.allSatisfy { record.digests[$0] != nil }
  }

  /// Returns the word for a file that was read and has a record, or is new.
  func word(_ item: LedgerItem) -> String {
    guard let record = records[item.path] else { return "new" }
    if isUnchanged(item) { return "same" }
    let isSame = isSame(record, item)
    let hasStatus = record.size == item.size && record.time == item.time
    if isSame { return !record.open.isEmpty ? "back" : hasStatus ? "same" : "touched" }
    return hasStatus ? "rot" : "edited"
  }

  /// Records without a file.
  var gone: [LedgerRecord] {
    let present = Set(items.map(\.path))
    return former.records.filter { !present.contains($0.path) && !isHidden($0.path) }
  }

  func isAccepted(_ word: String, _ path: Name) -> Bool {
    word == "gone" && (run.acceptsGone || matches(path))
      || word == "rot" && (run.acceptsRot || matches(path))
  }

  /// What was rotten stays so when it is gone.
  func isGoneAccepted(_ record: LedgerRecord) -> Bool {
    isAccepted(isRotten(record) ? "rot" : "gone", record.path)
  }

  func mayBeAccepted(_ record: LedgerRecord) -> Bool {
    isGoneAccepted(record) || doubtful.contains(record.path) && isAccepted("gone", record.path)
  }

  /// The numbers of files that the run reads, of those that it cannot read, and of others.
  var read: Int { items.count { !$0.isKnown && !isUnchanged($0) && $0.isExamined } }
  var unreadable: Int { items.count { !isRecorded($0) && $0.isExamined } }
  var unread: Int { items.count { $0.isKnown || isUnchanged($0) } }

  /// Returns the numbers of gone records and of new files that have a content in common; of an empty
  /// one also the last component.
  private func moveKey(_ content: Int, _ path: Name) -> [UInt8] {
    if content < 0 { return [] }
    let base = contents.bytes[content].isEmpty ? Array(path.split(separator: 0x2F).last ?? []) : []
    return [UInt8(content)] + base
  }

  func canMove(_ record: LedgerRecord, _ item: LedgerItem) -> Bool {
    let isNamed = record.path.split(separator: 0x2F).last == item.path.split(separator: 0x2F).last
    return moveKey(of: record) != nil && isSame(record, item) && (item.size > 0 || isNamed)
  }

  func moveKey(of record: LedgerRecord) -> [UInt8]? {
    guard run.algorithms.contains(where: { record.digests[$0] != nil }) else { return nil }
    return contents.number(record.digests).map { moveKey($0, record.path) }
  }

  func moveKey(of item: LedgerItem) -> [UInt8] { moveKey(item.content, item.path) }

  /// The number of records that are renamed.
  private var moveCount: Int {
    var lost: [[UInt8]: Int] = [:]
    for record in gone { if let key = moveKey(of: record) { lost[key, default: 0] += 1 } }
    var count = 0
    for item in items where records[item.path] == nil {
      let key = moveKey(of: item)
      guard let left = lost[key], left > 0 else { continue }
      lost[key] = left - 1
      count += 1
    }
    return count
  }

  // MARK: Results

  enum Refusal { case never, perhaps, always }

  func refusal(formerExists: Bool) -> Refusal {
    let isUnread =
      formerExists && !items.contains(where: isRecorded) && kept.isEmpty && !hasDirectories
      && failures + unreadable > 0
    if !run.update { return isUnread ? .always : .never }
    if hasMissingPath { return .always }
    for result in results where result.count <= 1 {
      let inside = result.path + [0x2F]
      let lost =
        gone.map(\.path) + former.links.keys.filter { links[$0] == nil && !isBelowHidden($0) }
      if lost.contains(where: { $0 == result.path || $0.starts(with: inside) }) { return .always }
    }
    let newlyGone = Set(gone.filter { $0.open != "gone" }.map(\.path))
    if !run.maxGone.isEmpty && run.isTooMany(newlyGone.count, of: records.count) { return .always }
    if run.dryRun { return .never }
    if isUnread { return .always }
    // More than half of the records would end.
    let (ending, moved) = (gone.count(where: isGoneAccepted), moveCount)
    if !run.isTooMany(ending, of: former.records.count) && isExact { return .never }
    let isCertain = isExact && (run.acceptsGone || moved == 0)
    return run.isTooMany(ending - moved, of: records.count)
      ? isCertain ? .always : .perhaps
      : isCertain ? .never : .perhaps
  }

  func problem(changes: [LedgerChange], after: LedgerText) -> String? {
    let moves = changes.filter { $0.word == "moved" }
    var expected: [LedgerChange] = []
    for item in items where isRecorded(item) {
      let word = word(item)
      if moves.contains(where: { $0.path == item.path }) || word == "same" { continue }
      expected.append(
        LedgerChange(path: item.path, word: word, isAccepted: isAccepted(word, item.path)))
    }
    for (path, target) in links where former.links[path].map({ $0 != target }) ?? false {
      expected.append(LedgerChange(path: path, word: "relinked"))
    }
    for path in former.links.keys
    where links[path] == nil && !presentLinks.contains(path) && !isBelowHidden(path) {
      expected.append(LedgerChange(path: path, word: "unlinked"))
    }
    for record in kept where !record.open.isEmpty {
      expected.append(LedgerChange(path: record.path, word: record.open))
    }
    let kept = Set(after.records.map(\.path))
    for record in gone where !moves.contains(where: { $0.from == record.path }) {
      // A report that is quiet has no moves.
      if run.quiet && !kept.contains(record.path) { continue }
      expected.append(
        LedgerChange(
          path: record.path, word: "gone", isAccepted: isGoneAccepted(record)))
    }
    if run.quiet {
      expected = expected.filter {
        ["rot", "gone"].contains($0.word) && !$0.isAccepted
          || $0.word == "edited" && records[$0.path]?.open.isEmpty == false
      }
    }
    if isFirst { expected = [] }
    for move in moves {
      guard let item = items.first(where: { $0.path == move.path }),
        !isExact || records[move.path] == nil,
        let record = gone.first(where: { $0.path == move.from }),
        canMove(record, item)
      else { return "\(shown(move)): no such move" }
    }
    let actual = changes.filter { $0.word != "moved" }
    if !isExact {
      let wrong = Set(actual).symmetricDifference(expected)
        .first { hasKnownWords || !["gone", "new"].contains($0.word) }
      return wrong.map { "\(shown($0)): \(actual.contains($0) ? "un" : "")expected" }
    }
    if Set(moves.map(\.from)).count < moves.count { return "a record has moved twice" }
    if !run.quiet && !isFirst && moves.count != moveCount {
      return "\(moves.count) moves, not \(moveCount)"
    }
    if let wrong = Set(actual).symmetricDifference(expected).first {
      return "\(shown(wrong)): \(actual.contains(wrong) ? "un" : "")expected"
    }
    return actual.count == expected.count ? nil : "a change is reported twice"
  }

  func shown(_ change: LedgerChange) -> String {
    (change.from.isEmpty ? "" : shellWord(change.from) + " ")
      + "\(shellWord(change.path)) \(change.word)\(change.isAccepted ? " accepted" : "")"
  }

  /// - Parameter times: The first and the last time that a new open point can have.
  func problem(ledger: LedgerText, times: (String, String)) -> String? {
    var expected: [Name: Set<LedgerRecord>] = [:]
    for record in kept { expected[record.path, default: []].insert(record) }
    for item in items where isRecorded(item) {
      let word = word(item)
      let digests =
        isUnchanged(item) ? records[item.path]?.digests ?? [:] : contents.digests(of: item.content)
      var record = LedgerRecord(
        path: item.path, size: item.size, time: item.time,
        digests: digests.filter { run.algorithms.contains($0.key) })
      if run.update, word == "rot", !isAccepted("rot", item.path), let former = records[item.path] {
        record = opened(former, "rot")
      }
      expected[item.path, default: []].insert(record)
    }
    for record in run.update ? gone : [] where !isGoneAccepted(record) {
      expected[record.path, default: []].insert(
        opened(record, isRotten(record) ? "rot" : "gone"))
    }
    for (record, path) in ledger.records.map({ ($0, $0.path) }) {
      var record = record
      let former = records[path]
      if !record.open.isEmpty && former?.open != record.open {
        if record.since < times.0 || record.since > times.1 {
          return "\(shellWord(path)): wrong time"
        }
        record.since = ""
      }
      if isExact && expected[path]?.contains(record) != true
        || !isExact && expected[path]?.contains(where: { $0.digests == record.digests }) != true
          // A link is no file to a walk, and one to the PATH that names it.
          && !(links[path] != nil && !record.open.isEmpty && former?.digests == record.digests)
      {
        return "\(shellWord(path)): record \(record), expected \(expected[path] ?? [])"
      }
    }
    let present = Set(ledger.records.map(\.path))
    if isExact {
      let links = links.merging(former.links.filter { isBelowHidden($0.key) }) { now, _ in now }
      if ledger.links != links { return "links \(ledger.links), expected \(links)" }
    }
    // A record that has moved ends, or is accepted.
    let places = items.filter { !isExact || records[$0.path] == nil }
    var moved = 0
    for path in expected.keys where !present.contains(path) && !doubtful.contains(path) {
      guard let record = records[path], places.contains(where: { canMove(record, $0) }),
        !items.contains(where: { $0.path == path })
      else { return "\(shellWord(path)): no record" }
      moved += 1
    }
    let accepted = gone.contains(where: isGoneAccepted)
    if isExact && run.update && !accepted && moved != moveCount {
      return "\(moved) records have moved, not \(moveCount)"
    }
    return isExact && ledger.records.count != present.count ? "a record is there twice" : nil
  }

  private func opened(_ record: LedgerRecord, _ kind: String) -> LedgerRecord {
    var opened = record
    opened.since = record.open == kind ? record.since : ""
    opened.open = kind
    return opened
  }
}
