// The run of `weir plan PATH ... --shard K/N --out DIR`: a part of a walk, as a list.

internal import FileJobs
internal import SystemPackage
internal import Weir
internal import WeirLibC

/// The list of one of several workers.
struct PlanOfWorker {
  private let request: PlanRequest
  private let operands: Operands
  private let session: Session
  private let header: PlanListHeader
  private let output: PlanOutput
  /// True if an earlier process has written the list.
  private let isDone: Bool

  init(
    _ request: PlanRequest, _ operands: Operands, _ file: PlanListFile, directory: RawArgument
  ) throws(FileError) {
    self.request = request
    self.operands = operands
    session = try Session(
      request.commonOptions, verb: "plan", inputs: operands.allNames,
      terminals: operands.terminals, wording: PlanRequest.wording)
    guard let root = PlanRequest.root(of: operands) else {
      throw FileError(message: Array("the working directory has no path".utf8))
    }
    header = PlanListHeader(
      file, splitDepth: request.splitDepth ?? PlanRequest.splitDepthDefault, root: root,
      words: PlanOfWorker.words(request, operands), named: PlanNamedInputs(operands))
    let made = FilePath(bytes: directory.bytes).withPlatformString {
      mkdir($0, 0o777) == 0 ? 0 : errno
    }
    if made != 0 && made != EEXIST { throw FileError(directory, Errno(rawValue: made)) }
    let path = file.path(in: directory.bytes)
    do throws(PlanError) {
      isDone = try PlanOfWorker.isDone(path, header)
      output = try PlanOutput(path, replaces: false)
    } catch {
      throw FileError(error)
    }
  }

  /// Returns true if a list is there already.
  ///
  /// - Throws: `refused` if it was made with other arguments.
  private static func isDone(_ path: [UInt8], _ header: PlanListHeader) throws(PlanError) -> Bool {
    if stat.of(path) == nil { return false }
    let found = try PlanListReader(path).header
    if let difference = found.difference(from: header) {
      throw PlanError(path, .refused("\(difference); remove it first"))
    }
    return true
  }

  /// The PATHs and the options that the walk depends on.
  private static func words(_ request: PlanRequest, _ operands: Operands) -> [[UInt8]] {
    let walk = request.walkOptions
    let depth = walk.maxDepth.map(String.init) ?? ""
    let options = "follow=\(walk.follow) one=\(walk.oneFileSystem) depth=\(depth)"
    let filters = operands.filters.flatMap { filter in
      [Array((filter.isInclude ? "include" : "exclude").utf8), filter.pattern]
    }
    return [Array(options.utf8)] + filters + operands.names.map(\.bytes)
  }

  func run() throws {
    if isDone {
      session.console.report(
        QuotedName.bytes(of: output.path) + Array(": exists already; nothing to do".utf8))
      return
    }
    let input = FileInput(operands, .defaults, request.walkOptions, request.commonOptions)
    let selection = PlanListSelection(header.file, depth: header.splitDepth)
    let job = try PlanJob(
      options: input.processorOptions(session), select: selection.selector)
    let sources = try input.sources()
    let writer: PlanListWriter
    do throws(PlanError) {
      writer = try PlanListWriter(output, header)
    } catch {
      throw FileError(error)
    }
    let reporter = FileReporter(console: session.console, verb: "plan", readsInput: false)
    session.cleanup.with { [output] in $0 = output.cleanup }
    session.resumption.with { $0 = Session.Resumption(text: Array("no list is written".utf8)) }
    var isFirst = true
    try session.run(job, isCut: { true }) {
      do {
        let statistics = try job.run(sources, lists: []) { record, source in
          try writer.add(record, source: source)
        } report: { result in
          reporter.report(result)
        }
        isFirst = try writer.finish(
          filtered: statistics.filtered, filteredByAll: filteredByAll(),
          isIncomplete: PlanSummary.isIncomplete(statistics))
      } catch let error as PlanError {
        throw FileError(error)
      }
    } finish: { _ in
      if !isFirst {
        session.console.report(
          QuotedName.bytes(of: output.path)
            + Array(": another process has written it meanwhile, and it stays".utf8))
      }
    } summary: { ending in
      PlanSummary.summary(ending)
    }
  }

  /// Returns the number of entries that filters exclude down to the split depth: every worker
  /// finds these.
  private func filteredByAll() -> UInt64 {
    if operands.filters.isEmpty { return 0 }
    var options = request.walkOptions
    options.maxDepth = min(options.maxDepth ?? .max, header.splitDepth)
    return operands.names.reduce(0) { sum, name in
      var walk = options.walk(name, operands).makeIterator()
      while walk.next() != nil {}
      return sum + walk.filteredCount
    }
  }
}
