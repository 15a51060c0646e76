// A job for every file of a set.

internal import CWeir
public import SystemPackage

/// Runs a job for every file of a set: many files through few descriptors.
///
///     let counter = try FileProcessor { (file) throws(Errno) -> Int in
///       var lines = 0
///       while let piece = try file.read() {
///         for byte in piece where byte == UInt8(ascii: "\n") { lines += 1 }
///       }
///       return lines
///     }
///     for try await file in counter.results(of: .tree("/usr/share/doc")) {
///       print(file.value ?? 0, file.path)
///     }
///
/// Files are cut into strides, of many small files or one big one. The
/// descriptors of a stride are taken from the process's budget before it is
/// submitted to the lanes. What the jobs of a stride returned and wrote is
/// delivered in one piece, in the order of the files or as completed, never two
/// pieces at a time. Nothing grows with the number of files.
///
/// There are two ways to take what the jobs made: ``results(of:)-(FileSource...)``
/// is a sequence of files, for `async` code; `run(_:deliver:)` calls a closure
/// with what the jobs wrote, many files at a time and without copies.
///
/// The corresponding C type is `weir_files_t`.
public final class FileProcessor<Context, Value: Sendable>: Sendable {
  /// What a job does with a file, given the context of the lane it runs on.
  public typealias Job = @Sendable (borrowing OpenFile, inout Context) throws(Errno) -> Value

  /// What says something about a file that was found, for its job and its delivery:
  /// any bytes, which become its note; `nil` for none. What it returns has to stay
  /// until it is called again.
  public typealias Annotate = @Sendable (borrowing FoundFile) -> UnsafeRawBufferPointer?

  private let core: FileProcessorCore

  /// Makes a processor.
  ///
  ///     let sizes = try FileProcessor(
  ///       context: { () throws(Errno) -> [UInt8] in [] }
  ///     ) { (file, kept) throws(Errno) -> Int64 in
  ///       kept.removeAll(keepingCapacity: true)
  ///       while let piece = try file.read() { kept.append(contentsOf: piece) }
  ///       return Int64(kept.count)
  ///     }
  ///
  /// - Parameters:
  ///   - options: How to process; the defaults are good.
  ///   - annotate: Called for each path that is about to be handed to a job, in
  ///     their order, by the thread that walks, which waits for it: so it can go
  ///     through what is known of the files from before in step with the walk. What
  ///     it says comes out in ``OpenFile/note`` and ``FileResult/note``. It is not
  ///     asked about an item that has a note already.
  ///   - context: Makes what a lane owns (a buffer, a digest's state); called
  ///     once for each lane before this returns.
  ///   - job: Called on a lane for each file. What it returns is the
  ///     ``ProcessedFile/value`` of that file. What it throws becomes the
  ///     ``FileResult/outcome`` of that file, and what it wrote is dropped.
  /// - Throws: `Errno.invalidArgument` where a number of the options is below 1
  ///   or `jobs` above ``Lanes/widthMax``, `Errno.noMemory`, or what `context`
  ///   throws.
  /// - Complexity: O(*lanes*): each gets its context.
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_files_create`.
  public init(
    _ options: FileProcessorOptions = FileProcessorOptions(),
    annotate: Annotate? = nil,
    context: @escaping @Sendable () throws(Errno) -> Context,
    job: @escaping Job
  ) throws(Errno) {
    // A value travels in a box; nothing needs none.
    let hasValues = Value.self != Void.self
    core = try FileProcessorCore(
      options, annotate: annotate,
      makeContext: { () throws(Errno) -> AnyObject in LaneBox(try context()) },
      job: { lane, file in
        // The core hands back what makeContext made.
        let box = unsafeDowncast(lane, to: LaneBox<Context>.self)
        do throws(Errno) {
          let value = try job(OpenFile(file), &box.context)
          if hasValues { weir_file_set_value(file, Box<Value>.give(value)) }
          return 0
        } catch {
          return error.rawValue
        }
      })
  }

  /// Processes sources in order; returns when everything is delivered.
  ///
  ///     let copier = try FileProcessor { (file) throws(Errno) in
  ///       while let piece = try file.read() { try file.write(piece) }
  ///     }
  ///     try copier.run([.tree("/etc")]) { batch in
  ///       try FileDescriptor.standardOutput.writeAll(batch.output)
  ///     }
  ///
  /// - Parameters:
  ///   - sources: Files, trees and descriptors.
  ///   - deliver: Called with each batch, never two at a time, on any thread.
  ///     A slow one slows the lanes. What it throws ends the run and is thrown.
  /// - Returns: The figures of the run. That files failed is no error of the
  ///   run.
  /// - Throws: `Errno.canceled` after ``cancel()``, `Errno.resourceBusy` where a
  ///   run is under way, `Errno.noMemory`, or what `deliver` throws.
  /// - Complexity: O(*n*) in files and bytes; memory does not grow with either.
  ///
  /// Blocks: yes, as long as it takes. The caller's thread does the walking.
  ///
  /// The corresponding C function is `weir_files_run`.
  @available(
    *, noasync,
    message: "use the async form, which suspends; at the top level: in an async function"
  )
  @_disfavoredOverload
  @discardableResult
  public func run(
    _ sources: [FileSource], deliver: @escaping @Sendable (borrowing FileBatch) throws -> Void
  ) throws -> FileStatistics {
    try core.run(sources, deliver: deliver)
  }

  /// Processes sources in order; suspends until everything is delivered.
  ///
  /// - Parameters:
  ///   - sources: Files, trees and descriptors.
  ///   - deliver: Called with each batch, never two at a time, on a thread that
  ///     is not the cooperative pool's: it may block, and a slow one slows the
  ///     lanes. What it throws ends the run and is thrown.
  /// - Returns: The figures of the run. That files failed is no error of the
  ///   run.
  /// - Throws: `CancellationError` where cancelling the task ended the run,
  ///   `Errno.canceled` after ``cancel()``, `Errno.resourceBusy` where a run is
  ///   under way that nobody has ended, `Errno.noMemory`, or what `deliver`
  ///   throws.
  /// - Complexity: O(*n*) in files and bytes; memory does not grow with either.
  ///
  /// Blocks: no. It returns when the run is over, also when it was cancelled:
  /// what is open is finished first. The walking is done on a thread of the
  /// processor's own.
  ///
  /// The corresponding C functions are `weir_files_run` and
  /// `weir_files_cancel`.
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

  /// The files of sources as a sequence, each with what its job made of it.
  ///
  ///     let sizes = try FileProcessor { (file) throws(Errno) in file.size }
  ///     for try await file in sizes.results(of: .tree("/srv"), .path("/etc/hosts")) {
  ///       print(file.value ?? 0, file.path)
  ///     }
  ///
  /// - Parameter sources: Files, trees and descriptors.
  /// - Returns: The sequence; nothing runs before it is iterated over.
  /// - Complexity: O(*sources*).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_files_run`.
  public func results(of sources: FileSource...) -> FileResults<Value> {
    results(of: sources)
  }

