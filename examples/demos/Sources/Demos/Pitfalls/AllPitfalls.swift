// The pitfalls in the order of a course, with their words. Their code is in Page/pitfalls.

extension Pitfall {
  package static let all = [
    Pitfall(
      "sync-own-queue", "A block calls sync on the serial queue that runs it.", .trap,
      fault: "print(\"the balance is \\(balance())\")", rightEnd: "the account is closed",
      expectation: "The new balance is printed.",
      explanation: "sync waits for its turn on a serial queue, and its turn comes only after the "
        + "block that waits. libdispatch notices and traps. On Linux it prints no reason. "
        + "dispatch_apply on a serial queue comes down to the same.",
      remedy: "Split the function: one for callers on other queues, which calls sync, and one that "
        + "asserts it is on the queue.",
      trapMeaning: "dispatch_sync was called on a queue that the current thread already owns"),
    Pitfall(
      "extra-leave", "A completion handler runs twice, and leaves the group twice.", .trap,
      fault: "group.leave()", rightEnd: "the download is over",
      expectation: "The second call does nothing more.",
      explanation: "Each leave needs an enter before it. The count of the group would be below "
        + "zero, and libdispatch traps. On Linux it prints no reason.",
      remedy: "Let one construct do both: async(group:), or leave at the first call only.",
      trapMeaning: "unbalanced call of dispatch_group_leave"),
    Pitfall(
      "group-wait-on-main",
      "The main thread waits for a group whose last step is on the main queue.", .silence,
      fault: "group.wait()", rightEnd: "the group is empty",
      expectation: "The wait ends when the download is shown.",
      explanation: "The block that leaves the group is queued on the main queue, whose thread "
        + "waits for it. With a time-out the wait fails; without one it lasts forever. A "
        + "semaphore would do the same: signal may be on the thread that waited, it only has to be "
        + "able to run.",
      remedy: "Use notify, and let the main thread run its queue: the last block comes when the "
        + "group is empty."),
    Pitfall(
      "semaphore-released", "A semaphore is released while a permit is taken.", .trap,
      fault: "let permits = DispatchSemaphore(value: 3)", rightEnd: "the service is gone",
      expectation: "The memory of the semaphore is freed.",
      explanation: "A semaphore remembers the number it was created with. If it is released with "
        + "fewer permits, libdispatch assumes that it is in use, and traps. On Linux it prints no "
        + "reason.",
      remedy: "Keep it alive until all permits are back; or create it with 0 and signal, and the "
        + "number is never less than at the start.",
      trapMeaning: "a semaphore was deallocated while in use (it had 2 permits, and began with 3)"),
    Pitfall(
      "pool-exhaustion", "All threads of the pool wait for a block that needs a thread.", .silence,
      fault: "DispatchQueue(label: \"waiter\").async(group: ended) { ready.wait() }",
      rightEnd: "all waiters have ended",
      expectation: "The last block wakes the 260 others.",
      explanation: "The pool has at most 255 threads for serial queues. All of them wait, so the "
        + "block that would wake them gets none, for good. After dispatch_main the main queue "
        + "needs a thread of the pool too, and stands still. With 200 waiters the same program "
        + "ends.",
      remedy:
        "Do not block a thread for work that is still queued: let the group or a continuation "
        + "start the rest."),
    Pitfall(
      "counter-race", "The iterations of a concurrent loop run counter += 1.", .wrong,
      dependsOnChance: true, fault: "counter += 1", rightEnd: "the counter is 1000000",
      expectation: "The counter is 1000000.",
      explanation: "counter += 1 is a load, an addition and a store. Two threads load the same "
        + "value, and both store the same sum: one addition is lost. Swift 6 refuses the variable "
        + "until it is declared unsafe. With 15 iterations the race hardly ever shows; it is there "
        + "all the same.",
      remedy: "Use an atomic counter or a lock, or return a part from each task and add the parts "
        + "where the results are collected."),
    Pitfall(
      "suspend-resume", "A queue is suspended once and resumed twice.", .trap,
      fault: "queue.resume()", rightEnd: "the queue goes on",
      expectation: "The second resume has no effect.",
      explanation: "Suspensions are counted. Without its resume the queue is silent, and nothing "
        + "reports it; a suspended queue that is released traps; and so does a resume too many.",
      remedy: "Balance each suspend with one resume, in one place of the program.",
      trapMeaning: "a queue was resumed more often than it was suspended"),
    Pitfall(
      "unordered-results", "The results of a task group are taken for the order of its tasks.",
      .wrong, fault: "for await picture in group { pictures.append(picture) }",
      rightEnd: "picture 0, picture 1, picture 2, picture 3, picture 4",
      expectation: "The pictures have the order of the loop: 0, 1, 2, 3, 4.",
      explanation: "for await delivers each result as it completes. The quickest task is first, "
        + "whatever its place.",
      remedy: "Give each task its index, and put the result in its place."),
    Pitfall(
      "actor-reentrancy", "An actor awaits between its check and its change.", .wrong,
      dependsOnChance: true,
      fault: "try? await Task.sleep(for: .milliseconds(100))  // the confirmation",
      rightEnd: "the balance is 20",
      expectation: "The second withdrawal is refused.",
      explanation: "An actor runs one piece of code at a time, and a piece ends at each await: "
        + "meanwhile the other withdrawal finds the same balance. No access is a data race, and "
        + "no tool reports it.",
      remedy: "Change the state before the await, or check again after it."),
  ]
}
