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

  var source: Source
  /// The path of the records beside the manifest, relative to the directory of `source`; `nil` if
  /// there are none, or not to be used.
  package var records: [UInt8]?
  /// Called on the feeding thread.
  package var report: @Sendable (ManifestRemark) -> Void = { _ in }

  /// The way from the names in the manifest to those of files.
  package var names = NameRules()

  /// The path of the manifest from where the names of files begin; `nil` if that is the path itself.
  package var listName: [UInt8]?

  /// True if the names of files begin in another directory than the path of the manifest.
  package var isElsewhere = false

  /// The directory that an audit walks: files that are missing elsewhere may be there.
  var auditRoot: [UInt8]?

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

  /// The contents of a descriptor, which is not closed, and which its lines cannot name.
  public static func descriptor(_ descriptor: FileDescriptor) -> CheckManifest {
    CheckManifest(source: .descriptor(descriptor))
  }
}

/// A remark on what of a manifest, or of the records beside it, is not used.
package enum ManifestRemark: Sendable {
  /// The records cannot be read, or are not those of a run.
  case unusable
  /// From this line of the manifest on, the records have other names or digests.
  case differs(line: Int)
  /// The number of entries that later ones of the same name replace, as mtree(8) reads them.
  case replaced(Int)
  /// Two names of a bag that differ only in case or in the form of Unicode, and the number of such.
  case twins([UInt8], [UInt8], Int)
}

/// The reason for which a manifest was not read, or not to its end.
public enum CheckManifestFailure: Sendable, Equatable {
  /// An open or a read failed.
  case failed(Errno)
  /// The manifest is a FIFO, a socket or a character device.
  case special
  /// The file is of another kind.
  case foreign(ForeignFile)
  /// Nothing that the manifest lists is there.
  case absent(AbsentTree)

  /// In place of an errno value: the manifest is special, or of the first foreign kind. Those that
  /// follow have the numbers below.
  static let (specialCode, foreignCode) = (Int32(-1), Int32(-16))

  /// - Parameter error: An errno value, ``specialCode``, or the code of a ``ForeignFile``.
  init(_ error: Int32) {
    if error == CheckManifestFailure.specialCode {
      self = .special
    } else if let foreign = ForeignFile(index: Int(CheckManifestFailure.foreignCode - error)) {
      self = .foreign(foreign)
    } else {
      self = .failed(Errno(rawValue: error))
    }
  }

  static func code(of foreign: ForeignFile) -> Int32 { foreignCode - Int32(foreign.index) }
}

extension CheckManifest {
  static func open(_ path: [UInt8], from directory: Int32) throws(Errno) -> FileDescriptor {
    if path.contains(0) { throw .invalidArgument }
    return try openFile(path, O_RDONLY | O_NOCTTY | O_NONBLOCK, from: directory)
  }

