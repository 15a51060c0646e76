// A loop onto a queue that its caller holds is reported and then traps, even if Weir did not make
// the queue. Every other signal reaches its own handler. Each test has a process of its own.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirIndependentTests {
  @Suite struct LoopMisuseTests {
    @Test func aWeirQueueWithAServiceClass() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = weirQueue(attribute: .serviceClass)
        sync(queue.it) { loop(queue.it) }
      }
      expectSentence(result, naming: "the serial queue \"lonely\"", saying: ["forever", "NULL"])
    }

    @Test func aWeirQueueWithAnAutoreleaseFrequency() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = weirQueue(attribute: .autorelease)
        sync(queue.it) { loop(queue.it) }
      }
      expectSentence(result, naming: "the serial queue \"lonely\"", saying: ["forever", "NULL"])
    }

    @Test func aWeirQueueThatWasMadeInactive() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = weirQueue(attribute: .inactive)
        sync(queue.it) { loop(queue.it) }
      }
      expectSentence(result, naming: "the serial queue \"lonely\"", saying: ["forever", "NULL"])
    }

    @Test func theWeirQueueBelow() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = weirQueue(), upper = foreign(onto: queue)
        sync(upper.it) { loop(queue.it) }
      }
      expectSentence(result, naming: "the serial queue \"lonely\"", saying: ["forever", "NULL"])
    }

    @Test func theWeirQueueAbove() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = weirQueue(), lower = foreign()
        dispatch_set_target_queue(object(queue.it), lower.it)
        sync(lower.it) { loop(queue.it) }
      }
      expectSentence(
        result, naming: "the queue \"lonely\"", saying: ["holds that queue", "forever", "NULL"])
    }

    @Test func aWeirConcurrentQueueInItsBarrier() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = Passed(weir_queue_create("lonely", concurrentAttribute(), nil, nil)!)
        barrier(queue.it) { loop(queue.it) }
      }
      expectSentence(
        result, naming: "the queue \"lonely\"", saying: ["holds that queue", "forever", "NULL"])
    }

    @Test func aForeignSerialQueue() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = foreign("lonely")
        sync(queue.it) { loop(queue.it) }
      }
      expectSentence(
        result, naming: "the queue \"lonely\"", saying: ["holds that queue", "forever", "NULL"])
    }

    /// A blocked fault calls no handler.
    @Test func aForeignSerialQueueOnAThreadThatBlocksSignals() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = foreign("lonely")
        blockSignals()
        sync(queue.it) { loop(queue.it) }
      }
      expectSentence(
        result, naming: "the queue \"lonely\"", saying: ["holds that queue", "forever", "NULL"])
    }

    /// In the loop's body and after the loop they are blocked as before.
    @Test func aThreadThatBlocksSignalsBlocksThem() async {
      await #expect(processExitsWith: .success) {
        let holder = foreign(), queue = foreign("other")
        blockSignals()
        var wasBlocked = false
        sync(holder.it) {
          weir_apply(1, 1, queue.it) { _, _ in wasBlocked = blocksTraps() }
          wasBlocked = wasBlocked && blocksTraps()
        }
        #expect(wasBlocked)
      }
    }

    @Test func aForeignSerialQueueOnAWorker() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = foreign("lonely")
        async(queue.it) { loop(queue.it) }
        waitToDie()
      }
      expectSentence(
        result, naming: "the queue \"lonely\"", saying: ["holds that queue", "forever", "NULL"])
    }

    @Test func aForeignQueueBelow() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = foreign("lonely"), upper = foreign(concurrent: true, onto: queue)
        async(upper.it) { loop(queue.it) }
        waitToDie()
      }
      expectSentence(
        result, naming: "the queue \"lonely\"", saying: ["holds that queue", "forever", "NULL"])
    }

    @Test func aForeignQueueAbove() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let lower = foreign(), queue = foreign("lonely", concurrent: true, onto: lower)
        sync(lower.it) { loop(queue.it) }
      }
      expectSentence(
        result, naming: "the queue \"lonely\"", saying: ["holds that queue", "forever", "NULL"])
    }

    @Test func aForeignConcurrentQueueInItsBarrier() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = foreign("lonely", concurrent: true)
        barrier(queue.it) { loop(queue.it) }
      }
      expectSentence(
        result, naming: "the queue \"lonely\"", saying: ["holds that queue", "forever", "NULL"])
    }

    @Test func theMainQueue() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = Passed(dispatch_get_main_queue())
        async(queue.it) { loop(queue.it) }
        waitToDie()
      }
      expectSentence(
        result, naming: "the queue \"com.apple.main-thread\"",
        saying: ["holds that queue", "forever", "NULL"])
    }

    @Test func insideALoopOnNoQueue() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = foreign("lonely")
        sync(queue.it) { weir_apply(1, 1, nil) { _, _ in loop(queue.it) } }
      }
      expectSentence(
        result, naming: "the queue \"lonely\"", saying: ["holds that queue", "forever", "NULL"])
    }

    @Test func insideALoopOnTheQueue() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = foreign("lonely")
        weir_apply(1, 1, queue.it) { _, _ in loop(queue.it) }
      }
      expectSentence(
        result, naming: "the queue \"lonely\"", saying: ["holds that queue", "forever", "NULL"])
    }

    @Test func aReduction() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = foreign("lonely")
        sync(queue.it) {
          var sum = 0
          _ = weir_reduce(10, 1, queue.it, &sum, 8) { _, _, _ in
          } _: { _, _ in
          }
        }
      }
      expectSentence(
        result, naming: "the queue \"lonely\"", saying: ["holds that queue", "forever", "NULL"])
    }

    @Test func aLoopThatStops() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = foreign("lonely")
        sync(queue.it) { _ = weir_apply_while(10, 0, queue.it) { _, _ in true } }
      }
      expectSentence(
        result, naming: "the queue \"lonely\"", saying: ["holds that queue", "forever", "NULL"])
    }

    @Test func theMisuseHandlerGetsTheReport() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        weir_misuse_set_handler { say("handled: \(String(cString: $0))\n") }
        let queue = foreign("lonely")
        sync(queue.it) { loop(queue.it) }
      }
      #expect(errorText(result).contains("handled: a concurrent loop was started on the queue"))
      #expect(!errorText(result).contains("weir: misuse:") && trapped(result))
    }

    /// A process sent the signal to this one while another loop was watched.
    @Test func afterASignalThatWasSent() async {
      let result = await #expect(
        processExitsWith: .exitCode(7), observing: [\.standardErrorContent]
      ) {
        received.pointee = 0
        for signal in [SIGILL, SIGTRAP] {
          handle(signal) { _ in
            if received.pointee == 1 { _exit(7) }
            received.pointee = 1
          }
        }
        let busy = foreign("busy", concurrent: true), queue = foreign("lonely")
        sync(busy.it) {
          weir_apply(1, 1, busy.it) { _, _ in
            raise(SIGILL)
            sync(queue.it) { loop(queue.it) }
          }
        }
      }
      #expect(errorText(result).contains("weir: misuse: a concurrent loop"))
    }

    /// The trap reaches the program's own handler, once, after the report.
    @Test func theProgramsHandlerRunsAfterTheReport() async {
      let result = await #expect(
        processExitsWith: .exitCode(7), observing: [\.standardErrorContent]
      ) {
        handle(SIGILL) { _ in _exit(7) }
        handle(SIGTRAP) { _ in _exit(7) }
        let queue = foreign("lonely")
        sync(queue.it) { loop(queue.it) }
      }
      #expect(errorText(result).contains("weir: misuse: a concurrent loop"))
    }
  }

  /// Cases without misuse, and traps that are not Weir's.
  @Suite struct LoopTrapTests {
    @Test func aLoopOnTheConcurrentQueueItIsOnRuns() async {
      await #expect(processExitsWith: .success) {
        for isWeirs in [false, true] {
          let queue =
            isWeirs ? Passed(concurrentQueue()) : foreign("busy", concurrent: true)
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
        let queue = foreign("busy", concurrent: true)
        // From a job on another queue: libdispatch can wait forever for loops of several threads
        // onto the queue that each of them is on.
        let crew = Crew(4) { _ in
          let own = foreign("own", concurrent: true)
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
        let queue = foreign("busy", concurrent: true), own = Passed(serialQueue())
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
        let own = Passed(serialQueue()), other = foreign("other")
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

    @Test func aFaultOfTheBodyIsTheProgramsOwn() async {
      let result = await #expect(
        processExitsWith: .exitCode(7), observing: [\.standardErrorContent]
      ) {
        handle(SIGILL) { _ in _exit(7) }
        handle(SIGTRAP) { _ in _exit(7) }
        let queue = foreign("busy", concurrent: true)
        sync(queue.it) { weir_apply(10, 1, queue.it) { _, _ in trap() } }
      }
      #expect(!errorText(result).contains("misuse"))
    }

    @Test func aFaultOfTheBodyKillsWithoutAHandler() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent, \.exitStatus]
      ) {
        prepareToDie()
        let queue = foreign("busy", concurrent: true)
        sync(queue.it) { weir_apply(10, 1, queue.it) { _, _ in trap() } }
      }
      #expect(!errorText(result).contains("misuse") && trapped(result))
    }

    @Test func aFaultOfAnotherThreadIsTheProgramsOwn() async {
      let result = await #expect(
        processExitsWith: .exitCode(7), observing: [\.standardErrorContent]
      ) {
        handle(SIGILL) { _ in _exit(7) }
        handle(SIGTRAP) { _ in _exit(7) }
        let queue = foreign("busy", concurrent: true)
        sync(queue.it) {
          weir_apply(1, 1, queue.it) { _, _ in
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
        let queue = foreign("busy", concurrent: true)
        sync(queue.it) { weir_apply(1, 1, queue.it) { _, _ in raise(SIGILL) } }
        #expect(received.pointee == 1 && handlers() == before)
        release(queue.it)
      }
    }

    @Test func aHandlerThatIsSetMeanwhileStays() async {
      await #expect(processExitsWith: .success) {
        let queue = foreign("busy", concurrent: true)
        sync(queue.it) {
          weir_apply(1, 1, queue.it) { _, _ in handle(SIGILL) { _ in received.pointee = 9 } }
        }
        raise(SIGILL)
        #expect(received.pointee == 9)
        release(queue.it)
      }
    }
  }
}

