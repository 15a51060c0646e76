// A job for every file of a set.

internal import CWeir
public import SystemPackage

/// Runs a job for every file of a set: many files through few descriptors.
///
///     let counter = try FileProcessor { (file) throws(Errno) in
///       var lines = 0
///       while let piece = try file.read() {
///         for byte in piece where byte == UInt8(ascii: "\n") { lines += 1 }
///       }
///       try file.write("\(lines)\t".utf8)
///       try file.write(file.path)
///       try file.write("\n".utf8)
///     }
///     try counter.run([.tree("/usr/share/doc")]) { batch in
///       try FileDescriptor.standardOutput.writeAll(batch.output)
///     }
///
/// Files are cut into strides, of many small files or one big one. The
/// descriptors of a stride are taken from the process's budget before it is
/// submitted to the lanes. What the jobs of a stride wrote is delivered in one
/// piece, in the order of the files or as completed, never two pieces at a
/// time. Nothing grows with the number of files.
///
/// The corresponding C type is `weir_files_t`.
public final class FileProcessor<Context>: Sendable {
  /// What a job does with a file, given the context of the lane it runs on.
  public typealias Job = @Sendable (borrowing OpenFile, inout Context) throws(Errno) -> Void

  private let core: FileProcessorCore

  /// Makes a processor.
  ///
  /// - Parameters:
  ///   - options: How to process; the defaults are good.
  ///   - context: Makes what a lane owns (a buffer, a digest's state); called
  ///     once for each lane before this returns.
  ///   - job: Called on a lane for each file. What it throws becomes the
  ///     ``FileResult/outcome`` of that file, and what it wrote is dropped.
  /// - Throws: `Errno.invalidArgument` where a number of the options is below 1
  ///   or `jobs` above ``Lanes/widthMax``, `Errno.noMemory`, or what `context`
  ///   throws.
  ///
  /// The corresponding C function is `weir_files_create`.
  public init(
    _ options: FileProcessorOptions = FileProcessorOptions(),
    context: @escaping @Sendable () throws(Errno) -> Context,
    job: @escaping Job
  ) throws(Errno) {
    core = try FileProcessorCore(
      options,
      makeContext: { () throws(Errno) -> AnyObject in LaneBox(try context()) },
      job: { lane, file in
        // The core hands back what makeContext made.
        let box = unsafeDowncast(lane, to: LaneBox<Context>.self)
        do throws(Errno) {
          try job(OpenFile(file), &box.context)
          return 0
        } catch {
          return error.rawValue
        }
      })
  }

  /// Processes sources in order; returns when everything is delivered.
  ///
  /// - Parameters:
  ///   - sources: Files, trees and descriptors.
  ///   - deliver: Called with each batch, never two at a time, on any thread.
  ///     A slow one slows the lanes. What it throws ends the run and is thrown.
  /// - Returns: The figures of the run. That files failed is no error of the
  ///   run.
  /// - Throws: `Errno.canceled` after ``cancel()``, `Errno.resourceBusy` where a
  ///   run is under way, `Errno.noMemory`, or what `deliver` throws.
  ///
  /// Blocks: yes, as long as it takes. The caller's thread does the walking.
  ///
  /// The corresponding C function is `weir_files_run`.
  @available(*, noasync, message: "it blocks; call it on a thread that may block")
  @discardableResult
  public func run(
    _ sources: [FileSource], deliver: @escaping @Sendable (borrowing FileBatch) throws -> Void
  ) throws -> FileFigures {
    try core.run(sources, deliver: deliver)
    return figures
  }

  /// Ends the present run soon: what is open is finished, no more is opened.
  ///
  /// Blocks: no. May be called from any thread, also from a job.
  ///
  /// The corresponding C function is `weir_files_cancel`.
  public func cancel() {
    core.cancel()
  }

  /// The figures of the present run, or the last one.
  ///
  /// Blocks: no. May be read at any time, from any thread.
  ///
  /// The corresponding C function is `weir_files_figures`.
  public var figures: FileFigures {
    core.figures
  }
}

extension FileProcessor where Context == Void {
  /// Makes a processor whose lanes own nothing.
  ///
  /// - Parameters:
  ///   - options: How to process; the defaults are good.
  ///   - job: Called on a lane for each file. What it throws becomes the
  ///     ``FileResult/outcome`` of that file, and what it wrote is dropped.
  /// - Throws: `Errno.invalidArgument`, `Errno.noMemory`.
  ///
  /// The corresponding C function is `weir_files_create`.
  public convenience init(
    _ options: FileProcessorOptions = FileProcessorOptions(),
    job: @escaping @Sendable (borrowing OpenFile) throws(Errno) -> Void
  ) throws(Errno) {
    try self.init(options, context: {}) { (file, _) throws(Errno) in try job(file) }
  }
}

/// How a ``FileProcessor`` works.
///
/// The corresponding C type is `weir_files_options_t`.
public struct FileProcessorOptions: Sendable {
  /// A name for messages and traces.
  public var label = "files"
  /// How many files are worked on at once, 1 to ``Lanes/widthMax``; `nil` for
  /// one a core.
  public var jobs: Int?
  /// Whether everything is done on the caller's thread, for tests.
  public var isInline = false
  /// How many descriptors the lanes may have open at once, within the budget of
  /// the process; `nil` for that budget alone.
  public var descriptors: Int?
  /// Whether symbolic links that a walk meets are followed; else they are
  /// passed over and counted.
  public var followsSymbolicLinks = false
  /// Whether a walk stays on the file system it began on.
  public var staysOnFileSystem = false
  /// In which order batches are delivered.
  public var order = ResultOrder.input
  /// How many files a stride has at most; `nil` for 64.
  public var filesPerStride: Int?
  /// Files that are passed over if they are met: those that these descriptors
  /// are open on when the processor is made. Where the output goes, say.
  public var excluded: [FileDescriptor] = []

  /// The defaults.
  public init() {}
}

/// Figures of a run of a ``FileProcessor``.
///
/// The corresponding C type is `weir_files_figures_t`.
public struct FileFigures: Sendable {
  /// Files whose job ran to its end.
  public internal(set) var files: UInt64 = 0
  /// Bytes read, also of files that failed.
  public internal(set) var bytes: UInt64 = 0
  /// Files and directories that could not be read.
  public internal(set) var failed: UInt64 = 0
  /// FIFOs, sockets and devices that were not opened.
  public internal(set) var special: UInt64 = 0
  /// Of these, how many were sources themselves, not found in a walk.
  public internal(set) var specialNamed: UInt64 = 0
  /// Symbolic links that a walk passed over.
  public internal(set) var links: UInt64 = 0
  /// Files passed over because they were excluded.
  public internal(set) var excluded: UInt64 = 0
  /// Directories walked.
  public internal(set) var directories: UInt64 = 0
  /// How many lanes there are.
  public internal(set) var lanes = 0
  /// The most lanes that were busy at once.
  public internal(set) var lanesPeak = 0
  /// The most descriptors the lanes had permits for at once. The walk has one
  /// more.
  public internal(set) var descriptorsPeak = 0
}

/// What a lane owns, behind a reference that C can hold.
private final class LaneBox<Context> {
  var context: Context

  init(_ context: Context) {
    self.context = context
  }
}
