// Keeping events, and writing them for people and programs.

internal import CWeir
public import SystemPackage

/// Keeps what happens inside gates, lanes and groups, and writes it for
/// ui.perfetto.dev or as JSON lines.
///
///     let recorder = TraceRecorder()
///     let file = try FileDescriptor.open(
///       "trace.json", .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
///     try recorder.record {
///       let lanes = Lanes(label: "work", width: 4)
///       for _ in 0..<20 { lanes.async { print("a job") } }
///       lanes.wait()
///     }
///     try recorder.write(to: file, format: .traceEvents)
///     try file.close()
///
/// It records the whole process, and one recorder does at a time. Each thread has a
/// buffer of its own, so that there is no lock on the way. A recorder that records
/// is stopped when its last reference goes.
///
/// The corresponding C type is `weir_trace_recorder_t`.
public final class TraceRecorder: Sendable {
  // nonisolated(unsafe): never changed, and the C type may be used by any thread.
  private nonisolated(unsafe) let handle: OpaquePointer

  /// Makes a recorder.
  ///
  /// - Parameter eventsPerThread: How many events to keep for each thread before
  ///   the oldest are dropped, at least 1. They take 64 bytes each, as they are
  ///   needed.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_trace_recorder_create`.
  public init(eventsPerThread: Int = 65_536) {
    guard eventsPerThread >= 1 else {
      misuse("a trace recorder needs to keep at least 1 event for each thread")
    }
    guard let made = weir_trace_recorder_create(eventsPerThread) else {
      fatalError("no memory for a trace recorder")
    }
    handle = made
  }

  deinit {
    weir_trace_recorder_release(handle)
  }

  // MARK: - Recording

  /// Begins to record, with what was recorded before forgotten.
  ///
  /// - Throws: `Errno.resourceBusy` when another recorder records, when it records
  ///   already, or while it is being written; what was recorded before is then
  ///   still there.
  ///
  /// - Complexity: O(*n*) for *n* events that are forgotten.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_trace_recorder_start`.
  public func start() throws(Errno) {
    try check(weir_trace_recorder_start(handle))
  }

  /// Ends recording, if it records.
  ///
  /// - Complexity: O(*n*) for *n* threads that traced.
  ///
  /// Blocks: for the moment that a thread takes that is just writing an event.
  ///
  /// The corresponding C function is `weir_trace_recorder_stop`.
  public func stop() {
    weir_trace_recorder_stop(handle)
  }

  /// Records while a body runs.
  ///
  ///     let recorder = TraceRecorder()
  ///     let sum = try recorder.record {
  ///       Trace.note("adding")
  ///       return 1 + 2
  ///     }
  ///     print(sum, recorder.statistics.events)
  ///
  /// - Parameter body: What to do meanwhile.
  /// - Returns: What `body` returns.
  /// - Throws: What ``start()`` throws, and what `body` throws.
  ///
  /// - Complexity: That of ``start()`` and ``stop()``.
  ///
  /// Blocks: as `body` does.
  ///
  /// The corresponding C function is `weir_trace_recorder_start`.
  @_disfavoredOverload
  public func record<T>(_ body: () throws -> T) throws -> T {
    try start()
    defer { stop() }
    return try body()
  }

  /// Records while a body runs.
  ///
  ///     func traced(by recorder: TraceRecorder, _ lanes: Lanes) async throws {
  ///       try await recorder.record {
  ///         lanes.async { print("a job") }
  ///         await lanes.wait()
  ///       }
  ///     }
  ///
  /// - Parameter body: What to do meanwhile, where the caller is.
  /// - Returns: What `body` returns.
  /// - Throws: What ``start()`` throws, and what `body` throws.
  ///
  /// - Complexity: That of ``start()`` and ``stop()``.
  ///
  /// Blocks: no, unless `body` does.
  ///
  /// The corresponding C function is `weir_trace_recorder_start`.
  nonisolated(nonsending)
    public func record<T>(_ body: () async throws -> T) async throws -> T
  {
    try start()
    defer { stop() }
    return try await body()
  }

  // MARK: - What was recorded

