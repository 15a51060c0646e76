// The trace recorder, which stores events and writes them to a file.

internal import CWeir
public import SystemPackage

/// A recorder of the events of gates, lanes and groups, which it writes for ui.perfetto.dev or
/// as JSON lines.
///
///     import SystemPackage
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
/// A recorder records the whole process; only one can record at a time. Each thread has a buffer of
/// its own, so recording takes no lock. Releasing the last reference stops a recording.
///
/// The corresponding C type is `weir_trace_recorder_t`.
public final class TraceRecorder: Sendable {
  // nonisolated(unsafe): never changed, and the C type may be used by any thread.
  private nonisolated(unsafe) let handle: OpaquePointer

  /// Creates a recorder.
  ///
  /// - Parameter eventsPerThread: The number of events kept for each thread, at least 1; older
  ///   events are dropped. An event takes 128 bytes, allocated when needed.
  /// - Complexity: O(1). Blocks: no.
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

  /// Begins a recording. The previous recording is deleted.
  ///
  /// - Throws: `Errno.resourceBusy` if this or another recorder is recording, or while the
  ///   recording is being written; then the previous recording is kept.
  /// - Complexity: O(*n*) for *n* deleted events. Blocks: no.
  ///
  /// The corresponding C function is `weir_trace_recorder_start`.
  public func start() throws(Errno) {
    try check(weir_trace_recorder_start(handle))
  }

  /// Ends the recording, if any.
  ///
  /// - Complexity: O(*n*) for *n* threads that traced.
  ///
  /// Blocks: for a moment, while a thread finishes writing an event.
  ///
  /// The corresponding C function is `weir_trace_recorder_stop`.
  public func stop() {
    weir_trace_recorder_stop(handle)
  }

  /// Records while a closure runs.
  ///
  /// - Parameter body: The closure.
  /// - Returns: The result of `body`.
  /// - Throws: The error of ``start()``, or of `body`.
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

  /// Records while a closure runs, on the caller's actor; otherwise like the blocking form.
  ///
  ///     func traced(by recorder: TraceRecorder, _ lanes: Lanes) async throws {
  ///       try await recorder.record {
  ///         lanes.async { print("a job") }
  ///         await lanes.wait()
  ///       }
  ///     }
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

  // MARK: - The recording

  /// The output formats. Both are UTF-8, and described in `weir_trace(3)`.
  ///
  /// The corresponding C type is `weir_trace_format_t`.
  public enum Format: Sendable {
    /// One JSON object per line and event, in order of time.
    case jsonLines
    /// Trace Event JSON, which ui.perfetto.dev and chrome://tracing open.
    case traceEvents
  }

  /// Writes the recording. The method can be repeated, in either format.
  ///
  /// - Parameters:
  ///   - descriptor: The output, which is not closed.
  ///   - format: The format.
  /// - Throws: `Errno.resourceBusy` during a recording, `Errno.noMemory`, or the error of
  ///   `write`.
  /// - Complexity: O(*n* log *n*) for *n* events, which are sorted by time.
  ///
  /// Blocks: as writing to the descriptor does.
  ///
  /// The corresponding C function is `weir_trace_recorder_write`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func write(to descriptor: FileDescriptor, format: Format) throws(Errno) {
    try check(written(to: descriptor, format))
  }

  /// Writes the recording on a thread of Weir; otherwise like the blocking form. Cancelling the
  /// task does not end the writing.
  ///
  /// Blocks: no; the task is suspended until everything is written.
  ///
  /// The corresponding C function is `weir_trace_recorder_write`.
  public func write(to descriptor: FileDescriptor, format: Format) async throws(Errno) {
    try check(await onOwnThread("weir.trace-writer") { self.written(to: descriptor, format) })
  }

  private func written(to descriptor: FileDescriptor, _ format: Format) -> Int32 {
    let format = format == .jsonLines ? WEIR_TRACE_JSON_LINES : WEIR_TRACE_EVENT_JSON
    return weir_trace_recorder_write(handle, descriptor.rawValue, format)
  }

  /// The statistics of a recorder.
  ///
  /// The corresponding C type is `weir_trace_recorder_stats_t`.
  public struct Statistics: Sendable, CustomStringConvertible {
    fileprivate let statistics: weir_trace_recorder_stats_t

    /// The number of events in the recording.
    public var events: Int { Int(clamping: statistics.events) }

    /// The number of lost events: the oldest ones of a thread whose buffer was full, and those for
    /// which there was no memory.
    public var dropped: Int { Int(clamping: statistics.dropped) }

    /// The number of threads with events.
    public var threads: Int { Int(clamping: statistics.threads) }

    /// The numbers in a few words of English.
    public var description: String {
      "\(events) events of \(threads) threads, \(dropped) lost"
    }
  }

  /// The current statistics, also during a recording.
  ///
  /// - Complexity: O(*n*) for *n* threads.
  ///
  /// Blocks: while the recording is being written.
  ///
  /// The corresponding C function is `weir_trace_recorder_stats`.
  public var statistics: Statistics {
    var stats = weir_trace_recorder_stats_t()
    weir_trace_recorder_stats(handle, &stats, MemoryLayout.size(ofValue: stats))
    return Statistics(statistics: stats)
  }
}
