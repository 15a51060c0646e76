internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The source of items for the file processor, made from manifests on demand.
///
/// Consecutive lines with the same name become one item. The feed therefore holds a line
/// back until it has the next one.
///
/// @unchecked Sendable: used by the feeding thread only.
final class CheckFeed: @unchecked Sendable {
  private var manifests: ArraySlice<CheckManifest>
  /// The parser at the beginning of a manifest, and that of the current one.
  private let newParser: ManifestParser
  private var parser: ManifestParser
  /// The parser of the current manifest if that is one of mtree(5), or of hashdeep.
  private var mtree: (any EntryParser)?
  /// The current manifest if that is a bag.
  private var bag: BagCheck?
  /// The records beside the current manifest, if they are used.
  private var records: RecordedStatuses?
  private var nonFile = NonFileCheck()
  private var absent = AbsentDirectories()
  /// True if the current manifest has an entry, or a malformed line.
  private var hasEntry = false
  private var hasMalformed = false
  /// True if the format of the current manifest is known.
  private var isKnown = false
  private let terminator: UInt8
  private let descriptors: DescriptorNames
  /// The lines that get an item; `nil` for all.
  private let selection: CheckSelection?
  private var index: UInt32 = 0

  private var reader: ManifestReader?
  private var isOwned = false
  /// The current manifest if the caller gave a descriptor.
  private var ownDescriptor: FileDescriptor?
  /// True if a read of the manifest may wait.
  private var isSlow = false
  private var isFlushed = false
  /// The number of the line at which an entry of mtree(5) began.
  private var entryNumber = 0

  /// The item that waits for the next line, and the item returned last.
  private var pending = PendingItem()
  private var returned = PendingItem()
  private var note = CheckNoteWriter()
  /// The header of the note to return after the pending item.
  private var next: CheckNote.Header?
  private let unsupported = UnsupportedLine()
  /// Called with the name of each entry of mtree(5) that gets no verdict; `isIgnored` is
  /// true if the entry says so.
  private let skipped: (UnsafeRawBufferPointer, _ isIgnored: Bool) -> Void
  /// The tag of an unsupported line, for `next`.
  private var nextTag = ""

  init(
    _ manifests: [CheckManifest], parser: ManifestParser, terminator: UInt8,
    descriptors: DescriptorNames, selection: CheckSelection? = nil,
    skipped: @escaping (UnsafeRawBufferPointer, _ isIgnored: Bool) -> Void = { _, _ in }
  ) {
    self.selection = selection
    self.skipped = skipped
    self.descriptors = descriptors
    self.manifests = manifests[...]
    newParser = parser
    self.parser = parser
    self.terminator = terminator
  }

  deinit {
    close()
  }

  /// Returns the next item; `nil` at the end of the last manifest, and if the selection has
  /// failed.
  func item() -> FileItem? {
    guard let selection else { return anyItem() }
    while let item = anyItem(), selection.failure == nil {
      if selection.takesItem() { return item }
    }
    return nil
  }

  /// Returns the next item, also if it is known already.
  private func anyItem() -> FileItem? {
    while true {
      if selection?.failure != nil { return nil }
      if let header = next {
        next = nil
        return item(of: header)
      }
      if let reader {
        if let item = read(reader) { return item }
      } else if let bag {
        if let step = bag.next() { return item(of: step, bag) }
        self.bag = nil
        next = end(lines: bag.lines, error: 0)
      } else {
        guard let manifest = manifests.popFirst() else { return nil }
        do throws(Errno) {
          try open(manifest)
        } catch {
          next = end(lines: 0, error: error.rawValue)
        }
      }
    }
  }

  // MARK: Lines

  /// Reads lines up to the next item. Returns `nil` at the end of the manifest.
  private func read(_ reader: ManifestReader) -> FileItem? {
    do throws(Errno) {
      while true {
        if selection?.failure != nil { return nil }
        if isSlow && !reader.hasNext && !isFlushed {
          if pending.isFull { return takePending() }
          isFlushed = true
          return .flush
        }
        isFlushed = false
        guard let line = try reader.next() else {
          if mtree?.finish() == false { return refuse(entryNumber) }
          break
        }
        let number = reader.lineNumber
        if number == 1 && CheckManifest.isUTF16(line) {
          throw Errno(rawValue: CheckNote.utf16)
        }
        let text = number == 1 ? CheckManifest.withoutByteOrderMark(line) : line
        if !isKnown { detectFormat(text, number: number) }
        if let mtree {
          if let item = item(ofMtree: text, mtree, number: number) { return item }
        } else if let item = item(of: text, number: number) {
          return item
        }
      }
      next = end(lines: reader.lineNumber, error: 0)
    } catch {
      let lines = error.rawValue == CheckNote.utf16 ? 0 : reader.lineNumber
      next = end(lines: lines, error: error.rawValue)
    }
    close()
    return pending.isFull ? takePending() : nil
  }

