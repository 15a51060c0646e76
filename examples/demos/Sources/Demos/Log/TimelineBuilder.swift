// The walk over a log that finds the slices and counts of a timeline.

struct TimelineBuilder {
  /// A job, or a wait without a job.
  private struct Job {
    var object: Int
    var row: Timeline.TaskRow
    var queued: Int?  // the index of the open slice
    var running: Int?
    var waiting: Int?
    var suspended: Int?
    var thread: Int?  // the thread it runs on, if one thread alone can tell

    /// True if the job is at work.
    var isActive: Bool { running != nil && waiting == nil && suspended == nil }
  }

  private struct JobKey: Hashable {
    var object: Int
    var task: Int
    var isWait: Bool
  }

  private struct Thread {
    var row: Timeline.ThreadRow
    var stack: [Part] = []
    var wait: Int?  // the index of the open wait
  }

  /// A job on the stack of a thread.
  private struct Part {
    var job: Int
    var slice: Timeline.Slice
  }

  private let log: TraceLog
  private let waits: WaitMatcher
  private var objects: [TimelineCounts.Object] = []
  private var numberOfObject: [ObjectKey: Int] = [:]
  private var jobs: [Job] = []
  private var numberOfJob: [JobKey: Int] = [:]
  private var threads: [Int: Thread] = [:]
  private var jobOfWait: [Int: Int] = [:]  // by the index of the WAIT
  private var nameOfTask: [Int: String] = [:]
  private var counts: TimelineCounts
  private var resumable: Set<Int> = []  // the objects whose jobs report that they go on

  init(_ log: TraceLog) {
    self.log = log
    waits = WaitMatcher(log.events)
    counts = TimelineCounts([], resumable: [])
    findObjects()
    counts = TimelineCounts(objects, resumable: resumable)
  }

  private mutating func findObjects() {
    var sameLabel: [String: Int] = [:]
    for event in log.events where event.kind != .note && event.kind != .permits {
      let key = ObjectKey(event)
      let number: Int
      if let known = numberOfObject[key] {
        number = known
      } else {
        number = objects.count
        numberOfObject[key] = number
        let count = (sameLabel[event.label] ?? 0) + 1
        sameLabel[event.label] = count
        objects.append(
          TimelineCounts.Object(
            label: event.label, name: count == 1 ? event.label : "\(event.label) #\(count)",
            kind: .gate))
      }
      switch event.kind {
      case .submit, .start, .end: objects[number].kind = .lanes
      case .enter, .leave:
        if objects[number].kind != .lanes { objects[number].kind = .group }
      case .suspend, .resume: resumable.insert(number)
      default: break
      }
    }
  }

  mutating func run() {
    for (index, event) in log.events.enumerated() {
      if threads[event.thread] == nil {
        threads[event.thread] = Thread(
          row: Timeline.ThreadRow(
            number: event.thread, name: event.isMain ? "main" : "thread \(event.thread)",
            slices: []))
      }
      if event.kind == .note {
        note(event)
      } else if event.kind == .permits {
        counts.observePermits(event)
      } else if let object = numberOfObject[ObjectKey(event)] {
        take(index, event, object)
        counts.observe(event, object)
      }
    }
  }

  private mutating func take(_ index: Int, _ event: TraceLog.Event, _ object: Int) {
    switch event.kind {
    case .submit: submit(index, event, object)
    case .start: start(index, event, object)
    case .end: end(index, event, object)
    case .wait: wait(index, event, object)
    case .suspend: suspend(index, event, object)
    case .resume: resume(index, event, object)
    case .acquired, .timeout: endWait(index, event)
    case .cancel:
      if waits.partner[index] >= 0 {
        endWait(index, event)
      } else if let task = event.task, objects[object].kind == .lanes {
        close(job(object, task, isWait: false), \.queued, index, event)
      }
    case .wake, .signal, .enter, .leave, .note, .permits: break
    }
  }

  private mutating func note(_ event: TraceLog.Event) {
    guard event.label.hasPrefix("name ") else { return }
    let name = String(event.label.dropFirst(5))
    if let task = event.task {
      nameOfTask[task] = name
    } else {
      threads[event.thread]?.row.name = name
    }
  }
}

