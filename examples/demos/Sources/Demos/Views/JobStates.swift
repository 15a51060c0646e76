// The states of the jobs of a run, for the counts of its lines.

/// The state that the events leave each job in.
struct JobStates: Sendable {
  enum State: Sendable {
    case queued, waiting, running, suspended, done
  }

  private typealias Job = TraceLog.Job

  private var jobs: [Job: State] = [:]
  /// The jobs that each thread runs.
  private var threads: [Int: [Job]] = [:]

  mutating func apply(_ event: TraceLog.Event) {
    let job = Job(event)
    switch event.kind {
    case .submit: jobs[job] = .queued
    case .start, .resume:
      leaveThreads(job)
      jobs[job] = .running
      threads[event.thread, default: []].append(job)
    case .suspend:
      jobs[job] = .suspended
      leaveThreads(job)
    case .end:
      jobs[job] = .done
      leaveThreads(job)
    case .wait:
      guard let waiter = event.job else { break }
      jobs[waiter] = .waiting
      if event.lane == 1 { leaveThreads(waiter) }
    case .acquired, .timeout, .cancel:
      if jobs[job] == .queued { jobs[job] = .done }
      guard let waiter = event.job, jobs[waiter] == .waiting else { break }
      // A task goes on when it has a thread.
      jobs[waiter] = threads.values.contains { $0.contains(waiter) } ? .running : .suspended
    case .enter, .leave, .note, .wake, .signal, .permits: break
    }
  }

  /// Returns the number of jobs in a state, without those of the main queue.
  func count(_ state: State) -> Int {
    jobs.count { $0.key.label != "main" && $0.value == state }
  }

  private mutating func leaveThreads(_ job: Job) {
    for thread in threads.keys { threads[thread]?.removeAll { $0 == job } }
  }
}
