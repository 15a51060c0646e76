// The run of weir merge: the recorded results of all shards through the output of their verb.

internal import FileJobs
internal import SystemPackage
internal import Weir

/// A verb whose recorded results can be merged: the one that made the parts.
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
  let plan: PlanHeader
  /// The header of the parts: their verb and its words.
  let header: PartHeader
  private let reader: PlanReader
  /// The name of the plan.
  let name: RawArgument
  private let parts: PartSet
  /// Called when all output is written.
  private let didComplete: (Session.Ending) throws -> Void

  var console: Console { session.console }

  init(
    _ session: Session, _ reader: PlanReader, _ name: RawArgument, _ parts: PartSet,
    _ header: PartHeader, didComplete: @escaping (Session.Ending) throws -> Void
  ) {
    self.session = session
    self.reader = reader
    plan = reader.header
    self.name = name
    self.parts = parts
    self.header = header
    self.didComplete = didComplete
  }

  /// Returns readers of all parts, and of the plan: the records of the parts are in its order.
  func openParts() throws -> (plan: PlanReader, parts: [PartReader]) {
    do throws(Fault) {
      return (reader, try parts.readers())
    } catch {
      throw FileError(error)
    }
  }

  /// Delivers the results of a file processor again.
  ///
  /// - Parameters:
  ///   - deliversWholeTree: True to deliver directories and links too.
  ///   - deliver: Takes the batches, as from the processor.
  ///   - finish: Writes the last lines.
  ///   - summary: Returns the report on the run.
  func run(
    deliversWholeTree: Bool, deliver: (borrowing FileBatch) throws -> Void,
    finish: (Session.Ending) throws -> Void, summary: (Session.Ending) -> Session.Summary
  ) throws {
    let (plan, parts) = try openParts()
    let job = ResultReplay(
      plan, parts, name: name.bytes, deliversWholeTree: deliversWholeTree)
    try run(job) {
      try job.run(deliver: deliver)
    } finish: {
      try finish($0)
    } summary: {
      summary($0)
    }
  }

  /// Runs a job that reads the parts itself.
  func run(
    _ job: any FileJob, isCut: () -> Bool = { false }, work: () throws -> Void,
    finish: (Session.Ending) throws -> Void, summary: (Session.Ending) -> Session.Summary
  ) throws {
    let files = plan.files
    try session.run(job, expected: { _ in WorkAmount(files: files) }, isCut: isCut) {
      do {
        try work()
      } catch let error as Fault {
        if error.name == name.bytes { throw FileError(error) }
        if case .system = error.reason { throw FileError(error) }
        console.report(FileError(error))
        throw ExitStatus.damaged
      }
    } finish: { ending in
      try finish(ending)
      try didComplete(ending)
    } summary: { ending in
      summary(ending)
    }
  }
}
