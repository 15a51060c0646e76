internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The source of items for the file processor, made from manifests on demand. Consecutive lines
/// with the same name become one item, so the feed holds a line back until it has the next one.
///
/// @unchecked Sendable: used by the feeding thread only.
final class CheckFeed: @unchecked Sendable {
  private var manifests: ArraySlice<CheckManifest>
  private let untagged: [DigestAlgorithm]
  private let isZeroTerminated: Bool
  private let descriptors: DescriptorNames
  let unread = Unread()
  private let selection: CheckSelection?
  /// Called with the name of each entry of mtree(5) that gets no verdict; `isIgnored` is
  /// true if the entry says so.
  private let skipped: (UnsafeRawBufferPointer, _ isIgnored: Bool) -> Void

  private var manifest: CheckManifest?
  private var index: UInt32 = 0
  private var reader: RecordedLines?
  /// The current manifest if the caller gave a descriptor, which no line may name.
  private var ownDescriptor: FileDescriptor?
  private var bag: BagCheck?
  private var absent = AbsentDirectories()
  /// The PATHs of the run that has written the manifest.
  private var roots: WalkedRoots?
  /// True if the current manifest has an entry, or a malformed line; true before its first line.
  private var hasEntry = false
  private var hasMalformed = false
  private var isAtBegin = false
  private var isFlushed = false

  /// The item that waits for the next line, and the item returned last.
  private var pending = PendingItem()
  private var returned = PendingItem()
  private var note = CheckNoteWriter()
  /// The header of the note to return after the pending item.
  private var next: CheckNote.Header?
  private let unsupported = UnsupportedLine()
  private var nextTag = ""

  init(
    _ manifests: [CheckManifest], untagged: [DigestAlgorithm], isZeroTerminated: Bool,
    descriptors: DescriptorNames, selection: CheckSelection? = nil,
    skipped: @escaping (UnsafeRawBufferPointer, _ isIgnored: Bool) -> Void = { _, _ in }
  ) {
    self.selection = selection
    self.skipped = skipped
    self.descriptors = descriptors
    self.manifests = manifests[...]
    self.untagged = untagged
    self.isZeroTerminated = isZeroTerminated
  }

  /// Returns the next item; `nil` at the end, or if the selection has failed.
  func item() -> FileItem? {
    guard let selection else { return anyItem() }
    while let item = anyItem(), selection.failure == nil {
      if selection.takesItem() { return item }
    }
    return nil
  }

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
  private func read(_ reader: RecordedLines) -> FileItem? {
    let text = reader.lines
    var (lines, error) = (0, Int32(0))
    do throws(Errno) {
      while selection?.failure == nil {
        if text.isSlow && !text.hasNext && !isFlushed {
          if pending.isFull { return takePending() }
          isFlushed = true
          return .flush
        }
        isFlushed = false
        let hadForm = reader.hasForm
        guard let line = try reader.step() else { break }
        if reader.hasForm && !hadForm && manifest?.names.isEmpty == true {
          roots = WalkedRoots(reader.header)
        }
        if case .nothing = line { continue }
        if isAtBegin, let found = try findAbsentTree(line, text) {
          (lines, error) = (found, CheckNote.absent)
          break
        }
        if let item = item(of: line, reader) { return item }
      }
      if selection?.failure != nil { return nil }
      if let foreign = text.foreign { error = CheckManifestFailure.code(of: foreign) }
    } catch let thrown {
      error = thrown.rawValue
    }
    if text.replacedCount > 0 { manifest?.report(.replaced(text.replacedCount)) }
    if error >= 0 { lines = text.lineNumber }
    next = end(
      lines: lines, error: error, isOfMtree: text.hasEntries,
      isContradicted: reader.isContradicted)
    self.reader = nil
    return pending.isFull ? takePending() : nil
  }

  private func item(
    of line: CheckManifest.Line, _ reader: RecordedLines
  ) -> FileItem? {
    let (text, record) = (reader.lines, reader.record)
    let number = text.number
    switch line {
    case .checksum(let entry) where isVerifiable(entry.name):
      guard isSelected(entry.name, number: number) else {
        // A line of the same name that follows may be another item.
        return pending.isFull ? takePending() : nil
      }
      if pending.accepts(entry.name, hasStatus: record != nil) {
        pending.add(entry, record, number: number)
        return nil
      }
      let item = pending.isFull ? takePending() : nil
      pending.put(entry, record, number: number, manifest: index)
      return item
    case .checksum: return refuse(number)
    case .entry(let entry):
      return item(of: entry, number: number)
    case .malformed:
      let tag = text.hasEntries ? nil : unsupported.tag(of: text.text)
      return refuse(number, tag: tag, isDamaged: text.isDamaged)
    case .nothing: return nil
    }
  }

