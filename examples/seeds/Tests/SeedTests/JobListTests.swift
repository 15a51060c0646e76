// The job list: its promises hold in each form, for any options.

import Dispatch
import Demos
import Testing

@Suite struct JobListTests {
  /// Options from a seed, quick.
  static func options(_ seed: UInt64) -> DownloadOptions {
    var random = SeededGenerator(seed: seed)
    var options = DownloadOptions()
    options.tasks = Int.random(in: DownloadOptions.taskRange, using: &random)
    options.limit = Int.random(in: DownloadOptions.limitRange, using: &random)
    options.isRandomized = Bool.random(using: &random)
    options.seed = random.next()
    options.pace = Pace(speed: 500)
    return options
  }

  static let cases = JobList.Form.allCases.flatMap { form in
    (0..<3).map { (form, testSeed &+ $0) }
  }

  @Test(arguments: cases)
  func promises(form: JobList.Form, seed: UInt64) async {
    let options = Self.options(seed)
    let jobs = JobList(options)
    let events = Collected<JobList.Event>()
    let screens = Collected<Lists>()
    let places = Collected<Bool>()
    jobs.feed.observe { event in
      events.add(event)
      screens.add(jobs.lists)
      places.add(MainQueue.isCurrent)
    }
    await jobs.run(form)

    let told = events.all
    #expect(places.all.allSatisfy { $0 }, "all is told on the main queue")
    #expect((1...options.limit).contains(jobs.peak))
    for id in 1...options.tasks {
      let states = told.compactMap { event in
        if case .task(id, let state) = event { state } else { nil }
      }
      #expect(states == Array(TaskState.all.dropFirst()), "task \(id)")
    }
    #expect(told.first == .controls(isEnabled: false))
    #expect(
      told.suffix(2) == [.message(JobList.closingMessage), .controls(isEnabled: true)])
    #expect(told.count == options.tasks * 6 + 3)

    let order = told.compactMap { event in
      if case .task(let id, .completed) = event { id } else { nil }
    }
    let lists = jobs.lists
    #expect(lists.completed.map(\.id) == order.reversed(), "the newest first")
    #expect(lists.downloads.isEmpty)
    #expect(lists.areControlsEnabled)
    #expect(lists.handlerCalls == options.tasks * 6)
    #expect(lists.handlerCallsOnMain == lists.handlerCalls)
    for screen in screens.all {
      #expect(screen.downloads.count + screen.completed.count == options.tasks)
      #expect(screen.downloadsTitle == "Download Queue (\(screen.downloads.count))")
      #expect(screen.completedTitle == "Completed (\(screen.completed.count))")
    }
    #expect(screens.all.dropLast().allSatisfy { !$0.areControlsEnabled })
  }

  @Test(arguments: JobList.Form.allCases)
  func startIsDisabledWhileItRuns(form: JobList.Form) async {
    let jobs = JobList(Self.options(testSeed))
    let closings = Collected<Bool>()
    await withCheckedContinuation { continuation in
      #expect(
        jobs.start(form) {
          closings.add(true)
          continuation.resume()
        })
      #expect(!jobs.start(form) { closings.add(false) })
    }
    #expect(closings.all == [true])
    await jobs.run(form)  // and may be used again
    #expect(jobs.lists.completed.count == jobs.options.tasks)
  }

  @Test(arguments: [JobList.Form.lanes, .gate])
  func theLimitIsReached(form: JobList.Form) async {
    var options = DownloadOptions()
    options.pace = Pace(speed: 50)
    options.limit = 10
    let jobs = JobList(options)
    await jobs.run(form)
    #expect(jobs.peak == 10)
  }

  /// On queues of their own nothing but the semaphore holds them back.
  @Test func theSemaphoreIsALimit() async {
    let machine = RealMachine(speed: 500)
    let main = TracedQueue(mainOf: machine)
    let meter = Meter()
    let group = TracedGroup(machine, label: "group")
    let semaphore = TracedSemaphore(machine, label: "semaphore", permits: 3)
    for id in 1...10 {
      let task = DownloadTask(
        identifier: id, seconds: [1, 1, 1, 1, 1], machine: machine, main: main, meter: meter
      ) { _, _ in }
      let queue = TracedQueue(machine, label: "\(id)", .serial)
      task.start(on: queue, group: group, semaphore: semaphore)
    }
    await withCheckedContinuation { continuation in
      group.notify(on: main) { continuation.resume() }
    }
    #expect(meter.peak == 3 && meter.entered == 10 && meter.inside == 0)
  }

  @Test func sameSeedSameTimes() {
    var options = Self.options(testSeed)
    options.isRandomized = true
    let seconds = options.seconds()
    #expect(options.seconds() == seconds)
    #expect(seconds.count == options.tasks)
    #expect(seconds.allSatisfy { $0.count == 5 && $0.allSatisfy([1, 2, 3].contains) })
    options.isRandomized = false
    #expect(options.seconds().joined().allSatisfy { $0 == 1 })
  }

  @Test func optionsOutOfRange() {
    var options = DownloadOptions()
    #expect(options.complaint == nil)
    for tasks in [1, 21, -5] {
      options.tasks = tasks
      #expect(options.complaint != nil)
    }
    options.tasks = 20
    for limit in [1, 11] {
      options.limit = limit
      #expect(options.complaint != nil)
    }
    options.limit = 2
    for speed in [0, -1, 1001, Double.nan, .infinity] {
      options.pace = Pace(speed: speed)
      #expect(options.complaint != nil)
    }
  }

  @Test func events() async {
    let jobs = JobList(Self.options(testSeed))
    let stream = jobs.feed.events()
    jobs.start(.lanes)
    var closing: String?
    for await event in stream {
      if case .message(let text) = event { closing = text }
      if event == .controls(isEnabled: true) { break }
    }
    #expect(closing == JobList.closingMessage)
  }
}
