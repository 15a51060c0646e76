internal import WeirLibC
package import SystemPackage
internal import Weir

/// The manifest that a run brings up to date.
package struct FormerManifest: Sendable {
  package let descriptor: FileDescriptor
  /// The manifest of text beside which the ledger is, to be compared with it; `nil` for none.
  let text: FileDescriptor?
  let name: [UInt8]
  /// True if the manifest is lines of a checksum tool, which may not name their algorithm.
  package let isText: Bool
  /// True if a run of weir has written it as mtree(5).
  let isLedger: Bool
  /// True if the records come in the order of this run: that of a walk below the same PATHs, none of
  /// which finds the files of another one. The record of such a file may stand at one of its names only.
  let isInStep: Bool
  let isZeroTerminated: Bool
  /// The algorithms of this run, the first candidates for a digest without a tag.
  let algorithms: [DigestAlgorithm]
  /// The names of the records, and those of this run.
  let names: LedgerNames
  let now: LedgerNames
  /// The PATHs of this run, with the numbers of their sources, and all sources as they are spelled.
  let paths: [[UInt8]: [Int]]
  private let pathLengths: Set<Int>
  private let inputs: [[UInt8]]

  /// Opens the manifest of an output: itself if it is mtree(5); else its records; else its lines of
  /// a checksum tool, which have neither size nor time. Returns `nil` if there is none, or no line
  /// can be compared. Records that do not begin as those of weir are an error: without them rot
  /// could not be told from an edited file.
  ///
  /// - Parameter isResumed: True if the run continues one that may have replaced the output and not
  ///   its records.
  package static func find(
    _ output: OutputFile, header: LedgerHeader, _ algorithms: [DigestAlgorithm], isResumed: Bool
  ) throws(Fault) -> FormerManifest? {
    for (name, isText) in [(output.path, false), (output.records, false), (output.path, true)] {
      guard let opened = try open(name) else { continue }
      var isUsed = false
      defer { if !isUsed { WeirLibC.close(opened.rawValue) } }
      let line = try OutputFile.beginning(opened, of: name)
      if !isText && line.starts(with: LedgerHeader.begin.utf8) {
        // An interrupted run may have replaced the text and not yet its records.
        let hasText = name == output.records && !isResumed && exists(output)
        let ledger = try FormerManifest(
          opened, name, isLedger: true, text: hasText ? try open(output.path) : nil, header,
          algorithms)
        isUsed = true
        return ledger
      }
      if name == output.records {
        let isBlank = try OutputFile.isBlank(opened, of: name)
        let isCut = isBlank || LedgerHeader.canBegin(with: line)
        throw isCut ? Fault(unreadableLineOf: name) : Fault(name, .notOurs)
      }
      if !isText, try !isMtree(opened, name) { continue }
      if isText { try checkTerminator(opened, name, header.isZeroTerminated) }
      let manifest = try FormerManifest(opened, name, isText: isText, header, algorithms)
      if try manifest.firstAlgorithms().isEmpty { continue }
      isUsed = true
      return manifest
    }
    return nil
  }

  /// Returns true if the output is mtree(5): an update writes it so unless another format is given.
  package static func isMtree(_ output: OutputFile) throws(Fault) -> Bool {
    guard let opened = try open(output.path) else { return false }
    defer { WeirLibC.close(opened.rawValue) }
    return try isMtree(opened, output.path)
  }

  /// Returns the header of the ledger beside the output; `nil` if there is none of weir.
  package static func header(of output: OutputFile) throws(Fault) -> LedgerHeader? {
    guard let opened = try open(output.records) else { return nil }
    defer { WeirLibC.close(opened.rawValue) }
    return try LedgerHeader(of: opened, output.records)
  }

  /// Throws an error if the last line of a text ends in another byte than those of this run.
  private static func checkTerminator(
    _ opened: FileDescriptor, _ name: [UInt8], _ isZeroTerminated: Bool
  ) throws(Fault) {
    let last = try Fault.attributing(to: name) { () throws(Errno) in
      try opened.bytes(at: max(0, Int(try stat(of: opened).st_size) - 1), count: 1).last
    }
    let reason: Message =
      isZeroTerminated
      ? "has lines that end in a newline; omit --zero" : "has lines that end in NUL; add --zero"
    if let last, (last == 0) != isZeroTerminated { throw Fault(name, .refused(reason)) }
  }

  /// Returns the path of the file whose records are lost unless the run is an update: the output
  /// or, if that is missing or blank, a ledger with files beside it; `nil` if there is none.
  /// `keepsRecords` is true if the run writes a ledger beside its output.
  package static func path(
    of output: OutputFile, keepsRecords: Bool
  ) throws(Fault) -> [UInt8]? {
    if try output.isThere { return output.path }
    return keepsRecords ? try ledger(beside: output) : nil
  }

  /// Returns the path of the ledger beside an output; `nil` if there is none, or it has no file.
  package static func ledger(beside output: OutputFile) throws(Fault) -> [UInt8]? {
    guard let ledger = try open(output.records) else { return nil }
    defer { WeirLibC.close(ledger.rawValue) }
    return try Fault.of(
      output.records,
      try RecordReader(ledger, unreadable: .end).advance() ? output.records : nil)
  }

  /// Returns true if the output exists and is not empty.
  package static func exists(_ output: OutputFile) -> Bool {
    let status = try? ReplacingFile.status(ofFile: output.path)
    return (status?.st_size ?? 0) > 0
  }

  private static func open(_ name: [UInt8]) throws(Fault) -> FileDescriptor? {
    guard try ReplacingFile.status(ofFile: name) != nil else { return nil }
    return try Fault.of(name, try openFile(name, O_RDONLY))
  }

  /// Returns true if the file is mtree(5) by the rule of `weir check`.
  static func isMtree(
    _ opened: FileDescriptor, _ name: [UInt8]
  ) throws(Fault) -> Bool {
    let lines = ManifestReader(opened, from: 0, skipsMark: true)
    return try Fault.attributing(to: name) { () throws(Errno) in
      while let line = try lines.next() {
        let isMtree = MtreeDetection.isMtree(line, isFirst: lines.lineNumber == 1)
        if let isMtree { return isMtree }
      }
      return false
    }
  }

  /// Returns the names of the records of a run in another working directory. If a name leads to a
  /// file of a PATH of this run, from here and none from there, the tree was copied or moved: the
  /// names are as those of this run, also if the file is gone. The names of a list may lead anywhere.
  /// For one, a file here with the size and the time of its record shows a copy; else a file there
  /// shows that the tree is where it was.
  private static func namesInManifest(
    _ opened: FileDescriptor, _ name: [UInt8], _ directory: [UInt8], _ header: LedgerHeader
  ) throws(Fault) -> LedgerNames {
    let now = LedgerNames(directory: header.directory)
    if [[], header.directory].contains(directory) || header.directory.isEmpty { return now }
    let before = LedgerNames(directory: directory)
    let places = Set(header.inputs.map { now.path(of: $0.keyword == "path" ? $0.value : []) })
    let lengths = Set(places.map(\.count))
    func leads(_ path: [UInt8]) -> Bool {
      LedgerNames.ancestors(of: path, lengths: lengths).contains(where: places.contains)
    }
    let hasList = header.inputs.contains { $0.keyword != "path" }
    func status(of path: [UInt8]) -> FileStatus? {
      (try? LongPath.status(path + [0], followsLinks: false)).map { FileStatus($0) }
    }
    var (leadsNow, isCopy, isThere) = (false, false, false)
    let records = RecordReader(opened, unreadable: .failure)
    do throws(Errno) {
      while try records.advance() {
        let (record, name) = (records.entry, records.entry.recordName)
        let (pathBefore, pathNow) = (before.path(of: name), now.path(of: name))
        if leads(pathBefore) { return before }
        if isCopy || !leads(pathNow) { continue }
        isCopy = !hasList
        if isCopy { continue }
        isThere = isThere || status(of: pathBefore) != nil
        guard let status = status(of: pathNow) else { continue }
        leadsNow = true
        isCopy = record.size == status.size && record.time == status.modified
      }
    } catch {
      throw Fault(manifest: name, error)
    }
    return isCopy || leadsNow && !isThere ? now : before
  }

  /// - Parameter text: The manifest of text that a ledger belongs to; closed if there is an error.
  private init(
    _ descriptor: FileDescriptor, _ name: [UInt8], isText: Bool = false, isLedger: Bool = false,
    text: FileDescriptor? = nil, _ header: LedgerHeader, _ algorithms: [DigestAlgorithm]
  ) throws(Fault) {
    (self.descriptor, self.name, self.text) = (descriptor, name, text)
    (self.isText, self.isLedger, self.algorithms) = (isText, isLedger, algorithms)
    now = LedgerNames(directory: header.directory)
    paths = header.paths
    pathLengths = Set(paths.keys.map(\.count))
    inputs = header.inputs.map(\.value)
    do throws(Fault) {
      let before = isLedger ? try LedgerHeader(of: descriptor, name) : nil
      names =
        isLedger
        ? try FormerManifest.namesInManifest(descriptor, name, before?.directory ?? [], header)
        : now
      isInStep = names == now && !header.hasOverlap && before.map(header.hasOrder) ?? false
      isZeroTerminated = (before ?? header).isZeroTerminated
    } catch {
      if let text { WeirLibC.close(text.rawValue) }
      throw error
    }
  }

  /// Returns the name of a record as this run would have it, and the sources of this run that have
  /// its file: below a PATH it is spelled as the PATH is, so that the next run finds it in step.
  func presentName(of record: InventoryEntry) -> (name: [UInt8], sources: [Int]) {
    let name = Array(record.recordName)
    let path = names.path(of: name)
    let above = LedgerNames.ancestors(of: path, lengths: pathLengths).filter { paths[$0] != nil }
    let sources = above.flatMap { paths[$0] ?? [] }
    // A record that no PATH leads to stays with the source that it was placed at.
    if isInStep { return (name, sources.filter { $0 == record.source }) }
    guard let nearest = above.first, let source = sources.first else {
      return (now == names ? LedgerNames.canonical(name) : now.name(of: path), [])
    }
    let rest = path[nearest.count...].drop { $0 == UInt8(ascii: "/") }
    let root = inputs[source]
    if rest.isEmpty { return (root, sources) }
    return ((root.last == UInt8(ascii: "/") ? root : root + "/".utf8) + rest, sources)
  }

  /// Returns true if a symbolic link has a name, or may have it beside the sources of this run. Below
  /// one no other link leads to it, unless these are followed.
  func isLinkThere(_ present: (name: [UInt8], sources: [Int]), followsLinks: Bool) -> Bool {
    if !followsLinks, let source = present.sources.first {
      let root = inputs[source]
      let directories = present.name.dropFirst(root.count).split(separator: .slash).dropLast()
      if !directories.isEmpty {
        let path = Array(directories.joined(separator: [.slash]))
        guard let opened = try? LongPath.open(path, beneath: root, O_RDONLY | O_DIRECTORY) else {
          return false
        }
        WeirLibC.close(opened.rawValue)
      }
    }
    do throws(Errno) {
      let status = try LongPath.status(present.name + [0], followsLinks: false)
      return FileStatus(status).type == .symbolicLink
    } catch {
      return present.sources.isEmpty && !error.isMissing
    }
  }

  func makeLines() throws(Fault) -> ManifestInventory {
    try ManifestInventory(
      .descriptor(descriptor), name, untagged: LedgerEntries.untagged(algorithms),
      isZeroTerminated: isText && isZeroTerminated, skipsIgnored: false)
  }

  /// The algorithms of the first file with a digest; empty if no line has one.
  package func firstAlgorithms() throws(Fault) -> [DigestAlgorithm] {
    lseek(descriptor.rawValue, 0, SEEK_SET)
    defer { lseek(descriptor.rawValue, 0, SEEK_SET) }
    let lines = try makeLines()
    var (first, found): ([UInt8], [DigestAlgorithm]) = ([], [])
    while let (name, entry) = try lines.next(),
      found.isEmpty || isText && name.elementsEqual(first)
    {
      (first, found) = (Array(name), found + entry.algorithms)
    }
    return found.withoutDuplicates
  }

  package func close() {
    WeirLibC.close(descriptor.rawValue)
    if let text { WeirLibC.close(text.rawValue) }
  }
}

extension Fault {
  init(manifest name: [UInt8], _ error: Errno) {
    self = error == .badMessage ? Fault(unreadableLineOf: name) : Fault(name, .system(error))
  }

  /// The error of a ledger that a run of weir cannot have written so.
  init(unreadableLineOf name: [UInt8]) {
    let wayOut = OutputFile.wayOut(ofLedger: name)
    self.init(name, .damaged("was cut, or has a line that cannot be read; " + wayOut))
  }
}
