// The report of a run, for --report and --metrics.
//
// DESIGN. A nightly job is judged by what it left: so a report replaces the former one whole, and
// a run that could not start leaves one too, since an old report would read as success. The
// counts are those of the verb's JSON summary. Metrics are Prometheus's text format, which
// the textfile collector of its node exporter reads. (Rejected: to push to a server, which is
// curl's work.)

internal import FileJobs
internal import SystemPackage
internal import Weir
internal import WeirLibC

/// The report of a run, and the files it goes to.
final class RunReport: Sendable {
  /// A manifest of the run; its digest is that of the end of the run.
  private struct Manifest {
    let name: [UInt8]
    let base: Int32
  }

  private let verb: String
  private let files: [(name: [UInt8], format: Format)]
  private let directory: [UInt8]
  private let start: timespec
  private let manifests = Locked<[Manifest]>([])
  /// The former reports, which the run does not read as input.
  private let held: Locked<[FileDescriptor]>
  var former: [FileDescriptor] { held.with { $0 } }

  private enum Format { case json, metrics }

  /// The report of this process until it is written.
  private static let current = Locked<RunReport?>(nil)

  /// - Parameters:
  ///   - directory: The working directory before `-C`.
  ///   - others: The inputs and the other outputs, which the report must not overwrite.
  static func make(
    _ options: CommonOptions, verb: String, startedIn directory: [UInt8], others: [RawArgument]
  ) throws(FileError) -> RunReport? {
    let files =
      [(options.report, Format.json), (options.metrics, .metrics)]
      .compactMap { name, format in name.map { ($0, format) } }
    if files.isEmpty { return nil }
    let report = try RunReport(verb, directory, files, others)
    current.with { $0 = report }
    return report
  }

  /// Makes the report of a run that cannot enter the directory of `-C`, where relative inputs would
  /// be.
  static func make(
    ofFailed verb: String, _ options: CommonOptions, startedIn directory: [UInt8],
    others: [RawArgument]
  ) {
    let others = others.filter { $0.bytes.first == UInt8(ascii: "/") }
    // The run has failed already, and names that reason.
    _ = try? make(options, verb: verb, startedIn: directory, others: others)
  }

  private init(
    _ verb: String, _ directory: [UInt8], _ files: [(RawArgument, Format)], _ others: [RawArgument]
  ) throws(FileError) {
    self.verb = verb
    self.directory = directory
    start = RunReport.now()
    let here = workingDirectory() ?? Array(".".utf8)
    var taken = Set(others.compactMap { FileIdentity.of($0.bytes) })
    var places = Set(others.compactMap { FilePlace($0.bytes) })
    var resolved: [(name: [UInt8], format: Format)] = []
    var former: [FileDescriptor] = []
    for (name, format) in files {
      do {
        var path = try ReplacingFile.resolved(name.bytes)
        if path.first != UInt8(ascii: "/") { path = here + "/".utf8 + path }
        if withPath(path.directory, { faccessat(AT_FDCWD, $0, W_OK | X_OK, AT_EACCESS) }) != 0 {
          throw Errno(rawValue: errno)
        }
        if let place = FilePlace(path), !places.insert(place).inserted {
          throw Refusal("is an input or another output")
        }
        if let file = FileIdentity.of(path) {
          if !taken.insert(file).inserted { throw Refusal("is an input or another output") }
          former.append(try openFile(path, O_RDONLY | O_NONBLOCK))
          try RunReport.expectReport(path)
        }
        resolved.append((path, format))
      } catch let fault as Fault {
        throw FileError(fault.text)
      } catch {
        throw FileError(name, error)
      }
    }
    self.files = resolved
    held = Locked(former)
  }

  /// Closes the former reports: few descriptors may be allowed.
  func closeFormer() {
    held.with { held -> Void in
      held.forEach { close($0.rawValue) }
      held = []
    }
  }

  /// Throws an error if a file is neither empty nor a report: it may be anything.
  private static func expectReport(_ path: [UInt8]) throws {
    let file = try openFile(path, O_RDONLY | O_NONBLOCK)
    defer { try? file.close() }
    let begin = try file.bytes(at: 0, count: 64)
    if begin.isEmpty || begins.contains(where: { begin.starts(with: $0.utf8) }) { return }
    throw Refusal("is no report and is left unchanged; choose another name, or remove it")
  }

  private static let begins = ["{\n  \"type\":\"report\"", "# HELP weir_exit_status "]

  /// Adds a manifest that the run verifies, compares or writes.
  func add(manifest name: [UInt8], from base: Int32 = AT_FDCWD) {
    manifests.with { $0.append(Manifest(name: name, base: base)) }
  }

  // MARK: The end

  struct End {
    var isComplete = false
    /// The exit status, or 128 and the signal that ended the run.
    var status: Int32
    var message: Message?
    var statistics: FileStatistics?
    var counts: [(name: String, value: UInt64)] = []
    var dates: [(name: String, time: UInt32)] = []
    /// JSON objects.
    var failures: [[UInt8]] = []
  }

  /// Writes the report of the process, if there is one that is not written yet. Returns the error
  /// of a file that could not be written.
  @discardableResult
  static func write(_ end: @autoclosure () -> End) -> FileError? {
    guard let report = current.with({ $0.take() }) else { return nil }
    return report.write(end())
  }

