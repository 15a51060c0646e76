// From manifests to files to read.

internal import Glibc
internal import SystemPackage
internal import Weir

/// Turns manifests into items for the file processor, as they are asked for.
///
/// Lines that follow each other with the same name become one item, so a line
/// is kept until the next one is known.
///
/// @unchecked Sendable: used by the thread that feeds alone.
final class CheckFeed: @unchecked Sendable {
  private var manifests: ArraySlice<CheckManifest>
  private var parser: ManifestParser
  /// Of the manifest that is read, where it is one of mtree(5).
  private var mtree: MtreeParser?
  private var other = CheckOther()
  /// The directories in it that may be missing, and are.
  private var absent = AbsentDirectories()
  /// Whether there is an entry in it, and whether something in it is malformed.
  private var hasEntry = false
  private var hasMalformed = false
  /// Whether the form of the manifest is known.
  private var isKnown = false
  private let terminator: UInt8
  private let descriptors: DescriptorNames
  private var index: UInt32 = 0

  private var reader: ManifestReader?
  private var isOwned = false
  /// The manifest, where it is a descriptor that was open before.
  private var ownDescriptor: FileDescriptor?
  /// Whether more of it may be long in coming.
  private var isSlow = false
  private var isFlushed = false
  /// The number of the line in which an entry of mtree(5) began.
  private var entryNumber = 0

  /// The line that waits for the next one, and the one given out last.
  private var waiting = CheckPlace()
  private var given = CheckPlace()
  private var note = CheckNoteMemory()
  /// What is to be given after the line that waited.
  private var next: CheckNote.Header?
  private let unsupported = UnsupportedLine()
  /// Told of entries of mtree(5) that get no verdict with their name: and whether
  /// that is since they are to be ignored.
  private let passed: (UnsafeRawBufferPointer, _ isIgnored: Bool) -> Void
  /// With a line that is not supported, the tag it has.
  private var nextTag = ""

  init(
    _ manifests: [CheckManifest], parser: ManifestParser, terminator: UInt8,
    descriptors: DescriptorNames,
    passed: @escaping (UnsafeRawBufferPointer, _ isIgnored: Bool) -> Void = { _, _ in }
  ) {
    self.passed = passed
    self.descriptors = descriptors
    self.manifests = manifests[...]
    self.parser = parser
    self.terminator = terminator
  }

  deinit {
    close()
  }

  /// The next item; `nil` at the end of the last manifest.
  func item() -> FileItem? {
    while true {
      if let header = next {
        next = nil
        return give(header)
      }
      if let reader {
        if let item = read(reader) { return item }
      } else {
        guard let manifest = manifests.popFirst() else { return nil }
        if let failure = open(manifest) { next = end(lines: 0, error: failure) }
      }
    }
  }

  // MARK: Lines

  /// Reads on until there is something to give, or the manifest is done with.
  private func read(_ reader: ManifestReader) -> FileItem? {
    do throws(Errno) {
      while true {
        if isSlow && !reader.hasNext && !isFlushed {
          if waiting.isFull { return giveWaiting() }
          isFlushed = true
          return .flush
        }
        isFlushed = false
        guard let line = try reader.next() else {
          if mtree?.finish() == false { return refuse(entryNumber) }
          break
        }
        let number = reader.lineNumber
        let text = number == 1 ? CheckFeed.withoutMark(line) : line
        if !isKnown { recognize(text, number: number) }
        if let mtree {
          if let item = take(text, mtree, number: number) { return item }
        } else if let item = take(text, number: number) {
          return item
        }
      }
      next = end(lines: reader.lineNumber, error: 0)
    } catch {
      next = end(lines: reader.lineNumber, error: error.rawValue)
    }
    close()
    return waiting.isFull ? giveWaiting() : nil
  }

  /// A manifest's first line without the byte order mark that some editors put
  /// before it.
  static func withoutMark(
    _ line: UnsafeMutableRawBufferPointer
  ) -> UnsafeMutableRawBufferPointer {
    line.starts(with: [0xEF, 0xBB, 0xBF])
      ? UnsafeMutableRawBufferPointer(rebasing: line.dropFirst(3)) : line
  }

