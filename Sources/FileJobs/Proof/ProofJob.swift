internal import SystemPackage
internal import Weir

/// The proofs of all lines at the end of a check with a state.
package struct ProofReport: Sendable {
  /// The lines that an earlier run of this round has proved, and this one has left out.
  package let proved: Int
  /// The lines of files that were never proved.
  package let never: Int
  /// The time of the oldest proof, in seconds since 1970; `nil` if there is none.
  package let oldest: UInt32?
  /// True if the run has found no line with a digest, so that the proofs of the state stay as they are.
  package let isUnused: Bool
  /// The number of damages that the state has dropped, since no line has the expected digest any more.
  package let dropped: Int
}

/// A job that verifies as many lines as its budget allows, and remembers when each was proved.
///
/// @unchecked Sendable: the run belongs to one thread at a time.
package final class ProofJob: FileJob, @unchecked Sendable {
  private let check: CheckJob
  private let budget: CheckBudget
  private let state: ProofState?
  private let oldestFirst: Bool
  private let resumes: Bool
  private let ignoresMissing: Bool
  private let dropped: @Sendable (_ name: [UInt8], _ failed: UInt32) -> Void
  private let unread = Locked(Unread())
  private let isCanceled = Locked(false)
  private let found = Locked<ProofReport?>(nil)

  /// - Parameters:
  ///   - check: A job with the same budget.
  ///   - state: The state; `nil` to verify all lines in their order.
  ///   - oldestFirst: True to verify the lines first whose last verdict is the oldest.
  ///   - resumes: True to leave out the lines that the round has proved.
  ///   - dropped: Called for each damage of the state whose line has left the manifests, with its
  ///     name and time, before the state drops it; not for a file that was edited or missing.
  package init(
    _ check: CheckJob, _ budget: CheckBudget, _ state: ProofState?, oldestFirst: Bool,
    resumes: Bool, ignoresMissing: Bool,
    dropped: @escaping @Sendable (_ name: [UInt8], _ failed: UInt32) -> Void
  ) {
    (self.check, self.budget, self.state) = (check, budget, state)
    self.oldestFirst = oldestFirst && budget.hasLimit
    (self.resumes, self.ignoresMissing) = (resumes, ignoresMissing)
    self.dropped = dropped
  }

  package var control: JobControl { check.control.setting(isCanceled) }

  /// The number of lines that were left to a later run.
  package var postponedCount: Int { max(0, unread.with { $0 }.count - (report?.proved ?? 0)) }

  package var report: ProofReport? { found.with { $0 } }

  /// Verifies manifests like ``CheckJob/run(_:deliver:)``. A verdict is noted in the state after
  /// its delivery: a kill before would hide it until the next round. Throws also a `Fault` of the
  /// state.
  package func run(
    _ manifests: [CheckManifest], of selection: CheckSelection?,
    deliver: @escaping @Sendable (CheckEvent) throws -> Void
  ) throws {
    let feed = check.feed(manifests, of: selection)
    unread.with { $0 = feed.unread }
    guard let state else {
      return try run(deliver: deliver) {
        while let item = feed.item() {
          guard var header = CheckNote.header(of: item.lentNote), header.hasDigest,
            !self.budget.takes(size: item.expectedSize)
          else { return item }
          if header.known != nil {
            header.isUnread = true
            CheckNote.setHeader(header, of: item.lentNote)
            return item
          }
          feed.unread.add(header)
        }
        return nil
      }
    }
    let items = try items(of: feed, state)
    let failure = Locked<Errno?>(nil)
    let ended = Result {
      try run { event in
        try deliver(event)
        switch event {
        case .line(let line): self.note(line, items, state)
        case .pause: try state.flush()
        case .end: break
        }
      } next: {
        do throws(Errno) {
          return try items.next(self.budget) { feed.unread.add($0) }
        } catch {
          failure.with { $0 = error }
          return nil
        }
      }
      if let error = failure.with({ $0 }) { throw Fault(state.path, .system(error)) }
    }
    let isUnread = feed.unread.knownCount > 0 || postponedCount > items.provedCount
    let isWhole = if case .success = ended { !isUnread } else { false }
    try finish(items, state, isWhole: isWhole)
    try ended.get()
  }

  private func run(
    deliver: @escaping @Sendable (CheckEvent) throws -> Void,
    next: @escaping @Sendable () -> FileItem?
  ) throws {
    let delivery = CheckDelivery(unread.with { $0 }, deliver)
    _ = try check.run(next) { batch in
      for index in 0..<batch.count { try delivery.deliver(batch[index]) }
      try deliver(.pause)
    }
  }

  // MARK: With a state

  private func items(of feed: CheckFeed, _ state: ProofState) throws -> ProofItems {
    let items = try Fault.of(state.path, try ProofItems(beside: state.path))
    let continues = resumes && state.round > 0
    while let item = feed.item() {
      if isCanceled.with({ $0 }) { throw Errno.canceled }
      try Fault.of(state.path, try items.append(item, state))
    }
    try Fault.of(state.path, try items.findRenamed(state))
    if !state.isEmpty && !items.isEmpty && items.knownCount == 0 {
      throw Fault(
        state.path,
        .refused("has no line of these manifests; name another state, or remove this one"))
    }
    if let directory = state.otherDirectory, items.hasRelativeNames {
      throw Fault(
        state.path,
        .refused("has the proofs of another directory, \(directory); name another state"))
    }
    let begin = items.finish(
      round: continues ? state.round : nil, failedFirst: budget.hasLimit, oldestFirst: oldestFirst)
    if items.isEmpty { return items }
    state.forget()
    if !continues { state.begin(round: begin) }
    try state.flush()
    return items
  }

  private func note(_ line: CheckedLine, _ items: ProofItems, _ state: ProofState) {
    guard let first = line.expected, !line.isUnread, !(ignoresMissing && line.isMissing) else {
      return
    }
    let digests = [first] + (line.otherDigests.map { Array($0) } ?? [])
    let key = line.withName { ProofLine.key(digests, $0) }
    state.append(items.note(line), key: key)
  }

  /// Writes the state anew, unless a manifest has lines that this run does not know, or none has
  /// any. `isWhole` is true if the round has come to its end.
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
    let isUnused = items.isEmpty && !state.isEmpty && !items.isIncomplete
    var droppedCount = 0
    if !items.isIncomplete && !isUnused {
      try state.forEachDropped {
        droppedCount += 1
        dropped($0, $1)
      }
    }
    found.with {
      $0 = ProofReport(
        proved: items.provedCount, never: never, oldest: oldest == .max ? nil : oldest,
        isUnused: isUnused, dropped: droppedCount)
    }
    if items.isIncomplete || isUnused { return try state.finish() }
    try state.replace(lines: count, round: isWhole ? 0 : state.round) { (write) throws(Errno) in
      try items.forEachTime(write)
    }
  }
}
