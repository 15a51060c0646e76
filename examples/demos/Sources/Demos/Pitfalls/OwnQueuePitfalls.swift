// The pitfalls of a serial queue that waits for itself.

internal import Dispatch
internal import Synchronization
internal import CDispatch
internal import Glibc

let ownQueuePitfalls = [syncOwnQueue, applyOwnQueue]

private let syncOwnQueue = Pitfall(
  "sync-own-queue", "A block calls sync on the serial queue that runs it.", .trap,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        let queue = DispatchQueue(label: "account")
        func balance() -> Int { queue.sync { amount } }

        queue.async {
          amount += 10
          print(balance())                //!
        }
        """,
      fixed: """
        let queue = DispatchQueue(label: "account")
        func balance() -> Int { queue.sync { balanceOnQueue() } }
        func balanceOnQueue() -> Int {
          dispatchPrecondition(condition: .onQueue(queue))
          return amount
        }

        queue.async {
          amount += 10
          print(balanceOnQueue())
        }
        """),
    PitfallListing(
      .c,
      broken: """
        dispatch_async(queue, ^{
          amount += 10;
          dispatch_sync(queue, ^{ print(amount); }); //!
        });
        """,
      fixed: """
        dispatch_async(queue, ^{
          dispatch_assert_queue(queue);
          amount += 10;
          print(amount);
        });
        """),
  ],
  expectation: "The new balance is printed.",
  explanation: "sync waits for its turn on a serial queue, and its turn comes only after the block "
    + "that waits. libdispatch notices and traps. On Linux it prints no reason.",
  remedy: "Split the function: one for callers on other queues, which calls sync, and one that "
    + "asserts it is on the queue.",
  trapMeaning: "dispatch_sync was called on a queue that the current thread already owns",
  broken: { run in
    let queue = DispatchQueue(label: "account")
    let amount = SharedCount()
    queue.async {
      amount.add(10)
      run.report("amount changed, now sync")
      queue.sync { run.end(.right, "The balance is \(amount.value).") }
    }
  },
  fixed: { run in
    let queue = DispatchQueue(label: "account")
    let amount = SharedCount()
    queue.async {
      amount.add(10)
      run.report("amount changed, now the function for this queue")
      dispatchPrecondition(condition: .onQueue(queue))
      run.end(.right, "The balance is \(amount.value).")
    }
  })

private let applyOwnQueue = Pitfall(
  "apply-own-queue", "A block runs dispatch_apply on the serial queue that runs it.", .trap,
  listings: [
    PitfallListing(
      .c,
      broken: """
        dispatch_async(queue, ^{                   /* a serial queue */
          dispatch_apply(8, queue, ^(size_t i) {   //!
            squares[i] = i * i;
          });
        });
        """,
      fixed: """
        dispatch_queue_t global =
            dispatch_get_global_queue(QOS_CLASS_DEFAULT, 0);
        dispatch_async(queue, ^{
          dispatch_apply(8, global, ^(size_t i) {
            squares[i] = i * i;
          });
        });
        """),
    PitfallListing(
      .swift,
      broken: """
        queue.async {                     // import CDispatch
          dispatch_apply(8, queue) { i in //!
            squares[i].store(i * i, ordering: .relaxed)
          }
        }
        """,
      fixed: """
        queue.async {
          DispatchQueue.concurrentPerform(iterations: 8) { i in
            squares[i].store(i * i, ordering: .relaxed)
          }
        }
        """),
  ],
  expectation: "Eight iterations run, one after the other or several at once.",
  explanation:
    "On a serial queue dispatch_apply is a dispatch_sync, so the block waits for its own "
    + "queue.",
  remedy: "Run the loop on a global queue, or with concurrentPerform, which chooses one.",
  trapMeaning: "dispatch_apply came down to dispatch_sync on a queue that the current thread owns",
  broken: { run in
    let count = SharedCount()
    let queue: dispatch_queue_t = dispatch_queue_create("loop", nil)
    dispatch_async(queue) {
      run.report("the block runs, now dispatch_apply")
      dispatch_apply(8, queue) { _ in count.add() }
      run.end(.right, "\(count.value) of 8 iterations ran.")
    }
  },
  fixed: { run in
    let count = SharedCount()
    DispatchQueue(label: "loop").async {
      run.report("the block runs, now concurrentPerform")
      DispatchQueue.concurrentPerform(iterations: 8) { _ in count.add() }
      run.end(count.value == 8 ? .right : .wrong, "\(count.value) of 8 iterations ran.")
    }
  })
