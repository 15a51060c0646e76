// The rows, curves and marks of a run, computed from its log.

/// The rows, curves and marks of a run, which the page draws.
///
/// A job is queued from its SUBMIT to its START and runs from its START to its END, on one thread
/// or several; between SUSPEND and RESUME it is on none. A WAIT up to its ACQUIRED, TIMED OUT or
/// CANCEL is a wait of the thread, and of the job that the thread runs, drawn over it. A WAIT that
/// blocks no thread (its lane is 1) is a wait of that job alone, which is on no thread until its
/// RESUME. A wait without a job and a thread has a row of its own. A job holds the permits that it
/// has obtained until it returns them, and until its END at the latest.
///
/// A log without lanes for its waits counts a wait as one of the thread if the thread had no other
/// event in between.
///
/// Some notes name things and are no marks: "main" names the calling thread main; "name TEXT"
/// names the thread, or with a task number N the jobs of that number; "permits LABEL" has as its
/// value the permits of the gate or semaphore LABEL. Without the last one a log does not tell how
/// many permits are free.
public struct Timeline: Sendable {
  /// The time of the last event, in nanoseconds.
  public internal(set) var duration: UInt64 = 0
  /// The threads, by number.
  public internal(set) var threads: [ThreadRow] = []
  /// The jobs in the order of their first events.
  public internal(set) var tasks: [TaskRow] = []
  /// The objects, in the order of their first events.
  public internal(set) var objects: [Object] = []
  /// The permits that jobs hold, by begin.
  public internal(set) var holds: [Hold] = []
  /// The counts over time: those of each object, then those of the threads.
  public internal(set) var curves: [Curve] = []
  /// The notes of the program.
  public internal(set) var marks: [Mark] = []

  let log: TraceLog

  /// Computes the timeline of a log.
  public init(_ log: TraceLog) {
    self.log = log
    var builder = TimelineBuilder(log)
    builder.run()
    builder.finish(&self)
  }
}

extension Timeline {
  /// A part of a row.
  public struct Slice: Sendable, Equatable {
    /// The state that a slice shows.
    public enum Kind: String, Sendable {
      /// A job waits for a lane.
      case queued
      /// A thread or job waits for permits.
      case waiting
      /// A job runs.
      case running
      /// A job is suspended: it sleeps or awaits, or it may go on and no thread is free.
      case suspended
    }

    /// The event that ended a slice.
    public enum Ending: String, Sendable {
      /// The job began, or ended.
      case done
      /// The permits were obtained.
      case acquired
      /// The time was up.
      case timedOut
      /// The wait was cancelled, or the job dropped.
      case cancelled
    }

    /// The state.
    public var kind: Kind
    /// The time at which the slice begins.
    public var begin: UInt64
    /// The time at which it ends; nil if it never ended.
    public var end: UInt64?
    /// The index of the event at which it begins.
    public var firstEvent: Int
    /// The index of the event at which it ends.
    public var lastEvent: Int?
    /// The label of the object: the lanes of a job, the gate of a wait.
    public var label: String
    /// The number of the job; nil if a thread waits that runs none.
    public var task: Int?
    /// The index in `tasks` of that job.
    public var row: Int?
    /// The thread on which the slice begins.
    public var thread: Int
    /// The number of slices below this one in its row.
    public var depth: Int
    /// The event that ended it; nil if it never ended.
    public var ending: Ending?
  }

  /// The row of a thread.
  public struct ThreadRow: Sendable {
    /// The number, from 1.
    public var number: Int
    /// The name, such as "main" or "thread 2".
    public var name: String
    /// The slices by begin; one drawn over another follows it.
    public var slices: [Slice]
  }

  /// The row of a job, or of a wait that belongs to no job.
  public struct TaskRow: Sendable {
    /// The index in `objects` of the object.
    public var object: Int
    /// The label of the object.
    public var label: String
    /// The number of the job.
    public var number: Int
    /// The name, such as "downloads 3".
    public var name: String
    /// True if the row is that of a wait without a job.
    public var isWait: Bool
    /// The slices by begin; a wait follows the running slice that it is drawn over.
    public var slices: [Slice]
  }

  /// A gate, lanes, a group, or an object of the program's own.
  public struct Object: Sendable {
    /// The nature of an object, judged by its events.
    public enum Kind: String, Sendable {
      case lanes, gate, group
    }

    /// The label.
    public var label: String
    /// The label, with a number from the second object of that label on.
    public var name: String
    /// The nature.
    public var kind: Kind
    /// The most jobs that were between START and END at once.
    public var peakStarted = 0
    /// The most jobs that ran, and neither waited nor were suspended, at once.
    public var peakRunning = 0
    /// The most permits that were in use at once.
    public var peakInUse = 0
    /// The most waiters at once.
    public var peakWaiting = 0
    /// The number of permits at the end; nil if it was not recorded.
    public var permits: Int?
  }

  /// Permits that a job holds.
  public struct Hold: Sendable, Equatable {
    /// The index in `objects` of the gate or semaphore.
    public var object: Int
    /// The index in `tasks` of the job.
    public var row: Int
    /// The number of permits.
    public var permits: Int
    /// The time at which the job obtained them.
    public var begin: UInt64
    /// The time at which it returned them or ended; nil if neither happened.
    public var end: UInt64?
  }

  /// A count over time.
  public struct Curve: Sendable {
    /// The thing that is counted.
    public enum Measure: String, Sendable {
      case free, inUse, waiting, queued, running, outstanding, busy, blocked
    }

    /// One change of a count.
    public struct Step: Sendable, Equatable {
      /// The time of the change.
      public var time: UInt64
      /// The count from then on.
      public var value: Int
      /// The index of the event that changed the count.
      public var event: Int
    }

    /// The name, such as "downloads free" or "threads busy".
    public var name: String
    /// The thing that is counted.
    public var measure: Measure
    /// The index in `objects`; nil for threads.
    public var object: Int?
    /// The changes, by time. The count has no value before the first.
    public var steps: [Step]

    /// The name of the object, or "threads".
    public var subject: String

    /// The largest value.
    public var peak: Int { steps.map(\.value).max() ?? 0 }
  }

  /// A note of the program.
  public struct Mark: Sendable, Equatable {
    /// The time of the note.
    public var time: UInt64
    /// The text.
    public var label: String
    /// The number of the thread.
    public var thread: Int
    /// The number that the program gave; nil for none.
    public var task: Int?
    /// The value that the program gave.
    public var value: Int
    /// The index of the event.
    public var event: Int
  }
}
