// A simulated machine of a few threads, whose scheduler is the learner.
//
// DESIGN. No real thread runs. A line of code is one step, and the state is a value: so a step
// can be taken back, and all states of a level can be listed.

/// The effect of a line of code.
public enum ScheduleOperation: Sendable, Equatable {
  /// Work that the machine does not look into.
  case work
  /// Takes a permit, or waits for one.
  case wait
  /// Takes a permit, or waits until its time is over.
  case waitWithTimeout
  /// Returns a permit.
  case signal
  /// Releases the semaphore.
  case release
  /// Submits the block of a thread.
  case submit(Int)
  /// Enters the group.
  case enter
  /// Leaves the group.
  case leave
  /// Asks the group to submit the block of a thread when it is empty.
  case notify(Int)
  /// Loads the counter into a variable of the thread.
  case load
  /// Adds one to the variable.
  case add
  /// Stores the variable in the counter.
  case store
  /// Prints the counter.
  case print
  /// Appends a number to the list.
  case append(Int)
  /// Sets the cancel flag.
  case cancel
  /// Returns from the block if the cancel flag is set.
  case returnIfCancelled
}

/// A line of code, and its effect.
public struct ScheduleLine: Sendable {
  /// The source line.
  public let code: String
  /// The effect.
  public let operation: ScheduleOperation

  init(_ code: String, _ operation: ScheduleOperation = .work) {
    self.code = code
    self.operation = operation
  }
}

/// A thread of a level, or a block that waits on the main queue.
public struct ScheduleThread: Sendable {
  /// The name.
  public let name: String
  /// The subject of sentences about the thread.
  public let subject: String
  /// True for a block on the main queue, which runs one block at a time.
  public let isOnMainQueue: Bool
  /// True if another thread submits the block.
  public let isSubmittedLater: Bool
  /// The lines, in the order in which they run.
  public let lines: [ScheduleLine]

  init(
    _ name: String, _ subject: String, onMainQueue: Bool = false, submittedLater: Bool = false,
    _ lines: [ScheduleLine]
  ) {
    self.name = name
    self.subject = subject
    isOnMainQueue = onMainQueue
    isSubmittedLater = submittedLater
    self.lines = lines
  }
}

/// The condition of a thread.
public enum ScheduleCondition: String, Sendable {
  /// The thread can take a step.
  case ready
  /// The thread waits for a permit.
  case waiting
  /// The thread waits for a permit, and its time can be over.
  case timed
  /// The block waits for the main queue.
  case queued
  /// No thread has submitted the block.
  case unsubmitted
  /// A trap has ended the process.
  case ended
  case finished
}

/// The state of the machine.
public struct ScheduleState: Sendable, Hashable {
  /// The index of the next line of each thread.
  public internal(set) var positions: [Int]
  /// True for each thread that waits for a permit.
  public internal(set) var isWaiting: [Bool]
  /// True for each thread whose block is submitted.
  public internal(set) var isSubmitted: [Bool]
  /// The variable of each thread.
  public internal(set) var variables: [Int]
  /// The number that each thread has printed; 0 for none.
  public internal(set) var printed: [Int]
  /// The number of free permits.
  public internal(set) var permits: Int
  /// True after the release of the semaphore.
  public internal(set) var isReleased = false
  /// True after a trap, which ends all threads.
  public internal(set) var hasTrapped = false
  /// The number of entries of the group.
  public internal(set) var entries = 0
  /// The thread whose block the group submits when it is empty.
  public internal(set) var notified: Int?
  /// The shared counter.
  public internal(set) var counter: Int
  /// The shared list.
  public internal(set) var list: [Int] = []
  /// The cancel flag.
  public internal(set) var isCancelled = false
}

extension ScheduleLevel {
  /// The state before the first step.
  public var start: ScheduleState {
    ScheduleState(
      positions: threads.map { _ in 0 }, isWaiting: threads.map { _ in false },
      isSubmitted: threads.map { !$0.isSubmittedLater }, variables: threads.map { _ in 0 },
      printed: threads.map { _ in 0 }, permits: permits, counter: counter)
  }

