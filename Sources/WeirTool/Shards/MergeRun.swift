// The run of weir merge: the recorded results of all shards through the output of their verb.

internal import FileJobs
internal import Weir

protocol MergeableVerb: Verb {
  /// Writes what one run over all files would have written.
  func merge(_ merge: MergeRun) throws
  /// True if the parts have an answer to every file of the plan.
  var answersEveryFile: Bool { get }
}

extension MergeableVerb {
  var answersEveryFile: Bool { true }
}

/// A merge whose parts are all there and all whole.
struct MergeRun {
  let session: Session
  let reader: PlanReader
  let name: RawArgument
  let parts: PartSet
  let header: PartHeader
  /// Called when all output is written.
  let didComplete: (Session.Ending) throws -> Void

  var plan: PlanHeader { reader.header }
  var console: Console { session.console }

  /// - Parameter deliversWholeTree: True to deliver directories and links too.
  func run(
    _ output: some SessionOutput, deliversWholeTree: Bool = false,
    deliver: (borrowing FileBatch) throws -> Void
  ) throws {
    let job = ResultReplay(reader, try parts.readers(), deliversWholeTree: deliversWholeTree)
    try run(job, output) { try job.run(deliver: deliver) }
  }

  /// Runs a job that reads the parts itself.
  func run(
    _ job: any FileJob, _ output: some SessionOutput, isCut: () -> Bool = { false },
    work: () throws -> Void
  ) throws {
    let expected = ExpectedWork(WorkAmount(files: plan.files))
    let ending = session.perform(job, expected: expected, isCut: isCut) {
      do {
        try work()
      } catch let error as Fault {
        if case .system = error.reason { throw error }
        if error.name == name.bytes { throw error }
        console.report(error)
        throw ExitStatus.damaged
      }
    }
    try session.conclude(ending) { ending in
      try output.finish(ending)
      try didComplete(ending)
    } summary: { ending in
      output.summary(ending)
    }
  }
}
