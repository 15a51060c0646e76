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
    private let terminator: UInt8

    /// Lines for an algorithm: `DIGEST  NAME`, or `TAG (NAME) = DIGEST` where
    /// that is asked for or its own tool knows no other.
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm.
    ///   - isTagged: Whether lines are tagged in any case.
    ///   - isZeroTerminated: Whether a line ends in NUL instead of a newline.
    ///     Then names are not escaped.
    public init(
      _ algorithm: DigestAlgorithm, isTagged: Bool = false, isZeroTerminated: Bool = false
    ) {
      digitCount = algorithm.byteCount * 2
      self.isTagged = isTagged || algorithm.isAlwaysTagged
      beforeName = Array((self.isTagged ? "\(algorithm.tag) (" : "  ").utf8)
      afterName = Array((self.isTagged ? ") = " : "").utf8)
      terminator = isZeroTerminated ? 0 : UInt8(ascii: "\n")
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
      write(name: name, digest: digest.bytes, to: out)
    }

    /// Writes a line with the bytes of a digest. Returns how many bytes it has.
    func write(
      name: UnsafeRawBufferPointer, digest: UnsafeRawBufferPointer,
      to out: UnsafeMutableRawBufferPointer
    ) -> Int {
      var line = LineWriter(out)
      let isEscaped = terminator != 0 && name.contains(where: LineWriter.isEscaped)
      if isEscaped { line.append(LineWriter.backslash) }
      if !isTagged { line.append(hexadecimal: digest) }
      line.append(beforeName)
      if isEscaped { line.append(escaping: name) } else { line.append(name) }
      line.append(afterName)
      if isTagged { line.append(hexadecimal: digest) }
      line.append(terminator)
      return line.count
    }
  }
#endif
