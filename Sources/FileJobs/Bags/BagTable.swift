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

/// A manifest of a bag.
struct BagManifest {
  let name: [UInt8]
  let algorithm: DigestAlgorithm
  /// True for a manifest of tag files.
  let isTag: Bool

  /// Returns the name of an algorithm as the RFC spells it: `sha3256` for SHA3-256. Other programs
  /// have `sha3_256`.
  fileprivate static func normalized(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  /// Makes the manifest that has a name; `nil` if it has no manifest's.
  ///
  /// - Throws: A finding if Weir does not compute its algorithm.
  init?(_ name: [UInt8]) throws(BagFinding) {
    let isTag = name.starts(with: "tagmanifest-".utf8)
    guard isTag || name.starts(with: "manifest-".utf8), name.suffix(4).elementsEqual(".txt".utf8)
    else { return nil }
    let word = String(decoding: name.dropFirst(isTag ? 12 : 9).dropLast(4), as: UTF8.self)
    let found = DigestAlgorithm.listed.first {
      BagManifest.normalized($0.name) == BagManifest.normalized(word)
    }
    guard let found else {
      throw BagFinding(
        name: name, reason: "the algorithm of manifest-\(word).txt", isUnsupported: true)
    }
    (self.name, algorithm, self.isTag) = (name, found, isTag)
  }
}

/// A statement about a name in a bag.
struct BagRecord {
  enum Source: Equatable {
    /// The walk found the file.
    case file
    case fetch
    /// The manifest with this index lists it.
    case manifest(Int)
  }

  let name: UnsafeRawBufferPointer
  let source: Source
  /// The number of the line in a manifest.
  var line = 1
  var digest = UnsafeRawBufferPointer(start: nil, count: 0)

  fileprivate var rank: Int {
    switch source {
    case .file: -2
    case .fetch: -1
    case .manifest(let index): index
    }
  }
}

/// The manifests of a bag, its files, and the faults that were found when they were read.
///
/// @unchecked Sendable: one thread at a time uses it.
final class BagTable: @unchecked Sendable {
  let declaration: BagDeclaration
  private(set) var manifests: [BagManifest] = []
  private(set) var records: [BagRecord] = []
  private(set) var findings: [BagFinding] = []
  /// The errors of files and directories that could not be read.
  private(set) var failures: [(name: [UInt8], error: Errno)] = []
  private(set) var payload = PayloadOxum()
  private let bag: BagDirectory
  private var texts: [UnsafeMutableRawBufferPointer] = []

  /// - Throws: A finding that keeps the bag from being judged.
  init(_ bag: BagDirectory) throws(BagFinding) {
    self.bag = bag
    let text: [UInt8]?
    do throws(Errno) {
      text = try bag.text(BagDirectory.declaration)
    } catch {
      throw BagFinding(name: BagDirectory.declaration, reason: "\(error)")
    }
    declaration = try BagDeclaration(text ?? [])
  }

  deinit { texts.forEach { $0.deallocate() } }

  /// Returns the name of the manifest of an algorithm, which other programs spell in other ways:
  /// the one that the bag has, or `manifest-sha512.txt`.
  func name(of algorithm: DigestAlgorithm, isTag: Bool) -> [UInt8] {
    let own = manifests.filter { $0.algorithm == algorithm }
    if let same = own.first(where: { $0.isTag == isTag }) { return same.name }
    if let other = own.first {
      return isTag ? Array("tag".utf8) + other.name : Array(other.name.dropFirst(3))
    }
    let word = BagManifest.normalized(algorithm.name)
    return Array("\(isTag ? "tag" : "")manifest-\(word).txt".utf8)
  }

  /// Reads the manifests, and fetch.txt.
  func readManifests() {
    do throws(Errno) {
      for name in try bag.names() { add(manifest: name) }
    } catch {
      failures.append(([], error))
    }
    for (index, manifest) in manifests.enumerated() {
      forEachLine(of: manifest.name) { line, number in
        add(line, of: manifest, index, number: number)
      }
    }
    forEachLine(of: BagDirectory.fetch) { line, number in add(fetch: line, number: number) }
  }

  private func add(manifest name: [UInt8]) {
    do throws(BagFinding) {
      if let manifest = try BagManifest(name) { manifests.append(manifest) }
    } catch {
      findings.append(error)
    }
  }

  /// Walks the bag, without symbolic links.
  ///
  /// - Parameter addsSizes: True to add up the sizes of the payload.
  func readFiles(addsSizes: Bool) {
    for entry in FileWalk(bytes: bag.root) where entry.depth > 0 {
      let name = Array(entry.pathBytes.dropFirst(bag.root.count))
      if let error = entry.error {
        failures.append((name, error))
      } else if entry.type == .symbolicLink {
        add(link: name)
      } else if entry.type != .directory {
        add(file: name, addsSizes: addsSizes && BagName.isPayload(name))
      }
    }
  }

