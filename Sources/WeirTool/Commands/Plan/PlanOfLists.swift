// The run of `weir plan --from DIR --shards N -o FILE`: a plan of the lists of workers.

internal import FileJobs
internal import Weir

/// A plan that is made of the lists of all workers.
struct PlanOfLists {
  private let request: PlanRequest
  private let directory: RawArgument
  private let console: Console
  private let output: PlanOutput
  private let shards: Int

  init(
    _ request: PlanRequest, from directory: RawArgument, output name: RawArgument, shards: Int
  ) throws(FileError) {
    self.request = request
    self.directory = directory
    self.shards = shards
    let session = try Session(
      request.commonOptions, verb: "plan", inputs: [directory], output: name)
    console = session.console
    // A merge reads no tree: a signal may end it at once.
    session.unblockSignals()
    do throws(PlanError) {
      output = try PlanOutput(name.bytes)
    } catch {
      throw FileError(error)
    }
  }

  func run() throws {
    let lists: PlanListSet
    do throws(PlanError) {
      lists = try PlanListSet(in: directory.bytes)
    } catch {
      throw FileError(error)
    }
    if !lists.faults.isEmpty { throw report(lists.faults) }
    guard let header = lists.header else { throw ExitStatus.incomplete }
    let balance: PlanBalance
    do {
      let writer = try PlanWriter(
        output, shards: shards, strategy: request.strategy ?? .size, root: header.root,
        memory: request.memory)
      try lists.merge { try writer.add($0) }
      balance = try writer.finish(filtered: lists.filtered, named: header.named)
    } catch let error as PlanError {
      console.report(FileError(error))
      if case .damaged = error.reason {
        console.report("no plan is written")
        throw ExitStatus.damaged
      }
      throw ExitStatus.usage
    }
    try console.write(PlanSummary.text(balance))
    try console.closeOutput()
    if lists.isIncomplete { throw ExitStatus.unreadable }
  }

  /// Reports what is wrong with lists. Returns the exit status.
  private func report(_ faults: PlanListSet.Faults) -> ExitStatus {
    for error in faults.damaged + faults.others + faults.missing {
      console.report(FileError(error))
    }
    console.report("no plan is written; run the workers of these lists again")
    return !faults.missing.isEmpty
      ? .incomplete : faults.others.isEmpty ? .damaged : .otherPlan
  }
}
