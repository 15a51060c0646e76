// The trace recorder, which stores events and writes them to a file.

internal import CWeir
public import SystemPackage

/// A recorder of the events of gates, lanes, groups, owned queues and maps, which it writes for
/// ui.perfetto.dev or as JSON lines.
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
/// its own, so recording takes no lock. Releasing the last reference stops a recording. The
/// corresponding C type is `weir_trace_recorder_t`.
public final class TraceRecorder: Sendable {
  // nonisolated(unsafe): never changed, and the C type may be used by any thread.
  private nonisolated(unsafe) let handle: OpaquePointer

  /// Creates a recorder that keeps a number of events for each thread, at least 1; older events are
  /// dropped. An event takes 128 bytes, allocated when needed. Blocks: no. The corresponding C
  /// function is `weir_trace_recorder_create`.
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
  package func start() throws(Errno) {
    try check(weir_trace_recorder_start(handle))
  }

  /// Ends the recording, if any.
  package func stop() {
    weir_trace_recorder_stop(handle)
  }

  /// Records while a closure runs. The previous recording is deleted.
  ///
  /// - Throws: The error of `body`; `Errno.resourceBusy` if this or another recorder is recording,
  ///   or while the recording is being written. The previous recording is then kept.
  /// - Complexity: O(*n*) for *n* deleted events and threads that traced.
  ///
  /// Blocks: as `body` does. The corresponding C function is `weir_trace_recorder_start`.
  @_disfavoredOverload
  public func record<T>(_ body: () throws -> T) throws -> T {
    try start()
    defer { stop() }
    return try body()
  }

  /// Records while a closure runs, on the caller's actor; otherwise like the blocking form. Blocks:
  /// no, unless `body` does. The corresponding C function is `weir_trace_recorder_start`.
  nonisolated(nonsending)
    public func record<T>(_ body: () async throws -> T) async throws -> T
  {
    try start()
    defer { stop() }
    return try await body()
  }

  // MARK: - The recording

  /// The output formats, in UTF-8, which `weir_trace(3)` describes: `weir_trace_format_t`.
  public enum Format: Sendable {
    /// One JSON object per line and event, in order of time.
    case jsonLines
    /// Trace Event JSON, which ui.perfetto.dev and chrome://tracing open.
    case traceEvents
  }

  /// Writes the recording. The method can be repeated, in either format. The descriptor is not
  /// closed.
  ///
  /// - Throws: `Errno.resourceBusy` during a recording, `Errno.noMemory`, or the error of `write`.
  /// - Complexity: O(*n* log *n*) for *n* events, which are sorted by time.
  ///
  /// Blocks: as writing to the descriptor does. The corresponding C function is
  /// `weir_trace_recorder_write`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  public func write(to descriptor: FileDescriptor, format: Format) throws(Errno) {
    try check(written(to: descriptor, format))
  }

  /// Writes the recording on a thread of Weir; otherwise like the blocking form. Cancelling the
  /// task does not end the writing. Blocks: no, it suspends. The corresponding C function is
  /// `weir_trace_recorder_write`.
  public func write(to descriptor: FileDescriptor, format: Format) async throws(Errno) {
    try check(await onOwnThread("weir.trace-writer") { self.written(to: descriptor, format) })
  }

  private func written(to descriptor: FileDescriptor, _ format: Format) -> Int32 {
    let format = format == .jsonLines ? WEIR_TRACE_JSON_LINES : WEIR_TRACE_EVENT_JSON
    return weir_trace_recorder_write(handle, descriptor.rawValue, format)
  }

  /// The numbers of events in the recording, of those that were lost, and of threads.
  package var statistics: (events: Int, dropped: Int, threads: Int) {
    var stats = weir_trace_recorder_stats_t()
    weir_trace_recorder_stats(handle, &stats, MemoryLayout.size(ofValue: stats))
    return (
      Int(clamping: stats.events), Int(clamping: stats.dropped), Int(clamping: stats.threads)
    )
  }
}