  /// Parses a line of a checksum tool. Returns the item that is complete now, if any.
  private func item(of line: UnsafeMutableRawBufferPointer, number: Int) -> FileItem? {
    switch parser.parse(line) {
    case .ignored: return nil
    case .entry(let entry) where isVerifiable(entry):
      let status = records?.status(of: entry.name)
      guard isSelected(entry.name, number: number) else {
        // A line of the same name that follows may be another item.
        return pending.isFull ? takePending() : nil
      }
      let algorithm = records?.algorithm(of: entry.digest)
      if pending.accepts(entry.name, hasStatus: status != nil) {
        pending.add(entry, algorithm, number: number)
        return nil
      }
      let item = pending.isFull ? takePending() : nil
      pending.put(entry, algorithm, status, number: number, manifest: index)
      return item
    case .entry:
      return refuse(number)
    case .malformed:
      return refuse(number, tag: unsupported.tag(of: line), isDamaged: parser.hasDamage)
    }
  }

  /// Counts the line of a file, and returns true if it gets an item.
  private func isSelected(_ name: UnsafeRawBufferPointer, number: Int) -> Bool {
    guard let selection else { return true }
    selection.count()
    return selection.selects(file: name, manifest: index, line: number)
  }

  // MARK: mtree(5)

  /// Detects the format of a manifest by one of its lines.
  private func detectFormat(_ line: UnsafeMutableRawBufferPointer, number: Int) {
    // Lines of mtree(5) end in newlines.
    if terminator == 0 { return isKnown = true }
    let file = isSlow ? nil : reader?.descriptor
    switch ManifestDetection.form(of: line, isFirst: number == 1, in: file) {
    case .undecided: return
    case .entries(let parser): mtree = parser
    case .lines(let areOfSFV): parser.readsSFV = areOfSFV
    }
    isKnown = true
  }

  /// Parses a line of mtree(5). Returns its item, if any.
  private func item(
    ofMtree line: UnsafeMutableRawBufferPointer, _ mtree: any EntryParser, number: Int
  ) -> FileItem? {
    if !mtree.isContinued { entryNumber = number }
    switch mtree.parse(line) {
    case .ignored, .comment: return nil
    case .malformed: return refuse(entryNumber)
    case .entry(let entry): return item(of: entry, number: entryNumber)
    }
  }

  private func item(of entry: MtreeEntry, number: Int) -> FileItem? {
    hasEntry = true
    if entry.isIgnored {
      skipped(entry.name, true)
      return nil
    }
    var entry = entry
    if absent.contain(entry.name) { entry.isOptional = true }
    if let type = entry.type, type != .file && type != .blockDevice {
      selection?.count()
      let isSelected = selection?.selects(other: entry.name) ?? true
      // The entries below an optional directory depend on it.
      if !isSelected && !(entry.isOptional && type == .directory) { return nil }
      let verdict = nonFile.verdict(on: entry)
      if type == .directory, case .skipped = verdict { absent.insert(entry.name) }
      if !isSelected { return nil }
      note.begin(header(.other, number: number))
      note.append(verdict, entry.name)
      return .note(lent: note.finished())
    }
    if entry.digests.isEmpty, let tag = entry.otherDigest {
      skipped(entry.name, false)
      return refuse(number, tag: tag)
    }
    if !isSelected(entry.name, number: number) { return nil }
    // Other programs do not write standard input, so `-` in their manifests is a file.
    let isFile = DashFile.isDash(entry.name) && !entry.isBare
    let descriptor = isFile ? nil : descriptors.descriptor(of: entry.name)
    if let descriptor, descriptor == ownDescriptor { return refuse(number) }
    note.begin(header(.entry, number: number))
    note.append(entry, number: number)
    if let descriptor {
      return .descriptor(descriptor, lent: entry.name, note: note.finished())
    }
    return FileItem(lent: entry.name, note: note.finished(), isWalked: false)
  }

  private func header(_ kind: CheckNote.Kind, number: Int) -> CheckNote.Header {
    CheckNote.Header(kind: kind.rawValue, manifest: index, line: UInt64(number))
  }

  /// Marks a line as malformed, or as unsupported if there is a tag.
  private func refuse(
    _ number: Int, tag: String? = nil, isDamaged: Bool = false
  ) -> FileItem? {
    let kind: CheckNote.Kind = tag == nil ? .malformed : .unsupported
    hasMalformed = hasMalformed || tag == nil
    selection?.count()
    if let selection, !selection.selectsNameless {
      if tag != nil { selection.countElsewhere() }
      return pending.isFull ? takePending() : nil
    }
    next = CheckNote.Header(
      kind: kind.rawValue, count: mtree != nil || isDamaged ? 1 : 0, manifest: index,
      line: UInt64(number))
    nextTag = tag ?? ""
    return pending.isFull ? takePending() : next.take().map { item(of: $0) }
  }

  /// Returns true if a line can get a verdict.
  private func isVerifiable(_ entry: ManifestLine) -> Bool {
    ownDescriptor == nil || descriptors.descriptor(of: entry.name) != ownDescriptor
  }

  // MARK: Bags

