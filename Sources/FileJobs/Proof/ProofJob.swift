// A check with a budget, and with a state that remembers what was proved.

internal import SystemPackage
internal import Weir

/// What is known after a check with a state.
package struct ProofReport: Sendable {
  /// The lines that an earlier run of this round has proved, and this one has left out.
  package let proved: Int
  /// The lines of files that were never proved.
  package let never: Int
  /// The time of the oldest proof, in seconds since 1970; `nil` if there is none.
  package let oldest: UInt32?
}

/// A job that verifies as many lines as its budget allows, and remembers when each was proved.
///
/// @unchecked Sendable: the run belongs to one thread at a time.
package final class ProofJob: FileJob, @unchecked Sendable {
  /// The choice of lines.
  package struct Choice: Sendable {
    /// True to verify the lines first whose last verdict is the oldest.
    package var oldestFirst: Bool
    /// True to leave out the lines that the round has proved.
    package var resumes: Bool

    package init(oldestFirst: Bool, resumes: Bool) {
      (self.oldestFirst, self.resumes) = (oldestFirst, resumes)
    }
  }

  private let check: CheckJob
  private let budget: CheckBudget
  private let state: ProofState?
  private let choice: Choice
  private let postponed = Locked<[UInt32: Int]>([:])
  private let isCanceled = Locked(false)
  private let found = Locked<ProofReport?>(nil)

  /// - Parameters:
  ///   - check: A job with the same budget.
  ///   - state: The state; `nil` if the choice is that of all lines in their order.
  package init(_ check: CheckJob, _ budget: CheckBudget, _ state: ProofState?, _ choice: Choice) {
    (self.check, self.budget, self.state, self.choice) = (check, budget, state, choice)
  }

  /// The handle on the present run.
  package var control: JobControl {
    let check = check.control
    return JobControl(
      cancel: {
        self.isCanceled.with { $0 = true }
        check.cancel()
      }, statistics: check.statistics, busyFiles: check.busyFiles)
  }

  /// The number of lines that were left to a later run.
  package var postponedCount: Int {
    let all = postponed.with { $0.values.reduce(0, +) }
    return all - (report?.proved ?? 0)
  }

  /// The report on the state, after the run; `nil` without a state.
  package var report: ProofReport? { found.with { $0 } }

  /// Verifies manifests; returns when all events are delivered, in the order of the lines.
  ///
  /// - Throws: As ``CheckJob/run(_:deliver:)``, or a `Fault` of the state.
  package func run(
    _ manifests: [CheckManifest], of selection: CheckSelection?,
    deliver: @escaping @Sendable (CheckEvent) throws -> Void
  ) throws {
    let feed = check.feed(manifests, of: selection)
    guard let state else { return try run(feed, deliver: deliver) }
    let items = try items(of: feed, state)
    let isHeld = choice.oldestFirst && budget.hasLimit
    let ended = Result {
      try isHeld
        ? runHeld(items, state, deliver: deliver) : run(items, state, deliver: deliver)
    }
    let isWhole = if case .success = ended { postponedCount == items.provedCount } else { false }
    try finish(items, state, isWhole: isWhole)
    try ended.get()
  }

  /// Verifies lines in their order, without a state.
  private func run(
    _ feed: CheckFeed, deliver: @escaping @Sendable (CheckEvent) throws -> Void
  ) throws {
    let delivery = CheckDelivery(postponed: postponed, deliver)
    _ = try check.run {
      while let item = feed.item() {
        guard let header = CheckNote.header(of: item.lentNote),
          header.hasLines || header.hasStatus && header.count > 0,
          !self.budget.takes(size: item.expectedSize)
        else { return item }
        self.postpone(header)
      }
      return nil
    } deliver: { batch in
      for index in 0..<batch.count { try delivery.deliver(batch[index]) }
      try deliver(.pause)
    }
  }

  private func postpone(_ header: CheckNote.Header) {
    postponed.with { $0[header.manifest, default: 0] += header.lineCount }
  }

  // MARK: With a state

  /// Reads the items in, and begins a round or continues it.
  private func items(of feed: CheckFeed, _ state: ProofState) throws -> ProofItems {
    let items = try Fault.of(state.path, try ProofItems(beside: state.path))
    let continues = choice.resumes && state.round > 0
    while let item = feed.item() {
      if isCanceled.with({ $0 }) { throw Errno.canceled }
      try Fault.of(
        state.path, try items.append(item, state, round: continues ? state.round : nil))
    }
    if !state.isEmpty && items.lineCount > 0 && items.knownCount == 0 {
      throw Fault(
        state.path,
        .refused("has no line of these manifests; name another state, or remove this one"))
    }
    state.forget()
    let begin = try Fault.of(
      state.path, try items.finish(oldestFirst: choice.oldestFirst && budget.hasLimit))
    if !continues { state.begin(round: begin) }
    try state.flush()
    return items
  }

  /// Verifies items, each before its verdict is noted.
  private func verify(
    _ items: ProofItems, _ state: ProofState,
    deliver: @escaping @Sendable (borrowing FileBatch) throws -> Void
  ) throws {
    let failure = Locked<Errno?>(nil)
    _ = try check.run(
      {
        do throws(Errno) {
          return try items.next(self.budget) { self.postpone($0) }
        } catch {
          failure.with { $0 = error }
          return nil
        }
      }, deliver: deliver)
    if let error = failure.with({ $0 }) { throw Fault(state.path, .system(error)) }
  }

  /// Delivers verdicts as they come. A verdict is noted after its delivery.
  private func run(
    _ items: ProofItems, _ state: ProofState,
    deliver: @escaping @Sendable (CheckEvent) throws -> Void
  ) throws {
    let delivery = CheckDelivery(postponed: postponed) { event in
      try deliver(event)
      ProofJob.note(event, items, state)
    }
    try verify(items, state) { batch in
      for index in 0..<batch.count { try delivery.deliver(batch[index]) }
      try deliver(.pause)
      try state.flush()
    }
  }

  /// Delivers the verdicts at the end, or when the run is canceled. A proof is noted at once, any
  /// other verdict after its delivery: a kill before would hide it until the next round.
  private func runHeld(
    _ items: ProofItems, _ state: ProofState,
    deliver: @escaping @Sendable (CheckEvent) throws -> Void
  ) throws {
    let held = try Fault.of(state.path, try HeldResults(beside: state.path))
    let proofs = CheckDelivery(postponed: postponed) { event in
      ProofJob.note(event, items, state, proofs: true)
    }
    let ended = Result {
      try verify(items, state) { batch in
        for index in 0..<batch.count {
          let result = batch[index]
          try proofs.deliver(result)
          guard let header = CheckNote.header(of: result.note), !header.isPostponed(result) else {
            continue
          }
          let place = items.place(Int(header.line), of: header.manifest)
          let isEnd = header.kind == CheckNote.Kind.end.rawValue
          try Fault.of(
            state.path, try held.append(result, place: 2 * place + (isEnd ? 1 : 0)))
        }
        try state.flush()
      }
    }
    let delivery = CheckDelivery(postponed: postponed) { event in
      try deliver(event)
      ProofJob.note(event, items, state, proofs: false)
    }
    try held.deliver { batch in
      for index in 0..<batch.count { try delivery.deliver(batch[index]) }
      try deliver(.pause)
      try state.flush()
    }
    try ended.get()
  }

  /// Notes the verdict on a line with a digest.
  ///
  /// - Parameter proofs: True to note only proofs, false to note all but proofs.
  private static func note(
    _ event: CheckEvent, _ items: ProofItems, _ state: ProofState, proofs: Bool? = nil
  ) {
    guard case .line(let line) = event, let first = line.expected else { return }
    let isProof =
      switch line.outcome {
      case .matched, .touched: true
      default: false
      }
    if let proofs, proofs != isProof { return }
    let digests = [first] + (line.otherDigests.map { Array($0) } ?? [])
    let key = line.withName { ProofLine.key(digests, $0) }
    state.append(items.note(line, isProof: isProof), key: key)
  }

  /// Writes the state anew, unless a manifest has lines that this run does not know.
  ///
  /// - Parameter isWhole: True if the round has come to its end.
  private func finish(
    _ items: ProofItems, _ state: ProofState, isWhole: Bool
  ) throws(Fault) {
    var (count, never, oldest) = (0, 0, UInt32.max)
    try Fault.of(
      state.path,
      try items.forEachTime { (times, _) in
        count += 1
        never += times.proved == 0 ? 1 : 0
        if times.proved > 0 { oldest = min(oldest, times.proved) }
      })
    found.with {
      $0 = ProofReport(
        proved: items.provedCount, never: never, oldest: oldest == .max ? nil : oldest)
    }
    if items.isIncomplete { return try state.finish() }
    try state.replace(lines: count, round: isWhole ? 0 : state.round) { (write) throws(Errno) in
      try items.forEachTime(write)
    }
  }
}