  /// Returns the name of a line that is a digest alone: in `a.iso.sha256` or `a.iso.sha256sum`,
  /// `a.iso`; empty if the extension is of no algorithm. If names of files begin elsewhere
  /// (`isApart`), it is the last component.
  static func loneName(of path: [UInt8], isApart: Bool) -> [UInt8] {
    guard let dot = path.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return [] }
    let word = String(decoding: path[(dot + 1)...], as: UTF8.self).lowercased()
    let algorithm = word.hasSuffix("sum") ? String(word.dropLast(3)) : word
    if DigestAlgorithm(algorithm) == nil { return [] }
    let name = path[..<dot]
    let slash = name.lastIndex(of: .slash) ?? -1
    if slash == dot - 1 { return [] }
    return Array(isApart ? name[(slash + 1)...] : name)
  }

  /// Returns the number of names (consecutive lines with the same name count once) and of bytes to
  /// read, which is `nil` if a manifest records no sizes. Returns `nil` if a manifest is not a
  /// regular file, or if `isOver`, which is asked now and then, returns true.
  ///
  /// Reads the manifests, or the records beside them instead, from end to end.
  ///
  /// Blocks: as reading files does.
  package static func size(
    of manifests: [CheckManifest], isZeroTerminated: Bool = false, until isOver: () -> Bool
  ) -> (names: UInt64, bytes: UInt64?)? {
    var size: (names: UInt64, bytes: UInt64?) = (0, 0)
    for manifest in manifests {
      guard case .path(_, let directory) = manifest.source else { return nil }
      let records = manifest.records.map { CheckManifest(source: .path($0, from: directory)) }
      var last: [UInt8] = []
      let failure = (records ?? manifest).forEachLine(isZeroTerminated && records == nil) {
        line, number in
        switch line {
        case .entry(let entry) where !entry.digests.isEmpty && !entry.isIgnored:
          size.names += 1
          size.bytes = size.bytes.map { $0 &+ (entry.size ?? 0) }
        case .checksum(let entry) where !last.elementsEqual(entry.name):
          last.removeAll(keepingCapacity: true)
          last.append(contentsOf: entry.name)
          size.names += 1
          size.bytes = nil
        case .checksum, .entry, .malformed, .nothing: break
        }
        return !(number & 0xFFF == 0 && isOver())
      }
      if failure != nil || isOver() { return nil }
    }
    return size
  }

  /// Calls a closure with each line that is neither empty nor a comment, and its number, until it
  /// returns false. Returns the reason for which the rest was not read.
  func forEachLine(
    _ isZeroTerminated: Bool, untagged: [DigestAlgorithm] = [],
    _ body: (Line, Int) -> Bool
  ) -> CheckManifestFailure? {
    do throws(Errno) {
      let parser = ManifestParser(untagged: untagged, isZeroTerminated: isZeroTerminated)
      let lines = try LineReader(self, isZeroTerminated, parser)
      while let line = try lines.next(), body(line, lines.lineNumber) {}
      return lines.foreign.map { .foreign($0) }
    } catch {
      return CheckManifestFailure(error.rawValue)
    }
  }

  /// A line of a manifest, valid until the next one.
  enum Line {
    case checksum(ManifestLine)
    case entry(MtreeEntry)
    case malformed
    /// The line is empty or a comment, or continues; ``LineReader/next()`` leaves it out.
    case nothing

    /// The entry, if the line is one of mtree(5) or of hashdeep.
    var entry: MtreeEntry? { if case .entry(let entry) = self { entry } else { nil } }

    var name: UnsafeRawBufferPointer {
      switch self {
      case .checksum(let line): line.name
      case .entry(let entry): entry.name
      case .malformed, .nothing: .empty
      }
    }
  }

  /// A reader of the lines of a manifest that are neither empty nor comments.
  final class LineReader {
    let descriptor: FileDescriptor
    private let isOwned: Bool
    private let terminator: UInt8
    private let lines: ManifestReader
    private let newParser: ManifestParser
    private let loneName = ByteBuffer()
    private var parser: ManifestParser
    private var entries: (any EntryParser)?
    private(set) var isKnown: Bool
    /// True if a read may wait, since the manifest is neither a regular file nor a disk.
    let isSlow: Bool
    /// The offset of the first line.
    private let begin: Int64
    /// The line returned last, as it is after the parse.
    private(set) var text = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// The number of the line at which the one returned last begins.
    private(set) var number = 0
    private let names: ListedNames
    /// The kind of a file that is no list, and was not read.
    private(set) var foreign: ForeignFile?
    private var signed = SignedText()
    private var replaced: ReplacedEntries?
    /// The number of entries that were left out, since later ones replace them.
    private(set) var replacedCount = 0

    /// Makes a reader that begins at `begin`, or else at the descriptor's offset, and closes the
    /// descriptor at the end if it is owned.
    private init(
      _ descriptor: FileDescriptor, _ isZeroTerminated: Bool, _ parser: ManifestParser,
      isOwned: Bool = false, from begin: Int64? = nil, names: ListedNames = ListedNames()
    ) {
      (self.descriptor, self.isOwned, self.names) = (descriptor, isOwned, names)
      (self.parser, newParser) = (parser, parser)
      terminator = isZeroTerminated ? 0 : UInt8(ascii: "\n")
      let type = (try? stat(of: descriptor)).map { FileWalk.EntryType(mode: $0.st_mode) }
      isSlow = type != .file && type != .blockDevice
      lines = ManifestReader(descriptor, from: begin, terminator: terminator, skipsMark: true)
      self.begin = begin ?? Int64(lseek(descriptor.rawValue, 0, SEEK_CUR))
      // Only lines of checksum tools can end in NUL.
      isKnown = isZeroTerminated
      self.parser.readsOthers = !isZeroTerminated
    }

    /// Opens a manifest. Throws an errno value, or ``CheckManifestFailure/specialCode``.
    convenience init(
      _ manifest: CheckManifest, _ isZeroTerminated: Bool, _ parser: ManifestParser
    ) throws(Errno) {
      switch manifest.source {
      case .descriptor(let given):
        let names = ListedNames(manifest.names)
        self.init(given, isZeroTerminated, parser, names: names)
      case .path(let path, let directory):
        let opened = try CheckManifest.open(path, from: directory)
        let names = ListedNames(manifest.names, of: manifest.listName ?? path)
        self.init(opened, isZeroTerminated, parser, isOwned: true, names: names)
        let isApart = manifest.isElsewhere || manifest.names.areBesideList || directory != AT_FDCWD
        self.parser.loneName = loneName.hold(
          CheckManifest.loneName(of: path, isApart: isApart))
      }
      if try stat(of: descriptor).st_mode & S_IFMT == S_IFDIR { throw .isDirectory }
      if isOwned && isSlow { throw Errno(rawValue: CheckManifestFailure.specialCode) }
    }

    deinit { if isOwned { close(descriptor.rawValue) } }

    /// Returns a reader of the same lines from the first one on; the manifest must not be slow.
    func again() -> LineReader {
      LineReader(descriptor, terminator == 0, newParser, from: begin, names: names.again())
    }

    var lineNumber: Int { lines.lineNumber }
    /// True if ``step()`` can return without a read.
    var hasNext: Bool { lines.hasNext }
    /// True if the manifest has entries for directories, links and special files.
    var hasTypes: Bool { entries is MtreeParser }
    /// True if the lines are entries, and not those of a checksum tool.
    var hasEntries: Bool { entries != nil }
    /// True if a malformed line shows that the manifest is read in a wrong way.
    var isDamaged: Bool { hasEntries || parser.hasDamage }

    func next() throws(Errno) -> Line? {
      while let line = try step() {
        if case .nothing = line { continue }
        return line
      }
      return nil
    }

    /// Reads a line of text; `nil` at the end.
    func step() throws(Errno) -> Line? {
      guard foreign == nil, let line = try lines.next() else {
        number = lineNumber
        let last = take(entries?.finish() ?? .ignored)
        if case .nothing = last { return signed.takeCut() ? .malformed : nil }
        return last
      }
      text = line
      let newline = UInt8(ascii: "\n")
      if terminator == 0, lineNumber == 1,
        lines.overlong?.contains(newline) ?? (lines.isCut && text.last == newline)
      {
        foreign = .linesOfText
      }
      // In SFV a name stands first, and can look like armour.
      if terminator != 0 && !parser.readsSFV && signed.takes(text) { return .nothing }
      if !isKnown || lineNumber == 1 { detect() }
      if foreign != nil { return nil }
      if entries?.isContinued != true { number = lineNumber }
      return parse()
    }

    private func detect() {
      // A pipe cannot be looked through.
      let file = isSlow ? nil : descriptor
      let form = ManifestDetection.form(
        of: text.withoutReturn, isFirst: lineNumber == 1, in: file)
      if case .foreign(let found) = form { foreign = found }
      if isKnown { return }
      switch form {
      case .undecided, .foreign: break
      case .entries(let parser):
        (entries, isKnown) = (parser, true)
        if hasTypes && !isSlow && !text.starts(with: MtreeParser.ownMark) {
          replaced = ReplacedEntries(in: descriptor, from: begin)
        }
      case .lines(let areOfSFV): (parser.readsSFV, isKnown) = (areOfSFV, true)
      }
    }

    private func parse() -> Line {
      guard let entries else {
        return switch parser.parse(text) {
        case .entry(let entry):
          names.file(of: entry, endsInReturn: { endsInReturn }).map { .checksum($0) } ?? .malformed
        case .malformed: .malformed
        case .ignored: .nothing
        }
      }
      let record = entries.parse(text)
      if entries.isLate { number = lineNumber - 1 }
      return take(record)
    }

    /// True if each line ends in a carriage return, as far as the manifest can be read again.
    private lazy var endsInReturn: Bool = {
      let lines = isSlow ? nil : ManifestReader(descriptor, from: begin)
      while let line = try? lines?.next(), lines?.isCut == false {
        if !line.isEmpty && line.last != UInt8(ascii: "\r") { return false }
      }
      return true
    }()

    private func take(_ record: MtreeContent) -> Line {
      switch record {
      case .entry(let entry):
        if replaced?.contain(entry, at: number) == true {
          replacedCount += 1
          return .nothing
        }
        return names.file(of: entry).map { .entry($0) } ?? .malformed
      case .malformed: return .malformed
      case .comment, .ignored: return .nothing
      }
    }
  }
}