  private func item(of step: BagCheck.Step, _ bag: BagCheck) -> FileItem {
    switch step {
    case .file(let entry, let line):
      note.begin(header(.entry, number: line))
      note.append(entry, number: line)
      return FileItem(lent: entry.name, note: note.finished(), isWalked: false)
    case .finding(let finding) where finding.isUnsupported:
      note.begin(header(.unsupported, number: 0))
      note.append(tag: finding.reason)
    case .finding(let finding):
      let path = bag.bag.path(finding.name)
      if let error = finding.error {
        note.begin(header(.other, number: 1))
        path.withUnsafeBytes { note.append(.unreadable(error), $0) }
        break
      }
      note.begin(header(.finding, number: 1))
      let text = path + [0] + finding.reason.utf8
      text.withUnsafeBytes { note.append($0) }
    }
    return .note(lent: note.finished())
  }

  // MARK: Items

  private func takePending() -> FileItem {
    swap(&pending, &returned)
    pending.empty()
    let name = returned.name
    if let descriptor = descriptors.descriptor(of: name) {
      return .descriptor(descriptor, lent: name, note: returned.note)
    }
    return FileItem(lent: name, note: returned.note, isWalked: false)
  }

  private func item(of header: CheckNote.Header) -> FileItem {
    note.begin(header)
    if header.kind == CheckNote.Kind.unsupported.rawValue { note.append(tag: nextTag) }
    if header.kind == CheckNote.Kind.end.rawValue, let selection, !selection.isOfPlan {
      note.append(elsewhere: selection.elsewhere)
    }
    return .note(lent: note.finished())
  }

  // MARK: Manifests

  /// Returns the header of the note on the end of a manifest; `nil` if another shard has it.
  private func end(lines: Int, error: Int32) -> CheckNote.Header? {
    defer { index += 1 }
    selection?.count()
    selection?.endManifest(index, error: error, isLast: manifests.isEmpty)
    if let selection, selection.isOfPlan, !selection.selectsNameless { return nil }
    let isProper = mtree != nil && (hasEntry || !hasMalformed)
    return CheckNote.Header(
      kind: CheckNote.Kind.end.rawValue, count: isProper ? 1 : 0, manifest: index,
      line: UInt64(lines), error: error)
  }

  /// - Throws: An errno value, or ``CheckNote/special``.
  private func open(_ manifest: CheckManifest) throws(Errno) {
    selection?.beginManifest()
    ownDescriptor = nil
    isFlushed = false
    isKnown = false
    mtree = nil
    parser = newParser
    absent = AbsentDirectories()
    records = nil
    hasEntry = false
    hasMalformed = false
    let descriptor: FileDescriptor
    switch manifest.source {
    case .descriptor(let given):
      descriptor = given
      ownDescriptor = given
    case .path(let path, let directory):
      descriptor = try CheckManifest.open(path, from: directory)
      let opened = manifest.records.flatMap { try? CheckManifest.open($0, from: directory) }
      records = opened.map { RecordedStatuses($0) }
    }
    isOwned = ownDescriptor == nil
    do throws(Errno) {
      let type = try stat(of: descriptor).st_mode & S_IFMT
      isSlow = type != S_IFREG && type != S_IFBLK
      if type == S_IFDIR, selection == nil, case .path(let path, AT_FDCWD) = manifest.source {
        let directory = BagDirectory(path)
        if directory.isBag {
          try? descriptor.close()
          bag = BagCheck(directory)
          return
        }
      }
      if type == S_IFDIR { throw .isDirectory }
      if isOwned && isSlow { throw Errno(rawValue: CheckNote.special) }
    } catch {
      if isOwned { try? descriptor.close() }
      throw error
    }
    reader = ManifestReader(descriptor, terminator: terminator)
  }

  private func close() {
    if let reader, isOwned { try? reader.descriptor.close() }
    reader = nil
    records = nil
  }
}

/// A name and the digests that lines expect of it, in memory of their own.
private struct PendingItem: ~Copyable {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)
  private var length = 0
  private var expected = CheckNoteWriter()
  private(set) var isFull = false

  deinit { memory.deallocate() }

  var name: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<length]) }

  var note: UnsafeRawBufferPointer {
    mutating get { expected.finished() }
  }

  /// Returns true if the item has this name, and room for one more line.
  func accepts(_ other: UnsafeRawBufferPointer, hasStatus: Bool) -> Bool {
    isFull && expected.header.count < CheckNote.countMax
      && expected.header.hasStatus == hasStatus && name.hasSameBytes(as: other)
  }

  mutating func put(
    _ entry: ManifestLine, _ algorithm: DigestAlgorithm?, _ status: ExpectedStatus?, number: Int,
    manifest: UInt32
  ) {
    memory.ensure(entry.name.count)
    memory.copyMemory(from: entry.name)
    length = entry.name.count
    isFull = true
    let kind = status == nil ? CheckNote.Kind.file : .recorded
    expected.begin(
      CheckNote.Header(kind: kind.rawValue, manifest: manifest, line: UInt64(number)))
    if let status { expected.append(status) }
    add(entry, algorithm, number: number)
  }

  mutating func add(_ entry: ManifestLine, _ algorithm: DigestAlgorithm?, number: Int) {
    expected.append(entry, algorithm, number: number)
  }

  mutating func empty() {
    isFull = false
  }
}
