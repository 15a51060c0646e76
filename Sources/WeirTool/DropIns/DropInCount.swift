// Lines, words, characters and bytes, as GNU's wc writes them.

internal import CFileKernels
internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

struct DropInCount {
  private let options: DropInCountOptions
  private let streams: DropInStreams

  init(_ tool: DropIn, _ streams: DropInStreams) {
    options = DropInCountOptions.parse(for: tool, streams)
    self.streams = streams
  }

  private struct State {
    var total = Counts()
    var isSuccess = true
    var line: [UInt8] = []
  }

  func run(_ standard: StandardDescriptors) -> Never {
    let names = DropInCountNames(options, standard, streams)
    let standard = names.standard
    let isUnnamed = options.list == nil && options.operands.isEmpty
    let line = CountLine(
      options.columns, width: names.width, hasName: !isUnnamed)
    let counter = FileCounter(
      options.columns, threads: ThreadSupply.sufficesForDropIn ? nil : 1, usesLocale: true,
      missesAsWC: true)
    let files = DropInFiles(streams, standard, isSingle: names.isSingle) { DropInCounts(counter) }
    let state = Locked(State())
    let debugMessage = debugMessage
    files.run({ names.nextItem() }) { [streams] result in
      switch result {
      case .line(let name, let record):
        let counts = Counts(output: record)
        let error = record.loadUnaligned(fromByteOffset: Counts.byteCount, as: Int32.self)
        if let debugMessage { streams.report("\(debugMessage)") }
        if error != 0 && isUnnamed {
          streams.report("\("standard input".utf8)", error: error)
        } else if error != 0 {
          streams.report(name, error: error)
        }
        state.with { state in
          state.total += counts
          if error != 0 { state.isSuccess = false }
          state.line.removeAll(keepingCapacity: true)
          line.append(counts, name, to: &state.line)
          streams.write(state.line)
        }
      case .failed(let name, _, let error):
        streams.report(name, error: error.rawValue)
        state.with { $0.isSuccess = false }
      case .note(let note):
        let error = note.loadUnaligned(as: Int32.self)
        let text = Message(bytes: Array(note.dropFirst(MemoryLayout<Int32>.size)))
        streams.report(text, error: error)
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
      streams.report("-", error: EBADF)
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
/// the error, and writes these counts. The delivery knows the total, and gets both.
private final class DropInCounts: DropInContent {
  private let counter: FileCounter

  init(_ counter: FileCounter) {
    self.counter = counter
  }

  func read(_ file: borrowing OpenFile) throws(Errno) {
    var counts = Counts()
    var error: Int32 = 0
    do throws(Errno) {
      try counter.count(file, into: &counts)
    } catch let failure {
      error = failure.rawValue
    }
    let (found, end) = (counts, error)
    try file.write(capacity: Counts.byteCount + MemoryLayout<Int32>.size) { memory in
      var record = LineWriter(memory)
      found.withBytes { record.append($0) }
      withUnsafeBytes(of: end) { record.append($0) }
      return record.count
    }
  }
}

/// The options of a command line of wc.
struct DropInCountOptions: Sendable {
  private(set) var columns: CountColumns = []
  /// The file of --files0-from, in which each name ends in NUL; `nil` if the names are
  /// operands.
  private(set) var list: [UInt8]?
  private(set) var isDebugging = false
  private(set) var operands = DropInOperands()

  /// Ends the program if the command line is invalid, and after --help and --version.
  static func parse(for dropIn: DropIn, _ streams: DropInStreams) -> DropInCountOptions {
    var options = DropInCountOptions()
    options.operands = DropInOptionParser.parse(all, into: &options, for: dropIn, streams)
    if options.columns.isEmpty { options.columns = .asWC }
    if options.list != nil && !options.operands.isEmpty {
      streams.report("extra operand \(always: Array(options.operands[0]))")
      streams.writeError("file operands cannot be combined with --files0-from")
      streams.endWithUsageHint()
    }
    return options
  }
}

// The table for getopt_long.
extension DropInCountOptions {
  private static let all: [DropInOption<DropInCountOptions>] = [
    DropInOption("bytes", "c") { $0.columns.insert(.bytes) },
    DropInOption("chars", "m") { $0.columns.insert(.characters) },
    DropInOption("lines", "l") { $0.columns.insert(.lines) },
    DropInOption("words", "w") { $0.columns.insert(.words) },
    DropInOption("debug") { $0.isDebugging = true },
    DropInOption("files0-from", takesArgument: true) { options in
      options.list = kernel_option_argument().map { [UInt8](cString: $0) }
    },
    DropInOption("max-line-length", "L") { $0.columns.insert(.longestLine) },
  ]
}
