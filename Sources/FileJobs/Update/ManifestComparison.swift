// The agreement of a manifest of text with the records beside it.
//
// DESIGN. An update of a manifest of text compares files with the records beside it, M.mtree. If
// lines of those are lost, their files would count as new, and rot in them would be recorded as
// it is; if M was edited, its lines would be replaced. Both are made by one run, from the same
// records, so an update first reads both in step and refuses to run where they differ: it cannot
// know which of the two is right. (Rejected: to compare the numbers of lines only, which finds no
// edited digest, for half of the time. To use M alone: M may be the one that was cut.)

internal import CFileKernels
internal import WeirLibC
internal import SystemPackage

struct ManifestComparison {
  private let lines: ManifestReader
  private var parser: ManifestParser
  private var line: ManifestLine?
  private var isMalformed = false
  /// The memory of a record's digest.
  private var digest: [UInt8] = []

  /// - Parameter isZeroTerminated: True if the run that made both ended lines in NUL.
  init(_ text: FileDescriptor, _ algorithms: [DigestAlgorithm], isZeroTerminated: Bool) {
    lines = ManifestReader(
      text, from: 0, terminator: isZeroTerminated ? 0 : UInt8(ascii: "\n"))
    parser = ManifestParser(
      untagged: FormerEntries.untagged(algorithms), isZeroTerminated: isZeroTerminated)
  }

  /// Compares all lines with all records, in O(bytes). Returns the number of the first line that
  /// no record has, or that has to precede it; `nil` if there is none.
  mutating func firstDifference(from records: RecordReader) throws(Errno) -> Int? {
    try readLine()
    while try records.advance() {
      let record = records.record.pointee.line
      let digestCount = record.digests.indices.count
      if digestCount == 0 { continue }
      var matched = 0
      while matched < digestCount, let line, !isMalformed,
        line.name.hasSameBytes(as: record.name), has(line.digest, record.digests)
      {
        matched += 1
        try readLine()
      }
      if matched == 0 { return isAtEnd ? lines.lineNumber + 1 : lines.lineNumber }
    }
    return isAtEnd ? nil : lines.lineNumber
  }

  private var isAtEnd: Bool { line == nil && !isMalformed }

  private mutating func readLine() throws(Errno) {
    line = nil
    while let text = try lines.next() {
      switch parser.parse(text) {
      case .ignored: continue
      case .entry(let entry): line = entry
      case .malformed: isMalformed = true
      }
      return
    }
  }

  /// Returns true if one of the digests of a record has these bytes.
  private mutating func has(
    _ digest: UnsafeRawBufferPointer, _ digests: RecordDigests
  ) -> Bool {
    if self.digest.count < digest.count { self.digest = Array(repeating: 0, count: digest.count) }
    return self.digest.withUnsafeMutableBytes { memory in
      var isFound = false
      digests.forEachReversed { algorithm, digits in
        guard algorithm.byteCount == digest.count,
          let out = memory.baseAddress?.assumingMemoryBound(to: UInt8.self),
          let text = digits.baseAddress?.assumingMemoryBound(to: UInt8.self)
        else { return }
        kernel_bytes(out, text, digest.count)
        isFound =
          isFound
          || UnsafeRawBufferPointer(rebasing: memory[..<digest.count]).hasSameBytes(as: digest)
      }
      return isFound
    }
  }
}
