// The search for moved files among those that one side alone has.
//
// DESIGN. The files of each side are sorted by their content, and both are read in step: the first
// of A with a content belongs to the first of B with it, by their names, the second to the second.
// So each file belongs to one pair, the same one in every run, and the memory is that of some sorts.
// The content is a digest, by the strongest algorithm first, and at last the size and the time. Each
// is tried with the last component of the name first: a copy that the order finds first would take
// the place of the file that moved. An empty file, and one of which only the size and the time are
// known, has no content that tells, and moves with its last component only. What one round has not
// paired goes into the next. Two files are a pair only if nothing else that is known of both differs.
//
// What no round has paired may have rotted before it was renamed: a file of A has the size and the time
// of a file of B, and another digest. Times in whole seconds are often shared (an archive that was
// extracted), so such files have the last component in common too. An update asks for these files of B.

internal import Weir

/// The moves among findings.
struct Moves {
  /// The number of each file of A, and the name of its file of B; the number of each file of B.
  private let (files, partners): (SortedRuns, SortedRuns)
  /// The numbers of the files of B that may have rotted.
  private let suspects: SortedRuns

  enum Part {
    case none
    /// A file of A, and the name of the file of B that has its content.
    case pair(with: [UInt8])
    /// A file of B that a file of A is paired with.
    case partner
    /// A file of B that may have rotted before it was renamed.
    case suspect
  }

  /// Records that begin with the number of a finding, read in step with the findings.
  private struct Numbered {
    private let reader: SortedRuns.Reader
    private var head: UnsafeRawBufferPointer?

    init(_ runs: SortedRuns) throws {
      reader = runs.makeReader()
      head = try reader.next()
    }

    mutating func take(_ number: UInt64) throws -> [UInt8]? {
      guard let record = head,
        UInt64(bigEndian: record.loadUnaligned(as: UInt64.self)) == number
      else { return nil }
      let rest = Array(record[8...])
      head = try reader.next()
      return rest
    }
  }

  struct Parts {
    private var (files, partners, suspects): (Numbered, Numbered, Numbered)
    private var number: UInt64 = 0

    init(_ moves: Moves) throws {
      (files, partners) = (try Numbered(moves.files), try Numbered(moves.partners))
      suspects = try Numbered(moves.suspects)
    }

    mutating func next() throws -> Part {
      defer { number += 1 }
      if let name = try files.take(number) { return .pair(with: name) }
      if try partners.take(number) != nil { return .partner }
      return try suspects.take(number) == nil ? .none : .suspect
    }
  }

  /// - Parameter search: A search that is done.
  private init(_ search: ContentJoin, of findings: Findings, _ space: SortSpace) throws {
    let pairs = search.pairs
    (files, partners, suspects) = (space.makeRuns(), pairs, search.suspects)
    var (pair, number) = (try Numbered(pairs), UInt64(0))
    try findings.forEach { finding in
      if let record = try pair.take(number) {
        let name = findings.hasNames ? Array(finding.onlyEntry.text) : finding.shownName
        try files.append(writing: 8 + name.count) { line in
          line.append(record)
          line.append(name)
        }
      }
      number += 1
    }
    try files.finish()
  }

  /// Returns `nil` if there are no moves. `findsSuspects` finds files of B that may have rotted,
  /// too. An error that `check` throws ends the search.
  static func find(
    in findings: Findings, _ space: SortSpace, findsSuspects: Bool = false,
    check: @escaping () throws -> Void
  ) throws -> Moves? {
    let (a, b) = (findings.only.a, findings.only.b)
    if a.sizes.isEmpty || b.sizes.isEmpty { return nil }
    let algorithms = DigestStrength.sorted(a.algorithms.intersection(b.algorithms))
    let search = ContentJoin(
      algorithms, digestsOnly: findings.digestsOnly, findsSuspects: findsSuspects, space,
      check: check)
    try search.search(findings)
    let isEmpty = search.pairs.count == 0 && search.suspects.count == 0
    return isEmpty ? nil : try Moves(search, of: findings, space)
  }
}

private struct MoveCandidate {
  let number: UInt64
  let lastName: UnsafeRawBufferPointer
  let entry: UnsafeRawBufferPointer
  /// The content as bytes. Candidates are in the order of its length, then of these.
  var content = UnsafeRawBufferPointer.empty

  init(_ finding: Finding, number: UInt64, hasName: Bool) {
    self.number = number
    lastName =
      hasName ? finding.onlyEntry.text.lastComponent : EntryKey.lastComponent(of: finding.key)
    entry = finding.entries.b.isEmpty ? finding.entries.a : finding.entries.b
  }

  init(_ record: UnsafeRawBufferPointer) {
    let end = 4 + Int(record.littleEndian(at: 0) as UInt32)
    let begin = end + 12 + Int(record.littleEndian(at: end + 8) as UInt32)
    content = record[..<end].rebased
    number = UInt64(bigEndian: record.loadUnaligned(fromByteOffset: end, as: UInt64.self))
    lastName = record[(end + 12)..<begin].rebased
    entry = record[begin...].rebased
  }

