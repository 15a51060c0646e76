// The manifest that `weir hash --update` brings up to date.

internal import WeirLibC
package import SystemPackage

/// The manifest that a run brings up to date.
package struct PreviousManifest: Sendable {
  package let descriptor: FileDescriptor
  /// The number of lines of a file that cannot be compared.
  package let uselessCount: UInt64
  /// The sources of the run that made the manifest, as numbers of this run.
  private let sources: RecordHeader.Sources
  private let inputs: [RecordHeader.Word]

  /// The beginning of a manifest that weir has written as mtree(5).
  private static let ours = "#mtree v2.0 weir "

  /// Opens the manifest of an output: the output itself if it is mtree(5); else its
  /// records; else the output as lines of a checksum tool, which have neither size nor
  /// time. Returns `nil` if there is none, or no line of it can be compared.
  ///
  /// - Parameters:
  ///   - output: The output.
  ///   - header: The header of this run.
  ///   - algorithms: The algorithms of this run.
  ///   - isResumed: True if the run continues another one, which may have replaced the output
  ///     and not yet its records.
  package static func find(
    _ output: OutputFile, header: RecordHeader, _ algorithms: [DigestAlgorithm], isResumed: Bool
  ) throws(OutputError) -> PreviousManifest? {
    for (name, isText) in [(output.path, false), (output.records, false), (output.path, true)] {
      guard let opened = try open(name) else { continue }
      var isUsed = false
      defer { if !isUsed { WeirLibC.close(opened.rawValue) } }
      let line = try OutputFile.beginning(opened, of: name)
      if !isText && line.starts(with: ours.utf8) {
        let manifest = try PreviousManifest(opened, of: name, header)
        if name == output.records && !isResumed {
          try manifest.checkAgreement(with: output, algorithms)
        }
        isUsed = true
        return manifest
      }
      if !isText, try !isMtree(opened, name) { continue }
      let importer = RecordImport(header.inputs, algorithms)
      if let manifest = try PreviousManifest(
        opened, importer, header.inputs, scratch: output.path + ".partial.text".utf8)
      {
        return manifest
      }
    }
    return nil
  }

  /// Returns true if the output exists and is not empty.
  package static func exists(_ output: OutputFile) -> Bool {
    let status = try? OutputFile.status(ofFile: output.path)
    return (status?.st_size ?? 0) > 0
  }

  private static func open(_ name: [UInt8]) throws(OutputError) -> FileDescriptor? {
    guard try OutputFile.status(ofFile: name) != nil else { return nil }
    return try OutputError.attributing(to: name) { () throws(Errno) in
      try openFile(name, O_RDONLY)
    }
  }

  /// Returns true if the file is mtree(5) by the rule of `weir check`.
  private static func isMtree(
    _ opened: FileDescriptor, _ name: [UInt8]
  ) throws(OutputError) -> Bool {
    let lines = ManifestReader(opened, from: 0)
    return try OutputError.attributing(to: name) { () throws(Errno) in
      while let line = try lines.next() {
        let isFirst = lines.lineNumber == 1
        let text = isFirst ? CheckManifest.withoutByteOrderMark(line) : line
        if let isMtree = MtreeDetection.isMtree(text, isFirst: isFirst) { return isMtree }
      }
      return false
    }
  }

  /// A manifest of weir, which is read as it is.
  private init(
    _ opened: FileDescriptor, of name: [UInt8], _ header: RecordHeader
  ) throws(OutputError) {
    let line = try OutputFile.firstLine(opened, of: name) ?? []
    descriptor = opened
    uselessCount = 0
    inputs = header.inputs
    sources = try PreviousManifest.sources(of: opened, name, line, header)
  }

  /// Any other manifest, which is converted to records; `nil` if no line can be.
  private init?(
    _ opened: FileDescriptor, _ importer: RecordImport, _ inputs: [RecordHeader.Word],
    scratch: [UInt8]
  ) throws(OutputError) {
    // Each file has a name only while it is created.
    let sorted = try OutputFile.create(scratch)
    var isUsed = false
    defer { if !isUsed { WeirLibC.close(sorted.rawValue) } }
    try OutputFile.remove(scratch)
    let unsorted = try OutputFile.create(scratch)
    defer { WeirLibC.close(unsorted.rawValue) }
    try OutputFile.remove(scratch)
    let counts = try OutputError.attributing(to: scratch) { () throws(Errno) in
      try importer.convert(opened, by: unsorted, to: sorted)
    }
    if counts.digests == 0 { return nil }
    uselessCount = counts.others
    isUsed = true
    descriptor = sorted
    sources = .same
    self.inputs = inputs
  }

  /// Throws an error if the output has other lines than its records.
  private func checkAgreement(
    with output: OutputFile, _ algorithms: [DigestAlgorithm]
  ) throws(OutputError) {
    guard PreviousManifest.exists(output), let text = try PreviousManifest.open(output.path) else {
      return
    }
    defer { WeirLibC.close(text.rawValue) }
    var agreement = RecordAgreement(text, algorithms)
    let line = try OutputError.attributing(to: output.records) { () throws(Errno) in
      try agreement.firstDifference(from: reader())
    }
    if let line { throw OutputError(output.path, .disagrees(line: line, records: output.records)) }
  }

  /// Reads the sources from the first line, or from the comment after it if the
  /// manifest has several.
  private static func sources(
    of opened: FileDescriptor, _ name: [UInt8], _ line: [UInt8], _ header: RecordHeader
  ) throws(OutputError) -> RecordHeader.Sources {
    if let before = RecordHeader(line: line) { return header.sources(of: before) }
    let lines = ManifestReader(opened, from: Int64(line.count))
    return try OutputError.attributing(to: name) { () throws(Errno) in
      guard let second = try lines.next() else { return .same }
      if let before = RecordHeader(comment: second) { return header.sources(of: before) }
      return second.starts(with: RecordReader.source.utf8) ? .unknown : .same
    }
  }

  /// Returns the indices of words in another list, as far as they are in the same order
  /// there, and -1 for a word that is missing.
  static func indices(of words: [RecordHeader.Word], in others: [RecordHeader.Word]) -> [Int] {
    var from = 0
    return words.map { word in
      guard let index = others[from...].firstIndex(of: word) else { return -1 }
      from = index + 1
      return index
    }
  }

  /// Returns true if the files of a source come in the order of a walk.
  func isOrdered(_ source: Int) -> Bool {
    inputs.indices.contains(source) && inputs[source].keyword == "path"
  }

  /// The source of a record that does not name one; `nil` if there are several.
  var onlySource: Int? { inputs.count == 1 && sources != .unknown ? 0 : nil }

  func reader(from position: RecordPosition = RecordPosition()) -> RecordReader {
    let sources = sources
    return RecordReader(descriptor, from: position, isStrict: false) { number in
      sources.number(of: number)
    }
  }

  /// The algorithms of the first record with a digest.
  package var firstAlgorithms: [DigestAlgorithm] {
    let records = reader()
    while let file = try? records.next() {
      if !file.algorithms.isEmpty { return file.algorithms }
    }
    return []
  }

  /// Closes the manifest.
  package func close() {
    WeirLibC.close(descriptor.rawValue)
  }
}
