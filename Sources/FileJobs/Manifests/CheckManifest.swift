internal import WeirLibC
public import SystemPackage
internal import Weir

/// A manifest to verify.
public struct CheckManifest: Sendable {
  enum Source: Sendable {
    /// A path below a directory, as in openat(2).
    case path([UInt8], from: Int32)
    case descriptor(FileDescriptor)
  }

  let source: Source
  /// The path of the records of the same files as mtree(5), in the same order, relative to the
  /// directory of `source`; `nil` if there are none, or not to be used.
  package var records: [UInt8]?

  /// A file, which the check opens when it comes to it. The check accepts regular files and
  /// block devices only: the open of a FIFO could wait for its other side without end.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the path, without a NUL.
  ///   - directory: An open directory in which a relative path begins, and which has to stay
  ///     open; `nil` for the working directory.
  public static func path(
    bytes: some Sequence<UInt8>, from directory: FileDescriptor? = nil
  ) -> CheckManifest {
    CheckManifest(source: .path(Array(bytes), from: directory?.rawValue ?? AT_FDCWD))
  }

  /// The contents of a descriptor, which is not closed. Its lines cannot name the same
  /// descriptor.
  public static func descriptor(_ descriptor: FileDescriptor) -> CheckManifest {
    CheckManifest(source: .descriptor(descriptor))
  }
}

/// The reason for which a manifest was not read, or not to its end.
public enum CheckManifestFailure: Sendable, Equatable {
  /// An open or a read failed.
  case failed(Errno)
  /// The manifest is a FIFO, a socket or a character device.
  case special
  /// The manifest is UTF-16.
  case utf16
}

extension CheckManifest {
  static func open(_ path: [UInt8], from directory: Int32) throws(Errno) -> FileDescriptor {
    if path.contains(0) { throw .invalidArgument }
    let flags = O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
    return try withPath(path) { (path) throws(Errno) in
      FileDescriptor(rawValue: try retryingOnInterrupt { openat(directory, path, flags) })
    }
  }

  /// Returns true if a manifest's first line begins with the byte order mark of UTF-16.
  static func isUTF16(_ line: UnsafeMutableRawBufferPointer) -> Bool {
    line.starts(with: [0xFF, 0xFE]) || line.starts(with: [0xFE, 0xFF])
  }

  /// Returns a manifest's first line without the byte order mark that some editors add.
  static func withoutByteOrderMark(
    _ line: UnsafeMutableRawBufferPointer
  ) -> UnsafeMutableRawBufferPointer {
    line.starts(with: [0xEF, 0xBB, 0xBF])
      ? UnsafeMutableRawBufferPointer(rebasing: line.dropFirst(3)) : line
  }
}

// MARK: - Reading ahead

extension CheckManifest {
  /// Returns the size of a check of some manifests: the number of names (consecutive lines with the
  /// same name count once), and that of bytes to read, `nil` if a manifest records no sizes. Returns
  /// `nil` if a manifest is not a regular file.
  ///
  /// Reads the manifests from end to end.
  ///
  /// - Parameters:
  ///   - manifests: The manifests.
  ///   - isZeroTerminated: True if lines end in NUL instead of a newline.
  ///   - isOver: Asked now and then; true ends the reading with `nil`.
  ///
  /// Blocks: as reading files does.
  package static func size(
    of manifests: [CheckManifest], isZeroTerminated: Bool = false, until isOver: () -> Bool
  ) -> (names: UInt64, bytes: UInt64?)? {
    var size: (names: UInt64, bytes: UInt64?) = (0, 0)
    for manifest in manifests {
      let isRead = manifest.forEachName(isZeroTerminated) { _, bytes, number in
        size.names += 1
        size.bytes = bytes.flatMap { bytes in size.bytes.map { $0 &+ bytes } }
        return !(number & 0xFFF == 0 && isOver())
      }
      if !isRead { return nil }
    }
    return size
  }

  /// Calls a closure with each name of a file, its recorded size, and the number of its line,
  /// until it returns false. Returns false if it did, or if the manifest is not a regular file.
  package func forEachName(
    _ isZeroTerminated: Bool, _ body: (UnsafeRawBufferPointer, UInt64?, Int) -> Bool
  ) -> Bool {
    guard case .path(_, let directory) = source else { return false }
    let manifest = records.map { CheckManifest(source: .path($0, from: directory)) } ?? self
    let isZeroTerminated = isZeroTerminated && records == nil
    var last: [UInt8] = []
    var isWhole = true
    let failure = manifest.forEachLine(isZeroTerminated) { line, number in
      switch line {
      case .entry(let entry) where !entry.digests.isEmpty && !entry.isIgnored:
        isWhole = body(entry.name, entry.size ?? 0, number)
      case .checksum(let entry):
        if last.elementsEqual(entry.name) { return true }
        last.removeAll(keepingCapacity: true)
        last.append(contentsOf: entry.name)
        isWhole = body(entry.name, nil, number)
      case .entry, .malformed: break
      }
      return isWhole
    }
    return failure == nil && isWhole
  }

