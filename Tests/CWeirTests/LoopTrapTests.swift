// A loop onto a queue that its caller holds is watched for a trap of libdispatch (MisuseTests has the
// reports). Every other signal and trap reaches its own handler. Each test has a process of its own.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirIndependentTests {
  @Suite struct LoopTrapTests {
    /// The trap reaches the program's own handler, once, after the report.
    @Test func theProgramsHandlerRunsAfterTheReport() async {
      let result = await #expect(
        processExitsWith: .exitCode(7), observing: [\.standardErrorContent]
      ) {
        handle(SIGILL) { _ in _exit(7) }
        handle(SIGTRAP) { _ in _exit(7) }
        let queue = foreignQueue("lonely")
        sync(queue.it) { loop(queue.it) }
      }
      #expect(errorText(result).contains("weir: misuse: a concurrent loop"))
    }

    @Test func aLoopOnTheConcurrentQueueItIsOnRuns() async {
      await #expect(processExitsWith: .success) {
        for isWeirs in [false, true] {
          let queue =
            isWeirs ? Passed(concurrentQueue()) : foreignQueue("busy", concurrent: true)
          let before = handlers()
          let ran = Meter()
          sync(queue.it) {
            weir_apply(1000, 3, queue.it) { ran.enter($1 - $0) }
            weir_apply(1000, 0, queue.it) { begin, end in
              ran.enter(end - begin)
              weir_apply(3, 1, queue.it) { ran.enter($1 - $0) }
            }
          }
          #expect(ran.ever >= 2003 && handlers() == before)
          release(queue.it)
        }
      }
    }

    /// Watching ends with the loop, also with several at once.
    @Test func theFormerActionIsThereAfterwards() async {
      await #expect(processExitsWith: .success) {
        handle(SIGILL) { _ in }
        let before = handlers()
        let queue = foreignQueue("busy", concurrent: true)
        // From a job on another queue: libdispatch can wait forever for loops of several threads
        // onto the queue that each of them is on.
        let crew = Crew(4) { _ in
          let own = foreignQueue("own", concurrent: true)
          for _ in 0..<200 {
            sync(own.it) { weir_apply(50, 1, queue.it) { _, _ in } }
          }
          release(own.it)
        }
        // The handler above returns: a trap would be repeated forever, as it is if the queue is
        // released while a loop still runs on a busy machine.
        guard crew.wait() else { _exit(3) }
        #expect(handlers() == before)
        signal(SIGILL, SIG_DFL)
        release(queue.it)
      }
    }

    /// A program that saves the action during a loop and restores it afterwards: a fault still ends
    /// it.
    @Test func anActionThatWasSavedMeanwhile() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        alarm(20)
        let queue = foreignQueue("busy", concurrent: true), own = Passed(serialQueue())
        var saved = sigaction(), mine = sigaction()
        sync(own.it) {
          weir_apply(1, 1, queue.it) { _, _ in sigaction(SIGILL, &mine, &saved) }
          sigaction(SIGILL, &saved, nil)
          weir_apply(1, 1, queue.it) { _, _ in }
          fatalError("here")
        }
      }
      #expect(result?.exitStatus == .signal(SIGILL))
    }

    /// No handler is touched if there is nothing to watch for.
    @Test func onNoQueueAndGlobalOnesNothingIsInstalled() async {
      await #expect(processExitsWith: .success) {
        let before = handlers()
        let changed = Meter()
        let body: @Sendable (Int, Int) -> Void = { _, _ in
          if handlers() != before { changed.enter() }
        }
        let own = Passed(serialQueue()), other = foreignQueue("other")
        sync(own.it) {
          weir_apply(100, 1, nil, body)
          for priority in [2, 0, -2, Int(Int16.min), 0x15, 0x21] {
            weir_apply(100, 1, dispatch_get_global_queue(priority, 0), body)
          }
        }
        let crew = Crew(1) { _ in
          for queue in [own, other] { weir_apply(100, 1, queue.it, body) }
        }
        #expect(crew.wait() && changed.ever == 0)
        release(own.it)
        release(other.it)
      }
    }

    @Test(arguments: [false, true])
    func aFaultOfTheBodyIsTheProgramsOwn(onAnotherThread: Bool) async {
      let result = await #expect(
        processExitsWith: .exitCode(7), observing: [\.standardErrorContent]
      ) { [onAnotherThread] in
        handle(SIGILL) { _ in _exit(7) }
        handle(SIGTRAP) { _ in _exit(7) }
        let queue = foreignQueue("busy", concurrent: true)
        sync(queue.it) {
          weir_apply(1, 1, queue.it) { _, _ in
            if !onAnotherThread { trap() }
            startThread { trap() }
            waitToDie()
          }
        }
      }
      #expect(!errorText(result).contains("misuse"))
    }

    /// A signal that was sent and is no fault would not come a second time.
    @Test func aSignalThatWasSentArrivesOnce() async {
      await #expect(processExitsWith: .success) {
        received.pointee = 0
        handle(SIGILL) { _ in received.pointee += 1 }
        let before = handlers()
        let queue = foreignQueue("busy", concurrent: true)
        sync(queue.it) { weir_apply(1, 1, queue.it) { _, _ in raise(SIGILL) } }
        #expect(received.pointee == 1 && handlers() == before)
        release(queue.it)
      }
    }
  }
}

private nonisolated(unsafe) let received = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

private func loop(_ queue: dispatch_queue_t) {
  weir_apply(10, 1, queue) { _, _ in }
}

/// A typical faulty program.
private func trap() {
  let nothing: Int? = received.pointee == 1 << 20 ? 1 : nil
  withExtendedLifetime(nothing!) {}
}

private func handle(_ signal: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
  var action = sigaction()
  action.__sigaction_handler.sa_handler = handler
  sigaction(signal, &action, nil)
}

/// The handling of SIGILL and SIGTRAP.
private func handlers() -> [UInt] {
  [SIGILL, SIGTRAP].map { signal in
    var action = sigaction()
    sigaction(signal, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
  }
}
