// The file processor: it runs a job for every file of a set.

internal import CWeir
public import SystemPackage
internal import WeirLibC

/// A processor that runs a job for every file of a set, with few open descriptors.
///
///     let counter = try FileProcessor { file in
///       var lines = 0
///       while let piece = try file.read() {
///         for index in piece.indices where piece[index] == UInt8(ascii: "\n") { lines += 1 }
///       }
///       return lines
///     }
///     for try await file in counter.results(of: .tree("/usr/share/doc")) {
///       switch file.outcome {
///       case .done(let lines): print(lines, file.path)
///       case .failed(let error): print("\(file.path): \(error)")
///       default: break
///       }
///     }
///
/// The permits for a batch's descriptors are taken from the budget of the process before the batch
/// is submitted to the lanes. A lane without work takes files of another lane's batch. The results
/// and output of a batch are delivered together, in the order of the files or of completion, one
/// batch at a time. Memory does not grow with the number of files.
///
/// ``results(of:)-(FileSource...)`` is a sequence of files. `reduce(into:of:_:combine:)` adds the
/// values of all files up. Any thread may use a processor, also a job.
///
/// The corresponding C type is `weir_files_t`.
public final class FileProcessor<Context, Value: Sendable>: Sendable {
  let core: FileProcessorCore
  /// The processor of C, for the forms of FileJobs.
  package var handle: OpaquePointer { core.handle }

  /// Creates a processor.
  ///
  ///     let words = try FileProcessor(context: { [UInt8]() }) { file, kept in
  ///       kept.removeAll(keepingCapacity: true)
  ///       while let piece = try file.read() {
  ///         piece.withUnsafeBufferPointer { kept.append(contentsOf: $0) }
  ///       }
  ///       return kept.split(separator: UInt8(ascii: " ")).count
  ///     }
  ///
  /// - Parameters:
  ///   - options: The options; the defaults suit most uses.
  ///   - context: Creates the context of a lane (a buffer, the state of a digest); called once for
  ///     each lane before the initializer returns.
  ///   - job: Called on a lane for each file. Its result or error becomes the
  ///     ``ProcessedFile/outcome`` of the file. After an error the output of the job is dropped.
  /// - Throws: `Errno.invalidArgument` if a number of the options is below 1 or `jobs` above
  ///   ``Lanes/widthMax``, `Errno.noMemory`, or the error of `context`.
  /// - Complexity: O(*lanes*), for their contexts. Blocks: no.
  ///
  /// The corresponding C function is `weir_files_create`.
  public convenience init<Failure: Error>(
    _ options: FileProcessorOptions = FileProcessorOptions(),
    context: @escaping @Sendable () throws(Errno) -> Context,
    job: @escaping @Sendable (borrowing OpenFile, inout Context) throws(Failure) -> Value
  ) throws(Errno) {
    try self.init(options, lending: nil, select: nil, context: context, job: job)
  }

  /// Creates a processor that annotates and selects, in order, on the thread that walks.
  package init<Failure: Error>(
    _ options: FileProcessorOptions = FileProcessorOptions(), lending annotate: Annotation? = nil,
    select: FileSelector?,
    context: @escaping @Sendable () throws(Errno) -> Context,
    job: @escaping @Sendable (borrowing OpenFile, inout Context) throws(Failure) -> Value
  ) throws(Errno) {
    // Not `any Error`: the compiler of Swift 6.3 crashes on the conversion of a job that throws
    // errors of one type. A value travels in a box; Void needs none.
    let hasValues = Value.self != Void.self
    core = try FileProcessorCore(
      options, annotate: annotate, select: select,
      makeContext: { () throws(Errno) -> AnyObject in LaneBox(try context()) },
      job: { lane, file, keepsValue in
        // The lane is the object that makeContext created.
        let box = unsafeDowncast(lane, to: LaneBox<Context>.self)
        do {
          let value = try job(OpenFile(file, keepsValue: keepsValue), &box.context)
          if hasValues && keepsValue { weir_file_set_value(file, Box<Value>.retain(value)) }
          return 0
        } catch {
          if let error = error as? Errno, error.rawValue > 0 { return error.rawValue }
          // C carries errno values only. The delivery finds the error in the place of a value.
          weir_file_set_value(file, Box<any Error>.retain(error))
          return EIO
        }
      })
  }

  /// Processes sources in order; the walk is on the caller's thread. Each batch is delivered on any
  /// thread, never two at a time; a slow delivery slows the lanes, and its error ends the run. Throws
  /// also the errors of ``results(of:)-(FileSource...)``.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  @discardableResult
  package func run(
    _ sources: [FileSource], deliver: @escaping @Sendable (borrowing FileBatch) throws -> Void
  ) throws -> FileStatistics {
    try core.run(sources, deliver: deliver)
  }

  /// Processes sources in order; like the blocking form, but walks on a thread of the processor.
  @discardableResult
  nonisolated(nonsending)
    package func run(
      _ sources: [FileSource], deliver: @escaping @Sendable (borrowing FileBatch) throws -> Void
    ) async throws -> FileStatistics
  {
    try await run(sources, receiver: FileRun.Receiver(), deliver: deliver)
  }

