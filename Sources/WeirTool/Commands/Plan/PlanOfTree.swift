// The run of `weir plan PATH ... --shards N -o FILE`: one walk, and the plan of it.

internal import FileJobs
internal import Weir

/// A plan that one walk makes.
struct PlanOfTree {
  private let request: PlanVerb
  private let operands: Operands
  private let session: Session
  private let writer: PlanWriter

  init(
    _ request: PlanVerb, _ operands: Operands, output name: RawArgument, shards: Int
  ) throws(FileError) {
    self.request = request
    self.operands = operands
    session = try Session(
      request.commonOptions, verb: "plan", inputs: operands.allNames, output: name,
      terminals: operands.terminals, wording: PlanVerb.wording)
    guard let root = PlanVerb.root(of: operands) else {
      throw FileError(message: Array("the working directory has no path".utf8))
    }
    do throws(Fault) {
      writer = try PlanWriter(
        name.bytes, shards: shards, strategy: request.strategy, root: root,
        memory: request.memory)
    } catch {
      throw FileError(error)
    }
    try checkInputs()
  }

  /// Throws an error if a list is the output, or if nothing but the output would be listed.
  /// Among other inputs, as the shell's `*` names it, the output is skipped, as in a walk.
  private func checkInputs() throws(FileError) {
    let conflict = Refusal("is an input, and --output would replace it")
    for input in operands.inputs {
      switch input {
      case .list(let name, _),
        .path(let name) where operands.inputs.count == 1:
        if operands.opened[name.bytes] == nil && writer.isOwn(name.bytes) {
          throw FileError(name, conflict)
        }
      case .path: break
      }
    }
  }

  func run() throws {
    let input = FileInput(
      operands, request.sourceOptions, request.walkOptions, request.commonOptions)
    var options = try input.processorOptions(session)
    if let previous = writer.previous { options.excluded.append(previous) }
    let named = PlanNamedInputs(operands)
    let job = try PlanJob(options: options)
    let sources = try input.sources()
    let reporter = FileReporter(console: session.console, verb: "plan", readsInput: false)
    session.cleanup.with { [writer] in $0 = { writer.discard() } }
    session.resumption.with { $0 = Session.Resumption(text: Array("no plan is written".utf8)) }
    var balance: PlanBalance?
    try session.run(job, isCut: { true }) {
      do {
        let statistics = try job.run(sources, lists: operands.lists) { [writer] record, _ in
          try writer.add(record)
        } report: { result in
          reporter.report(result)
        }
        balance = try writer.finish(
          filtered: statistics.filtered, named: named, isCanceled: { job.wasCanceled })
      } catch let error as Fault {
        throw FileError(error)
      }
    } finish: { _ in
      if let balance { try session.console.write(PlanSummary.text(balance)) }
    } summary: { ending in
      PlanSummary.summary(ending)
    }
  }
}

extension Operands {
  /// The indices of the inputs that are lists.
  var lists: Set<Int> {
    Set(
      inputs.indices.filter { index in
        if case .list = inputs[index] { true } else { false }
      })
  }
}