  /// Takes a line. Returns what can be given now.
  private func take(_ line: UnsafeMutableRawBufferPointer, number: Int) -> FileItem? {
    switch parser.parse(line) {
    case .ignored: return nil
    case .entry(let entry) where isReadable(entry):
      if waiting.has(entry.name) {
        waiting.add(entry, number: number)
        return nil
      }
      let item = waiting.isFull ? giveWaiting() : nil
      waiting.put(entry, number: number, manifest: index)
      return item
    case .entry(let entry):
      let byteCount = entry.digest.count
      return refuse(
        number,
        tag: byteCount == entry.algorithm.byteCount
          ? nil : UnsupportedLine.tag(ofBLAKE2bWith: byteCount))
    case .malformed:
      return refuse(number, tag: unsupported.tag(of: line))
    }
  }

  // MARK: mtree(5)

  /// Finds out in which form a manifest is, by a line of it.
  private func recognize(_ line: UnsafeMutableRawBufferPointer, number: Int) {
    // Its lines end in newlines.
    if terminator == 0 { return isKnown = true }
    switch MtreeSign.look(at: UnsafeRawBufferPointer(line), isFirst: number == 1) {
    case .mtree:
      mtree = MtreeParser()
      isKnown = true
    case .other: isKnown = true
    case .nothing: break
    }
  }

  /// Takes a line of a manifest of mtree(5). Returns what can be given now.
  private func take(
    _ line: UnsafeMutableRawBufferPointer, _ mtree: MtreeParser, number: Int
  ) -> FileItem? {
    if !mtree.isContinued { entryNumber = number }
    switch mtree.parse(line) {
    case .ignored, .comment: return nil
    case .malformed: return refuse(entryNumber)
    case .entry(let entry): return give(entry, number: entryNumber)
    }
  }

  private func give(_ entry: MtreeEntry, number: Int) -> FileItem? {
    hasEntry = true
    if entry.isIgnored {
      passed(entry.name, true)
      return nil
    }
    var entry = entry
    if absent.hold(entry.name) { entry.isOptional = true }
    if let type = entry.type, type != .file && type != .blockDevice {
      let verdict = other.verdict(on: entry)
      if type == .directory && verdict.kind == CheckVerdict.Kind.passed.rawValue {
        absent.insert(entry.name)
      }
      note.begin(header(.other, number: number))
      note.append(verdict, entry.name)
      return .note(note.finished())
    }
    if entry.digests.isEmpty, let tag = entry.otherDigest {
      passed(entry.name, false)
      return refuse(number, tag: tag)
    }
    // Nobody else writes standard input, so in what they write `-` is a file.
    let isFile = DashFile.isDash(entry.name) && !entry.isBare
    let descriptor = isFile ? nil : descriptors.descriptor(of: entry.name)
    if let descriptor, descriptor == ownDescriptor { return refuse(number) }
    note.begin(header(.entry, number: number))
    note.append(entry, number: number)
    if let descriptor {
      return .descriptor(descriptor, name: entry.name, note: note.finished())
    }
    return FileItem(path: entry.name, note: note.finished(), isWalked: false)
  }

  private func header(_ kind: CheckNote.Kind, number: Int) -> CheckNote.Header {
    CheckNote.Header(kind: kind.rawValue, manifest: index, line: UInt64(number))
  }

  /// Says that there is no answer to a line.
  private func refuse(_ number: Int, tag: String? = nil) -> FileItem? {
    let kind: CheckNote.Kind = tag == nil ? .malformed : .unsupported
    hasMalformed = hasMalformed || tag == nil
    next = CheckNote.Header(kind: kind.rawValue, manifest: index, line: UInt64(number))
    nextTag = tag ?? ""
    return waiting.isFull ? giveWaiting() : next.take().map(give)
  }

  /// Whether there can be an answer to a line.
  private func isReadable(_ entry: ManifestLine) -> Bool {
    entry.digest.count == entry.algorithm.byteCount
      && (ownDescriptor == nil || descriptors.descriptor(of: entry.name) != ownDescriptor)
  }

  // MARK: Items

