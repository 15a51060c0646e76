// The walk over a log that finds the slices, curves and marks of a timeline.

struct TimelineBuilder {
  /// A job, or a wait without a job.
  private struct Job {
    var row: Timeline.TaskRow
    var queued: Int?  // the index of the open slice
    var running: Int?
    var waiting: Int?
    var thread: Int?  // the thread it runs on, if one thread alone can tell
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
  private var objects: [Timeline.Object] = []
  private var numberOfObject: [ObjectKey: Int] = [:]
  private var jobs: [Job] = []
  private var numberOfJob: [JobKey: Int] = [:]
  private var threads: [Int: Thread] = [:]
  private var jobOfWait: [Int: Int] = [:]  // by the index of the WAIT
  private var nameOfTask: [Int: String] = [:]
  private var marks: [Timeline.Mark] = []
  private var counts: TimelineCounts
  private var dropped = -1  // the index of the last CANCEL of a queued job

  init(_ log: TraceLog) {
    self.log = log
    waits = WaitMatcher(log.events)
    counts = TimelineCounts([])
    findObjects()
    counts = TimelineCounts(objects)
  }

  private mutating func findObjects() {
    var sameLabel: [String: Int] = [:]
    for event in log.events where event.kind != .note {
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
          Timeline.Object(
            label: event.label, name: count == 1 ? event.label : "\(event.label) #\(count)",
            kind: .gate))
      }
      switch event.kind {
      case .submit, .start, .end: objects[number].kind = .lanes
      case .enter, .leave:
        if objects[number].kind != .lanes { objects[number].kind = .group }
      default: break
      }
    }
  }

  mutating func run() {
    for (index, event) in log.events.enumerated() {
      if threads[event.thread] == nil {
        threads[event.thread] = Thread(
          row: Timeline.ThreadRow(
            number: event.thread, name: "thread \(event.thread)", slices: []))
      }
      if event.kind == .note {
        note(index, event)
      } else if let object = numberOfObject[ObjectKey(event)] {
        take(index, event, object)
        counts.observe(
          index, event, object,
          isWaitEnd: event.kind != .wait && waits.partner[index] >= 0, isDrop: dropped == index)
      }
    }
  }

  private mutating func take(_ index: Int, _ event: TraceLog.Event, _ object: Int) {
    switch event.kind {
    case .submit: submit(index, event, object)
    case .start: start(index, event, object)
    case .end: end(index, event, object)
    case .wait: wait(index, event, object)
    case .acquired: endWait(index, event, .acquired)
    case .timeout: endWait(index, event, .timedOut)
    case .cancel:
      if waits.partner[index] >= 0 {
        endWait(index, event, .cancelled)
      } else if let task = event.task, objects[object].kind == .lanes {
        let job = job(object, task, isWait: false)
        if jobs[job].queued != nil { dropped = index }
        close(job, \.queued, index, event, .cancelled)
      }
    case .signal, .wake, .enter, .leave, .note: break
    }
  }

  private mutating func note(_ index: Int, _ event: TraceLog.Event) {
    if event.label == "main" {
      threads[event.thread]?.row.name = "main"
    } else if event.label.hasPrefix("name ") {
      let name = String(event.label.dropFirst(5))
      if let task = event.task {
        nameOfTask[task] = name
      } else {
        threads[event.thread]?.row.name = name
      }
    } else {
      marks.append(
        Timeline.Mark(
          time: event.time, label: event.label, thread: event.thread, task: event.task,
          value: event.value, event: index))
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
        row: Timeline.TaskRow(
          object: object, label: objects[object].label, number: task, name: name,
          isWait: isWait, slices: [])))
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
        kind: kind, begin: event.time, firstEvent: index, label: event.label,
        task: jobs[job].row.number, row: job, thread: event.thread,
        depth: kind == .waiting && jobs[job].running != nil ? 1 : 0))
  }

  private mutating func close(
    _ job: Int, _ place: WritableKeyPath<Job, Int?>, _ index: Int, _ event: TraceLog.Event,
    _ ending: Timeline.Slice.Ending
  ) {
    guard let slice = jobs[job][keyPath: place] else { return }
    jobs[job].row.slices[slice].end = event.time
    jobs[job].row.slices[slice].lastEvent = index
    jobs[job].row.slices[slice].ending = ending
    jobs[job][keyPath: place] = nil
  }

  private mutating func submit(_ index: Int, _ event: TraceLog.Event, _ object: Int) {
    guard let task = event.task else { return }
    open(job(object, task, isWait: false), \.queued, .queued, index, event)
  }

  private mutating func start(_ index: Int, _ event: TraceLog.Event, _ object: Int) {
    guard let task = event.task else { return }
    let job = job(object, task, isWait: false)
    close(job, \.queued, index, event, .done)
    guard jobs[job].running == nil else { return }
    open(job, \.running, .running, index, event)
    counts.addRunning(object, started: 1, running: 1)
    push(job, event.thread)
  }

  private mutating func end(_ index: Int, _ event: TraceLog.Event, _ object: Int) {
    guard let task = event.task else { return }
    let job = job(object, task, isWait: false)
    guard jobs[job].running != nil else { return }
    let waited = jobs[job].waiting != nil
    close(job, \.waiting, index, event, .done)
    close(job, \.running, index, event, .done)
    counts.addRunning(object, started: -1, running: waited ? 0 : -1)
    pop(job, index, event)
  }
}

