// The tutorial on groups and semaphores: 15 downloads, 5 at once, two lists and
// a message at the end.

import ArgumentParser
import Console
import Demos

@main
struct Downloads: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Downloads that are none, so many at once, in two lists.",
    discussion: """
      article  a group, and a semaphore in each block on a concurrent queue
      lanes    Weir's lanes
      gate     Swift tasks at Weir's gate, and a group of them
      all      one after the other, and what became of each
      """)

  @Option(parsing: .unconditional, help: "How many tasks there are: 2 to 20.")
  var tasks = 15

  @Option(parsing: .unconditional, help: "How many may run at once: 2 to 10.")
  var max = 5

  @Flag(help: "Each of the five steps of a task takes 1 to 3 seconds; else 1.")
  var randomize = false

  @Option(help: "The same seed, the same random times.")
  var seed: UInt64 = 42

  @Option(help: "How they are run: article, lanes, gate or all.")
  var form: Choice = .lanes

  @OptionGroup var pace: SpeedOption

  enum Choice: String, ExpressibleByArgument, CaseIterable {
    case article, lanes, gate, all
  }

  private var options: DownloadOptions {
    var options = DownloadOptions()
    options.tasks = tasks
    options.limit = max
    options.isRandomized = randomize
    options.seed = seed
    options.pace = Pace(speed: pace.speed ?? 20)
    return options
  }

  func validate() throws {
    if let complaint = options.complaint { throw ValidationError(complaint) }
  }

  func run() async {
    let steps = randomize ? "1 to 3 s a step (seed \(seed))" : "1 s a step"
    let speed = options.pace.speed.short
    print("\(tasks) tasks of 5 steps, \(max) at once, \(steps), \(speed) times as fast.")
    if let form = JobList.Form(rawValue: form.rawValue) {
      await show(form)
    } else {
      await compare()
    }
  }

  private func show(_ form: JobList.Form) async {
    let jobs = JobList(options)
    let screen = Screen(jobs)
    jobs.feed.observe { screen.show($0) }
    let watch = Stopwatch()
    await jobs.run(form)
    print("\n\(form.rawValue): \(verdict(jobs, watch.seconds))")
  }

  private func compare() async {
    for form in JobList.Form.allCases {
      let jobs = JobList(options)
      let watch = Stopwatch()
      await jobs.run(form)
      print("\(form.rawValue.column(8)) \(verdict(jobs, watch.seconds))")
    }
  }

  private func verdict(_ jobs: JobList, _ seconds: Double) -> String {
    let lists = jobs.lists
    return "peak \(jobs.peak) of \(max), \(lists.completed.count) of \(tasks) completed, "
      + "\(lists.handlerCallsOnMain) of \(lists.handlerCalls) handlers on the main queue, "
      + "\(seconds.inSeconds) s of at least \(options.shortest.inSeconds) s"
  }
}