  /// A line of a manifest, valid until the next one.
  enum Line {
    case checksum(ManifestLine)
    case entry(MtreeEntry)
    case malformed
  }

  /// Calls a closure with each line that is neither empty nor a comment, and with its number, until
  /// the closure returns false. Returns the reason for which the rest was not read.
  ///
  /// - Parameter untagged: The algorithms of untagged lines; any if there is none.
  func forEachLine(
    _ isZeroTerminated: Bool, untagged: [DigestAlgorithm] = [],
    _ body: (Line, Int) -> Bool
  ) -> CheckManifestFailure? {
    do throws(Errno) {
      let descriptor: FileDescriptor
      switch source {
      case .descriptor(let given): descriptor = given
      case .path(let path, let directory):
        descriptor = try CheckManifest.open(path, from: directory)
      }
      defer { if case .path = source { close(descriptor.rawValue) } }
      if case .path = source {
        let type = EntryType(mode: try stat(of: descriptor).st_mode)
        if type == .directory { throw .isDirectory }
        if type != .file && type != .blockDevice { return .special }
      }
      let parser = ManifestParser(untagged: untagged, isZeroTerminated: isZeroTerminated)
      return try CheckManifest.forEachLine(of: descriptor, isZeroTerminated, parser, body)
    } catch {
      return .failed(error)
    }
  }

  private static func forEachLine(
    of descriptor: FileDescriptor, _ isZeroTerminated: Bool, _ parser: ManifestParser,
    _ body: (Line, Int) -> Bool
  ) throws(Errno) -> CheckManifestFailure? {
    let reader = LineReader(descriptor, isZeroTerminated, parser)
    while let line = try reader.next() {
      if !body(line, reader.lineNumber) { return nil }
    }
    return reader.isUTF16 ? .utf16 : nil
  }

  /// A reader of the lines of a manifest that are neither empty nor comments.
  final class LineReader {
    private let descriptor: FileDescriptor
    private let lines: ManifestReader
    private var parser: ManifestParser
    private var entries: (any EntryParser)?
    private var isKnown: Bool
    /// The line returned last, as it is after the parse.
    private(set) var text = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// True if the manifest is UTF-16, and was not read.
    private(set) var isUTF16 = false

    init(_ descriptor: FileDescriptor, _ isZeroTerminated: Bool, _ parser: ManifestParser) {
      self.descriptor = descriptor
      self.parser = parser
      lines = ManifestReader(descriptor, terminator: isZeroTerminated ? 0 : UInt8(ascii: "\n"))
      // Lines of mtree(5) end in newlines.
      isKnown = isZeroTerminated
    }

    var lineNumber: Int { lines.lineNumber }
    /// True if the manifest has entries for directories, links and special files.
    var hasTypes: Bool { entries is MtreeParser }

    /// Returns the next line; `nil` at the end.
    func next() throws(Errno) -> Line? {
      while let line = try lines.next() {
        if lineNumber == 1 {
          isUTF16 = CheckManifest.isUTF16(line)
          if isUTF16 { return nil }
        }
        text = lineNumber == 1 ? CheckManifest.withoutByteOrderMark(line) : line
        if !isKnown { detect() }
        if let found = parse() { return found }
      }
      return entries?.finish() == false ? .malformed : nil
    }

    private func detect() {
      switch ManifestDetection.form(of: text, isFirst: lineNumber == 1, in: descriptor) {
      case .undecided: break
      case .entries(let parser): (entries, isKnown) = (parser, true)
      case .lines(let areOfSFV): (parser.readsSFV, isKnown) = (areOfSFV, true)
      }
    }

    private func parse() -> Line? {
      if let entries {
        switch entries.parse(text) {
        case .entry(let entry): return .entry(entry)
        case .malformed: return .malformed
        case .comment, .ignored: return nil
        }
      }
      switch parser.parse(text) {
      case .entry(let entry): return .checksum(entry)
      case .malformed: return .malformed
      case .ignored: return nil
      }
    }
  }
}
