// The pitfalls of results: their order, and variables that several threads change.

internal import Dispatch
internal import Glibc

let resultPitfalls = [unorderedResults, sharedVariable, counterRace]

/// The seconds of the tasks of `unorderedResults`, in hundredths.
private let durations = [20, 2, 14, 6, 10]

private let unorderedResults = Pitfall(
  "unordered-results", "The results of a task group are taken for the order of its tasks.", .wrong,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        await withTaskGroup(of: Image.self) { group in
          for url in urls { group.addTask { await fetch(url) } }
          for await image in group {
            images.append(image)          //!
          }
        }
        """,
      fixed: """
        await withTaskGroup(of: (Int, Image).self) { group in
          for (index, url) in urls.enumerated() {
            group.addTask { (index, await fetch(url)) }
          }
          for await (index, image) in group { images[index] = image }
        }
        """)
  ],
  expectation: "images has the order of urls: 0, 1, 2, 3, 4.",
  explanation:
    "for await delivers each result as it completes. The quickest task is first, whatever "
    + "its place.",
  remedy: "Give each task its index, and put the result in its place.",
  broken: { run in
    Task.detached {
      let order = await fetch(run)
      run.end(
        order == [0, 1, 2, 3, 4] ? .hidden : .wrong,
        "The order was \(order.map(String.init).joined(separator: ", ")), not 0, 1, 2, 3, 4.")
    }
  },
  fixed: { run in
    Task.detached {
      var images = [Int?](repeating: nil, count: durations.count)
      for index in await fetch(run) { images[index] = index }
      let order = images.compactMap { $0 }
      run.end(
        order == [0, 1, 2, 3, 4] ? .right : .wrong,
        "The order was \(order.map(String.init).joined(separator: ", ")).")
    }
  })

/// Runs a task group, and returns the indices of its tasks in the order of their completion.
private func fetch(_ run: PitfallRun) async -> [Int] {
  await withTaskGroup(of: Int.self) { group in
    for (index, duration) in durations.enumerated() {
      group.addTask {
        try? await Task.sleep(for: .milliseconds(10 * duration))
        return index
      }
    }
    var order: [Int] = []
    for await index in group {
      run.report("image \(index) arrives")
      order.append(index)
    }
    return order
  }
}

private let iterations = 100_000

private let sharedVariable = Pitfall(
  "shared-variable", "The iterations of a concurrent loop change a variable outside of it.", .wrong,
  listings: [
    PitfallListing(
      .c,
      broken: """
        __block long k = 0;
        dispatch_apply(100000, global, ^(size_t i) {
          k = k + 1;                      //!
        });
        """,
      fixed: """
        static long part[1000];
        dispatch_apply(1000, global, ^(size_t block) {
          for (int i = 0; i < 100; i++)
            part[block]++;                /* a slot of its own */
        });
        for (int block = 0; block < 1000; block++) k += part[block];
        """),
    PitfallListing(
      .swift,
      broken: """
        final class Total { var k = 0 }   // a captured var is refused
        DispatchQueue.concurrentPerform(iterations: 100_000) { _ in
          total.k = total.k + 1           //!
        }
        """,
      fixed: """
        await withTaskGroup(of: Int.self) { group in
          for block in blocks { group.addTask { block.count } }
          for await part in group { k += part }
        }
        """),
  ],
  expectation: "k is 100000.",
  explanation: "k = k + 1 is a load, an addition and a store. Two threads load the same value, and "
    + "both store the same sum: one addition is lost.",
  remedy: "Return a part from each task, and add the parts where the results are collected.",
  broken: { run in
    let (sum, round) = unprotectedSum(run, rounds: 500) { add in
      DispatchQueue.concurrentPerform(iterations: iterations) { _ in add() }
    }
    run.end(
      sum == iterations ? .hidden : .wrong,
      "k was \(sum) at run \(round) of this code, not \(iterations): "
        + "\(iterations - sum) additions were lost.")
  },
  fixed: { run in
    Task.detached {
      let sum = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<100 { group.addTask { (0..<iterations / 100).count { _ in true } } }
        var sum = 0
        for await part in group { sum += part }
        return sum
      }
      run.end(sum == iterations ? .right : .wrong, "k was \(sum).")
    }
  })

private let counterRace = Pitfall(
  "counter-race", "Blocks on a concurrent queue run counter += 1.", .wrong,
  listings: [
    PitfallListing(
      .swift,
      broken: """
        let queue = DispatchQueue(
          label: "images", attributes: .concurrent)
        for _ in 1...100_000 {
          queue.async {
            counter += 1                  //!
            start(number: counter)
          }
        }
        """,
      fixed: """
        let counter = Atomic<Int>(0)      // import Synchronization
        for _ in 1...100_000 {
          queue.async {
            let sum = counter.wrappingAdd(1, ordering: .relaxed)
            start(number: sum.newValue)
          }
        }
        """)
  ],
  expectation: "Each block gets a number of its own, and the last is 100000.",
  explanation: "counter += 1 is a load, an addition and a store, and blocks of a concurrent queue "
    + "run at once. With 15 blocks the race hardly ever shows; it is there all the same.",
  remedy: "Use an atomic counter, or change it on a serial queue only.",
  broken: { run in
    DispatchQueue(label: "observer").async {
      let (sum, round) = unprotectedSum(run, rounds: 50, count)
      let lost = iterations - sum
      run.end(
        lost == 0 ? .hidden : .wrong,
        "After \(iterations) blocks the counter was \(sum), at run \(round) of this code: at least "
          + "\(lost) \(lost == 1 ? "block" : "blocks") had the number of another.")
    }
  },
  fixed: { run in
    DispatchQueue(label: "observer").async {
      let counter = SharedCount()
      count { counter.add() }
      run.end(
        counter.value == iterations ? .right : .wrong,
        "After \(iterations) blocks the counter was \(counter.value).")
    }
  })

/// Submits the blocks of a round, and waits for them.
private func count(_ work: @escaping @Sendable () -> Void) {
  let queue = DispatchQueue(label: "images", attributes: .concurrent)
  let group = DispatchGroup()
  for _ in 0..<iterations { queue.async(group: group, execute: work) }
  group.wait()
}

/// Adds one at a time, without protection, in rounds until an addition is lost.
///
/// - Returns: The sum of the last round, and its number.
private func unprotectedSum(
  _ run: PitfallRun, rounds most: Int, _ round: (@escaping @Sendable () -> Void) -> Void
) -> (sum: Int, round: Int) {
  let count = SharedCount()
  for number in 1...most {
    count.reset()
    round { count.addUnprotected() }
    if count.value < iterations || run.milliseconds > 2000 { return (count.value, number) }
  }
  return (count.value, most)
}
