// The file processor: it runs a job for every file of a set.

internal import CWeir
public import SystemPackage
internal import WeirLibC

/// A processor that runs a job for every file of a set, with few open descriptors.
///
///     let counter = try FileProcessor { file in
///       var lines = 0
///       while let piece = try file.read() {
///         for byte in piece where byte == UInt8(ascii: "\n") { lines += 1 }
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
/// Files are grouped into batches, of many small files or one large one. The permits for a
/// batch's descriptors are taken from the budget of the process before the batch is
/// submitted to the lanes. The results and output of a batch are delivered together, in
/// the order of the files or of completion, one batch at a time. Memory does not grow with
/// the number of files.
///
/// There are two ways to receive results. ``results(of:)-(FileSource...)`` is a sequence of
/// files, for `async` code. `run(_:deliver:)` calls a closure with the output of many files
/// at a time, without copies.
///
/// The corresponding C type is `weir_files_t`.
public final class FileProcessor<Context, Value: Sendable>: Sendable {
  /// A job for one file, given the context of the lane that runs the job, with the errors of
  /// the system. The initializer takes jobs with any error.
  public typealias Job = @Sendable (borrowing OpenFile, inout Context) throws(Errno) -> Value

  /// A closure that annotates a file that was found, for its job and its delivery. It returns
  /// any bytes, which become the file's note, or `nil` for no note.
  public typealias Annotate = @Sendable (borrowing FoundFile) -> [UInt8]?

  private let core: FileProcessorCore

  /// Creates a processor.
  ///
  ///     let words = try FileProcessor(context: { [UInt8]() }) { file, kept in
  ///       kept.removeAll(keepingCapacity: true)
  ///       while let piece = try file.read() { kept.append(contentsOf: piece) }
  ///       return kept.split(separator: UInt8(ascii: " ")).count
  ///     }
  ///
  /// - Parameters:
  ///   - options: The options; the defaults suit most uses.
  ///   - annotate: Called for each path before its job, in order, on the thread that walks.
  ///     The walk waits for the closure, so the closure can advance through data of an
  ///     earlier run in step with the walk. ``OpenFile/note`` and ``FileResult/note`` hold
  ///     its result. It is not called for an item that has a note.
  ///   - select: Called for each entry of a walk and for each named path, in order, on the thread
  ///     that walks; not for items that are opened without a status call. An entry that it skips
  ///     has no result.
  ///   - context: Creates the context of a lane (a buffer, the state of a digest); called
  ///     once for each lane before the initializer returns, and for the lanes that
  ///     ``FileProcessorOptions/maximumJobs`` adds, on a lane during a run.
  ///   - job: Called on a lane for each file. Its result, or the error that it throws,
  ///     becomes the ``ProcessedFile/outcome`` of the file. After an error the output of the
  ///     job is dropped.
  /// - Throws: `Errno.invalidArgument` if a number of the options is below 1 or `jobs` above
  ///   ``Lanes/widthMax``, `Errno.noMemory`, or the error of `context`.
  /// - Complexity: O(*lanes*), for their contexts. Blocks: no.
  ///
  /// The corresponding C function is `weir_files_create`.
  public convenience init<Failure: Error>(
    _ options: FileProcessorOptions = FileProcessorOptions(),
    annotate: Annotate? = nil, select: FileSelector? = nil,
    context: @escaping @Sendable () throws(Errno) -> Context,
    job: @escaping @Sendable (borrowing OpenFile, inout Context) throws(Failure) -> Value
  ) throws(Errno) {
    try self.init(
      options, lending: annotate.map { LastNote($0).annotate }, select: select, context: context,
      job: job)
  }

