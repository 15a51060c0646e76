// Lines, words, characters and bytes, as GNU's wc writes them.

internal import CFileKernels
internal import FileJobs
internal import Glibc
internal import SystemPackage
internal import Weir

/// Writes a line for each file that is named, and the total.
struct DropInCount {
  private let options: DropInCountOptions
  private let streams: DropInStreams

  /// Reads the command line.
  init(_ tool: DropIn, _ streams: DropInStreams) {
    options = DropInCountOptions.parse(for: tool, streams)
    self.streams = streams
  }

  private struct State {
    var total = Counts()
    var isWell = true
    var line: [UInt8] = []
  }

  /// Counts all, and ends the program.
  func run(_ standard: StandardDescriptors) -> Never {
    let names = DropInCountNames(options, standard, streams)
    let standard = names.standard
    let isUnnamed = options.list == nil && options.operands.isEmpty
    let line = CountLine(
      options.columns, width: names.width, hasName: !isUnnamed)
    let files = DropInFiles(
      DropInCountLine(FileCounter(options.columns, missesAsWC: true)), streams, standard,
      isSingle: names.isSingle)
    let state = Locked(State())
    let remark = remark
    files.run({ names.nextItem() }) { [streams] result in
      switch result {
      case .line(let bytes):
        let record = DropInCountRecord(bytes)
        if let remark { streams.say(remark) }
        if record.error != 0 {
          if isUnnamed {
            streams.say(QuotedName.bytes(of: "standard input".utf8), error: record.error)
          } else {
            streams.say(of: record.name, error: record.error)
          }
        }
        state.with { state in
          state.total += record.counts
          if record.error != 0 { state.isWell = false }
          state.line.removeAll(keepingCapacity: true)
          line.append(record.counts, record.name, to: &state.line)
          streams.write(state.line)
        }
      case .failed(let name, let error):
        streams.say(of: name, error: error.rawValue)
        state.with { $0.isWell = false }
      case .note(let note):
        let error = note.loadUnaligned(as: Int32.self)
        streams.say(Array(note.dropFirst(MemoryLayout<Int32>.size)), error: error)
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
      streams.finishLines()
    }
    if names.hasStandardInput && standard.isInputClosed {
      streams.say(DropInOptions.standardInput, error: EBADF)
      streams.end(status: 1)
    }
    streams.end(status: state.isWell && names.areWell ? 0 : 1)
  }

  /// What --debug says of each file of which no more than lines and bytes are
  /// counted.
  private var remark: String? {
    var others: CountColumns = [.words, .longestLine]
    if kernel_charset() != KERNEL_CHARSET_BYTES { others.insert(.characters) }
    guard options.isDebugging, options.columns.contains(.lines),
      options.columns.isDisjoint(with: others)
    else { return nil }
    return kernel_count_has_avx2()
      ? "using avx2 hardware support" : "avx2 support not detected"
  }
}

/// What is counted of a file, also of one that could not be read to its end: wc says
/// why, and writes what there was.
final class DropInCounts: DropInContent {
  private let counter: FileCounter
  private(set) var counts = Counts()
  /// 0, or why that is not all.
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

  /// By a processor of its own, which has a big file counted by all cores.
  func compute(_ descriptor: Int32) throws(Errno) {
    var options = FileProcessorOptions()
    options.isInline = true
    options.isLiteral = true
    let counter = self.counter
    let found = Locked((counts: Counts(), error: Int32(0)))
    let processor = try FileProcessor(options) { (file) throws(Errno) in
      let content = DropInCounts(counter)
      try content.compute(file)
      let (counts, error) = (content.counts, content.error)
      found.with { $0 = (counts, error) }
    }
    do {
      try processor.run(
        [.descriptor(FileDescriptor(rawValue: descriptor), name: DropInOptions.standardInput)]
      ) { _ in }
    } catch {
      throw error as? Errno ?? .ioError
    }
    (counts, error) = found.with { $0 }
  }
}

/// Hands the counts on to where the lines are written.
struct DropInCountLine: DropInLine {
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
struct DropInCountRecord {
  let counts: Counts
  let error: Int32
  let name: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    counts = Counts(output: bytes)
    error = bytes.loadUnaligned(fromByteOffset: Counts.byteCount, as: Int32.self)
    name = UnsafeRawBufferPointer(rebasing: bytes[DropInCountRecord.begin...])
  }

  /// Where the name begins.
  private static let begin = Counts.byteCount + MemoryLayout<Int32>.size

  static func capacity(_ name: UnsafeRawBufferPointer) -> Int { begin + name.count }

  /// Returns how many bytes that is.
  static func write(
    _ name: UnsafeRawBufferPointer, _ counts: Counts, _ error: Int32,
    to memory: UnsafeMutableRawBufferPointer
  ) -> Int {
    var record = ByteWriter(memory)
    counts.withBytes { record.append($0) }
    withUnsafeBytes(of: error) { record.append($0) }
    record.append(name)
    return record.count
  }
}
