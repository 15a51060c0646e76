// The part of FileProcessor that does not depend on the type of the lanes' context, since C
// function pointers cannot be generic.
//
// DESIGN. A blocking run uses its caller's thread. The others use a serial queue of the processor:
// not Swift's cooperative pool, which has one thread per core, and not a global queue, for which
// libdispatch would open three descriptors. A run that is started during another run is refused: to
// wait would hang a consumer that starts one run inside the other. Only if the other run has been
// cancelled does the new one wait for its turn.

internal import CWeir
internal import Dispatch
internal import Synchronization
internal import SystemPackage
internal import WeirLibC

final class FileProcessorCore: Sendable {
  /// The job, for the lane and the file of C, and whether the run delivers its value.
  typealias Job = @Sendable (AnyObject, OpaquePointer, _ keepsValue: Bool) -> Int32

  // nonisolated(unsafe): never changed, and the C type may be used by any thread.
  nonisolated(unsafe) let handle: OpaquePointer
  private let callbacks: Callbacks
  private let storage: StorageReaders?
  private let queue: DispatchQueue
  /// The runs that have not ended; the first one has its turn.
  private let runs = Locked<[FileRun]>([])

  init(
    _ options: FileProcessorOptions, annotate: Annotation?, select: FileSelector?,
    makeContext: @escaping @Sendable () throws(Errno) -> AnyObject,
    job: @escaping Job
  ) throws(Errno) {
    guard options.isValid else { throw .invalidArgument }
    callbacks = Callbacks(
      makeContext: makeContext, job: job, annotate: annotate, select: select)
    queue = DispatchQueue(label: options.label)
    storage = options.storage
    let made = FileProcessorCore.create(options, callbacks)
    guard let made else { throw Errno(rawValue: errno) }
    handle = made
    if let error = callbacks.creationError {
      throw error
    }
  }

  private static func create(
    _ options: FileProcessorOptions, _ callbacks: Callbacks
  ) -> OpaquePointer? {
    var excluded = identities(of: options.excluded)
    var cOptions = options.cOptions
    cOptions.user = Unmanaged.passUnretained(callbacks).toOpaque()
    cOptions.lane_create = { user, _ in Callbacks.from(user).createLane() }
    cOptions.lane_destroy = { context in
      guard let context else { return }
      Unmanaged<AnyObject>.fromOpaque(context).release()
    }
    cOptions.begun = { user in Callbacks.from(user).begun() }
    cOptions.job = { user, lane, file in
      // Lanes that count references to the same object slow each other down.
      Callbacks.borrowed(user)._withUnsafeGuaranteedRef { $0.run(lane, file) }
    }
    cOptions.done = { user, lane, value in
      Callbacks.borrowed(user)._withUnsafeGuaranteedRef { $0.done(lane, value) }
    }
    cOptions.deliver = { user, batch in Callbacks.from(user).deliver(batch) }
    cOptions.admit = { user in Callbacks.from(user).admit() }
    if callbacks.annotates {
      cOptions.annotate = { user, source, found, length in
        Callbacks.from(user).annotate(FoundFile(found, source: source), length)
      }
    }
    if callbacks.selects {
      cOptions.select = { user, source, found in
        Callbacks.from(user).select(FoundFile(found, source: source))
      }
    }
    cOptions.value_drop = { _, value in Unmanaged<AnyObject>.fromOpaque(value).release() }
    return options.label.withCString { label in
      excluded.withUnsafeMutableBufferPointer { excluded in
        options.filters.withCFilters { filters, count in
          cOptions.label = label
          cOptions.exclude = UnsafePointer(excluded.baseAddress)
          cOptions.exclude_count = excluded.count
          cOptions.filters = filters
          cOptions.filter_count = count
          return weir_files_create(&cOptions)
        }
      }
    }
  }

  deinit {
    // No run is in progress, since a run holds the processor. The lanes' finalizers need no
    // callbacks.
    weir_files_release(handle)
  }

