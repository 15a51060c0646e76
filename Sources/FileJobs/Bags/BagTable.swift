// All that a bag says about its names, sorted by name.
//
// DESIGN. Each manifest lists the files in an order of its own, and a bag is complete if they, the
// walk and fetch.txt name the same files. So their statements about one name have to come
// together: the table holds all of them and is sorted. Its memory grows with the names of the bag,
// by the text of the manifests and 64 bytes for each line and file. (Rejected: a merge of the manifests as
// they are, as far as they have the same order. bagit-python writes them in the order of the
// directory, so that a table is needed all the same.)

internal import SystemPackage
internal import Weir
internal import WeirLibC

struct BagManifest {
  let name: [UInt8]
  /// The algorithm; `nil` if Weir does not compute it.
  let algorithm: DigestAlgorithm?
  let isTag: Bool

  /// Returns the name of an algorithm as the RFC spells it: `sha3256` for SHA3-256. Other programs
  /// have `sha3_256`.
  fileprivate static func normalized(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  /// Makes the manifest that has a name; `nil` if it has no manifest's.
  init?(_ name: [UInt8]) {
    isTag = name.starts(with: "tagmanifest-".utf8)
    guard isTag || name.starts(with: "manifest-".utf8), name.suffix(4).elementsEqual(".txt".utf8)
    else { return nil }
    self.name = name
    let text = String(decoding: name.dropFirst(isTag ? 12 : 9).dropLast(4), as: UTF8.self)
    let word = BagManifest.normalized(text)
    algorithm = DigestAlgorithm.listed.first { BagManifest.normalized($0.name) == word }
  }

  var text: String { String(decoding: name, as: UTF8.self) }

  /// The name without the `tag` of a manifest of tag files.
  fileprivate var payloadText: String { String(text.dropFirst(isTag ? 3 : 0)) }
}

/// A statement about a name in a bag.
struct BagStatement {
  fileprivate(set) var name: UnsafeRawBufferPointer
  /// The index of the manifest that lists the name, or one of the numbers below.
  let source: Int
  var line = 1
  /// The size of a file, found or as fetch.txt says; -1 if it is unknown.
  var size: Int64 = -1
  var digest = UnsafeRawBufferPointer(start: nil, count: 0)

  /// The walk found the file, or a symbolic link to one.
  static let (file, link) = (-2, -3)
  var isFound: Bool { source <= BagStatement.file }
  static let fetch = -1
}

extension [BagStatement] {
  /// Returns the records of the name at an index of sorted records.
  func sameName(at begin: Int) -> ArraySlice<BagStatement> {
    self[begin...].prefix { $0.name.hasSameBytes(as: self[begin].name) }
  }
}

/// The manifests of a bag, its files, and the faults that were found when they were read.
///
/// @unchecked Sendable: the thread that runs the job reads it, then the one that feeds or delivers uses it.
final class BagTable: @unchecked Sendable {
  let declaration: BagDeclaration
  private(set) var manifests: [BagManifest] = []
  private(set) var records: [BagStatement] = []
  private(set) var findings: [BagFinding] = []
  private(set) var unread: Set<Int> = []
  private(set) var payload: (bytes: UInt64, files: UInt64) = (0, 0)
  private let bag: BagDirectory
  private var texts: [UnsafeMutableRawBufferPointer] = []

  /// - Throws: A finding that keeps the bag from being judged.
  init(_ bag: BagDirectory) throws(BagFinding) {
    self.bag = bag
    var text: [UInt8] = []
    do throws(Errno) {
      text = try bag.text(BagDirectory.declaration) ?? []
    } catch {
      throw BagFinding(BagDirectory.declaration, "\(error)", error: error)
    }
    declaration = try BagDeclaration(text)
  }

  deinit { texts.forEach { $0.deallocate() } }

  /// Returns the name of the manifest of an algorithm, which other programs spell in other ways:
  /// the one that the bag has, or `manifest-sha512.txt`.
  func name(of algorithm: DigestAlgorithm, isTag: Bool) -> [UInt8] {
    let own = manifests.filter { $0.algorithm == algorithm }
    let found = (own.first { $0.isTag == isTag } ?? own.first)?.payloadText
    let word = BagManifest.normalized(algorithm.name)
    return Array("\(isTag ? "tag" : "")\(found ?? "manifest-\(word).txt")".utf8)
  }