  /// Returns the number of all lines if nothing that the manifest lists is there, by its first line;
  /// `nil` otherwise.
  private func findAbsentTree(
    _ line: CheckManifest.Line, _ reader: CheckManifest.LineReader
  ) throws(Errno) -> Int? {
    if case .malformed = line { return nil }
    let found = AbsentTree(before: line)
    isAtBegin = line.entry?.type == .directory && found == nil
    guard !reader.isSlow, selection?.isOfPlan != true, var tree = found else { return nil }
    let all = reader.again()
    if try tree.count(all, if: { isSelected($0, number: $1) }),
      manifest?.auditRoot.map(tree.isSame) ?? true
    {
      unread.add(tree, of: index)
      return all.lineNumber
    }
    selection?.beginManifest()
    return nil
  }

  private func isSelected(_ name: UnsafeRawBufferPointer, number: Int) -> Bool {
    guard let selection else { return true }
    selection.count()
    return selection.selects(file: name, manifest: index, line: number)
  }

  // MARK: mtree(5)

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
      let verdict = NonFileCheck.verdict(on: entry)
      if type == .directory, case .skipped = verdict { absent.insert(entry.name) }
      if !isSelected { return nil }
      note.begin(header(.other, number: number))
      note.put(verdict)
      note.append(entry.name)
      return .note(lent: note.finished())
    }
    if let tag = entry.otherDigest {
      if entry.digests.isEmpty {
        skipped(entry.name, false)
        return refuse(number, tag: tag)
      }
      // The note follows the file.
      defer { refuseNext(number, tag: tag) }
      return file(of: entry, number: number)
    }
    return file(of: entry, number: number)
  }

  private func file(of entry: MtreeEntry, number: Int) -> FileItem? {
    if !isSelected(entry.name, number: number) { return nil }
    // Other programs do not write standard input, so `-` in their manifests is a file.
    let isFile = DashFile.isDash(entry.name) && !entry.isBare
    let descriptor = isFile ? nil : descriptors.descriptor(of: entry.name)
    if let descriptor, descriptor == ownDescriptor { return refuse(number) }
    var header = header(.entry, number: number)
    if !entry.digests.isEmpty { header.known = entry.open.map { KnownFailure($0) } }
    note.begin(header)
    note.append(entry, number: number)
    if let descriptor {
      return .descriptor(descriptor, lent: entry.name, note: note.finished())
    }
    return item(entry.name, note.finished())
  }

  private func header(_ kind: CheckNote.Kind, number: Int) -> CheckNote.Header {
    CheckNote.Header(kind, manifest: index, line: number)
  }

  /// Marks a line as malformed, or as unsupported if there is a tag.
  private func refuse(
    _ number: Int, tag: String? = nil, isDamaged: Bool = false
  ) -> FileItem? {
    refuseNext(number, tag: tag, isDamaged: isDamaged)
    return pending.isFull ? takePending() : next.take().map { item(of: $0) }
  }

  /// Like ``refuse(_:tag:isDamaged:)``, but with the item that is returned next.
  private func refuseNext(_ number: Int, tag: String?, isDamaged: Bool = false) {
    hasMalformed = hasMalformed || tag == nil
    selection?.count()
    if let selection, !selection.selectsNameless {
      if tag != nil { selection.countElsewhere() }
      return
    }
    next = header(tag == nil ? .malformed : .unsupported, number: number)
    next?.count = isDamaged ? 1 : 0
    nextTag = tag ?? ""
  }

  private func isVerifiable(_ name: UnsafeRawBufferPointer) -> Bool {
    ownDescriptor == nil || descriptors.descriptor(of: name) != ownDescriptor
  }

  // MARK: Bags

  private func item(of step: BagCheck.Step, _ bag: BagCheck) -> FileItem {
    switch step {
    case .file(let entry, let line, let root):
      note.begin(header(.entry, number: line))
      note.append(entry, number: line)
      return .found(lent: entry.name, below: root, note: note.finished())
    case .finding(let finding) where finding.isUnsupported:
      note.begin(header(.unsupported, number: 0))
      note.append(tag: finding.reason)
    case .finding(let finding):
      let path = bag.bag.path(finding.name)
      if let error = finding.error {
        note.begin(header(.other, number: 1))
        note.put(CheckVerdict.unreadable(error))
        path.withUnsafeBytes { note.append($0) }
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
    pending.isFull = false
    let name = returned.name
    if let descriptor = descriptors.descriptor(of: name) {
      return .descriptor(descriptor, lent: name, note: returned.note)
    }
    return item(name, returned.note)
  }

  private func item(_ name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer) -> FileItem {
    guard let root = roots?.count(in: name) else {
      return FileItem(lent: name, note: note, isWalked: false)
    }
    return .found(lent: name, below: root, note: note)
  }

  private func item(of header: CheckNote.Header) -> FileItem {
    note.begin(header)
    if header.kind == .unsupported { note.append(tag: nextTag) }
    if header.kind == .end {
      note.put(selection.map { $0.isOfPlan ? 0 : $0.elsewhere } ?? 0)
    }
    return .note(lent: note.finished())
  }

  // MARK: Manifests

  /// Returns the header of the note on the end of a manifest; `nil` if another shard has it.
  private func end(
    lines: Int, error: Int32, isOfMtree: Bool = false, isContradicted: Bool = false
  ) -> CheckNote.Header? {
    defer { index += 1 }
    selection?.count()
    selection?.endManifest(index, error: error, isLast: manifests.isEmpty)
    if let selection, selection.isOfPlan, !selection.selectsNameless { return nil }
    return CheckNote.Header(
      endOf: index, lines: lines, error: error,
      isOfMtree: isOfMtree && (hasEntry || !hasMalformed), isContradicted: isContradicted)
  }

  /// - Throws: An errno value, or ``CheckNote/special``.
  private func open(_ manifest: CheckManifest) throws(Errno) {
    self.manifest = manifest
    selection?.beginManifest()
    (isFlushed, isAtBegin, hasEntry, hasMalformed) = (false, true, false, false)
    (absent, roots) = (AbsentDirectories(), nil)
    ownDescriptor = if case .descriptor(let given) = manifest.source { given } else { nil }
    do throws(Errno) {
      reader = try RecordedLines(
        manifest, isZeroTerminated: isZeroTerminated, untagged: untagged)
    } catch {
      if error == .isDirectory, selection == nil, case .path(let path, AT_FDCWD) = manifest.source,
        case let directory = BagDirectory(path), directory.isBag
      {
        let bag = BagCheck(directory)
        if let twins = bag.twins { manifest.report(.twins(twins.first, twins.second, twins.count)) }
        self.bag = bag
      } else {
        throw error
      }
    }
  }
}

/// A name and the digests that lines expect of it, in memory of their own.
private struct PendingItem: ~Copyable {
  private let memory = ByteBuffer()
  private var expected = CheckNoteWriter()
  var isFull = false

  var name: UnsafeRawBufferPointer { memory.bytes }
  var note: UnsafeRawBufferPointer { expected.finished() }

  /// Returns true if the item has this name, and room for one more line.
  func accepts(_ other: UnsafeRawBufferPointer, hasStatus: Bool) -> Bool {
    isFull && expected.header.count < CheckNote.countMax
      && expected.header.hasStatus == hasStatus && name.hasSameBytes(as: other)
  }

  mutating func put(
    _ entry: ManifestLine, _ record: RecordedLines.Record?, number: Int, manifest: UInt32
  ) {
    memory.replace(after: 0, by: entry.name)
    isFull = true
    var header = CheckNote.Header(
      record == nil ? .file : .recorded, manifest: manifest, line: number)
    header.known = record?.entry.open.map { KnownFailure($0) }
    expected.begin(header)
    if let record { expected.put(ExpectedStatus(record.entry)) }
    add(entry, record, number: number)
  }

  mutating func add(_ entry: ManifestLine, _ record: RecordedLines.Record?, number: Int) {
    expected.append(entry, record?.algorithm, number: number)
  }
}
