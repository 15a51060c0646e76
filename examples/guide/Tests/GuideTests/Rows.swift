// What the programs print: facts, in their order. A `*` matches any text, and lines that only explain
// are left out.

/// A run of a program, and lines of its output.
struct Row: CustomStringConvertible, Sendable {
  let description: String
  let lines: [String]
  /// The runs of which one has to print the lines: on a busy machine a thread may come late.
  var tries = 1

  init(_ words: String, _ lines: String..., tries: Int = 1) {
    (description, self.lines, self.tries) = (words, lines, tries)
  }

  static let programs = [
    Row(
      "3-1-block", "3 apples at 12: 40 paid, 4 back.", "The price is 100 now; *",
      "The till, *, holds 48.", "A queue ran a *: the till holds 50."),
    Row(
      "3-1a-global-queues", "HIGH * com.apple.root.user-initiated-qos, at nice *.",
      "DEFAULT * com.apple.root.default-qos, at nice *.",
      "LOW * com.apple.root.utility-qos, at nice *.",
      "BACKGROUND * com.apple.root.background-qos, at nice *.",
      "Asked for twice, a global queue is the same one."),
    Row(
      "3-2-serial-queue", "One serial queue, tasks in order: 1 2 3 4 5 6 7 8",
      "Four serial queues ran 4 tasks at the same time: they met.",
      "One concurrent queue ran 2 tasks at the same time: they met."),
    Row(
      "3-2a-common-queues", "The main queue is com.apple.main-thread.",
      "The default global queue is com.apple.root.default-qos.",
      "In a task of com.example.mine the current queue is com.example.mine.",
      "In no task, on the main thread, it is com.apple.main-thread.",
      "In a task the mark of the queue says: mine.", "In no task there is no mark."),
    Row(
      "3-2b-retain-release", "Created, retained, released once: it runs tasks.",
      "Finalizer: the shared queue is gone.", "Released with a task in it: the task runs.",
      "Finalizer: the busy queue is gone.", "Released 1,000 times, a global queue runs tasks."),
    Row(
      "3-3-finalizer", "Three tasks have written 3 entries into the context.",
      "The last references are released.", "Finalizer: the journal had 3 entries; it is freed.",
      "A queue whose context is NULL: its finalizer ran 0 times."),
    Row("3-3a-async-and-sync", "Task one, on another thread.", "Both tasks have run."),
    // Its first two lines have no order.
    Row(
      "3-3a-async-and-sync", "Task one may or may not have run.",
      "Task two, on the caller's thread."),
    Row(
      "3-4-completion", "The average of 1 to 5,000,000 is 2500000.5.",
      "Finalizer: the caller's queue is gone, after the answer."),
    Row(
      "3-5-concurrent-loop", "for: 0 1 2 3 4 5 6 7 8 9 10 11", "dispatch_apply: *",
      "*12 of 12 results agree.", "On a serial queue: 0 1 2 3 4 5 6 7 8 9 10 11"),
    Row(
      "3-5a-striding", "100 iterations with a stride of 4 are 25 blocks: 0 to 3, ..., 96 to 99.",
      "102 iterations with a stride of 4 are 26 blocks: 0 to 3, ..., 100 to 101."),
    Row(
      "3-5b-main-queue", "Three tasks are on the main queue; 0 have run.",
      "Task 1: on the main queue: yes; on the main thread: no.",
      "Task 3: on the main queue: yes; on the main thread: no.",
      "A task of another queue has sent this one; 3 have run."),
    Row(
      "3-5c-suspend", "Suspended twice, with three tasks: 0 have run.", "Resumed once: 0 have run.",
      "Resumed twice: 3 have run.", "Suspended while it ran: task one goes on to its end.",
      "Task two waits for the resume: 3 have run.", "Resumed: 4 have run."),
    Row(
      "3-5d-semaphore", "64 descriptors, 32 permits, 500 files.",
      "File 33 has to wait: 32 are open.",
      "With the semaphore: at most 32 open at once, 0 could not be opened.",
      "Without it: at most * open at once, * could not be opened: Too many open files."),
    Row(
      "3-6-group", "All have ended: 0 to 2,999 make 4498500.", "With a task that waits: not yet.",
      "The group is empty: this was submitted.", "Entered and left once: empty again."),
    Row("4-descriptor", "5 bytes came: a row", "The pipe ended, and the source is cancelled."),
    Row(
      "4-signal", "SIGUSR1 came; this is a task of com.example.signals.",
      "SIGUSR1 came; this is a task of com.example.signals.", "Sent twice, *: handled twice."),
    Row(
      "4-timer", "Tick 1.", "Tick 2.", "Tick 3.", "Tick 4.", "Cancelled: this is the last of it.",
      "libdispatch has opened 3 descriptors for its event loop."),
    Row(
      "5-fork", "In the parent a task is run: yes.", "In a forked child it is: no.",
      "A forked child that execs works: yes."),
    Row(
      "5-lock", "mutex * counted 300000 of 300000", "dispatch_sync * counted 300000 of 300000",
      "dispatch_async * counted 300000 of 300000"),
    Row(
      "5-threads", "Four threads, joined: the sum is 7998000; * microseconds a round.",
      "Four tasks in a group: the sum is 7998000; * microseconds a round."),
  ]

  /// The claims that docs/gcd-on-linux.md names, by their programs in Claims.
  static let claims = [
    Row("kernel mutex", "no kernel call"), Row("kernel mutex-taken", "a kernel call"),
    Row("kernel posix-semaphore", "no kernel call"), Row("kernel semaphore", "no kernel call"),
    Row("kernel semaphore-empty", "a kernel call"), Row("kernel sync", "no kernel call"),
    Row("kernel async", "a kernel call"), Row("wakeups", "constant 0, present time some"),
    Row("threads many", "100 at once"), Row("threads ceiling", "255 at once"),
    Row("threads growth", "*: much longer", tries: 5),
    Row("threads idle", "1000 queues have worked: 1 threads, some bytes a queue"),
    Row("threads order", "in order"), Row("threads submit", "40000 counted"),
    Row("threads names", "another name"), Row("priorities", "0 0 2 10 ", "the same queue"),
    Row("objects late", "after the release 0, after the resume 1"),
    Row("objects global", "main ignores it, global ignores it"),
    Row("objects source", "before 0, after 1"),
    Row("main_queue thread", "com.apple.root.default-qos*"), Row("main_queue unused", "1 ran"),
    Row("sources signal-default", "seen"), Row("sources signal-ignored", "seen"),
    Row("sources signal-blocked", "seen"), Row("sources descriptors", "serial 0, global 3"),
    Row("sources types", "signal 1, proc 0, vnode 0"),
    Row("traps sync-to-own-concurrent-queue", "nothing came of it"),
    Row("traps release-of-an-entered-group", "nothing came of it"),
  ]
}
