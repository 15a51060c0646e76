// The thread that waits for the children of all tasks, and the threads that start them.
//
// DESIGN. A thread of libdispatch for each child was rejected: there are 255. One thread polls the
// pipes of all children, and reads them. It is not of libdispatch, starts with the first child, and
// stays. It polls rather than use epoll, which other systems do not have, and from which a
// descriptor that was closed must be removed first, since a child that is being started has a copy
// of it. A round costs some microseconds a child, and a busy round handles many.
//
// No code of the caller runs on it. A closure that takes output gets it in its task, and the child
// is not watched meanwhile, so its pipe holds the rest. To start a child blocks until the child has
// executed its program, so a few threads start them, which end when there is nothing to start.

internal import CWeir
internal import Dispatch
internal import SystemPackage
internal import WeirLibC

/// A collection for a task. The task and the watcher use it in turn.
// @unchecked: for that reason.
final class ChildWatch: @unchecked Sendable {
  private var collection: ChildCollection
  private let take: (ChildProcess.Stream, UnsafeRawBufferPointer) -> Void
  private let isPaused: () -> Bool
  fileprivate private(set) var wait = ChildCollection.Wait(descriptors: (-1, -1, -1), end: 0)

  private struct Ending {
    var resume: Work?
    var result: Result<Bool, Errno>?
  }

  // A lock, since ThreadSanitizer does not see that the resume of a continuation comes before its
  // await. What the watcher did before it set the result is ordered with it.
  private let ending = Locked(Ending())

  /// The result of the collection; `nil` if it is paused.
  var result: Result<Bool, Errno>? { ending.with { $0.result } }

  /// - Parameters:
  ///   - take: Called on the watcher's thread with each piece of output.
  ///   - isPaused: Called after that; true to pause.
  init(
    _ collection: ChildCollection, isPaused: @escaping () -> Bool = { false },
    take: @escaping (ChildProcess.Stream, UnsafeRawBufferPointer) -> Void = { _, _ in }
  ) {
    self.collection = collection
    self.isPaused = isPaused
    self.take = take
  }

  deinit {
    collection.finish()
  }

  /// Lets the watcher collect; suspends until the collection is over or paused.
  nonisolated(nonsending) func run() async {
    await withCheckedContinuation { continuation in
      begin { continuation.resume() }
    }
    _ = result
  }

  /// The same for a thread.
  func runBlocking() {
    let isOver = DispatchSemaphore(value: 0)
    begin { isOver.signal() }
    isOver.wait()
  }

  private func begin(_ resume: @escaping Work) {
    ending.with { $0.resume = resume }
    ChildWatcher.add(self)
  }

  // MARK: On the watcher's thread

  /// Returns false if nothing is left to wait for.
  fileprivate func start() -> Bool {
    proceed { collection throws(Errno) in try collection.next() }
  }

  /// Handles the events of a wait. Returns false if the watcher is done with the collection.
  fileprivate func step(
    _ polled: ArraySlice<pollfd>, _ memory: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let isReady = wait.ready(polled)
    return proceed { collection throws(Errno) in try collection.step(isReady, memory, take) }
  }

  private func proceed(
    _ body: (inout ChildCollection) throws(Errno) -> ChildCollection.Step
  ) -> Bool {
    var result: Result<Bool, Errno>?
    do throws(Errno) {
      switch try body(&collection) {
      case .wait(let next):
        wait = next
        if !isPaused() { return true }
      case .over(let hasEnded):
        // Reaped here: the task may have to wait for a thread.
        if hasEnded { _ = try? collection.child.taken() }
        collection.finish()
        result = .success(hasEnded)
      }
    } catch {
      result = .failure(error)
    }
    let resume = ending.with { ending in
      ending.result = result
      defer { ending.resume = nil }
      return ending.resume
    }
    resume?()
    return false
  }
}

