internal import SystemPackage
internal import Weir

/// The faults of a side: lines that say nothing, or files that could not be read.
package struct CompareFaults: Sendable {
  /// The number of lines that are malformed, or of an algorithm that is not supported.
  package var lines: UInt64 = 0
  /// The number of the first such line.
  package var firstLine = 0
  /// The tag of its algorithm; `nil` if it is malformed.
  package var tag: String?

  fileprivate mutating func add(line: Int, tag: String? = nil) {
    if lines == 0 { (firstLine, self.tag) = (line, tag) }
    lines += 1
  }
}

/// A reader of the records of a manifest, of any format that ``CheckJob`` reads.
final class CompareManifestReader {
  private let lines: ManifestReader
  private var parser: ManifestParser
  private var mtree: MtreeParser?
  private let stripped: Int
  /// True if the format is known.
  private var isKnown: Bool
  private(set) var faults = CompareFaults()

  /// Keeps the file open.
  private let file: CompareFile

  init(_ file: CompareFile, terminator: UInt8, _ parser: ManifestParser, stripping stripped: Int) {
    self.file = file
    lines =
      file.canRepeat
      ? ManifestReader(file.descriptor, from: 0, terminator: terminator)
      : ManifestReader(file.descriptor, terminator: terminator)
    self.parser = parser
    // Lines of mtree(5) end in newlines.
    isKnown = terminator == 0
    self.stripped = stripped
  }

  /// True if the manifest has entries for directories, links and special files too.
  var hasTypes: Bool { mtree != nil }

  /// Reads the next record; returns false at the end.
  func read(to buffer: CompareBuffer) throws(Errno) -> Bool {
    while let line = try lines.next() {
      let number = lines.lineNumber
      let text = number == 1 ? CheckManifest.withoutByteOrderMark(line) : line
      if !isKnown, let isMtree = MtreeDetection.isMtree(text, isFirst: number == 1) {
        isKnown = true
        if isMtree { mtree = MtreeParser() }
      }
      let isRead =
        if let mtree { put(mtree.parse(text), in: buffer) } else { put(text, in: buffer) }
      if isRead && buffer.keyCount > 0 { return true }
    }
    if mtree?.finish() == false { faults.add(line: lines.lineNumber) }
    return false
  }

  /// Parses a line of a checksum tool. Returns true if the buffer has its record.
  @inline(__always)
  private func put(_ text: UnsafeMutableRawBufferPointer, in buffer: CompareBuffer) -> Bool {
    switch parser.parse(text) {
    case .ignored: return false
    case .entry(let line):
      let digest = CompareDigest(line.algorithm, or: line.alternative, line.digest)
      let isRead = buffer.put(
        line.name, stripping: stripped, CompareEntry(.file), digestCapacity: 3 + line.digest.count
      ) { $0.append(digest) }
      if !isRead { faults.add(line: lines.lineNumber) }
      return isRead
    case .malformed:
      faults.add(line: lines.lineNumber, tag: UnsupportedLine().tag(of: text))
      return false
    }
  }

  private func put(_ record: MtreeRecord, in buffer: CompareBuffer) -> Bool {
    switch record {
    case .ignored, .comment: return false
    case .malformed: break
    case .entry(let line):
      if line.isIgnored { return false }
      var entry = CompareEntry(line.type ?? (line.digests.isEmpty ? nil : .file))
      if line.isOptional { entry.flags.insert(.optional) }
      if !entry.isOther { (entry.size, entry.time) = (line.size, line.time) }
      if line.type == .symbolicLink, let target = line.target { entry.target = target }
      let capacity = line.digests.reduce(0) { $0 + 3 + $1.bytes.count }
      let isRead = buffer.put(
        line.name, stripping: stripped, entry, digestCapacity: capacity
      ) { writer in
        for digest in line.digests { writer.append(CompareDigest(digest.algorithm, digest.bytes)) }
      }
      if isRead { return true }
    }
    faults.add(line: lines.lineNumber)
    return false
  }
}
