// The states of a run by another way: for each moment, from the events alone.
//
// RunState goes from event to event and keeps what it knows. This file keeps nothing: to find a
// state after an event it looks back for the last event that tells it.

@testable import Demos

/// The states after each event of a log.
struct StateOracle {
  typealias Job = TraceLog.Job
  typealias Event = TraceLog.Event

  /// The letters of the states, by the identity of their rows; after each event those that differ.
  private(set) var changes: [[String: String]] = []
  /// The counts after each event: running, waiting, suspended.
  private(set) var counts: [[Int]] = []

  private let events: [Event]
  /// The events of each job, and of each thread, by their places in the log.
  private var ofJob: [Job: [Int]] = [:]
  private var ofThread: [Int: [Int]] = [:]
  /// The blocks of the main queue that have begun and not ended, after each event.
  private var mainBlocks: [Int] = []

  init(_ log: TraceLog) {
    events = log.events
    for (place, event) in events.enumerated() {
      ofThread[event.thread, default: []].append(place)
      let change =
        event.label != "main" ? 0 : event.kind == .start ? 1 : event.kind == .end ? -1 : 0
      mainBlocks.append(max(0, (mainBlocks.last ?? 0) + change))
      for job in subjects(event) { ofJob[job, default: []].append(place) }
    }
    var last: [String: String] = [:]
    for place in events.indices {
      let now = states(after: place)
      changes.append(
        now.filter { row, state in
          (last[row] ?? (row.hasPrefix("j") ? nil : "I")) != state
        })
      last = now
    }
  }

  /// The jobs whose state an event may tell.
  private func subjects(_ event: Event) -> Set<Job> {
    guard event.label != "main" else { return event.job.map { [$0] } ?? [] }
    let kinds: [TraceLog.Kind] = [.submit, .start, .end, .suspend, .resume]
    var jobs: Set<Job> = event.job.map { [$0] } ?? []
    let named = Job(event)
    if kinds.contains(event.kind), event.task != nil { jobs = [named] }
    if event.kind == .cancel, ofJob[named] != nil { jobs.insert(named) }
    return jobs
  }

  /// True if an event brings its job to a thread, or takes it away.
  private func moves(_ event: Event) -> Bool {
    switch event.kind {
    case .start, .resume, .suspend, .end: true
    case .wait: event.lane == 1
    default: false
    }
  }

  private func last(_ job: Job, _ place: Int, _ isWanted: (Event) -> Bool) -> Event? {
    ofJob[job]?.last { $0 <= place && isWanted(events[$0]) }.map { events[$0] }
  }

  /// The place of the event that brought a job to the thread where it is.
  private func arrival(_ job: Job, _ place: Int) -> Int? {
    guard let last = ofJob[job]?.last(where: { $0 <= place && moves(events[$0]) }) else {
      return nil
    }
    return [.start, .resume].contains(events[last].kind) ? last : nil
  }

  private func waits(_ thread: Int, _ place: Int) -> Bool {
    guard let last = ofThread[thread]?.last(where: { $0 <= place }) else { return false }
    return events[last].kind == .wait && events[last].lane != 1
      || events[last].kind == .note && ["group wait", "loop wait"].contains(events[last].label)
  }

  private func state(_ job: Job, _ place: Int) -> String? {
    let lives: [TraceLog.Kind] = [.submit, .start, .end, .cancel]
    guard let life = last(job, place, { lives.contains($0.kind) && Job($0) == job }) else {
      return nil
    }
    switch life.kind {
    case .submit: return "Q"
    case .end, .cancel: return "D"
    default: break
    }
    if let arrival = arrival(job, place) {
      return waits(events[arrival].thread, place) ? "W" : "R"
    }
    let ends: [TraceLog.Kind] = [.wait, .acquired, .timeout, .cancel, .resume, .start]
    let wait = last(job, place) { ends.contains($0.kind) && ($0.kind != .wait || $0.lane == 1) }
    return wait?.kind == .wait ? "W" : "S"
  }

  private mutating func states(after place: Int) -> [String: String] {
    var states: [String: String] = [:]
    var here: [Int: Int] = [:]
    for (job, places) in ofJob where places[0] <= place {
      guard let state = state(job, place) else { continue }
      states["j\(job.label) \(job.task)"] = state
      if let arrival = arrival(job, place), state != "D" {
        here[events[arrival].thread, default: 0] += 1
      }
    }
    var counts = ["R", "W", "S"].map { letter in states.values.count { $0 == letter } }
    for (thread, places) in ofThread where places[0] <= place {
      let isMain = events[places[0]].isMain
      let isBusy = isMain && mainBlocks[place] > 0 || here[thread] != nil
      let waits = waits(thread, place)
      states[isMain ? "main" : "t\(thread)"] = waits ? "W" : isBusy ? "R" : "I"
      if waits && here[thread] == nil { counts[1] += 1 }
    }
    self.counts.append(counts)
    return states
  }
}