// MARK: - Jobs

extension TimelineBuilder {
  private mutating func job(_ object: Int, _ task: Int, isWait: Bool) -> Int {
    let key = JobKey(object: object, task: task, isWait: isWait)
    if let known = numberOfJob[key] { return known }
    let name = objects[object].name + (isWait ? " wait" : "") + " \(task)"
    jobs.append(
      Job(
        object: object,
        row: Timeline.TaskRow(number: task, name: name, isWait: isWait, slices: [])))
    numberOfJob[key] = jobs.count - 1
    return jobs.count - 1
  }

  private mutating func open(
    _ job: Int, _ place: WritableKeyPath<Job, Int?>, _ kind: Timeline.Slice.Kind, _ index: Int,
    _ event: TraceLog.Event
  ) {
    guard jobs[job][keyPath: place] == nil else { return }
    jobs[job][keyPath: place] = jobs[job].row.slices.count
    jobs[job].row.slices.append(
      Timeline.Slice(
        kind: kind, begin: event.time, firstEvent: index, label: event.label, row: job,
        thread: event.thread,
        depth: kind != .running && jobs[job].running != nil ? 1 : 0))
  }

  private mutating func close(
    _ job: Int, _ place: WritableKeyPath<Job, Int?>, _ index: Int, _ event: TraceLog.Event
  ) {
    guard let slice = jobs[job][keyPath: place] else { return }
    jobs[job].row.slices[slice].end = event.time
    jobs[job].row.slices[slice].lastEvent = index
    jobs[job][keyPath: place] = nil
  }

  private mutating func submit(_ index: Int, _ event: TraceLog.Event, _ object: Int) {
    guard let task = event.task else { return }
    open(job(object, task, isWait: false), \.queued, .queued, index, event)
  }

  private mutating func start(_ index: Int, _ event: TraceLog.Event, _ object: Int) {
    guard let task = event.task else { return }
    let job = job(object, task, isWait: false)
    close(job, \.queued, index, event)
    guard jobs[job].running == nil else { return }
    open(job, \.running, .running, index, event)
    counts.addRunning(object, 1, event)
    push(job, index, event)
  }

  private mutating func end(_ index: Int, _ event: TraceLog.Event, _ object: Int) {
    guard let task = event.task else { return }
    let job = job(object, task, isWait: false)
    guard jobs[job].running != nil else { return }
    let wasActive = jobs[job].isActive
    close(job, \.waiting, index, event)
    close(job, \.suspended, index, event)
    close(job, \.running, index, event)
    if wasActive { counts.addRunning(object, -1, event) }
    pop(job, index, event)
  }

  private mutating func suspend(_ index: Int, _ event: TraceLog.Event, _ object: Int) {
    guard let task = event.task else { return }
    let job = job(object, task, isWait: false)
    change(job, index, event) { builder in
      builder.open(job, \.suspended, .suspended, index, event)
      builder.pop(job, index, event)
    }
  }

  private mutating func resume(_ index: Int, _ event: TraceLog.Event, _ object: Int) {
    guard let task = event.task else { return }
    let job = job(object, task, isWait: false)
    change(job, index, event) { builder in
      builder.close(job, \.suspended, index, event)
      guard builder.jobs[job].running != nil, builder.jobs[job].thread == nil else { return }
      builder.push(job, index, event)
    }
  }

  /// Changes the state of a job, and counts it as running if it is at work afterwards.
  private mutating func change(
    _ job: Int, _ index: Int, _ event: TraceLog.Event, _ body: (inout TimelineBuilder) -> Void
  ) {
    let wasActive = jobs[job].isActive
    body(&self)
    let change = (jobs[job].isActive ? 1 : 0) - (wasActive ? 1 : 0)
    if change != 0 { counts.addRunning(jobs[job].object, change, event) }
  }
}

// MARK: - Threads

extension TimelineBuilder {
  private mutating func push(_ job: Int, _ index: Int, _ event: TraceLog.Event) {
    guard let running = jobs[job].running, let stack = threads[event.thread]?.stack else { return }
    var slice = jobs[job].row.slices[running]
    (slice.begin, slice.firstEvent, slice.thread) = (event.time, index, event.thread)
    slice.depth = stack.count
    threads[event.thread]?.stack.append(Part(job: job, slice: slice))
    jobs[job].thread = event.thread
  }

