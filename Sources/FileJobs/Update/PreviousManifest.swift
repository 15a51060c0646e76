internal import WeirLibC
package import SystemPackage

/// The manifest that a run brings up to date.
package struct PreviousManifest: Sendable {
  package let descriptor: FileDescriptor
  /// The number of lines of a file that cannot be compared.
  package let uselessCount: UInt64
  /// The name of the file.
  let name: [UInt8]
  /// True if the manifest is lines of a checksum tool, which may not name their algorithm.
  package let isText: Bool
  /// True if the records come in the order of this run: that of a walk below the same PATHs.
  /// Otherwise files are found by their names.
  let isInStep: Bool
  /// The names of the records, and those of this run.
  let names: RecordNames
  let now: RecordNames
  /// The paths of this run.
  let paths: [[UInt8]: [Int]]

  /// The beginning of a manifest that weir has written as mtree(5).
  private static let ours = "#mtree v2.0 weir "

  /// Opens the manifest of an output: the output itself if it is mtree(5); else its
  /// records; else the output as lines of a checksum tool, which have neither size nor
  /// time. Returns `nil` if there is none, or no line of it can be compared. Records that exist
  /// and do not begin as those of weir are an error: without them rot could not be told from
  /// an edited file.
  ///
  /// - Parameters:
  ///   - isResumed: True if the run continues another one, which may have replaced the output
  ///     and not yet its records.
  package static func find(
    _ output: OutputFile, header: RecordHeader, _ algorithms: [DigestAlgorithm], isResumed: Bool
  ) throws(Fault) -> PreviousManifest? {
    let now = RecordNames(directory: header.directory)
    for (name, isText) in [(output.path, false), (output.records, false), (output.path, true)] {
      guard let opened = try open(name) else { continue }
      var isUsed = false
      defer { if !isUsed { WeirLibC.close(opened.rawValue) } }
      let scratch = RecordChanges.scratchName(of: output)
      let line = try OutputFile.beginning(opened, of: name)
      if !isText && line.starts(with: ours.utf8) {
        let before = try RecordHeader(of: opened, name)
        let names = try namesInManifest(opened, name, before?.directory ?? [], header)
        isUsed = true
        return PreviousManifest(
          opened, of: name, header, names: names,
          isInStep: names == now && before.map(header.hasOrder) ?? false)
      }
      if name == output.records {
        if RecordHeader.canBegin(with: line) { throw Fault(name, .unreadableLine) }
        throw Fault(name, try OutputFile.isBlank(opened, of: name) ? .unreadableLine : .notOurs)
      }
      if !isText, try !isMtree(opened, name) { continue }
      if isText { try checkTerminator(opened, name, header.isZeroTerminated) }
      let manifest = try PreviousManifest(
        isText ? .text(opened, isZeroTerminated: header.isZeroTerminated) : .mtree(opened),
        of: name, header, algorithms, scratch: scratch)
      if let manifest { return manifest }
    }
    return nil
  }

  /// Returns true if an update of the output writes mtree(5) unless another format is given:
  /// the output is mtree(5).
  package static func isMtree(_ output: OutputFile) throws(Fault) -> Bool {
    guard let opened = try open(output.path) else { return false }
    defer { WeirLibC.close(opened.rawValue) }
    return try isMtree(opened, output.path)
  }

  /// Throws an error if the last line of a text ends in another byte than those of this run.
  private static func checkTerminator(
    _ opened: FileDescriptor, _ name: [UInt8], _ isZeroTerminated: Bool
  ) throws(Fault) {
    let last = try Fault.attributing(to: name) { () throws(Errno) in
      try opened.bytes(at: max(0, Int(try stat(of: opened).st_size) - 1), count: 1).last
    }
    let reason: FaultText =
      isZeroTerminated
      ? "has lines that end in a newline; omit --zero" : "has lines that end in NUL; add --zero"
    if let last, (last == 0) != isZeroTerminated { throw Fault(name, .refused(reason)) }
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
    let lines = ManifestReader(opened, from: 0)
    return try Fault.attributing(to: name) { () throws(Errno) in
      while let line = try lines.next() {
        let isFirst = lines.lineNumber == 1
        let text = isFirst ? CheckManifest.withoutByteOrderMark(line) : line
        if let isMtree = MtreeDetection.isMtree(text, isFirst: isFirst) { return isMtree }
      }
      return false
    }
  }

  /// Returns the names of the records of a run in another working directory. If a name leads to a
  /// file of a PATH of this run, from here and none from there, the tree was copied or moved: the
  /// names are as those of this run. The names of a list may lead anywhere. For one, a file here
  /// with the size and the time of its record shows a copy; else a file there shows that the tree
  /// is where it was.
  private static func namesInManifest(
    _ opened: FileDescriptor, _ name: [UInt8], _ directory: [UInt8], _ header: RecordHeader
  ) throws(Fault) -> RecordNames {
    let now = RecordNames(directory: header.directory)
    if [[], header.directory].contains(directory) || header.directory.isEmpty { return now }
    let before = RecordNames(directory: directory)
    let places = Set(header.inputs.map { now.path(of: $0.keyword == "path" ? $0.value : []) })
    func leads(_ path: [UInt8]) -> Bool {
      places.contains(path)
        || RecordNames.directories(of: path).contains { places.contains($0.path) }
    }
    let hasList = header.inputs.contains { $0.keyword != "path" }
    func status(of path: [UInt8]) -> FileStatus? {
      (try? LongPath.status(path + [0], followsLinks: false)).map { FileStatus($0) }
    }
    var (leadsNow, isCopy, isThere) = (false, false, false)
    let records = RecordReader(opened, unreadable: .failure)
    do throws(Errno) {
      while let record = try records.next() {
        let (pathBefore, pathNow) = (before.path(of: record.name), now.path(of: record.name))
        if leads(pathBefore) { return before }
        if isCopy || !leads(pathNow) { continue }
        isThere = isThere || hasList && status(of: pathBefore) != nil
        guard let status = status(of: pathNow) else { continue }
        leadsNow = true
        let (size, time) = (record.line.size, record.line.time)
        isCopy = !hasList || status.size == size && status.modified == time
      }
    } catch {
      throw Fault(manifest: name, error)
    }
    return leadsNow && (isCopy || !isThere) ? now : before
  }

  private init(
    _ descriptor: FileDescriptor, of name: [UInt8], _ header: RecordHeader, names: RecordNames,
    isInStep: Bool = false, isText: Bool = false, uselessCount: UInt64 = 0
  ) {
    self.descriptor = descriptor
    self.uselessCount = uselessCount
    self.name = name
    self.isText = isText
    self.isInStep = isInStep
    self.names = names
    now = RecordNames(directory: header.directory)
    paths = header.paths
  }

  /// A manifest that is converted to records; `nil` if no line can be.
  private init?(
    _ content: RecordImport.Content, of name: [UInt8], _ header: RecordHeader,
    _ algorithms: [DigestAlgorithm], scratch: [UInt8]
  ) throws(Fault) {
    // Each file has a name only while it is created.
    func makeScratch() throws(Fault) -> FileDescriptor {
      try Fault.of(scratch, try ReplacingFile.unnamed(beside: scratch))
    }
    let sorted = try makeScratch()
    var isUsed = false
    defer { if !isUsed { WeirLibC.close(sorted.rawValue) } }
    let unsorted = try makeScratch()
    defer { WeirLibC.close(unsorted.rawValue) }
    let names = RecordNames(directory: header.directory)
    let counts: RecordImport.Counts
    do throws(Errno) {
      counts = try RecordImport(names, algorithms).convert(content, by: unsorted, to: sorted)
    } catch {
      throw Fault(manifest: error == .badMessage ? name : scratch, error)
    }
    if let file = counts.contradicted {
      throw Fault(
        name,
        .refused(
          """
          has two digests of \(name: file) that differ; see weir check, and remove the wrong line
          """))
    }
    if counts.digests == 0 { return nil }
    isUsed = true
    let isText = if case .text = content { true } else { false }
    self.init(
      sorted, of: name, header, names: names, isText: isText, uselessCount: counts.others)
  }

  /// A reader that throws `badMessage` at a line that no run has written.
  func reader(from position: RecordPosition = RecordPosition()) -> RecordReader {
    RecordReader(descriptor, from: position, unreadable: .failure)
  }

  /// Returns the name of a record as this run would have it, and the sources of this run that have
  /// its file.
  func presentName(of record: FileRecord) -> (name: [UInt8], sources: [Int]) {
    let name = Array(record.name)
    if isInStep { return (name, record.source.map { [$0] } ?? []) }
    let path = names.path(of: name)
    let sources = ([path] + RecordNames.directories(of: path).map(\.path))
      .flatMap { paths[$0] ?? [] }
    return (now == names ? RecordNames.canonical(name) : now.name(of: path), sources)
  }

  /// The algorithms of the first record with a digest.
  package var firstAlgorithms: [DigestAlgorithm] {
    let records = reader()
    while let file = try? records.next() {
      if !file.line.digests.indices.isEmpty { return file.line.digests.algorithms }
    }
    return []
  }

  /// Closes the manifest.
  package func close() {
    WeirLibC.close(descriptor.rawValue)
  }
}

extension Fault {
  /// An error of a ``RecordReader`` of a manifest.
  init(manifest name: [UInt8], _ error: Errno) {
    self.init(name, error == .badMessage ? .unreadableLine : .system(error))
  }
}