  func readManifests() {
    do throws(Errno) {
      manifests = try bag.names().compactMap(BagManifest.init)
    } catch {
      fail([], error)
    }
    for manifest in manifests where manifest.algorithm == nil {
      let reason = "the algorithm of \(manifest.payloadText)"
      findings.append(BagFinding(manifest.name, reason, isUnsupported: true))
    }
    manifests.removeAll { $0.algorithm == nil }
    for (index, manifest) in manifests.enumerated() {
      let isRead = forEachLine(of: manifest.name) { line, number in
        add(line, of: manifest, index, number: number)
      }
      if !isRead { unread.insert(index) }
    }
    _ = forEachLine(of: BagDirectory.fetch) { line, number in add(fetch: line, number: number) }
  }

  /// Walks the bag, without symbolic links.
  func readFiles() {
    for entry in FileWalk(bytes: bag.root) where entry.depth > 0 {
      let name = bag.name(of: entry)
      if let error = entry.error {
        fail(name, error)
      } else if entry.type == .symbolicLink {
        add(link: name)
      } else if entry.type != .directory {
        add(file: name)
      }
    }
  }

  /// Gives the names of manifests the spelling of their files: RFC 8493 compares names in a normal form
  /// of Unicode, and file systems and other programs change the form.
  func matchForms() {
    func isASCII(_ name: UnsafeRawBufferPointer) -> Bool { name.allSatisfy { $0 < 0x80 } }
    // Strings are equal if they are in some normal form.
    var files: [String: [UnsafeRawBufferPointer]] = [:]
    for record in records where record.isFound && !isASCII(record.name) {
      files[String(decoding: record.name, as: UTF8.self), default: []].append(record.name)
    }
    if files.isEmpty { return }
    for index in records.indices where !records[index].isFound && !isASCII(records[index].name) {
      let name = records[index].name
      guard let equal = files[String(decoding: name, as: UTF8.self)], equal.count == 1 else {
        continue
      }
      records[index].name = equal[0]
    }
  }

  /// Sorts the records by name, and those of a name by source.
  func sort() {
    records.sort { left, right in
      let order = WalkOrder.compare(left.name, right.name)
      return order == 0 ? (left.source, left.line) < (right.source, right.line) : order < 0
    }
  }

  /// Returns the first two names that differ only in case or in the form of Unicode, which other file
  /// systems take for one, and the number of such names beyond one of each kind. The records are sorted.
  func twins() -> (first: [UInt8], second: [UInt8], count: Int)? {
    var places: [Int: Int] = [:]
    var found: (first: [UInt8], second: [UInt8], count: Int)?
    var place = 0
    while place < records.count {
      let name = records[place].name
      // Equal strings have equal hashes in any normal form.
      let hash = String(decoding: name, as: UTF8.self).lowercased().hashValue
      if let other = places[hash] {
        found = found ?? (Array(records[other].name), Array(name), 0)
        found?.count += 1
      }
      places[hash] = place
      place = records.sameName(at: place).endIndex
    }
    return found
  }

  func find(_ name: [UInt8], _ reason: String) { findings.append(BagFinding(name, reason)) }

  func fail(_ name: [UInt8], _ error: Errno) {
    findings.append(BagFinding(name, "\(error)", error: error))
  }

  // MARK: Lines

  /// Returns false if a file could not be read.
  private func forEachLine(
    of name: [UInt8], _ body: (UnsafeMutableRawBufferPointer, _ number: Int) -> Void
  ) -> Bool {
    var text: [UInt8] = []
    do throws(Errno) {
      text = try bag.text(name, declaration.encoding) ?? []
    } catch {
      fail(name, error)
      return false
    }
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
    text.append(UInt8(ascii: "\n"))
    let memory = keep(text)
    var (begin, number) = (0, 1)
    for (index, byte) in text.enumerated() where BagLines.isEnd(byte) {
      if index > begin { body(memory[begin..<index].rebased, number) }
      begin = index + 1
      if byte == UInt8(ascii: "\n") || text[begin] != UInt8(ascii: "\n") { number += 1 }
    }
    return true
  }

  private func keep(_ bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    texts.append(memory)
    return memory
  }