  /// Sorts the records by name, and those of a name by source.
  func sort() {
    records.sort { left, right in
      let order = WalkOrder.compare(left.name, right.name)
      return order == 0 ? (left.rank, left.line) < (right.rank, right.line) : order < 0
    }
  }

  func find(_ name: [UInt8], _ reason: String) {
    findings.append(BagFinding(name: name, reason: reason))
  }

  // MARK: Lines

  private func forEachLine(
    of name: [UInt8], _ body: (UnsafeMutableRawBufferPointer, _ number: Int) -> Void
  ) {
    let text: [UInt8]
    do throws(Errno) {
      text = try bag.text(name, declaration.encoding) ?? []
    } catch {
      return failures.append((name, error))
    }
    let memory = keep(text)
    var (begin, number) = (0, 1)
    for index in 0...memory.count {
      let isEnd = index == memory.count
      let byte = isEnd ? UInt8(ascii: "\n") : memory[index]
      guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else { continue }
      if index > begin {
        body(UnsafeMutableRawBufferPointer(rebasing: memory[begin..<index]), number)
      }
      begin = index + 1
      let isPair = byte == UInt8(ascii: "\r") && begin < memory.count && memory[begin] == 0x0A
      if !isPair { number += 1 }
    }
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
    guard let text = ManifestText(line) else { return }
    let digits = manifest.algorithm.byteCount * 2
    var begin = text.skipBlanks(digits)
    if text[begin] == UInt8(ascii: "*") { begin += 1 }
    guard text.digitCount(at: 0) == digits, text.isBlank(digits), begin < text.count else {
      return find(manifest.name, "line \(number) is not a digest and a name")
    }
    let digest = text.decode(at: 0, byteCount: manifest.algorithm.byteCount)
    guard let name = name(line[begin...], of: manifest.name, number) else { return }
    if !manifest.isTag && !BagName.isPayload(name) {
      return find(manifest.name, "line \(number) names a file that is not in data/")
    }
    records.append(
      BagRecord(name: name, source: .manifest(index), line: number, digest: digest))
  }

  /// Adds `URL LENGTH NAME`.
  private func add(fetch line: UnsafeMutableRawBufferPointer, number: Int) {
    guard let text = ManifestText(line) else { return }
    func word(_ index: Int) -> Int {
      var index = index
      while index < text.count && !text.isBlank(index) { index += 1 }
      return index
    }
    let url = word(0)
    let length = text.skipBlanks(url)
    let end = word(length)
    let begin = text.skipBlanks(end)
    let isLength =
      line[length..<end].elementsEqual("-".utf8) || UInt64(decimal: line[length..<end]) != nil
    guard url > 0, isLength, begin < text.count else {
      return find(BagDirectory.fetch, "line \(number) is not an address, a length and a name")
    }
    guard let name = name(line[begin...], of: BagDirectory.fetch, number) else { return }
    if !BagName.isPayload(name) {
      return find(BagDirectory.fetch, "line \(number) names a file that is not in data/")
    }
    records.append(BagRecord(name: name, source: .fetch, line: number))
  }

  /// Decodes a name; `nil` if it leaves the bag.
  private func name(
    _ bytes: Slice<UnsafeMutableRawBufferPointer>, of file: [UInt8], _ number: Int
  ) -> UnsafeRawBufferPointer? {
    let name = BagName.decode(
      UnsafeMutableRawBufferPointer(rebasing: bytes), isOld: declaration.isOld)
    if !BagName.leavesBag(name) { return name }
    find(file, "line \(number) has a name that leaves the bag")
    return nil
  }

  // MARK: Files

  private func add(file name: [UInt8], addsSizes: Bool) {
    if addsSizes {
      do throws(Errno) {
        payload.add(UInt64(try LongPath.status(bag.path(name) + [0], followsLinks: true).st_size))
      } catch {
        failures.append((name, error))
      }
    }
    records.append(BagRecord(name: UnsafeRawBufferPointer(keep(name)), source: .file))
  }

  /// Adds the file that a symbolic link in the payload leads to. A link to a directory of the bag is
  /// none: names that lead through it are checked as they come.
  private func add(link name: [UInt8]) {
    guard BagName.isPayload(name) else { return }
    guard let status = try? stat(of: bag.path(name)) else {
      return find(name, "is a symbolic link to nothing")
    }
    if bag.isOutside(name) { return find(name, "is a symbolic link out of the bag") }
    if status.st_mode & S_IFMT != S_IFDIR { add(file: name, addsSizes: true) }
  }
}
