// The lines of a manifest.

#if Tool
  /// How a digest and a name stand on a line, as GNU's and BSD's tools write
  /// them.
  public struct ChecksumLine: Sendable {
    private let digitCount: Int
    /// What stands before the name.
    private let beforeName: [UInt8]
    /// What stands behind it.
    private let afterName: [UInt8]
    private let isTagged: Bool

    /// Lines for an algorithm: `DIGEST  NAME`, or `TAG (NAME) = DIGEST` where
    /// its own tool knows no other.
    public init(_ algorithm: DigestAlgorithm) {
      digitCount = algorithm.byteCount * 2
      isTagged = algorithm.isAlwaysTagged
      beforeName = Array((isTagged ? "\(algorithm.tag) (" : "  ").utf8)
      afterName = Array((isTagged ? ") = " : "").utf8)
    }

    /// The most bytes a line for a name of `nameCount` bytes can have.
    func capacity(nameCount: Int) -> Int {
      1 + digitCount + beforeName.count + nameCount * 2 + afterName.count + 1
    }

    /// Writes a line. Returns how many bytes it has.
    ///
    /// A name that holds a newline, a carriage return or a backslash is escaped,
    /// and the line begins with a backslash to say so.
    func write(
      name: UnsafeRawBufferPointer, digest: Digest, to out: UnsafeMutableRawBufferPointer
    ) -> Int {
      var line = LineWriter(out)
      let isEscaped = name.contains(where: LineWriter.isEscaped)
      if isEscaped { line.append(LineWriter.backslash) }
      if !isTagged { line.append(digest, digitCount: digitCount) }
      line.append(beforeName)
      if isEscaped { line.append(escaping: name) } else { line.append(name) }
      line.append(afterName)
      if isTagged { line.append(digest, digitCount: digitCount) }
      line.append(UInt8(ascii: "\n"))
      return line.count
    }
  }

  /// Writes bytes one after the other into memory that is known to suffice.
  private struct LineWriter {
    static let backslash = UInt8(ascii: "\\")

    private let start: UnsafeMutablePointer<UInt8>
    private(set) var count = 0

    init(_ memory: UnsafeMutableRawBufferPointer) {
      guard let start = memory.baseAddress else { fatalError("a line needs memory") }
      self.start = start.assumingMemoryBound(to: UInt8.self)
    }

    static func isEscaped(_ byte: UInt8) -> Bool {
      byte == backslash || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    mutating func append(_ byte: UInt8) {
      start[count] = byte
      count += 1
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
      if let source = bytes.baseAddress {
        UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
      }
    }

    mutating func append(_ bytes: [UInt8]) {
      bytes.withUnsafeBytes { append($0) }
    }

    mutating func append(escaping bytes: UnsafeRawBufferPointer) {
      for byte in bytes {
        guard LineWriter.isEscaped(byte) else {
          append(byte)
          continue
        }
        append(LineWriter.backslash)
        switch byte {
        case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
        default: append(byte)
        }
      }
    }

    mutating func append(_ digest: Digest, digitCount: Int) {
      digest.writeHexadecimal(to: start + count)
      count += digitCount
    }
  }
#endif
