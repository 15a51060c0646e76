// Lines, words, characters and bytes, as GNU's wc writes them.

internal import CFileKernels
internal import FileJobs
internal import Glibc
internal import SystemPackage
internal import Weir

/// Writes a line for each file, and the total.
struct DropInCount {
  private let options: DropInCountOptions
  private let streams: DropInStreams

  /// Parses the command line.
  init(_ tool: DropIn, _ streams: DropInStreams) {
    options = DropInCountOptions.parse(for: tool, streams)
    self.streams = streams
  }

  private struct State {
    var total = Counts()
    var isSuccess = true
    var line: [UInt8] = []
  }

  /// Counts all files, and ends the program.
  func run(_ standard: StandardDescriptors) -> Never {
    let names = DropInCountNames(options, standard, streams)
    let standard = names.standard
    let isUnnamed = options.list == nil && options.operands.isEmpty
    let line = CountLine(
      options.columns, width: names.width, hasName: !isUnnamed)
    let files = DropInFiles(
      DropInCountLine(
        FileCounter(
          options.columns, threads: ThreadSupply.sufficesForDropIn ? nil : 1, missesAsWC: true)),
      streams, standard,
      isSingle: names.isSingle)
    let state = Locked(State())
    let debugMessage = debugMessage
    files.run({ names.nextItem() }) { [streams] result in
      switch result {
      case .line(let bytes):
        let record = DropInCountRecord(bytes)
        if let debugMessage { streams.report(debugMessage) }
        if record.error != 0 {
          if isUnnamed {
            streams.report(QuotedName.bytes(of: "standard input".utf8), error: record.error)
          } else {
            streams.report(record.name, error: record.error)
          }
        }
        state.with { state in
          state.total += record.counts
          if record.error != 0 { state.isSuccess = false }
          state.line.removeAll(keepingCapacity: true)
          line.append(record.counts, record.name, to: &state.line)
          streams.write(state.line)
        }
      case .failed(let name, _, let error):
        streams.report(name, error: error.rawValue)
        state.with { $0.isSuccess = false }
      case .note(let note):
        let error = note.loadUnaligned(as: Int32.self)
        streams.report(Array(note.dropFirst(MemoryLayout<Int32>.size)), error: error)
      }
    }
    end(names, standard, line, state.with { $0 })
  }

  private func end(
    _ names: DropInCountNames, _ standard: StandardDescriptors, _ line: CountLine, _ state: State
  ) -> Never {
    if names.count > 1 {
      var last: [UInt8] = []
      Array("total".utf8).withUnsafeBytes { line.append(state.total, $0, to: &last) }
      streams.write(last)
      streams.flushLines()
    }
    if names.hasStandardInput && standard.isInputClosed {
      streams.report(DropInOptionParser.standardInput, error: EBADF)
      streams.end(status: 1)
    }
    streams.end(status: state.isSuccess && names.areValid ? 0 : 1)
  }

  /// The message of --debug, written for each file if wc counts only lines and bytes.
  private var debugMessage: String? {
    var others: CountColumns = [.words, .longestLine]
    if kernel_charset() != KERNEL_CHARSET_BYTES { others.insert(.characters) }
    guard options.isDebugging, options.columns.contains(.lines),
      options.columns.isDisjoint(with: others)
    else { return nil }
    return kernel_count_has_avx2()
      ? "using avx2 hardware support" : "avx2 support not detected"
  }
}

/// The counts of a file. After an error they are those of the part that was read: wc reports
/// the error, and writes these counts.
private final class DropInCounts: DropInContent {
  private let counter: FileCounter
  private(set) var counts = Counts()
  /// The error that ended the count; 0 if there was none.
  private(set) var error: Int32 = 0

  init(_ counter: FileCounter) {
    self.counter = counter
  }

  func compute(_ file: borrowing OpenFile) throws(Errno) {
    counts = Counts()
    error = 0
    do throws(Errno) {
      try counter.count(file, into: &counts)
    } catch {
      self.error = error.rawValue
    }
  }

  /// Counts a descriptor with a processor of its own, which counts a big file on all cores.
  func compute(_ descriptor: FileDescriptor, _ note: UnsafeRawBufferPointer) throws(Errno) {
    var options = FileProcessorOptions()
    options.isInline = true
    options.isLiteral = true
    let counter = self.counter
    let result = Locked((counts: Counts(), error: Int32(0)))
    let processor = try FileProcessor(options) { (file) throws(Errno) in
      let content = DropInCounts(counter)
      try content.compute(file)
      let (counts, error) = (content.counts, content.error)
      result.with { $0 = (counts, error) }
    }
    do {
      try processor.run([.descriptor(descriptor, name: DropInOptionParser.standardInput)]) { _ in }
    } catch {
      throw error as? Errno ?? .ioError
    }
    (counts, error) = result.with { $0 }
  }
}

/// Passes the counts from the lanes to the delivery, which knows the total.
private struct DropInCountLine: DropInLine {
  private let counter: FileCounter

  init(_ counter: FileCounter) {
    self.counter = counter
  }

  func makeContent() throws(Errno) -> DropInCounts { DropInCounts(counter) }

  func capacity(_ name: UnsafeRawBufferPointer) -> Int {
    DropInCountRecord.capacity(name)
  }

  func write(
    _ name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer, _ content: DropInCounts,
    to memory: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    DropInCountRecord.write(name, content.counts, content.error, to: memory)
  }
}

/// Counts, an error and a name, as bytes.
private struct DropInCountRecord {
  let counts: Counts
  let error: Int32
  let name: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    counts = Counts(output: bytes)
    error = bytes.loadUnaligned(fromByteOffset: Counts.byteCount, as: Int32.self)
    name = UnsafeRawBufferPointer(rebasing: bytes[DropInCountRecord.nameOffset...])
  }

  private static let nameOffset = Counts.byteCount + MemoryLayout<Int32>.size

  static func capacity(_ name: UnsafeRawBufferPointer) -> Int { nameOffset + name.count }

  /// Writes a record. Returns the number of bytes.
  static func write(
    _ name: UnsafeRawBufferPointer, _ counts: Counts, _ error: Int32,
    to memory: UnsafeMutableRawBufferPointer
  ) -> Int {
    var record = LineWriter(memory)
    counts.withBytes { record.append($0) }
    withUnsafeBytes(of: error) { record.append($0) }
    record.append(name)
    return record.count
  }
}
