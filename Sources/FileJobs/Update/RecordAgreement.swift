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

/// A comparison of the lines of a manifest with records.
struct RecordAgreement {
  private let lines: ManifestReader
  private var parser: ManifestParser
  private var line: ManifestLine?
  private var isMalformed = false
  private var digest: [UInt8] = []

  /// - Parameter isZeroTerminated: True if the run that made both ended lines in NUL.
  init(_ text: FileDescriptor, _ algorithms: [DigestAlgorithm], isZeroTerminated: Bool) {
    lines = ManifestReader(
      text, from: 0, terminator: isZeroTerminated ? 0 : UInt8(ascii: "\n"))
    parser = ManifestParser(
      untagged: RecordImport.untagged(algorithms), isZeroTerminated: isZeroTerminated)
  }

  /// Compares all lines with all records, in O(bytes). Returns the number of the first line that
  /// no record has, or that has to precede it; `nil` if there is none.
  mutating func firstDifference(from records: RecordReader) throws(Errno) -> Int? {
    try readLine()
    while try records.advance() {
      let record = records.record
      let digestCount = record.pointee.digestCount
      if digestCount == 0 { continue }
      var matched = 0
      while matched < digestCount, let line, !isMalformed,
        line.name.hasSameBytes(as: record.pointee.name),
        record.pointee.has(line.digest, memory: &digest)
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
}

extension FileRecord {
  fileprivate var digestCount: Int {
    switch form {
    case .line(let line): line.algorithms.count
    case .entry(_, let digests): digests.count
    }
  }

  /// Returns true if one of the digests has these bytes.
  fileprivate func has(_ digest: UnsafeRawBufferPointer, memory: inout [UInt8]) -> Bool {
    switch form {
    case .entry(_, let digests):
      return digests.contains { $0.bytes.hasSameBytes(as: digest) }
    case .line(let line):
      var end = line.rest.count
      for index in line.algorithms.reversed() {
        let algorithm = DigestAlgorithm(index: Int(index))
        let begin = end - algorithm.byteCount * 2
        if algorithm.byteCount == digest.count {
          let digits = UnsafeRawBufferPointer(rebasing: line.rest[begin..<end])
          if FileRecord.bytes(of: digits, in: &memory, are: digest) { return true }
        }
        // ` sha256=` before the digits.
        end = begin - algorithm.name.utf8.count - 2
      }
      return false
    }
  }

  private static func bytes(
    of digits: UnsafeRawBufferPointer, in memory: inout [UInt8], are digest: UnsafeRawBufferPointer
  ) -> Bool {
    if memory.count < digest.count { memory = Array(repeating: 0, count: digest.count) }
    return memory.withUnsafeMutableBytes { memory in
      guard let out = memory.baseAddress?.assumingMemoryBound(to: UInt8.self),
        let text = digits.baseAddress?.assumingMemoryBound(to: UInt8.self)
      else { return false }
      kernel_bytes(out, text, digest.count)
      return UnsafeRawBufferPointer(rebasing: memory[..<digest.count]).hasSameBytes(as: digest)
    }
  }
}