  /// Adds `DIGEST NAME`, with any blanks between the two, and an asterisk as md5sum writes it.
  private func add(
    _ line: UnsafeMutableRawBufferPointer, of manifest: BagManifest, _ index: Int, number: Int
  ) {
    guard let text = ManifestText(line), let count = manifest.algorithm?.byteCount else { return }
    var begin = text.skipBlanks(count * 2)
    if text[begin] == UInt8(ascii: "*") { begin += 1 }
    guard text.digitCount(at: 0) == count * 2, text.isBlank(count * 2), begin < text.count else {
      return find(manifest.name, "line \(number) is not a digest and a name")
    }
    let digest = text.decode(at: 0, byteCount: count)
    if let name = name(line[begin...], of: manifest.name, number, isTag: manifest.isTag) {
      records.append(BagStatement(name: name, source: index, line: number, digest: digest))
    }
  }

  /// Adds `URL LENGTH NAME`.
  private func add(fetch line: UnsafeMutableRawBufferPointer, number: Int) {
    let words = line.split(maxSplits: 2, whereSeparator: \.isBlank)
    let rest = words.last?.drop(while: \.isBlank) ?? line[...]
    guard words.count == 3, !line[0].isBlank, !rest.isEmpty,
      let size = words[1].elementsEqual("-".utf8)
        ? -1 : UInt64(decimal: words[1]).map({ Int64(clamping: $0) }),
      BagTable.isAddress(words[0])
    else {
      return find(BagDirectory.fetch, "line \(number) is not an address, a length and a name")
    }
    if let name = name(rest, of: BagDirectory.fetch, number, isTag: false) {
      records.append(BagStatement(name: name, source: BagStatement.fetch, line: number, size: size))
    }
  }

  /// True for an absolute URI: a scheme, a colon, and more (RFC 3986).
  private static func isAddress(_ text: some Collection<UInt8>) -> Bool {
    let scheme = text.prefix { $0 != UInt8(ascii: ":") }
    return scheme.first?.isLetter == true && scheme.count + 1 < text.count
      && scheme.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
  }

  /// Decodes a name; `nil` if it leaves the bag, or data/ unless it is of a tag file.
  private func name(
    _ bytes: Slice<UnsafeMutableRawBufferPointer>, of file: [UInt8], _ number: Int, isTag: Bool
  ) -> UnsafeRawBufferPointer? {
    let name = BagName.decode(bytes.rebased, isOld: declaration.isOld)
    if BagName.leavesBag(name) {
      find(file, "line \(number) has a name that leaves the bag")
    } else if !isTag && !BagName.isPayload(name) {
      find(file, "line \(number) names a file that is not in data/")
    } else if isTag && !declaration.isOld && BagName.isPayload(name) {
      find(file, "line \(number) names a file in data/")
    } else if isTag && !declaration.isOld && BagManifest(Array(name))?.isTag == true {
      find(file, "line \(number) names a manifest of tag files")
    } else {
      return name
    }
    return nil
  }

  // MARK: Files

  private func add(file name: [UInt8], isLink: Bool = false) {
    var found: Int64 = -1
    if BagName.isPayload(name) {
      do throws(Errno) {
        let size = try LongPath.status(bag.path(name) + [0], followsLinks: true).st_size
        payload = (payload.bytes &+ UInt64(size), payload.files + 1)
        found = Int64(size)
      } catch {
        fail(name, error)
      }
    }
    let source = isLink ? BagStatement.link : BagStatement.file
    records.append(BagStatement(name: .init(keep(name)), source: source, size: found))
  }

  /// Adds the file that a symbolic link in the payload leads to. A link to a directory of the bag is
  /// none: names that lead through it are checked as they come.
  private func add(link name: [UInt8]) {
    if name + [0x2F] == BagDirectory.payload {
      return find(BagDirectory.payload, "is a symbolic link")
    }
    guard BagName.isPayload(name) else { return }
    guard let status = try? stat(of: bag.path(name)) else {
      return find(name, "is a symbolic link to nothing")
    }
    if bag.isOutside(name) { return find(name, "is a symbolic link out of the bag") }
    if status.st_mode & S_IFMT != S_IFDIR { add(file: name, isLink: true) }
  }
}
