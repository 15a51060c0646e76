// Writing the records of a run back to the disk, regularly.
//
// DESIGN. fdatasync(2) may take seconds on a busy disk. On a lane it would hold up that
// lane, and all of them at the delivery of batches, so a thread of its own calls it. The
// thread waits on a condition variable and not on a timer of dispatch, which costs three
// descriptors. A lost write is reported by one call of fdatasync only: the next call
// succeeds although the data is lost. So the first error is kept, and ends the run.

internal import Weir
internal import WeirLibC
internal import SystemPackage

/// A growing file that is written back at intervals.
///
/// @unchecked Sendable: the mutex guards the variables.
final class OutputSync: @unchecked Sendable {
  private let descriptor: FileDescriptor
  /// The directory of the file: a new name in it has to be written back too.
  private let directory: [UInt8]
  private let interval: Double
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var isOver = false
  private var isDirty = true
  private var firstError: Errno?
  private var syncCount = 0
  private var thread: SideThread?

  /// Begins. If the system has no thread to give, only ``finish()`` writes back.
  init(_ descriptor: FileDescriptor, directory: [UInt8], interval: Double) {
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

  /// The first error so far.
  var failure: Errno? { locked { firstError } }

  /// The number of times that the file was written back.
  var count: Int { locked { syncCount } }

  /// Notes that there are bytes to write back.
  func markDirty() {
    locked { isDirty = true }
  }

  /// Lets the thread write the rest back and end, while the caller does something else.
  func beginEnd() {
    locked {
      isOver = true
      pthread_cond_signal(condition)
    }
  }

  /// Writes the rest back and ends the thread.
  ///
  /// - Throws: The first error, now or before.
  func finish() throws(Errno) {
    beginEnd()
    thread?.join()
    thread = nil
    writeBack()
    if let firstError { throw firstError }
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
    writeBack()
  }

  /// Writes the file back, unless it is unchanged or a write was lost before.
  private func writeBack() {
    let isFirst = locked { syncCount == 0 }
    let isNeeded = locked {
      defer { isDirty = false }
      return isDirty && firstError == nil
    }
    guard isNeeded else { return }
    var found: Errno?
    do throws(Errno) {
      try retryingOnInterrupt { fdatasync(descriptor.rawValue) }
      if isFirst { try OutputSync.writeBack(directory: directory) }
    } catch {
      found = error
    }
    locked {
      syncCount += 1
      if let found { firstError = found }
    }
  }

  /// Writes the names in a directory back. Some file systems cannot, and need not.
  static func writeBack(directory: [UInt8]) throws(Errno) {
    let descriptor: FileDescriptor
    do throws(Errno) {
      descriptor = try openFile(directory, O_RDONLY | O_DIRECTORY)
    } catch {
      // A directory that permits writing and not reading cannot be opened: the system
      // writes its names back in its own time.
      if error == .permissionDenied { return }
      throw error
    }
    defer { close(descriptor.rawValue) }
    do throws(Errno) {
      try retryingOnInterrupt { fsync(descriptor.rawValue) }
    } catch {
      if error != .invalidArgument && error != .readOnlyFileSystem { throw error }
    }
  }
}
