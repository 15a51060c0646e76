// The check of a bag: its faults, and the files to verify, in the order of the names.

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
    case failure(name: [UInt8], Errno)
    /// A file with its digests, valid until the next step.
    case file(MtreeEntry, line: Int)
  }

  let bag: BagDirectory
  /// The number of lines in the manifests.
  private(set) var lines = 0
  private var table: BagTable?
  private var first: [BagFinding] = []
  private var place = 0
  /// The steps that come before the next name.
  private var waiting: [Step] = []
  private var path = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)
  private let digests = UnsafeMutableBufferPointer<MtreeDigest>.allocate(
    capacity: DigestAlgorithm.countMax)

  init(_ bag: BagDirectory) {
    self.bag = bag
    do throws(BagFinding) {
      let table = try BagTable(bag)
      table.readManifests()
      let info = self.info(table.declaration)
      let oxum = info?.values(PayloadOxum.label) ?? []
      table.readFiles(addsSizes: !oxum.isEmpty)
      table.sort()
      lines = table.records.count { $0.source != .file }
      waiting = table.failures.map { .failure(name: $0.name, $0.error) }
      waiting += table.findings.map { .finding($0) }
      judge(table, info, oxum)
      self.table = table
    } catch {
      waiting = [.finding(error)]
    }
    waiting.reverse()
  }

  deinit {
    digests.deallocate()
    path.deallocate()
  }

  private static let oldInfo = Array("package-info.txt".utf8)

  /// Returns the content of bag-info.txt, which had another name before version 0.96.
  private func info(_ declaration: BagDeclaration) -> BagInfo? {
    let names = declaration.isOld ? [BagDirectory.info, BagCheck.oldInfo] : [BagDirectory.info]
    let texts = names.lazy.compactMap { [bag] name in
      (try? bag.text(name, declaration.encoding)).flatMap(\.self)
    }
    return texts.first.map(BagInfo.init)
  }

  // MARK: The bag as a whole

  private func judge(_ table: BagTable, _ info: BagInfo?, _ oxum: [String]) {
    if !table.manifests.contains(where: { !$0.isTag }) {
      find([], "has no manifest of its payload")
    }
    if !bag.exists(BagDirectory.payload) { find(BagDirectory.payload, "is missing") }
    if info?.isMalformed == true {
      find(BagDirectory.info, "has a line that is not a label and a value")
    }
    if oxum.count > 1 { find(BagDirectory.info, "has several lines \(PayloadOxum.label)") }
    guard let text = oxum.first else { return }
    if let given = PayloadOxum(text) {
      if given != table.payload {
        find(
          BagDirectory.info, "\(PayloadOxum.label) is \(given), the payload has \(table.payload)")
      }
    } else {
      find(BagDirectory.info, "\(PayloadOxum.label) is not two numbers")
    }
  }

  private func find(_ name: [UInt8], _ reason: String) {
    waiting.append(.finding(BagFinding(name: name, reason: reason)))
  }

  // MARK: Names

  /// Returns the next step; `nil` at the end.
  func next() -> Step? {
    while true {
      if let step = waiting.popLast() { return step }
      guard let table, place < table.records.count else { return nil }
      let begin = place
      let name = table.records[begin].name
      while place < table.records.count, table.records[place].name.hasSameBytes(as: name) {
        place += 1
      }
      let steps = steps(table.records[begin..<place], name, in: table)
      waiting = steps.reversed()
    }
  }

  private func steps(
    _ records: ArraySlice<BagRecord>, _ name: UnsafeRawBufferPointer, in table: BagTable
  ) -> [Step] {
    let isThere = records.first?.source == .file
    var faults: [String] = []
    var (count, line) = (0, 1)
    var last: BagRecord?
    for record in records {
      guard case .manifest(let index) = record.source else { continue }
      let manifest = table.manifests[index]
      if count == 0 { line = record.line }
      if last?.source == record.source {
        let isSame = last?.digest.hasSameBytes(as: record.digest) == true
        if !isSame || !table.declaration.isOld {
          faults.append("is listed twice in \(BagCheck.text(manifest.name))")
        }
      } else if count < digests.count {
        digests.initializeElement(
          at: count, to: MtreeDigest(algorithm: manifest.algorithm, bytes: record.digest))
        count += 1
      }
      last = record
    }
    if BagName.isPayload(name) { faults += gaps(in: records, table) }
    let isToFetch = records.contains { $0.source == .fetch }
    let isOutside = !isThere && bag.isOutside(Array(name))
    if isOutside {
      faults.append("leads out of the bag, through a symbolic link")
    } else if isToFetch && !isThere && !bag.exists(name) {
      faults.append("is missing; fetch.txt has its address")
      count = 0
    }
    var steps = faults.map { Step.finding(BagFinding(name: Array(name), reason: $0)) }
    if count > 0 && !isOutside { steps.append(file(name, count, line: line)) }
    return steps
  }

  /// Returns the faults of a payload file that manifests do not list.
  private func gaps(in records: ArraySlice<BagRecord>, _ table: BagTable) -> [String] {
    let all = table.manifests.indices.filter { !table.manifests[$0].isTag }
    let lacking = all.filter { index in !records.contains { $0.source == .manifest(index) } }
    if lacking.isEmpty || table.declaration.isOld && lacking.count < all.count { return [] }
    if lacking.count == all.count { return ["is in no manifest"] }
    let names = lacking.map { BagCheck.text(table.manifests[$0].name) }
    return ["is not in \(names.joined(separator: " and "))"]
  }

  private static func text(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }

  private func file(_ name: UnsafeRawBufferPointer, _ count: Int, line: Int) -> Step {
    let length = bag.root.count + name.count
    path.ensure(length)
    path.copyBytes(from: bag.root)
    UnsafeMutableRawBufferPointer(rebasing: path[bag.root.count...]).copyMemory(from: name)
    var entry = MtreeEntry()
    entry.name = UnsafeRawBufferPointer(rebasing: path[..<length])
    entry.type = .file
    entry.digests = UnsafeBufferPointer(rebasing: digests[..<count])
    return .file(entry, line: line)
  }
}