  /// Ends the part of a job on its thread. It is drawn if the job ended on that thread, and jobs
  /// that began after it ended before it. Otherwise they were suspended at times, and the
  /// log does not show when.
  private mutating func pop(_ job: Int, _ index: Int, _ event: TraceLog.Event) {
    guard let thread = jobs[job].thread,
      let place = threads[thread]?.stack.lastIndex(where: { $0.job == job }),
      let stack = threads[thread]?.stack
    else { return }
    jobs[job].thread = nil
    if thread == event.thread, place == stack.count - 1 {
      var slice = stack[place].slice
      slice.end = event.time
      slice.lastEvent = index
      threads[thread]?.row.slices.append(slice)
    } else if thread == event.thread {
      for part in stack[(place + 1)...] { jobs[part.job].thread = nil }
      threads[thread]?.stack.removeSubrange((place + 1)...)
    }
    threads[thread]?.stack.remove(at: place)
  }
}

// MARK: - Waits

extension TimelineBuilder {
  /// Returns the row of the job that an event is about.
  private func owner(of event: TraceLog.Event) -> Int? {
    guard let job = event.job, let object = numberOfObject[ObjectKey(job)] else { return nil }
    return numberOfJob[JobKey(object: object, task: job.task, isWait: false)]
  }

  private mutating func wait(_ index: Int, _ event: TraceLog.Event, _ object: Int) {
    let isBlocking = waits.isBlocking[index]
    var owner = owner(of: event)
    if isBlocking {
      openThreadWait(index, event, owner)
    } else if owner == nil {
      owner = job(object, event.task ?? 0, isWait: true)
    }
    guard let owner, jobs[owner].waiting == nil else { return }
    jobOfWait[index] = owner
    change(owner, index, event) { builder in
      builder.open(owner, \.waiting, .waiting, index, event)
      if !isBlocking { builder.pop(owner, index, event) }
    }
  }

  private mutating func openThreadWait(_ index: Int, _ event: TraceLog.Event, _ job: Int?) {
    let slice = Timeline.Slice(
      kind: .waiting, begin: event.time, firstEvent: index, label: event.label,
      row: job, thread: event.thread, depth: threads[event.thread]?.stack.count ?? 0)
    let place = threads[event.thread]?.row.slices.count
    threads[event.thread]?.wait = place
    threads[event.thread]?.row.slices.append(slice)
  }

  private mutating func endWait(_ index: Int, _ event: TraceLog.Event) {
    let wait = waits.partner[index]
    guard wait >= 0 else { return }
    let number = log.events[wait].thread
    if waits.isBlocking[wait], let slice = threads[number]?.wait,
      threads[number]?.row.slices[slice].firstEvent == wait
    {
      threads[number]?.row.slices[slice].end = event.time
      threads[number]?.row.slices[slice].lastEvent = index
      threads[number]?.wait = nil
    }
    guard let job = jobOfWait.removeValue(forKey: wait), jobs[job].waiting != nil else { return }
    change(job, index, event) { builder in
      builder.close(job, \.waiting, index, event)
      // The task may go on, and does when it has a thread.
      guard builder.jobs[job].running != nil, !builder.waits.isBlocking[wait] else { return }
      if builder.resumable.contains(builder.jobs[job].object) {
        builder.open(job, \.suspended, .suspended, index, event)
      }
    }
  }
}

// MARK: - The result

extension TimelineBuilder {
  /// Moves the result into a timeline.
  mutating func finish(_ timeline: inout Timeline) {
    timeline.threads = threads.keys.sorted().compactMap { number in
      guard let thread = threads[number] else { return nil }
      var row = thread.row
      row.slices += thread.stack.map(\.slice)
      row.slices.sort { ($0.firstEvent, $0.depth) < ($1.firstEvent, $1.depth) }
      return row
    }
    timeline.tasks = jobs.map { job in
      var row = job.row
      if !row.isWait, let name = nameOfTask[row.number] { row.name = name }
      return row
    }
    timeline.curves = counts.curves
  }
}
