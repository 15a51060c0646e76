// The manifest that is brought up to date.

internal import Glibc
package import SystemPackage

/// A manifest that a run brings up to date.
package struct RecordBase: Sendable {
  package let descriptor: FileDescriptor
  /// How many lines of it say of a file what cannot be compared.
  package let uselessCount: UInt64
  /// What the sources of the run that made it are to this run.
  private let sources: RecordHeader.Sources
  private let inputs: [RecordHeader.Word]

  /// How records of ours begin.
  private static let ours = "#mtree v2.0 weir "

  /// Opens the manifest of an output: itself, where it is mtree(5); or else its
  /// records; or else itself, where it is lines of a checksum tool, which have
  /// neither size nor time. `nil` where there is none, or nothing in it can be
  /// compared.
  ///
  /// - Parameters:
  ///   - output: The output.
  ///   - header: Of this run.
  ///   - algorithms: Those of this run.
  package static func find(
    _ output: OutputFile, header: RecordHeader, _ algorithms: [DigestAlgorithm]
  ) throws(OutputError) -> RecordBase? {
    for (name, isText) in [(output.path, false), (output.records, false), (output.path, true)] {
      guard let opened = try open(name) else { continue }
      let line = try OutputFile.beginning(opened, of: name)
      if !isText && line.starts(with: ours.utf8) {
        return try RecordBase(opened, of: name, header)
      }
      defer { Glibc.close(opened) }
      var isWanted = isText
      if !isWanted { isWanted = try isMtree(opened, name) }
      if !isWanted { continue }
      let maker = RecordImport(header.inputs, algorithms)
      if let base = try RecordBase(
        opened, maker, header.inputs, scratch: output.path + ".partial.text".utf8)
      {
        return base
      }
    }
    return nil
  }

  /// Whether there is anything.
  package static func isThere(_ output: OutputFile) -> Bool {
    let status = try? OutputFile.status(ofFile: output.path)
    return (status?.st_size ?? 0) > 0
  }

  private static func open(_ name: [UInt8]) throws(OutputError) -> Int32? {
    guard try OutputFile.status(ofFile: name) != nil else { return nil }
    let opened = withPath(name) { Glibc.open($0, O_RDONLY | O_CLOEXEC) }
    guard opened >= 0 else { throw OutputError(systemOf: name, errno) }
    return opened
  }

  /// Whether it is mtree(5), which `weir check` recognizes too.
  private static func isMtree(_ opened: Int32, _ name: [UInt8]) throws(OutputError) -> Bool {
    let lines = ManifestReader(FileDescriptor(rawValue: opened), from: 0)
    do throws(Errno) {
      while let line = try lines.next() {
        let isFirst = lines.lineNumber == 1
        let text = isFirst ? CheckManifest.withoutByteOrderMark(line) : line
        switch MtreeDetection.detect(in: UnsafeRawBufferPointer(text), isFirst: isFirst) {
        case .mtree: return true
        case .other: return false
        case .undecided: continue
        }
      }
    } catch {
      throw OutputError(name, .system(error))
    }
    return false
  }

  /// One of ours, which can be read as it is.
  private init(
    _ opened: Int32, of name: [UInt8], _ header: RecordHeader
  ) throws(OutputError) {
    let line = try OutputFile.firstLine(opened, of: name) ?? []
    descriptor = FileDescriptor(rawValue: opened)
    uselessCount = 0
    inputs = header.inputs
    sources = try RecordBase.sources(of: opened, name, line, header)
  }

  /// Any other, of which records are made; `nil` where none can.
  private init?(
    _ opened: Int32, _ maker: RecordImport, _ inputs: [RecordHeader.Word], scratch: [UInt8]
  ) throws(OutputError) {
    // Neither has a name for longer than it takes to open it: that of what a run
    // before may have left, and this one removes.
    let sorted = try OutputFile.make(scratch)
    var isUsed = false
    defer { if !isUsed { Glibc.close(sorted) } }
    try OutputFile.remove(scratch)
    let room = try OutputFile.make(scratch)
    defer { Glibc.close(room) }
    try OutputFile.remove(scratch)
    do throws(Errno) {
      let statistics = try maker.make(from: opened, by: room, to: sorted)
      if statistics.digests == 0 { return nil }
      uselessCount = statistics.others
    } catch {
      throw OutputError(scratch, .system(error))
    }
    isUsed = true
    descriptor = FileDescriptor(rawValue: sorted)
    sources = .same
    self.inputs = inputs
  }

  /// The first line says them, or a comment behind it where there are several.
  private static func sources(
    of opened: Int32, _ name: [UInt8], _ line: [UInt8], _ header: RecordHeader
  ) throws(OutputError) -> RecordHeader.Sources {
    if let before = RecordHeader(line: line) { return header.sources(of: before) }
    let lines = ManifestReader(FileDescriptor(rawValue: opened), from: Int64(line.count))
    do throws(Errno) {
      guard let second = try lines.next() else { return .same }
      if let before = RecordHeader(comment: second) { return header.sources(of: before) }
      return second.starts(with: RecordReader.source.utf8) ? .unknown : .same
    } catch {
      throw OutputError(name, .system(error))
    }
  }

  /// Where words stand among others, as far as they come in the same order.
  static func places(of words: [RecordHeader.Word], in others: [RecordHeader.Word]) -> [Int] {
    var from = 0
    return words.map { word in
      guard let place = others[from...].firstIndex(of: word) else { return -1 }
      from = place + 1
      return place
    }
  }

  /// Whether what a source gives comes in the order of a walk.
  func isOrdered(_ source: Int) -> Bool {
    inputs.indices.contains(source) && inputs[source].keyword == "path"
  }

  /// The source of a record that does not say it, where there is but one.
  var onlySource: Int? { inputs.count == 1 && sources != .unknown ? 0 : nil }

  /// What it says, from a place in it.
  func reader(from place: RecordPlace = RecordPlace()) -> RecordReader {
    let sources = sources
    return RecordReader(descriptor, from: place, isStrict: false) { number in
      sources.meaning(number)
    }
  }

  /// Ends it.
  package func close() {
    Glibc.close(descriptor.rawValue)
  }
}
