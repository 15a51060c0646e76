// The rows and counts of a run, computed from its log.

/// The rows and counts of a run, which `TraceEventWriter` writes.
///
/// A job is queued from its SUBMIT to its START and runs from its START to its END, on one thread
/// or several; between SUSPEND and RESUME it is on none. A WAIT up to its ACQUIRED, TIMED OUT or
/// CANCEL is a wait of the thread, and of the job that the thread runs, drawn over it. A WAIT that
/// blocks no thread (its lane is 1) is a wait of that job alone, which is on no thread until its
/// RESUME. A wait without a job and a thread has a row of its own.
///
/// A log without lanes for its waits counts a wait as one of the thread if the thread had no other
/// event in between.
///
/// The note "name TEXT" names the thread, or with a task number N the jobs of that number. Without
/// the note "permits LABEL" a log does not tell how many permits are free.
struct Timeline {
  /// The threads, by number.
  var threads: [ThreadRow] = []
  /// The jobs in the order of their first events.
  var tasks: [TaskRow] = []
  /// The counts over time of each object.
  var curves: [Curve] = []

  let log: TraceLog

  /// Computes the timeline of a log.
  init(_ log: TraceLog) {
    self.log = log
    var builder = TimelineBuilder(log)
    builder.run()
    builder.finish(&self)
  }
}

extension Timeline {
  /// A part of a row.
  struct Slice {
    /// The state that a slice shows.
    enum Kind: String {
      /// A job waits for a lane.
      case queued
      /// A thread or job waits for permits.
      case waiting
      /// A job runs.
      case running
      /// A job is suspended: it sleeps or awaits, or it may go on and no thread is free.
      case suspended
    }

    /// The state.
    var kind: Kind
    /// The time at which the slice begins.
    var begin: UInt64
    /// The time at which it ends; nil if it never ended.
    var end: UInt64?
    /// The index of the event at which it begins.
    var firstEvent: Int
    /// The index of the event at which it ends.
    var lastEvent: Int?
    /// The label of the object: the lanes of a job, the gate of a wait.
    var label: String
    /// The index in `tasks` of the job; nil if a thread waits that runs none.
    var row: Int?
    /// The thread on which the slice begins.
    var thread: Int
    /// The number of slices below this one in its row.
    var depth: Int
  }

  /// The row of a thread.
  struct ThreadRow {
    /// The number, from 1.
    var number: Int
    /// The name, such as "main" or "thread 2".
    var name: String
    /// The slices by begin; one drawn over another follows it.
    var slices: [Slice]
  }

  /// The row of a job, or of a wait that belongs to no job.
  struct TaskRow {
    /// The number of the job.
    var number: Int
    /// The name, such as "downloads 3".
    var name: String
    /// True if the row is that of a wait without a job.
    var isWait: Bool
    /// The slices by begin; a wait follows the running slice that it is drawn over.
    var slices: [Slice]
  }

  /// A count over time.
  struct Curve {
    /// The thing that is counted.
    enum Measure: String {
      case free, waiting, running, queued, outstanding
      case inUse = "in_use"
    }

    /// One change of a count.
    struct Step {
      /// The time of the change.
      var time: UInt64
      /// The count from then on.
      var value: Int
    }

    /// The name of the object: its label, with a number from the second object of that label on.
    var subject: String
    /// The thing that is counted.
    var measure: Measure
    /// The changes, by time. The count has no value before the first.
    var steps: [Step]
  }
}