  @discardableResult
  nonisolated(nonsending)
    func run(
      _ sources: [FileSource], receiver: FileRun.Receiver,
      deliver: @escaping @Sendable (borrowing FileBatch) throws -> Void
    ) async throws -> FileStatistics
  {
    try Task.checkCancellation()
    let run = try core.start(sources, deliver: deliver, receiver: receiver)
    let outcome = await withTaskCancellationHandler {
      await run.outcome()
    } onCancel: {
      run.stop()
    }
    if case .failure(let error as Errno) = outcome, error == .canceled, Task.isCancelled {
      throw CancellationError()
    }
    return try outcome.get()
  }

  /// Returns the files of sources as a sequence, with the results of their jobs.
  ///
  /// Each iteration is a run, on threads of the processor, which begins with the request for the
  /// first element. A slow consumer slows the lanes: at most some thousands of files are ahead of
  /// it.
  ///
  /// Leaving the loop, or cancelling the task, ends the run as ``cancel()`` does; ``wait()`` waits
  /// for that. A failed file is an ``ProcessedFile/outcome``, not an error of the sequence. A
  /// sequence that ends without an error is complete. Errors of the sequence:
  ///
  /// - `CancellationError` if the task was cancelled;
  /// - `Errno.canceled` after ``cancel()``, which may follow some of the files;
  /// - ``FileProcessorError/runInProgress``, for the first element, if another run of the processor
  ///   is in progress and was not cancelled;
  /// - `Errno.noMemory`.
  ///
  /// - Complexity: O(*sources*). A step costs O(1). Blocks: no.
  ///
  /// The corresponding C function is `weir_files_run`.
  public func results(
    of sources: FileSource...
  ) -> some AsyncSequence<ProcessedFile<Value>, any Error> & Sendable {
    FileResults(core, sources)
  }

  /// Returns the files of sources as a sequence; otherwise like the form for single sources.
  /// Blocks: no. The corresponding C function is `weir_files_run`.
  public func results(
    of sources: [FileSource]
  ) -> some AsyncSequence<ProcessedFile<Value>, any Error> & Sendable {
    FileResults(core, sources)
  }

  /// Ends the current run soon, if any: no more files are opened, and open files have a second to
  /// end. After that second ``OpenFile/read()`` and ``OpenFile/read(at:count:)`` throw
  /// `Errno.canceled`. A file for which they do has no result. A job that reads from the descriptor
  /// itself is not interrupted.
  ///
  /// Blocks: no. The corresponding C function is `weir_files_cancel`.
  public func cancel() {
    core.cancel()
  }

  /// Suspends until no run is in progress: after an early exit from a loop, until the open files
  /// are closed. Within the loop it may wait for itself. Cancelling the task does not end the wait.
  /// Blocks: no. There is no corresponding C function.
  nonisolated(nonsending)
    public func wait() async
  {
    await core.wait()
  }

  /// The statistics of the current run, or of the last one: the progress to show meanwhile.
  ///
  ///     let sizes = try FileProcessor { file in file.size }
  ///     let progress = Task {
  ///       while true {
  ///         try await Task.sleep(for: .seconds(1))
  ///         print(sizes.statistics)  // 1200 of 4711 files, ...
  ///       }
  ///     }
  ///     defer { progress.cancel() }
  ///     let sum = try await sizes.reduce(into: 0, of: .tree("/usr/share/doc")) { $0 += $1 } combine: { $0 += $1 }
  ///     print(sum)
  ///
  /// Blocks: no. The corresponding C function is `weir_files_stats`.
  public var statistics: FileStatistics {
    core.statistics
  }
}

extension FileProcessor where Context == Void {
  /// Creates a processor whose lanes have no context; otherwise like the initializer with one.
  /// Blocks: no. The corresponding C function is `weir_files_create`.
  public convenience init<Failure: Error>(
    _ options: FileProcessorOptions = FileProcessorOptions(),
    job: @escaping @Sendable (borrowing OpenFile) throws(Failure) -> Value
  ) throws(Errno) {
    try self.init(options, select: nil, job: job)
  }

  package convenience init<Failure: Error>(
    _ options: FileProcessorOptions = FileProcessorOptions(), lending annotate: Annotation? = nil,
    select: FileSelector?, job: @escaping @Sendable (borrowing OpenFile) throws(Failure) -> Value
  ) throws(Errno) {
    try self.init(options, lending: annotate, select: select, context: {}) {
      (file, _) throws(Failure) in
      try job(file)
    }
  }
}

/// The reason that a ``FileProcessor`` did not begin a run, or did not read a file. There is no
/// corresponding C type: C has `EBUSY` and `EISDIR`.
public enum FileProcessorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another run of the processor is in progress and was not cancelled.
  case runInProgress
  /// The path of a ``FileSource/file(_:)-(FilePath)`` is a directory.
  case isDirectory

  /// The reason, as a sentence without a full stop.
  public var description: String {
    switch self {
    case .runInProgress:
      """
      another run of this file processor is in progress; wait for its end, or create a processor \
      for each of the runs
      """
    case .isDirectory: "is a directory; use .tree to read its files"
    }
  }
}

/// The context of a lane, in a reference that C can hold.
private final class LaneBox<Context> {
  var context: Context

  init(_ context: Context) {
    self.context = context
  }
}
