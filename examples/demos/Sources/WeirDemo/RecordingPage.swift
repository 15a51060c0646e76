// The page of a recording: `weir-demo view RECORDING --html PAGE`.

import Demos
import Foundation
import SystemPackage

enum RecordingPage {
  private static let options = [CommandOption("html", "PAGE", "Write the page to PAGE")]

  static func run(_ words: [String]) throws {
    let arguments = try Arguments(words, options: options, of: "view")
    if arguments.requestsHelp { return try Output.write(Help.overview) }
    guard let name = try arguments.operands(atMost: 1).first else {
      throw UsageError("view needs a recording: weir-demo view RECORDING --html PAGE")
    }
    guard let page = arguments["html"] else {
      throw UsageError("view writes a page; name it with --html PAGE")
    }
    let (log, identity) = try read(name)
    let folder = try PageFolder.find()
    let threads = Set(log.events.map(\.thread)).count
    let milliseconds = Int((Double(log.events.last?.time ?? 0) / 1e6).rounded())
    let report = DemoReport(
      title: "Recording", command: name,
      verdict: "\(log.events.count) events of \(threads) threads in \(milliseconds) ms.")
    let file = try RunFile(page)
    if let identity, file.identity == identity {
      throw Failure("\(page): is the recording, and --html would overwrite it")
    }
    try file.write(Array(HTMLReport.page(report, log, folder).utf8))
  }

  private static func read(_ name: String) throws -> (log: TraceLog, identity: [UInt64]?) {
    do {
      let file = try FileDescriptor.open(FilePath(name), .readOnly, options: [.closeOnExec])
      defer { try? file.close() }
      let bytes = Array(try FileHandle(fileDescriptor: file.rawValue).readToEnd() ?? Data())
      if bytes.starts(with: Array("{\"displayTimeUnit\"".utf8)) {
        throw Failure("is for ui.perfetto.dev; record to a name that ends in .jsonl")
      }
      let log = try TraceLog(jsonLines: bytes)
      if log.events.isEmpty {
        throw Failure(
          log.isCutOff
            ? "line 1 is cut off"
            : "has no events; record with WEIR_TRACE=NAME.jsonl, or a TraceRecorder")
      }
      return (log, RunFile.identity(file))
    } catch {
      throw Failure(file: name, error)
    }
  }
}