  /// Creates a processor whose annotations are lent: the bytes must stay valid until the next
  /// call.
  package init<Failure: Error>(
    _ options: FileProcessorOptions, lending annotate: Annotation?,
    select: FileSelector?,
    context: @escaping @Sendable () throws(Errno) -> Context,
    job: @escaping @Sendable (borrowing OpenFile, inout Context) throws(Failure) -> Value
  ) throws(Errno) {
    // Not `any Error`: the compiler of Swift 6.3 crashes on the conversion of a job that
    // throws errors of one type.
    // A value travels in a box; Void needs none.
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

  /// Processes sources in order; returns after the last delivery.
  ///
  ///     import SystemPackage
  ///
  ///     let copier = try FileProcessor { file in
  ///       while let piece = try file.read() { try file.write(piece) }
  ///     }
  ///     try copier.run([.tree("/etc")]) { batch in
  ///       try FileDescriptor.standardOutput.writeAll(batch.output)
  ///     }
  ///
  /// - Parameters:
  ///   - sources: Files, trees and descriptors.
  ///   - deliver: Called with each batch, never two at a time, on any thread.
  ///     A slow closure slows the lanes. Its error ends the run and is thrown.
  /// - Returns: The statistics of the run. A failed file is not an error of the run.
  /// - Throws: `Errno.canceled` after ``cancel()``, ``FileProcessorError/runInProgress``
  ///   during another run, `Errno.noMemory`, or the error of `deliver`.
  /// - Complexity: O(*n*) in files and bytes; memory does not grow with either.
  ///
  /// Blocks: yes, until the run ends. The walk is on the caller's thread.
  ///
  /// The corresponding C function is `weir_files_run`.
  @available(*, noasync, message: "use the form with await; at the top level: in an async function")
  @_disfavoredOverload
  @discardableResult
  public func run(
    _ sources: [FileSource], deliver: @escaping @Sendable (borrowing FileBatch) throws -> Void
  ) throws -> FileStatistics {
    try core.run(sources, deliver: deliver)
  }

  /// Processes sources in order; suspends until after the last delivery. Otherwise like the
  /// blocking form, but the walk is on a thread of the processor.
  ///
  /// - Throws: `CancellationError` if cancelling the task ended the run, or the errors of the
  ///   blocking form.
  ///
  /// Blocks: no; the closure may, since its threads are outside the cooperative pool. The method
  /// returns when the run is over, even after a cancellation: open files have a second to end, as
  /// after ``cancel()``.
  ///
  /// The corresponding C functions are `weir_files_run` and `weir_files_cancel`.
  @discardableResult
  nonisolated(nonsending)
    public func run(
      _ sources: [FileSource], deliver: @escaping @Sendable (borrowing FileBatch) throws -> Void
    ) async throws -> FileStatistics
  {
    try Task.checkCancellation()
    let run = try core.start(sources, deliver: deliver)
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
  /// - Parameter sources: Files, trees and descriptors.
  /// - Returns: The sequence. An iteration over it starts the run.
  /// - Complexity: O(*sources*). Blocks: no.
  ///
  /// The corresponding C function is `weir_files_run`.
  public func results(of sources: FileSource...) -> FileResults<Value> {
    results(of: sources)
  }

  /// Returns the files of sources as a sequence, with the results of their jobs.
  ///
  /// Blocks: no. The corresponding C function is `weir_files_run`.
  public func results(of sources: [FileSource]) -> FileResults<Value> {
    FileResults(core, sources)
  }

  /// Ends the current run soon: no more files are opened, and open files have a second to
  /// end. Without a run the call has no effect.
  ///
  /// After that second ``OpenFile/read()`` and ``OpenFile/read(at:into:)`` throw
  /// `Errno.canceled`. A file for which they do has no result. A job that reads from the
  /// descriptor itself is not interrupted.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no. Any thread may call it, also a job.
  ///
  /// The corresponding C function is `weir_files_cancel`.
  public func cancel() {
    core.cancel()
  }

  /// Opens no more files until ``resume()``; open files are finished. A pause between runs
  /// holds the next run before its first file. Pauses do not add up.
  ///
  /// ``cancel()`` ends a paused run; the pause stays.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no. Any thread may call it, also a job.
  ///
  /// The corresponding C function is `weir_files_pause`.
  public func pause() {
    core.pause()
  }

  /// Ends a pause. Without a pause the call has no effect.
  ///
  /// - Complexity: O(*lanes*).
  ///
  /// Blocks: no. Any thread may call it.
  ///
  /// The corresponding C function is `weir_files_resume`.
  public func resume() {
    core.resume()
  }

  /// Suspends until no run is in progress. After an early exit from a loop over
  /// ``results(of:)-(FileSource...)``, this method waits until the open files are closed.
  ///
  /// Blocks: no. Cancelling the task does not end the wait, which is short if the run was
  /// cancelled too.
  ///
  /// There is no corresponding C function.
  nonisolated(nonsending)
    public func wait() async
  {
    await core.wait()
  }

  /// The statistics of the current run, or of the last one.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no. Any thread may read it at any time.
  ///
  /// The corresponding C function is `weir_files_stats`.
  public var statistics: FileStatistics {
    core.statistics
  }

  /// Returns the files that lanes have worked on for some time, such as those that hold up a
  /// run.
  ///
  /// - Parameter nanoseconds: The least time on the file.
  /// - Returns: At most one file for each lane, in the order of the lanes.
  /// - Complexity: O(*lanes*).
  ///
  /// Blocks: no. Any thread may call it at any time.
  ///
  /// The corresponding C function is `weir_files_busy`.
  public func busyFiles(nanoseconds: UInt64 = 0) -> [BusyFile] {
    core.busyFiles(nanoseconds)
  }
}

extension FileProcessor where Context == Void {
  /// Creates a processor whose lanes have no context; otherwise like the initializer with one.
  ///
  ///     let sizes = try FileProcessor { file in file.size }
  ///
  /// - Throws: `Errno.invalidArgument`, `Errno.noMemory`.
  ///
  /// Blocks: no. The corresponding C function is `weir_files_create`.
  public convenience init<Failure: Error>(
    _ options: FileProcessorOptions = FileProcessorOptions(),
    annotate: Annotate? = nil, select: FileSelector? = nil,
    job: @escaping @Sendable (borrowing OpenFile) throws(Failure) -> Value
  ) throws(Errno) {
    try self.init(options, annotate: annotate, select: select, context: {}) {
      (file, _) throws(Failure) in
      try job(file)
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

/// The last note of a closure that annotates.
///
/// @unchecked Sendable: one thread at a time annotates.
private final class LastNote: @unchecked Sendable {
  private let closure: @Sendable (borrowing FoundFile) -> [UInt8]?
  private var note: FixedBytes?

  init(_ closure: @escaping @Sendable (borrowing FoundFile) -> [UInt8]?) {
    self.closure = closure
  }

  @Sendable func annotate(_ found: borrowing FoundFile) -> UnsafeRawBufferPointer? {
    note = closure(found).map { FixedBytes($0) }
    return note?.first
  }
}