private nonisolated(unsafe) let received = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

/* Weir declares it nowhere. */
@_silgen_name("dispatch_activate")
private func dispatch_activate(_ queue: dispatch_queue_t)

private enum Attribute { case none, serviceClass, autorelease, inactive }

private func weirQueue(attribute: Attribute = .none) -> Passed<dispatch_queue_t> {
  let made: dispatch_queue_attr_t? =
    switch attribute {
    case .none: nil
    case .serviceClass: dispatch_queue_attr_make_with_qos_class(nil, 0x11, -3)
    case .autorelease: dispatch_queue_attr_make_with_autorelease_frequency(nil, 1)
    case .inactive: dispatch_queue_attr_make_initially_inactive(nil)
    }
  let queue: dispatch_queue_t = weir_queue_create("lonely", made, nil, nil)!
  if attribute == .inactive { dispatch_activate(queue) }
  return Passed(queue)
}

private func foreign(
  _ label: String = "other", concurrent: Bool = false, onto target: Passed<dispatch_queue_t>? = nil
) -> Passed<dispatch_queue_t> {
  let queue: dispatch_queue_t = dispatch_queue_create(
    label, concurrent ? concurrentAttribute() : nil)
  if let target { dispatch_set_target_queue(object(queue), target.it) }
  return Passed(queue)
}

private func barrier(_ queue: dispatch_queue_t, _ body: @escaping () -> Void) {
  dispatch_barrier_sync_f(queue, Job(body).retained(), Job.run)
}

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

private func say(_ text: String) {
  _ = text.withCString { write(2, $0, strlen($0)) }
}

private func blockSignals() {
  var all = sigset_t()
  sigfillset(&all)
  pthread_sigmask(SIG_SETMASK, &all, nil)
}

private func blocksTraps() -> Bool {
  var set = sigset_t()
  pthread_sigmask(SIG_BLOCK, nil, &set)
  return sigismember(&set, SIGILL) == 1 && sigismember(&set, SIGTRAP) == 1
}