  private func giveWaiting() -> FileItem {
    swap(&waiting, &given)
    waiting.empty()
    let name = given.name
    if let descriptor = descriptors.descriptor(of: name) {
      return .descriptor(descriptor, name: name, note: given.note)
    }
    return FileItem(path: name, note: given.note, isWalked: false)
  }

  private func give(_ header: CheckNote.Header) -> FileItem {
    note.begin(header)
    if header.kind == CheckNote.Kind.unsupported.rawValue { note.append(tag: nextTag) }
    return .note(note.finished())
  }

  // MARK: Manifests

  private func end(lines: Int, error: Int32) -> CheckNote.Header {
    defer { index += 1 }
    let isProper = mtree != nil && (hasEntry || !hasMalformed)
    return CheckNote.Header(
      kind: CheckNote.Kind.end.rawValue, count: isProper ? 1 : 0, manifest: index,
      line: UInt64(lines), error: error)
  }

  /// Opens a manifest. Returns 0 or why not: an errno value, or -1 for what is
  /// special.
  private func open(_ manifest: CheckManifest) -> Int32? {
    ownDescriptor = nil
    isFlushed = false
    isKnown = false
    mtree = nil
    absent = AbsentDirectories()
    hasEntry = false
    hasMalformed = false
    let descriptor: Int32
    switch manifest.source {
    case .descriptor(let given):
      descriptor = given.rawValue
      ownDescriptor = given
      isOwned = false
    case .path(let path, let directory):
      descriptor = CheckFeed.openFile(path, from: directory)
      if descriptor < 0 { return errno }
      isOwned = true
    }
    var status = stat()
    if fstat(descriptor, &status) != 0 { return failed(descriptor, errno) }
    let type = status.st_mode & S_IFMT
    isSlow = type != S_IFREG && type != S_IFBLK
    if type == S_IFDIR { return failed(descriptor, EISDIR) }
    if isOwned && isSlow { return failed(descriptor, CheckFeed.special) }
    reader = ManifestReader(FileDescriptor(rawValue: descriptor), terminator: terminator)
    return nil
  }

  /// In the place of an errno value: not to be read.
  static let special: Int32 = -1

  static func openFile(_ path: [UInt8], from directory: Int32) -> Int32 {
    if path.isEmpty || path.contains(0) {
      errno = path.isEmpty ? ENOENT : EINVAL
      return -1
    }
    let text = (path + [0]).map { CChar(bitPattern: $0) }
    while true {
      let descriptor = openat(
        directory, text, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
      if descriptor >= 0 || errno != EINTR { return descriptor }
    }
  }

  private func failed(_ descriptor: Int32, _ error: Int32) -> Int32 {
    if isOwned { _ = Glibc.close(descriptor) }
    return error
  }

  private func close() {
    if let reader, isOwned { try? reader.descriptor.close() }
    reader = nil
  }
}

/// A name and what is expected of it, in memory of their own.
private struct CheckPlace: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)
  private var length = 0
  private var expected = CheckNoteMemory()
  private(set) var isFull = false

  deinit { memory.deallocate() }

  var name: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<length]) }

  var note: UnsafeRawBufferPointer {
    mutating get { expected.finished() }
  }

  /// Whether it waits for lines of this name, and has room for one more.
  func has(_ other: UnsafeRawBufferPointer) -> Bool {
    guard isFull, length == other.count, expected.header.count < CheckNote.countMax,
      let ours = memory.baseAddress, let theirs = other.baseAddress
    else { return false }
    return memcmp(ours, theirs, length) == 0
  }

  mutating func put(_ entry: ManifestLine, number: Int, manifest: UInt32) {
    if memory.count < entry.name.count {
      memory.deallocate()
      memory = .allocate(byteCount: entry.name.count * 2, alignment: 1)
    }
    memory.copyMemory(from: entry.name)
    length = entry.name.count
    isFull = true
    expected.begin(
      CheckNote.Header(
        kind: CheckNote.Kind.file.rawValue, manifest: manifest, line: UInt64(number)))
    add(entry, number: number)
  }

  mutating func add(_ entry: ManifestLine, number: Int) {
    expected.append(entry, number: number)
  }

  mutating func empty() {
    isFull = false
  }
}