  func append(to runs: SortedRuns, sortedBy content: [UInt8]) throws {
    let capacity = 16 + content.count + lastName.count + entry.count
    try runs.append(writing: capacity) { line in
      line.append(littleEndian: UInt32(content.count))
      line.append(content)
      line.append(bigEndian: number)
      line.append(littleEndian: UInt32(lastName.count))
      line.append(lastName)
      line.append(entry)
    }
  }

  /// Returns true if the files can be one: nothing that is known of both differs.
  func canBe(_ other: MoveCandidate) -> Bool {
    let (a, b) = (InventoryEntry(entry), InventoryEntry(other.entry))
    if let one = a.size, let two = b.size, one != two { return false }
    if case .differs = EntryVerdict.ofDigests(a, b) { return false }
    return true
  }
}

private struct ContentJoin {
  /// A kind of content that two files may have in common.
  private struct Round {
    /// The algorithm of a digest; `nil` for the size and the time.
    let algorithm: UInt8?
    let needsLastName: Bool
    /// True to find files whose digests differ.
    var isOfSuspects = false
    let files: Sides<SortedRuns>
  }

  private let rounds: [Round]
  /// The digests of an empty file.
  private var ofNothing: Set<[UInt8]> = []
  /// The numbers of each pair, that of B first.
  let pairs: SortedRuns
  /// The numbers of the files of B that may have rotted.
  let suspects: SortedRuns
  private let check: () throws -> Void

  init(
    _ algorithms: [UInt8], digestsOnly: Bool, findsSuspects: Bool, _ space: SortSpace,
    check: @escaping () throws -> Void
  ) {
    let all = algorithms.flatMap { [($0, true), ($0, false)] } + (digestsOnly ? [] : [(nil, true)])
    func files() -> Sides<SortedRuns> { Sides(space.makeRuns(), space.makeRuns()) }
    rounds =
      all.map { Round(algorithm: $0, needsLastName: $1, files: files()) }
      + (findsSuspects
        ? [Round(algorithm: nil, needsLastName: true, isOfSuspects: true, files: files())] : [])
    for index in algorithms {
      if let digest = try? Digest(DigestAlgorithm(index: Int(index))).bytes(of: []) {
        ofNothing.insert(digest)
      }
    }
    (pairs, suspects) = (space.makeRuns(), space.makeRuns())
    self.check = check
  }

  func search(_ findings: Findings) throws {
    var number: UInt64 = 0
    try findings.forEach { finding in
      try check()
      if let side = finding.onlySide {
        let entry = finding.onlyEntry
        let isDoubtful =
          entry.isUnreadable || !entry.flags.isDisjoint(with: [.contradictory, .ambiguous])
        if !entry.isOther && !isDoubtful {
          let file = MoveCandidate(finding, number: number, hasName: findings.hasNames)
          try add(file, side, from: 0)
        }
      }
      number += 1
    }
    for place in rounds.indices { try join(place) }
    try pairs.finish()
    try suspects.finish()
  }

  /// Adds a file to the first round from one on in which it has a content.
  private func add(_ file: MoveCandidate, _ side: Side, from first: Int) throws {
    for round in rounds[first...] {
      guard let content = content(of: file, in: round) else { continue }
      return try file.append(to: round.files[side], sortedBy: content)
    }
  }

  private func content(of file: MoveCandidate, in round: Round) -> [UInt8]? {
    let entry = InventoryEntry(file.entry)
    var content: [UInt8] = []
    if let algorithm = round.algorithm {
      guard let found = EntryDigests(entry.digests).first(where: { $0.isOf(algorithm) }) else {
        return nil
      }
      content.append(contentsOf: found.bytes)
      if !round.needsLastName && (entry.size ?? 1 == 0 || ofNothing.contains(content)) {
        return nil
      }
    } else {
      guard let size = entry.size, let time = entry.time else { return nil }
      content.append(littleEndian: size)
      content.append(littleEndian: time.seconds)
      content.append(littleEndian: time.nanoseconds)
      if round.isOfSuspects && time.nanoseconds != 0 { return content }
    }
    return round.needsLastName ? content + file.lastName : content
  }

  private func join(_ place: Int) throws {
    let files = rounds[place].files
    try files.a.finish()
    try files.b.finish()
    let readers = Sides(files.a.makeReader(), files.b.makeReader())
    var (headA, headB) = (try readers.a.next(), try readers.b.next())
    while headA != nil || headB != nil {
      try check()
      let (a, b) = (headA.map { MoveCandidate($0) }, headB.map { MoveCandidate($0) })
      var order = a == nil ? 1 : -1
      if let a, let b {
        order = a.content.order(to: b.content)
        if rounds[place].isOfSuspects {
          // A file of A may be any of several files of B.
          if order == 0 && !a.canBe(b) {
            try suspects.append(writing: 8) { $0.append(bigEndian: b.number) }
          }
          if order == 0 { order = 1 }
        } else if order == 0 && !a.canBe(b) {
          order = -1
        }
        if order == 0 {
          try pairs.append(writing: 16) { line in
            line.append(bigEndian: b.number)
            line.append(bigEndian: a.number)
          }
        }
      }
      if let a, order < 0 { try add(a, .a, from: place + 1) }
      if let b, order > 0 { try add(b, .b, from: place + 1) }
      if order <= 0 { headA = try readers.a.next() }
      if order >= 0 { headB = try readers.b.next() }
    }
    files.a.removeAll()
    files.b.removeAll()
  }
}