  /// Returns the condition of a thread.
  public func condition(of thread: Int, in state: ScheduleState) -> ScheduleCondition {
    let position = state.positions[thread]
    if position == threads[thread].lines.count { return .finished }
    if state.hasTrapped { return .ended }
    if !state.isSubmitted[thread] { return .unsubmitted }
    if threads[thread].isOnMainQueue && position == 0 && !state.isWaiting[thread]
      && isMainQueueBusy(in: state)
    {
      return .queued
    }
    if state.isWaiting[thread] && state.permits == 0 {
      return threads[thread].lines[position].operation == .waitWithTimeout ? .timed : .waiting
    }
    return .ready
  }

  /// Returns true if a block on the main queue has begun and has not ended.
  func isMainQueueBusy(in state: ScheduleState) -> Bool {
    threads.indices.contains { thread in
      threads[thread].isOnMainQueue
        && (state.positions[thread] > 0 || state.isWaiting[thread])
        && state.positions[thread] < threads[thread].lines.count
    }
  }

  /// Returns the threads that can take a step.
  public func choices(in state: ScheduleState) -> [Int] {
    threads.indices.filter { thread in
      let condition = condition(of: thread, in: state)
      return condition == .ready || condition == .timed
    }
  }

  /// Returns the state after a step of a thread, and the step in a sentence.
  public func step(
    _ thread: Int, in state: ScheduleState
  ) -> (state: ScheduleState, note: String) {
    var state = state
    let line = threads[thread].lines[state.positions[thread]]
    let note = apply(line.operation, thread, to: &state) ?? "runs \(line.code)"
    return (state, "\(threads[thread].subject) \(note).")
  }

  /// Applies an operation, and returns a note on it.
  private func apply(
    _ operation: ScheduleOperation, _ thread: Int, to state: inout ScheduleState
  ) -> String? {
    if operation == .wait || operation == .waitWithTimeout {
      return take(operation, thread, &state)
    }
    state.positions[thread] += 1
    switch operation {
    case .wait, .waitWithTimeout, .work: return nil
    case .signal:
      state.permits += 1
      return "returns a permit: \(state.permits) free"
    case .release:
      state.isReleased = true
      state.hasTrapped = state.permits < permits
      return state.hasTrapped
        ? "releases the semaphore with \(state.permits) of \(permits) permits: trap"
        : "releases the semaphore, which has all its permits"
    case .submit(let block):
      state.isSubmitted[block] = true
      return "submits \(threads[block].subject.lowercased())"
    case .enter:
      state.entries += 1
      return "enters the group: \(state.entries) inside"
    case .leave:
      state.entries -= 1
      notify(&state)
      return "leaves the group: \(state.entries) inside"
    case .notify(let block):
      state.notified = block
      notify(&state)
      return "asks the group to notify"
    case .load:
      state.variables[thread] = state.counter
      return "loads \(state.counter)"
    case .add:
      state.variables[thread] += 1
      return "adds one: its variable is \(state.variables[thread])"
    case .store:
      state.counter = state.variables[thread]
      return "stores \(state.counter)"
    case .print:
      state.printed[thread] = state.counter
      return "prints START \(state.counter)"
    case .append(let number):
      state.list.append(number)
      return "appends \(number)"
    case .cancel:
      state.isCancelled = true
      return "sets isCancelled"
    case .returnIfCancelled:
      if state.isCancelled { state.positions[thread] = threads[thread].lines.count }
      return state.isCancelled ? "is cancelled, and returns" : "is not cancelled, and goes on"
    }
  }

  private func take(
    _ operation: ScheduleOperation, _ thread: Int, _ state: inout ScheduleState
  ) -> String {
    if state.isReleased {
      state.positions[thread] = threads[thread].lines.count
      return "finds no semaphore, and returns"
    }
    if state.permits > 0 {
      state.permits -= 1
      state.isWaiting[thread] = false
      state.positions[thread] += 1
      return "takes a permit: \(state.permits) free"
    }
    if !state.isWaiting[thread] {
      state.isWaiting[thread] = true
      return "waits: no permit is free"
    }
    // Only a wait with a time-out takes a step without a permit.
    state.isWaiting[thread] = false
    state.positions[thread] += 1
    return "has waited too long: timedOut, without a permit"
  }

  /// Submits the block of the group if the group is empty.
  private func notify(_ state: inout ScheduleState) {
    guard let block = state.notified, state.entries == 0 else { return }
    state.isSubmitted[block] = true
  }
}