  private func write(_ end: End) -> FileError? {
    var failure: FileError?
    let time = RunReport.now()
    for (name, format) in files {
      do {
        // The run itself may have made a file of that name.
        if FileIdentity.of(name) != nil { try RunReport.expectReport(name) }
        let file = try ReplacingFile(name)
        do {
          let text = format == .json ? json(end, time) : metrics(end, time, label: name)
          try file.descriptor.write(all: text)
          if let former = try? stat(of: name) { file.descriptor.copyOwnership(of: former) }
          try file.replace()
        } catch {
          file.discard()
          throw error
        }
      } catch {
        failure = FileError(RawArgument(bytes: name), error)
      }
    }
    return failure
  }

  /// Returns the document of docs/schema/report.json, one member a line.
  private func json(_ end: End, _ time: timespec) -> [UInt8] {
    typealias Member = JSONValue.Member
    var members = [
      Member("type", "report"), Member("verb", .text(verb)),
      Member("version", .text(WeirVersion.description)), Member("host", .text(HostName.current)),
      Member(
        "command",
        .array(([Array("weir".utf8)] + RawArgument.commandLine().map(\.bytes)).map(RunReport.name))),
      Member("directory", RunReport.name(directory)),
      Member("start", .text(UTCTime.text(UInt32(clamping: start.tv_sec)))),
      Member("end", .text(UTCTime.text(UInt32(clamping: time.tv_sec)))),
      Member("complete", .bool(end.isComplete)), Member("status", .count(end.status)),
      Member("verdict", .text(RunReport.verdict(end))),
    ]
    if let message = end.message {
      members.append(Member("message", RunReport.name(message.bytes)))
    }
    members += [
      Member("manifests", .array(manifests.with { $0 }.map(RunReport.value))),
      Member("files", .count(end.statistics?.files ?? 0)),
      Member("bytes", .count(end.statistics?.bytes ?? 0)),
      Member("counts", .object(end.counts.map { Member($0.name, .count($0.value)) })),
    ]
    members += end.dates.map { Member($0.name, .text(UTCTime.text($0.time))) }
    if !end.failures.isEmpty {
      members.append(Member("failures", .array(end.failures.map { .encoded($0) })))
    }
    var text = Array("{\n".utf8)
    for (index, member) in members.enumerated() {
      text += "  ".utf8 + JSONValue.object([member]).line.dropFirst().dropLast()
      text += (index < members.count - 1 ? ",\n" : "\n}\n").utf8
    }
    return text
  }

  private static func name(_ bytes: [UInt8]) -> JSONValue {
    .encoded(bytes.withUnsafeBytes { JSONName.bytes(of: StartDirectory.shown($0)) })
  }

  private static func value(_ manifest: Manifest) -> JSONValue {
    var members = [JSONValue.Member("path", name(manifest.name))]
    if let digest = try? sha256(manifest) {
      members.append(JSONValue.Member("sha256", .text(digest)))
    }
    return .object(members)
  }

  private static func sha256(_ manifest: Manifest) throws(Errno) -> String? {
    let file = try withPath(manifest.name) { (path) throws(Errno) in
      FileDescriptor(
        rawValue: try retryingOnInterrupt {
          openat(manifest.base, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        })
    }
    defer { try? file.close() }
    return try stat(of: file).isRegularFile ? Digest.hexadecimal([.sha256], of: file).first : nil
  }

  /// Returns the gauges of a run. The label `run` distinguishes the runs of a machine: it is the
  /// name of the file without its ending.
  private func metrics(_ end: End, _ time: timespec, label path: [UInt8]) -> [UInt8] {
    let file = String(decoding: path.lastComponent, as: UTF8.self)
    let run = (file.hasSuffix(".prom") ? String(file.dropLast(5)) : file)
      .flatMap { $0 == "\"" || $0 == "\\" ? "\\\($0)" : $0.isNewline ? "\\n" : String($0) }
    let labels = "run=\"\(String(run))\",verb=\"\(verb)\""
    var text = ""
    func add(_ name: String, _ help: String, _ values: [(label: String, value: String)]) {
      text += "# HELP weir_\(name) \(help)\n# TYPE weir_\(name) gauge\n"
      for (label, value) in values { text += "weir_\(name){\(labels)\(label)} \(value)\n" }
    }
    add("exit_status", "Exit status of the last run.", [("", "\(end.status)")])
    add("complete", "1 if the last run came to its end.", [("", end.isComplete ? "1" : "0")])
    add("start_time_seconds", "Start of the last run.", [("", RunReport.seconds(start))])
    add("end_time_seconds", "End of the last run.", [("", RunReport.seconds(time))])
    add("files", "Files of the last run.", [("", "\(end.statistics?.files ?? 0)")])
    add("read_bytes", "Bytes read by the last run.", [("", "\(end.statistics?.bytes ?? 0)")])
    add(
      "items", "Items of the last run by kind.",
      (end.counts + end.dates.map { ($0.name, UInt64($0.time)) })
        .map { (",kind=\"\($0.name)\"", "\($0.value)") })
    return Array(text.utf8)
  }

  private static func verdict(_ end: End) -> String {
    switch end.status {
    case 0: "ok"
    case ExitStatus.difference.rawValue: "different"
    case ExitStatus.unreadable.rawValue: "unreadable"
    case ExitStatus.newOrMoved.rawValue: "new or moved"
    case 129...: "interrupted"
    default: "failed"
    }
  }

  // MARK: Times

  private static func now() -> timespec {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time
  }

  private static func seconds(_ time: timespec) -> String {
    "\(time.tv_sec).\(String(time.tv_nsec / 1_000_000 + 1000).dropFirst())"
  }
}
