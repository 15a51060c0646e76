internal import SystemPackage
internal import Weir

/// The questions that a bag puts to a check, one after the other.
///
/// DESIGN. A file is in a digest of each manifest, and is read once for all of them, so it is one
/// entry with several digests, like one of mtree(5). A name that leads out of the bag is refused
/// and never opened. One that the walk has not found leads through a symbolic link, or to nothing;
/// so only such a name is resolved.
final class BagCheck {
  enum Step {
    case finding(BagFinding)
    /// A file with its digests, valid until the next step. It is opened beneath the bag, by the number
    /// of bytes that lead there, and no link is followed; 0 for a name that leads through a link.
    case file(MtreeEntry, line: Int, root: Int)
  }

  let bag: BagDirectory
  private var table: BagTable?
  private var place = 0
  /// The steps that come before the next name, the last one first.
  private var waiting: [Step] = []
  private let path = ByteBuffer()
  private let digests = DigestBuffer()

  init(_ bag: BagDirectory) {
    self.bag = bag
    do throws(BagFinding) {
      let table = try BagTable(bag)
      table.readManifests()
      table.readFiles()
      table.matchForms()
      table.sort()
      judge(table)
      waiting = table.findings.reversed().map { .finding($0) }
      self.table = table
    } catch {
      waiting = [.finding(error)]
    }
  }

  /// The names of the bag that are one on other file systems.
  var twins: (first: [UInt8], second: [UInt8], count: Int)? { table?.twins() }

  var lines: Int { table?.records.count { !$0.isFound } ?? 0 }

  // MARK: The bag as a whole

  private func judge(_ table: BagTable) {
    if table.manifests.allSatisfy(\.isTag) { table.find([], "has no manifest of its payload") }
    if !bag.exists(BagDirectory.payload) { table.find(BagDirectory.payload, "is missing") }
    if !table.declaration.isOld { judgeTagManifests(table) }
    let text: [UInt8]?
    do throws(Errno) {
      text = try bag.text(BagDirectory.info, table.declaration.encoding)
    } catch {
      return table.fail(BagDirectory.info, error)
    }
    guard let info = text.map(BagInfo.init) else { return }
    if info.isMalformed {
      table.find(BagDirectory.info, "has a line that is not a label and a value")
    }
    let oxum = info.values(BagInfo.oxum)
    if oxum.count > 1 { table.find(BagDirectory.info, "has several lines \(BagInfo.oxum)") }
    guard let text = oxum.first else { return }
    guard let given = BagLines.numbers(text.utf8) else {
      return table.find(BagDirectory.info, "\(BagInfo.oxum) is not two numbers")
    }
    // A payload that could not be read as a whole was not counted as a whole.
    if given != table.payload && !table.findings.contains(where: { $0.error != nil }) {
      let found = "the payload has \(table.payload.bytes).\(table.payload.files)"
      table.find(BagDirectory.info, "\(BagInfo.oxum) is \(given.0).\(given.1), \(found)")
    }
  }

  /// Each manifest of tag files has to list every manifest of the payload.
  private func judgeTagManifests(_ table: BagTable) {
    let payload = table.manifests.filter { !$0.isTag }
    for (index, manifest) in table.manifests.enumerated()
    where manifest.isTag && !table.unread.contains(index) {
      let listed = Set(
        table.records.lazy.filter { $0.source == index && BagManifest(Array($0.name)) != nil }
          .map { Array($0.name) })
      for one in payload where !listed.contains(one.name) {
        table.find(manifest.name, "does not list \(one.text)")
      }
    }
  }

  // MARK: Names

  func next() -> Step? {
    while true {
      if let step = waiting.popLast() { return step }
      guard let table, place < table.records.count else { return nil }
      let records = table.records.sameName(at: place)
      waiting = steps(records, table.records[place].name, in: table).reversed()
      place = records.endIndex
    }
  }

  private func steps(
    _ records: ArraySlice<BagStatement>, _ name: UnsafeRawBufferPointer, in table: BagTable
  ) -> [Step] {
    var faults: [String] = []
    digests.removeAll()
    var line = 1
    var last: BagStatement?
    for record in records where record.source >= 0 {
      let manifest = table.manifests[record.source]
      if let last, last.source == record.source {
        if !table.declaration.isOld || !last.digest.hasSameBytes(as: record.digest) {
          faults.append("is listed twice in \(manifest.text)")
        }
      } else if let algorithm = manifest.algorithm {
        if digests.count == 0 { line = record.line }
        _ = digests.append(EntryDigest(algorithm, record.digest))
      }
      last = record
    }
    if BagName.isPayload(name) { faults += gaps(in: records, table) }
    if let fetched = records.first(where: { $0.source == BagStatement.fetch && $0.size >= 0 }),
      let found = records.first(where: { $0.isFound && $0.size >= 0 }), found.size != fetched.size
    {
      faults.append("has \(found.size) bytes, and fetch.txt says \(fetched.size)")
    }
    if records.first?.isFound != true {
      if bag.isOutside(name) {
        faults.append("leads out of the bag, through a symbolic link")
        digests.removeAll()
      } else if records.first?.source == BagStatement.fetch && !bag.exists(name) {
        faults.append("is missing; fetch.txt has its address")
        digests.removeAll()
      }
    }
    let findings = faults.map { Step.finding(BagFinding(Array(name), $0)) }
    let root = records.first?.source == BagStatement.file ? bag.root.count : 0
    return findings + (digests.count > 0 ? [file(name, line: line, root: root)] : [])
  }

  /// Returns the faults of a payload file that manifests do not list, of those that were read.
  private func gaps(in records: ArraySlice<BagStatement>, _ table: BagTable) -> [String] {
    let all = table.manifests.indices.filter {
      !table.manifests[$0].isTag && !table.unread.contains($0)
    }
    let lacking = all.filter { index in !records.contains { $0.source == index } }
    if lacking.isEmpty || table.declaration.isOld && lacking.count < all.count { return [] }
    if lacking.count == all.count { return ["is in no manifest"] }
    let names = lacking.map { table.manifests[$0].text }
    return ["is not in \(names.joined(separator: " and "))"]
  }

  private func file(_ name: UnsafeRawBufferPointer, line: Int, root: Int) -> Step {
    var entry = MtreeEntry()
    entry.name = path.hold(bag.path(name))
    entry.type = .file
    entry.digests = digests.all
    return .file(entry, line: line, root: root)
  }
}