  /// How to write what was recorded. Both formats are UTF-8, and described in
  /// `weir_trace(3)`.
  ///
  /// The corresponding C type is `weir_trace_format_t`.
  public enum Format: Sendable {
    /// One JSON object a line and event, in the order of time.
    case jsonLines
    /// Trace Event JSON, which ui.perfetto.dev and chrome://tracing open.
    case traceEvents

    fileprivate var cValue: weir_trace_format_t {
      switch self {
      case .jsonLines: WEIR_TRACE_JSON_LINES
      case .traceEvents: WEIR_TRACE_EVENT_JSON
      }
    }
  }

  /// Writes what was recorded. It can be repeated, in either format.
  ///
  ///     let recorder = TraceRecorder()
  ///     try recorder.record { Trace.note("hello") }
  ///     try recorder.write(to: .standardOutput, format: .jsonLines)
  ///
  /// - Parameters:
  ///   - descriptor: Where to write; not closed.
  ///   - format: How.
  /// - Throws: `Errno.resourceBusy` while it records, `Errno.noMemory`, or what
  ///   `write` said.
  ///
  /// - Complexity: O(*n* log *n*) for *n* events, which are sorted by time.
  ///
  /// Blocks: as writing to the descriptor does.
  ///
  /// The corresponding C function is `weir_trace_recorder_write`.
  @available(
    *, noasync,
    message: "use the async form, which suspends; at the top level: in an async function"
  )
  @_disfavoredOverload
  public func write(to descriptor: FileDescriptor, format: Format) throws(Errno) {
    try check(written(to: descriptor, format))
  }

  /// Writes what was recorded, on a queue of libdispatch's. It can be repeated, in
  /// either format.
  ///
  ///     func show(_ recorder: TraceRecorder) async throws {
  ///       try await recorder.write(to: .standardOutput, format: .jsonLines)
  ///     }
  ///
  /// Cancelling the task does not end the writing.
  ///
  /// - Parameters:
  ///   - descriptor: Where to write; not closed.
  ///   - format: How.
  /// - Throws: `Errno.resourceBusy` while it records, `Errno.noMemory`, or what
  ///   `write` said.
  ///
  /// - Complexity: O(*n* log *n*) for *n* events, which are sorted by time.
  ///
  /// Blocks: no; the task is suspended until all is written.
  ///
  /// The corresponding C function is `weir_trace_recorder_write`.
  public func write(to descriptor: FileDescriptor, format: Format) async throws(Errno) {
    let queue = OwnedQueue(label: "weir.trace-writer", context: ())
    try check(await queue.sync { _ in self.written(to: descriptor, format) })
  }

  private func written(to descriptor: FileDescriptor, _ format: Format) -> Int32 {
    weir_trace_recorder_write(handle, descriptor.rawValue, format.cValue)
  }

  private func check(_ error: Int32) throws(Errno) {
    if error != 0 {
      throw Errno(rawValue: error)
    }
  }

  /// Figures of a recorder.
  ///
  ///     let recorder = TraceRecorder()
  ///     try recorder.record { Trace.note("hello") }
  ///     print(recorder.statistics.events)
  ///
  /// The corresponding C type is `weir_trace_recorder_stats_t`.
  public struct Statistics: Sendable {
    fileprivate let statistics: weir_trace_recorder_stats_t

    /// How many events are kept.
    public var events: Int { Int(clamping: statistics.events) }

    /// How many are not: the oldest, where a thread had more than its buffer
    /// holds, and those for which there was no memory.
    public var dropped: Int { Int(clamping: statistics.dropped) }

    /// On how many threads they happened.
    public var threads: Int { Int(clamping: statistics.threads) }
  }

  /// Figures, also while it records.
  ///
  /// - Complexity: O(*n*) for *n* threads.
  ///
  /// Blocks: while what was recorded is being written.
  ///
  /// The corresponding C function is `weir_trace_recorder_stats`.
  public var statistics: Statistics {
    var stats = weir_trace_recorder_stats_t()
    weir_trace_recorder_stats(handle, &stats, MemoryLayout.size(ofValue: stats))
    return Statistics(statistics: stats)
  }
}
