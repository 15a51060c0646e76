// The page of a recording: `weir demo view FILE --html PAGE`.

internal import Demos
internal import FileJobs
internal import SystemPackage
internal import WeirLibC

struct DemoView {
  private let file: RawArgument
  private let page: RawArgument

  init(_ files: some Collection<RawArgument>, _ options: DemoViewOptions) throws(UsageError) {
    guard let file = files.first else {
      throw UsageError("view needs a recording: weir demo view FILE --html PAGE")
    }
    if files.count > 1 {
      throw UsageError("unexpected operand ", files[files.index(after: files.startIndex)])
    }
    guard let page = options.html else {
      throw UsageError("view writes a page; name it with --html FILE")
    }
    self.file = file
    self.page = page
  }

  func run() throws {
    let log: TraceLog
    do {
      let bytes = try read()
      if bytes.starts(with: Array("{\"displayTimeUnit\"".utf8)) {
        throw Refusal("is for ui.perfetto.dev; record to a name that ends in .jsonl")
      }
      log = try TraceLog(jsonLines: bytes)
    } catch {
      throw FileError(file, error)
    }
    if log.events.isEmpty && log.isCutOff {
      throw FileError(file, Refusal("line 1 is cut off"))
    }
    if log.events.isEmpty {
      throw FileError(
        file, Refusal("has no events; record with WEIR_TRACE=NAME.jsonl, or a TraceRecorder"))
    }
    let name = String(decoding: file.bytes, as: UTF8.self)
    let report = DemoReport(
      title: "Recording", subtitle: name, isSimulated: false, questions: [],
      verdict: summary(of: log), next: "", code: [], notes: [])
    do {
      let descriptor = try TraceFile.open(page)
      if try TraceFile.isOpen(descriptor, onOneOf: [file]) {
        throw Refusal("is the recording, and --html would overwrite it")
      }
      try TraceFile.empty(descriptor)
      try descriptor.writeAll(HTMLReport.page(report, log).utf8)
      try descriptor.closeWritten()
    } catch {
      throw FileError(page, error)
    }
  }

  private func summary(of log: TraceLog) -> String {
    let timeline = Timeline(log)
    let seconds = Quantities.fixed(Double(timeline.duration) / 1e9, digits: 3)
    return Quantities.count(log.events.count, "event", "events") + " of "
      + Quantities.count(timeline.threads.count, "thread", "threads") + " in \(seconds) s."
  }

  private func read() throws -> [UInt8] {
    let descriptor = try FileDescriptor.open(
      FilePath(bytes: file.bytes), .readOnly, options: [.closeOnExec])
    defer { try? descriptor.close() }
    let kind = try stat(of: descriptor).st_mode & S_IFMT
    if kind == S_IFCHR || kind == S_IFBLK { throw Refusal("is a device, and no recording") }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try chunk.withUnsafeMutableBytes { try descriptor.read(into: $0) }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }
}
