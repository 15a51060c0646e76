// The digests of files, as GNU's checksum tools write them.

internal import SystemPackage
internal import Weir

/// Writes a line for each file that is named.
struct DropInHash: Sendable {
  private let tool: DropIn
  private let options: DropInOptions
  private let streams: DropInStreams

  init(_ tool: DropIn, _ options: DropInOptions, _ streams: DropInStreams) {
    self.tool = tool
    self.options = options
    self.streams = streams
  }

  /// Reads and writes all.
  func run(_ standard: StandardDescriptors) -> DropInOutcome {
    let files = DropInFiles(
      HashLine(tool, options), streams, standard, isSingle: options.nameCount == 1)
    let isWell = Locked(true)
    let next = Locked(0)
    let feed: @Sendable () -> DropInItem? = { [options] in
      let index = next.with { next in
        defer { next += 1 }
        return next
      }
      guard index < options.nameCount else { return nil }
      return .file(name: options.name(at: index), note: .nothing)
    }
    files.run(feed) { [streams] result in
      switch result {
      case .line(let line):
        streams.write(line)
      case .failed(let name, let error):
        streams.say(of: name, error: error.rawValue)
        isWell.with { $0 = false }
      case .note:
        break
      }
    }
    return DropInOutcome(
      isWell: isWell.with { $0 }, hasReadStandardInput: options.namesStandardInput)
  }
}

/// `DIGEST  NAME`, or `TAG (NAME) = DIGEST`.
struct HashLine: DropInLine {
  private let beforeName: [UInt8]
  private let isTagged: Bool
  private let terminator: UInt8
  private let algorithm: String
  private let digitCount: Int

  init(_ tool: DropIn, _ options: DropInOptions) {
    isTagged = options.isTagged
    terminator = options.isZeroTerminated ? 0 : UInt8(ascii: "\n")
    algorithm = tool.algorithm
    digitCount = DropInDigest.digitCount(of: algorithm)
    beforeName =
      options.isTagged
      ? Array("\(tool.tag) (".utf8) : Array(options.mode == .binary ? " *".utf8 : "  ".utf8)
  }

  func makeContent() throws(Errno) -> DropInDigest { try DropInDigest(algorithm) }

  func capacity(_ name: UnsafeRawBufferPointer) -> Int {
    1 + digitCount + beforeName.count + 2 * name.count + ") = ".utf8.count + 1
  }

  func write(
    _ name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer, _ digest: DropInDigest,
    to memory: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    var line = ByteWriter(memory)
    let name = DropInName(name, terminator == 0 ? .none : .all)
    if name.isEscaped { line.append(UInt8(ascii: "\\")) }
    if !isTagged { append(digest, to: &line) }
    beforeName.withUnsafeBytes { line.append($0) }
    name.write(to: &line)
    if isTagged {
      line.append(") = ")
      append(digest, to: &line)
    }
    line.append(terminator)
    return line.count
  }

  private func append(_ digest: DropInDigest, to line: inout ByteWriter) {
    digest.writeDigits(to: line.end)
    line.advance(by: digest.digitCount)
  }
}