/// The thread that waits for children.
enum ChildWatcher {
  private struct State {
    var added: [ChildWatch] = []
    var isServed = false
    /// True if a byte is in the pipe that wakes the thread.
    var isWoken = false
    var wakeEnds: [Int32] = [-1, -1]
  }

  private static let state = Locked(State())
  /// The time to the next round if the process has no descriptor for a pipe, or `poll` fails.
  private static let pause: UInt64 = 10_000_000

  fileprivate static func add(_ watch: ChildWatch) {
    let isServed = state.with { state in
      defer { state.isServed = true }
      state.added.append(watch)
      if !state.isWoken && state.wakeEnds[1] >= 0 {
        state.isWoken = true
        _ = retrying { write(state.wakeEnds[1], [0], 1) }
      }
      return state.isServed
    }
    if !isServed { startOwnThread(serve) }
  }

  private static func serve() {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: ChildCollection.pieceBytes, alignment: 16)
    var watches: [ChildWatch] = []
    while true {
      let (added, wakeEnd) = takeAdded()
      watches += added.filter { $0.start() }
      var polled = [pollfd(fd: wakeEnd, events: Int16(POLLIN), revents: 0)]
      var end = wakeEnd < 0 ? ChildCollection.now + pause : .max
      var places = [1]
      for watch in watches {
        polled += watch.wait.polled
        places.append(polled.count)
        end = min(end, watch.wait.end)
      }
      // No memory, or more descriptors than the limit of the process, after somebody lowered it.
      if (try? poll(&polled, until: end)) == nil { usleep(useconds_t(pause / 1000)) }
      if polled[0].revents != 0 { _ = retrying { read(wakeEnd, memory.baseAddress, memory.count) } }
      let now = ChildCollection.now
      watches = zip(watches.indices, watches).filter { index, watch in
        let entries = polled[places[index]..<places[index + 1]]
        guard watch.wait.end <= now || entries.contains(where: { $0.revents != 0 }) else {
          return true
        }
        return watch.step(entries, memory)
      }.map(\.1)
    }
  }

  /// Takes the new collections, and returns the end of the pipe by which the next one is reported.
  private static func takeAdded() -> ([ChildWatch], Int32) {
    state.with { state in
      if state.wakeEnds[0] < 0 && weir_spawn_pipe(&state.wakeEnds) != 0 {
        state.wakeEnds = [-1, -1]
      }
      defer { (state.added, state.isWoken) = ([], false) }
      return (state.added, state.wakeEnds[0])
    }
  }

  private static func retrying(_ call: () -> Int) -> Int? { try? retryingOnInterrupt(call) }
}

/// The threads that start children for tasks.
enum ChildStarter {
  private struct State {
    var waiting = FIFO<Work>()
    var threads = 0
  }

  private static let state = Locked(State())
  /// Two cores start 1,000 children in 0.4 s with two threads or more, and in 2 s with one.
  private static let threadsMax = 4

  /// Runs `start` on one of the threads, while the task is suspended.
  nonisolated(nonsending) static func run<R: Sendable>(
    _ start: @escaping @Sendable () -> R
  ) async -> R {
    // A lock, as in `ChildWatch`.
    let started = Locked<R?>(nil)
    await withCheckedContinuation { continuation in
      let needsThread = state.with { state in
        state.waiting.append {
          let result = start()
          started.with { $0 = result }
          continuation.resume()
        }
        if state.threads == threadsMax { return false }
        state.threads += 1
        return true
      }
      if needsThread { startOwnThread(serve) }
    }
    guard let result = started.with({ $0 }) else { fatalError("a child was not started") }
    return result
  }

  private static func serve() {
    while let start = state.with({ state in
      let first = state.waiting.take()
      if first == nil { state.threads -= 1 }
      return first
    }) {
      start()
    }
  }
}

/// Runs a closure on a new thread that is not of libdispatch.
private func startOwnThread(_ body: @escaping Work) {
  if weir_spi_thread_start(Box<Work>.retain(body), callWork) != 0 {
    fatalError("no memory for a thread")
  }
}
