// The digests of files, as GNU's checksum tools write them.

#if Tool
  internal import SystemPackage
  internal import Weir

  /// Writes a line for each file that is named.
  struct DropInHash: Sendable {
    private let streams: DropInStreams
    private let names: [[UInt8]]
    private let files: DropInFiles<HashLine>

    init(_ tool: DropIn, _ options: DropInOptions, _ streams: DropInStreams) {
      self.streams = streams
      names = options.names
      files = DropInFiles(
        tool.algorithm, HashLine(tool, options), streams, isAlone: names.count == 1)
    }

    /// Reads and writes all.
    func run() -> DropInOutcome {
      let isWell = Locked(true)
      files.run(names.map(FileSource.named)) { [streams] name, outcome in
        switch outcome {
        case .line(let line):
          streams.write(line)
        case .failed(let error):
          streams.say(QuotedName.bytes(of: name), error: error.rawValue)
          isWell.with { $0 = false }
        }
      }
      return DropInOutcome(
        isWell: isWell.with { $0 },
        hasReadStandardInput: names.contains(DropInOptions.standardInput))
    }
  }

  extension FileSource {
    /// A file by its name, where "-" is standard input.
    static func named(_ name: [UInt8]) -> FileSource {
      name == DropInOptions.standardInput
        ? .descriptor(.standardInput, name: name) : .path(bytes: name)
    }
  }

  /// `DIGEST  NAME`, or `TAG (NAME) = DIGEST`.
  struct HashLine: DropInLine {
    private let beforeName: [UInt8]
    private let isTagged: Bool
    private let terminator: UInt8
    private let digitCount: Int

    init(_ tool: DropIn, _ options: DropInOptions) {
      isTagged = options.isTagged
      terminator = options.isZeroTerminated ? 0 : UInt8(ascii: "\n")
      digitCount = DropInDigest.digitCount(of: tool.algorithm)
      beforeName =
        options.isTagged
        ? Array("\(tool.tag) (".utf8) : Array(options.mode == .binary ? " *".utf8 : "  ".utf8)
    }

    func capacity(_ name: UnsafeRawBufferPointer) -> Int {
      1 + digitCount + beforeName.count + 2 * name.count + ") = ".utf8.count + 1
    }

    func write(
      _ name: UnsafeRawBufferPointer, _ digest: DropInDigest,
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
#endif