// MARK: - Threads

extension TimelineBuilder {
  private mutating func push(_ job: Int, _ thread: Int) {
    guard var slice = jobs[job].row.slices.last else { return }
    slice.depth = threads[thread]?.stack.count ?? 0
    threads[thread]?.stack.append(Part(job: job, slice: slice))
    jobs[job].thread = thread
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
      slice.ending = .done
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
  private mutating func wait(_ index: Int, _ event: TraceLog.Event, _ object: Int) {
    let isBlocking = waits.isBlocking[index]
    let top = threads[event.thread]?.stack.last?.job
    let owner: Int?
    if isBlocking {
      owner = top
      openThreadWait(index, event, top)
    } else if let task = event.task,
      let own = numberOfJob[JobKey(object: object, task: task, isWait: false)]
    {
      owner = own
    } else {
      owner = top ?? job(object, event.task ?? 0, isWait: true)
    }
    guard let owner, jobs[owner].waiting == nil else { return }
    open(owner, \.waiting, .waiting, index, event)
    jobOfWait[index] = owner
    if jobs[owner].running != nil {
      counts.addRunning(jobs[owner].row.object, started: 0, running: -1)
    }
    if !isBlocking { pop(owner, index, event) }
  }

  private mutating func openThreadWait(_ index: Int, _ event: TraceLog.Event, _ job: Int?) {
    let slice = Timeline.Slice(
      kind: .waiting, begin: event.time, firstEvent: index, label: event.label,
      task: job.map { jobs[$0].row.number }, row: job, thread: event.thread,
      depth: threads[event.thread]?.stack.count ?? 0)
    let place = threads[event.thread]?.row.slices.count
    threads[event.thread]?.wait = place
    threads[event.thread]?.row.slices.append(slice)
  }

  private mutating func endWait(
    _ index: Int, _ event: TraceLog.Event, _ ending: Timeline.Slice.Ending
  ) {
    let wait = waits.partner[index]
    guard wait >= 0 else { return }
    let number = log.events[wait].thread
    if waits.isBlocking[wait], let slice = threads[number]?.wait,
      threads[number]?.row.slices[slice].firstEvent == wait
    {
      threads[number]?.row.slices[slice].end = event.time
      threads[number]?.row.slices[slice].lastEvent = index
      threads[number]?.row.slices[slice].ending = ending
      threads[number]?.wait = nil
    }
    guard let job = jobOfWait.removeValue(forKey: wait), jobs[job].waiting != nil else { return }
    close(job, \.waiting, index, event, ending)
    if jobs[job].running != nil {
      counts.addRunning(jobs[job].row.object, started: 0, running: 1)
    }
  }
}

// MARK: - The result

extension TimelineBuilder {
  /// Moves the result into a timeline.
  mutating func finish(_ timeline: inout Timeline) {
    timeline.duration = log.events.last?.time ?? 0
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
    timeline.objects = counts.objectsWithPeaks()
    timeline.curves = counts.curves() + TimelineCounts.threadCurves(timeline.threads)
    timeline.marks = marks
  }
}
