// DESIGN. fdatasync(2) may take seconds on a busy disk and would hold up a lane, or all of them at
// the delivery, so a thread of its own calls it. It waits on a semaphore: a timer of dispatch costs
// three descriptors. Only one call of fdatasync reports a lost write; the next one succeeds
// although the data is lost. So the first error is kept, and ends the run.

internal import Dispatch
internal import Weir
internal import WeirLibC
internal import SystemPackage

/// A growing file that is written back at intervals.
///
/// @unchecked Sendable: only the owner begins and ends; the state has a lock.
final class FileSync: @unchecked Sendable {
  private struct State {
    var isDirty = true
    var failure: Errno?
    var count = 0
  }

  private let descriptor: FileDescriptor
  /// The directory of the file: a new name in it has to be written back too.
  private let directory: [UInt8]
  private let interval: Double
  private let state = Locked(State())
  private let end = DispatchSemaphore(value: 0)
  private var thread: SideThread?

  /// Begins. If the system has no thread to give, only ``finish()`` writes back.
  init(_ descriptor: FileDescriptor, directory: [UInt8], interval: Double) {
    self.descriptor = descriptor
    self.directory = directory
    self.interval = interval
    thread = SideThread {
      while self.end.wait(timeout: .now() + interval) == .timedOut { self.writeBack() }
      self.writeBack()
    }
  }

  var failure: Errno? { state.with { $0.failure } }

  var count: Int { state.with { $0.count } }

  func markDirty() { state.with { $0.isDirty = true } }

  /// Notes that the file will be removed: nothing more is written back.
  func abandon() { state.with { $0.isDirty = false } }

  /// Lets the thread write the rest back and end, while the caller does something else.
  func beginEnd() { end.signal() }

  /// Writes the rest back and ends the thread. Throws the first error, now or before.
  func finish() throws(Errno) {
    beginEnd()
    thread?.join()
    thread = nil
    writeBack()
    if let failure { throw failure }
  }

  /// Writes the file back, unless it is unchanged or a write was lost before.
  private func writeBack() {
    let (isNeeded, isFirst) = state.with { state in
      defer { state.isDirty = false }
      return (state.isDirty && state.failure == nil, state.count == 0)
    }
    guard isNeeded else { return }
    var failure: Errno?
    do throws(Errno) {
      try retryingOnInterrupt { fdatasync(descriptor.rawValue) }
      if isFirst { try FileSync.writeBack(directory: directory) }
    } catch {
      failure = error
    }
    state.with { state in
      state.count += 1
      state.failure = state.failure ?? failure
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
