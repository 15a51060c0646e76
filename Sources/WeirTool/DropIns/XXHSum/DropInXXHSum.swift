// The digests of xxHash, as xxhsum writes them.
//
// The options, the lines and the exit status are those of xxhsum 0.8.1, and so are its messages
// about files. Not taken over: the benchmark; the name of the file in progress on standard error;
// the end of the whole run at the first read error, in place of which the file counts as
// unreadable; the success of a run whose output could not be written.

internal import FileJobs
internal import SystemPackage
internal import Weir

/// Writes a line for each name of the command line, or verifies the manifests of these names.
struct DropInXXHSum {
  private let options: DropInXXHSumOptions
  private let streams: DropInStreams

  /// Parses the command line.
  init(_ tool: DropIn, _ streams: DropInStreams) {
    options = DropInXXHSumOptions.parse(for: tool, streams)
    self.streams = streams
  }

  /// Reads all files, and ends the program.
  func run(_ standard: StandardDescriptors) -> Never {
    let isSuccess =
      options.isCheck
      ? DropInXXHSumCheck(options: options, streams: streams).run(standard) : hash(standard)
    streams.end(status: isSuccess ? 0 : 1)
  }

  private func hash(_ standard: StandardDescriptors) -> Bool {
    let files = DropInFiles(
      DropInXXHSumLine(options), streams, standard, isSingle: options.nameCount == 1)
    let isSuccess = Locked(true)
    files.run(options) { [streams] result in
      switch result {
      case .line(let line): streams.write(line)
      case .failed(let name, _, let error):
        isSuccess.with { $0 = false }
        streams.writeError(DropInXXHSum.message(name, error))
      case .note: break
      }
    }
    return isSuccess.with { $0 }
  }

  /// Returns the message about a file that could not be opened or read.
  private static func message(_ name: UnsafeRawBufferPointer, _ error: Errno) -> [UInt8] {
    let (begin, middle, end): (String, String, String)
    switch error {
    case .isDirectory, .ioError: (begin, middle, end) = ("xxhsum: ", ": ", " ")
    default: (begin, middle, end) = ("Error: Could not open '", "': ", ". ")
    }
    return Array(begin.utf8) + name + Array("\(middle)\(error)\(end)".utf8)
  }
}

/// The line of a file: `DIGEST  NAME`, or `TAG (NAME) = DIGEST`. No name is escaped.
private struct DropInXXHSumLine: DropInLine {
  private let algorithm: DigestAlgorithm
  /// The tag; empty if lines are not tagged.
  private let tag: [UInt8]
  private let isLittleEndian: Bool
  let standardInput: [UInt8]?

  init(_ options: DropInXXHSumOptions) {
    algorithm = options.algorithm
    isLittleEndian = options.isLittleEndian
    let isTagged = options.isTagged || algorithm.isAlwaysTagged
    tag = isTagged ? Array((algorithm.tag + (isLittleEndian ? "_LE" : "")).utf8) : []
    standardInput =
      options.readsStandardInput ? Array(DropInXXHSumOptions.standardInput.description.utf8) : nil
  }

  func makeContent() throws(Errno) -> Digest { try Digest(algorithm) }

  func capacity(_ name: UnsafeRawBufferPointer) -> Int {
    tag.count + name.count + 2 * algorithm.byteCount + 8
  }

  func write(
    _ name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer, _ digest: Digest,
    to memory: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    var line = LineWriter(memory)
    if tag.isEmpty {
      append(digest.bytes, to: &line)
      line.append("  ")
      line.append(name)
    } else {
      line.append(tag)
      line.append(" (")
      line.append(name)
      line.append(") = ")
      append(digest.bytes, to: &line)
    }
    line.append("\n")
    return line.count
  }

  private func append(_ digest: UnsafeRawBufferPointer, to line: inout LineWriter) {
    if !isLittleEndian { return line.append(hexadecimal: digest) }
    for byte in digest.reversed() {
      withUnsafeBytes(of: byte) { line.append(hexadecimal: $0) }
    }
  }
}
