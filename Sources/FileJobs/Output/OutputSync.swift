// Seeing to it that what was recorded outlives the machine.
//
// DESIGN. fdatasync may take seconds on a busy disk. Called where batches are
// delivered it would hold up the lanes, and on a lane that lane; so a thread does
// it that does nothing else. It waits by a condition and not by a timer of
// dispatch, which costs three descriptors. What cannot be written back is told by
// one call of fdatasync, and by one alone: the next one is all smiles, and what
// was lost is lost. So a failure is kept, and ends the run.

// Whose fields those of timespec are depends on which module is met first.
internal import CDispatch
internal import Glibc
internal import SystemPackage

/// Writes back a file that grows, now and then.
///
/// @unchecked Sendable: the mutex guards what changes.
final class OutputSync: @unchecked Sendable {
  private let descriptor: Int32
  /// The directory of the file: a new name in it has to be written back too.
  private let directory: [UInt8]
  private let interval: Double
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var isOver = false
  private var isDirty = true
  private var failed: Errno?
  private var done = 0
  private var thread: SideThread?

  /// Begins. Where there can be no thread, only the end is written back.
  init(_ descriptor: Int32, directory: [UInt8], interval: Double) {
    self.descriptor = descriptor
    self.directory = directory
    self.interval = interval
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    condition.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
    thread = SideThread { self.loop() }
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// What went wrong so far.
  var failure: Errno? { locked { failed } }

  /// How often it was written back.
  var count: Int { locked { done } }

  /// There is something to write back.
  func note() {
    locked { isDirty = true }
  }

  /// Ends; returns when all is written back.
  ///
  /// - Throws: What went wrong, now or before.
  func finish() throws(Errno) {
    locked {
      isOver = true
      pthread_cond_signal(condition)
    }
    thread?.join()
    thread = nil
    writeBack()
    if let failed { throw failed }
  }

  private func locked<R>(_ body: () -> R) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  private func loop() {
    var deadline = timespec()
    clock_gettime(CLOCK_MONOTONIC, &deadline)
    pthread_mutex_lock(mutex)
    while !isOver {
      let nanoseconds = deadline.tv_nsec + Int(interval * 1e9)
      deadline.tv_sec += nanoseconds / 1_000_000_000
      deadline.tv_nsec = nanoseconds % 1_000_000_000
      while !isOver && pthread_cond_timedwait(condition, mutex, &deadline) == 0 {}
      if isOver { break }
      pthread_mutex_unlock(mutex)
      writeBack()
      clock_gettime(CLOCK_MONOTONIC, &deadline)
      pthread_mutex_lock(mutex)
    }
    pthread_mutex_unlock(mutex)
  }

  /// Writes back, unless there is nothing, or no use any more.
  private func writeBack() {
    let isFirst = locked { done == 0 }
    let isNeeded = locked {
      defer { isDirty = false }
      return isDirty && failed == nil
    }
    guard isNeeded else { return }
    var error = OutputSync.retried { fdatasync(descriptor) }
    if error == 0 && isFirst { error = OutputSync.writeBack(directory: directory) }
    locked {
      done += 1
      if error != 0 { failed = Errno(rawValue: error) }
    }
  }

  /// Writes back the names in a directory. Some file systems cannot, and need not.
  static func writeBack(directory: [UInt8]) -> Int32 {
    let descriptor = withPath(directory) {
      open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    // One that may be written to and not read cannot be opened: then the names are
    // left to the system.
    guard descriptor >= 0 else { return errno == EACCES ? 0 : errno }
    defer { close(descriptor) }
    let error = retried { fsync(descriptor) }
    return error == EINVAL || error == EROFS ? 0 : error
  }

  /// An errno value, or 0.
  static func retried(_ call: () -> Int32) -> Int32 {
    while true {
      if call() == 0 { return 0 }
      if errno != EINTR { return errno }
    }
  }
}

/// Calls `body` with a path as C has it.
func withPath<R>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> R) -> R {
  (bytes + [0]).withUnsafeBufferPointer { bytes in
    guard let start = bytes.baseAddress else { fatalError("a path needs memory") }
    return start.withMemoryRebound(to: CChar.self, capacity: bytes.count, body)
  }
}