  /// The files of sources as a sequence, each with what its job made of it.
  ///
  /// - Parameter sources: Files, trees and descriptors.
  /// - Returns: The sequence; nothing runs before it is iterated over.
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_files_run`.
  public func results(of sources: [FileSource]) -> FileResults<Value> {
    FileResults(core, sources)
  }

  /// Ends the present run soon: what is open is finished, no more is opened.
  /// Without a run it does nothing.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no. May be called from any thread, also from a job.
  ///
  /// The corresponding C function is `weir_files_cancel`.
  public func cancel() {
    core.cancel()
  }

  /// Opens no more files until ``resume()``: what is open is finished. Without a
  /// run the next one waits before its first file. Pauses do not add up.
  ///
  /// ``cancel()`` ends a run that is paused; the pause stays.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no. May be called from any thread, also from a job.
  ///
  /// The corresponding C function is `weir_files_pause`.
  public func pause() {
    core.pause()
  }

  /// Goes on after ``pause()``. Where there is no pause it does nothing.
  ///
  /// - Complexity: O(*lanes*).
  ///
  /// Blocks: no. May be called from any thread.
  ///
  /// The corresponding C function is `weir_files_resume`.
  public func resume() {
    core.resume()
  }

  /// Suspends until no run is under way: after a loop over
  /// ``results(of:)-(FileSource...)`` was left early, until what was open then is
  /// closed.
  ///
  /// Blocks: no. Cancelling the task does not end the wait, which is short where
  /// the run was cancelled too.
  ///
  /// There is no corresponding C function.
  nonisolated(nonsending)
    public func wait() async
  {
    await core.wait()
  }

  /// The figures of the present run, or the last one.
  ///
  /// - Complexity: O(1).
  ///
  /// Blocks: no. May be read at any time, from any thread.
  ///
  /// The corresponding C function is `weir_files_stats`.
  public var statistics: FileStatistics {
    core.statistics
  }

  /// Which files the lanes have been at for some time: where a run stands still, on
  /// what.
  ///
  ///     let counter = try FileProcessor { (file) throws(Errno) in file.size }
  ///     for file in counter.busyFiles(nanoseconds: 10_000_000_000) {
  ///       print(String(decoding: file.path, as: UTF8.self))
  ///     }
  ///
  /// - Parameter nanoseconds: For at least how long.
  /// - Returns: One a lane at most, in the order of the lanes.
  /// - Complexity: O(*lanes*).
  ///
  /// Blocks: no. May be asked at any time, from any thread.
  ///
  /// The corresponding C function is `weir_files_busy`.
  public func busyFiles(nanoseconds: UInt64 = 0) -> [BusyFile] {
    core.busyFiles(nanoseconds)
  }
}

extension FileProcessor where Context == Void {
  /// Makes a processor whose lanes own nothing.
  ///
  ///     let sizes = try FileProcessor { (file) throws(Errno) in file.size }
  ///
  /// - Parameters:
  ///   - options: How to process; the defaults are good.
  ///   - annotate: Called for each path that is about to be handed to a job.
  ///   - job: Called on a lane for each file. What it returns is the
  ///     ``ProcessedFile/value`` of that file. What it throws becomes the
  ///     ``FileResult/outcome`` of that file, and what it wrote is dropped.
  /// - Throws: `Errno.invalidArgument`, `Errno.noMemory`.
  /// - Complexity: O(*lanes*).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C function is `weir_files_create`.
  public convenience init(
    _ options: FileProcessorOptions = FileProcessorOptions(),
    annotate: Annotate? = nil,
    job: @escaping @Sendable (borrowing OpenFile) throws(Errno) -> Value
  ) throws(Errno) {
    try self.init(options, annotate: annotate, context: {}) { (file, _) throws(Errno) in
      try job(file)
    }
  }
}

/// What a lane owns, behind a reference that C can hold.
private final class LaneBox<Context> {
  var context: Context

  init(_ context: Context) {
    self.context = context
  }
}
