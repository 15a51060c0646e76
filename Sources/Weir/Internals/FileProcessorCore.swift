// The part of FileProcessor that does not depend on what a lane owns: C
// function pointers cannot be generic, so this class stands between them and
// the generic one.

internal import CWeir
internal import Glibc
internal import Synchronization
internal import SystemPackage

final class FileProcessorCore: Sendable {
  typealias Deliver = @Sendable (borrowing FileBatch) throws -> Void

  // nonisolated(unsafe): never changed, and the C type may be used by any thread.
  private nonisolated(unsafe) let handle: OpaquePointer
  private let callbacks: Callbacks

  init(
    _ options: FileProcessorOptions,
    makeContext: @escaping @Sendable () throws(Errno) -> AnyObject,
    job: @escaping @Sendable (AnyObject, OpaquePointer) -> Int32
  ) throws(Errno) {
    guard options.isValid else { throw .invalidArgument }
    callbacks = Callbacks(makeContext: makeContext, job: job)
    var excluded = FileProcessorCore.identities(of: options.excluded)
    var cOptions = options.cOptions
    cOptions.user = Unmanaged.passUnretained(callbacks).toOpaque()
    cOptions.lane_create = { user, _ in Callbacks.from(user).createLane() }
    cOptions.lane_destroy = { context in
      guard let context else { return }
      Unmanaged<AnyObject>.fromOpaque(context).release()
    }
    cOptions.job = { user, lane, file in Callbacks.from(user).run(lane, file) }
    cOptions.deliver = { user, batch in Callbacks.from(user).deliver(batch) }
    let made = options.label.withCString { label in
      excluded.withUnsafeMutableBufferPointer { excluded in
        cOptions.label = label
        cOptions.exclude = UnsafePointer(excluded.baseAddress)
        cOptions.exclude_count = excluded.count
        return weir_files_create(&cOptions)
      }
    }
    guard let made else { throw Errno(rawValue: errno) }
    handle = made
    if let error = callbacks.creationError {
      throw error
    }
  }

  deinit {
    // Nothing is under way: run() holds the processor. The finalizers of the
    // lanes run later, and do without the callbacks.
    weir_files_release(handle)
  }

  func run(_ sources: [FileSource], deliver: @escaping Deliver) throws {
    guard callbacks.begin(deliver) else { throw Errno.resourceBusy }
    let error = sources.withCSources { weir_files_run(handle, $0, $1) }
    let thrown = callbacks.end()
    if let thrown {
      throw thrown
    }
    if error != 0 {
      throw Errno(rawValue: error)
    }
  }

  func cancel() {
    weir_files_cancel(handle)
  }

  var figures: FileFigures {
    var figures = weir_files_figures_t()
    weir_files_figures(handle, &figures, MemoryLayout.size(ofValue: figures))
    return FileFigures(
      files: figures.files, bytes: figures.bytes, failed: figures.failed,
      special: figures.special, specialNamed: figures.special_named, links: figures.links,
      excluded: figures.excluded,
      directories: figures.directories, lanes: Int(clamping: figures.lanes),
      lanesPeak: Int(clamping: figures.lanes_peak),
      descriptorsPeak: Int(clamping: figures.descriptors_peak))
  }

  /// What the descriptors are open on, where that is a regular file.
  private static func identities(of descriptors: [FileDescriptor]) -> [stat] {
    descriptors.compactMap { descriptor in
      var status = stat()
      let known = fstat(descriptor.rawValue, &status) == 0
      return known && status.st_mode & S_IFMT == S_IFREG ? status : nil
    }
  }
}

extension FileProcessorOptions {
  /// Whether the numbers are such as C takes: no number is below 1.
  fileprivate var isValid: Bool {
    [jobs, descriptors, filesPerStride].allSatisfy { $0 ?? 1 >= 1 }
  }

  fileprivate var cOptions: weir_files_options_t {
    var options = weir_files_options_t()
    options.jobs = isInline ? Int(bitPattern: UInt.max) : jobs ?? 0
    options.descriptors = descriptors ?? 0
    options.stride = filesPerStride ?? 0
    if followsSymbolicLinks { options.flags |= WEIR_FILES_FOLLOW.rawValue }
    if staysOnFileSystem { options.flags |= WEIR_FILES_ONE_FILE_SYSTEM.rawValue }
    if order == .completion { options.flags |= WEIR_FILES_UNORDERED.rawValue }
    return options
  }
}

/// What C calls back. The processor holds it for as long as C may call.
private final class Callbacks: Sendable {
  private struct State {
    var creationError: Errno?
    var deliver: FileProcessorCore.Deliver?
    var thrown: (any Error)?
  }

  private let makeContext: @Sendable () throws(Errno) -> AnyObject
  private let job: @Sendable (AnyObject, OpaquePointer) -> Int32
  private let state = Mutex(State())

  init(
    makeContext: @escaping @Sendable () throws(Errno) -> AnyObject,
    job: @escaping @Sendable (AnyObject, OpaquePointer) -> Int32
  ) {
    self.makeContext = makeContext
    self.job = job
  }

  static func from(_ user: UnsafeMutableRawPointer?) -> Callbacks {
    guard let user else { fatalError("the file processor lost its callbacks") }
    return Unmanaged<Callbacks>.fromOpaque(user).takeUnretainedValue()
  }

  var creationError: Errno? {
    state.withLock { $0.creationError }
  }

  func createLane() -> UnsafeMutableRawPointer? {
    do throws(Errno) {
      return Unmanaged.passRetained(try makeContext()).toOpaque()
    } catch {
      state.withLock { $0.creationError = error }
      return nil
    }
  }

  func run(_ lane: UnsafeMutableRawPointer?, _ file: OpaquePointer) -> Int32 {
    guard let lane else { return ENOMEM }
    return job(Unmanaged<AnyObject>.fromOpaque(lane).takeUnretainedValue(), file)
  }

  /// Whether there was no run under way.
  func begin(_ deliver: @escaping FileProcessorCore.Deliver) -> Bool {
    state.withLock { state in
      guard state.deliver == nil else { return false }
      state.deliver = deliver
      state.thrown = nil
      return true
    }
  }

  /// What the delivery threw, if it did.
  func end() -> (any Error)? {
    state.withLock { state in
      state.deliver = nil
      return state.thrown
    }
  }

  func deliver(_ batch: UnsafePointer<weir_files_batch_t>) -> Int32 {
    guard let deliver = state.withLock({ $0.deliver }) else { return 0 }
    do {
      try deliver(FileBatch(batch.pointee))
      return 0
    } catch {
      state.withLock { $0.thrown = error }
      return ECANCELED
    }
  }
}