  /// Runs on the caller's thread.
  func run(
    _ sources: [FileSource], deliver: @escaping FileRun.Deliver,
    receiver: FileRun.Receiver = FileRun.Receiver()
  ) throws -> FileStatistics {
    let run = FileRun(sources, on: handle, deliver: deliver, receiver: receiver)
    let isAlone = runs.with { runs in
      if runs.isEmpty { runs.append(run) }
      return runs.first === run
    }
    guard isAlone else { throw FileProcessorError.runInProgress }
    return try execute(run).get()
  }

  /// Runs on a thread of the processor, which calls the receiver's closures.
  func start(
    _ sources: [FileSource], deliver: @escaping FileRun.Deliver,
    receiver: FileRun.Receiver = FileRun.Receiver()
  ) throws(FileProcessorError) -> FileRun {
    let run = FileRun(sources, on: handle, deliver: deliver, receiver: receiver)
    let (isBusy, isFirst) = runs.with { runs in
      guard runs.allSatisfy(\.isStopped) else { return (true, false) }
      runs.append(run)
      return (false, runs.count == 1)
    }
    if isBusy { throw .runInProgress }
    if isFirst { executeLater(run) }
    return run
  }

  private func executeLater(_ run: FileRun) {
    queue.async { _ = self.execute(run) }
  }

  private func execute(_ run: FileRun) -> FileRun.Outcome {
    callbacks.take(run)
    let error =
      run.isStopped
      ? ECANCELED : run.sources.withCSources(storage: storage) { weir_files_run(handle, $0, $1) }
    callbacks.take(nil)
    let outcome = run.end(error, statistics: statistics)
    let next = runs.with { runs in
      runs.removeFirst()
      return runs.first
    }
    if let next { executeLater(next) }
    run.announce(outcome)
    return outcome
  }

  /// Cancels the runs that have not ended.
  func cancel() {
    for run in runs.with({ $0 }) { run.stop() }
  }

  /// Suspends until no run is left.
  func wait(isolation: isolated (any Actor)? = #isolation) async {
    while let last = runs.with({ $0.last }) {
      _ = await last.outcome()
    }
  }

  var statistics: FileStatistics {
    var found = weir_files_stats_t()
    weir_files_stats(handle, &found, MemoryLayout<weir_files_stats_t>.size)
    return FileStatistics(found)
  }

  /// Returns the status of the descriptors that refer to regular files.
  private static func identities(of descriptors: [FileDescriptor]) -> [stat] {
    descriptors.compactMap { descriptor in
      guard let status = try? Stat(descriptor), status.type == .regular else { return nil }
      return status.rawValue
    }
  }
}

extension FileProcessorOptions {
  /// A Boolean value that indicates whether C accepts the numbers: none is below 1.
  fileprivate var isValid: Bool {
    min(jobs ?? 1, maximumJobs ?? 1, descriptors ?? 1) >= 1
      && min(descriptorsPerLane ?? 1, filesPerBatch ?? 1, maximumDepth ?? 1) >= 1
  }

  fileprivate var cOptions: weir_files_options_t {
    var options = weir_files_options_t()
    options.jobs = isInline ? Int(bitPattern: UInt.max) : jobs ?? 0
    options.jobs_max = maximumJobs ?? 0
    options.descriptors = descriptors ?? 0
    options.permits = descriptorsPerLane ?? 0
    options.files_per_batch = filesPerBatch ?? 0
    options.max_depth = maximumDepth ?? 0
    if followsSymbolicLinks { options.flags |= WEIR_FILES_FOLLOW.rawValue }
    if staysOnFileSystem { options.flags |= WEIR_FILES_ONE_FILE_SYSTEM.rawValue }
    if isLiteral { options.flags |= WEIR_FILES_LITERAL.rawValue }
    if mapsLargeFiles { options.flags |= WEIR_FILES_MAPPED.rawValue }
    if opensLate { options.flags |= WEIR_FILES_OPEN_LATE.rawValue }
    if deliversWholeTree { options.flags |= WEIR_FILES_WHOLE_TREE.rawValue }
    if deliversWithGaps { options.flags |= WEIR_FILES_WITH_GAPS.rawValue }
    if order == .completion { options.flags |= WEIR_FILES_UNORDERED.rawValue }
    return options
  }
}

/// The callbacks of C. The processor holds them as long as C may call them.
private final class Callbacks: Sendable {
  typealias Job = FileProcessorCore.Job

  private struct State {
    var creationError: Errno?
    var run: FileRun?
  }

  private let makeContext: @Sendable () throws(Errno) -> AnyObject
  private let job: Job
  private let annotation: Annotation?
  private let selector: FileSelector?
  private let state = Locked(State())
  /// True if the run that has its turn delivers values. Not in the state, whose lock the
  /// lanes would contend for.
  private let keepsValues = Atomic(false)
  /// True if that run reduces the values on the lanes.
  private let reduces = Atomic(false)

  init(
    makeContext: @escaping @Sendable () throws(Errno) -> AnyObject, job: @escaping Job,
    annotate: Annotation?, select: FileSelector?
  ) {
    self.makeContext = makeContext
    self.job = job
    annotation = annotate
    selector = select
  }

  static func from(_ user: UnsafeMutableRawPointer?) -> Callbacks {
    borrowed(user).takeUnretainedValue()
  }

  /// Returns the callbacks without retaining them.
  static func borrowed(_ user: UnsafeMutableRawPointer?) -> Unmanaged<Callbacks> {
    guard let user else { fatalError("the file processor lost its callbacks") }
    return Unmanaged<Callbacks>.fromOpaque(user)
  }

  var creationError: Errno? {
    state.with { $0.creationError }
  }

  func createLane() -> UnsafeMutableRawPointer? {
    do throws(Errno) {
      return Unmanaged.passRetained(try makeContext()).toOpaque()
    } catch {
      state.with { $0.creationError = error }
      return nil
    }
  }

  func run(_ lane: UnsafeMutableRawPointer?, _ file: OpaquePointer) -> Int32 {
    guard let lane else { return ENOMEM }
    let keepsValue = keepsValues.load(ordering: .relaxed)
    return Unmanaged<AnyObject>.fromOpaque(lane)._withUnsafeGuaranteedRef {
      job($0, file, keepsValue)
    }
  }

  /// Sets the run that has its turn.
  func take(_ run: FileRun?) {
    state.with { $0.run = run }
    keepsValues.store(run?.keepsValues ?? false, ordering: .relaxed)
    reduces.store(run?.reduces ?? false, ordering: .relaxed)
  }

  func done(_ lane: UnsafeMutableRawPointer?, _ value: UnsafeMutableRawPointer?) {
    guard reduces.load(ordering: .relaxed), let lane else { return }
    state.with { $0.run }?.done(lane, value)
  }

  func begun() {
    state.with { $0.run }?.begin()
  }

  var annotates: Bool { annotation != nil }

  func annotate(
    _ found: borrowing FoundFile, _ length: UnsafeMutablePointer<Int>
  ) -> UnsafeRawPointer? {
    let note = annotation?(found)
    length.pointee = note?.count ?? 0
    return note?.baseAddress
  }

  var selects: Bool { selector != nil }

  func select(_ found: borrowing FoundFile) -> weir_selection_t {
    selector?(found).cSelection ?? WEIR_SELECT_TAKE
  }

  func admit() -> Int32 {
    state.with { $0.run }?.admit() ?? 0
  }

  func deliver(_ batch: UnsafePointer<weir_files_batch_t>) -> Int32 {
    guard let run = state.with({ $0.run }) else { return 0 }
    return run.deliver(FileBatch(batch))
  }
}
