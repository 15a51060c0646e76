// overlay: the time of the Swift overlay beside that of the C functions under it.
//
//     overlay ROUNDS
//
// Both sides of a line run in this process, round by round, every second round backwards. The columns
// are the medians in microseconds and the median of the rounds' ratios.

import OverlayBodies
import Weir

guard CommandLine.arguments.count == 2, let rounds = Int(CommandLine.arguments[1]), rounds > 0
else {
  fatalError("usage: overlay ROUNDS")
}

// MARK: Measuring

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// The median of so many runs, after one that is not timed, in microseconds.
func time(_ loops: Int, _ body: () -> Void) -> Double {
  if loops > 1 { body() }
  return median(
    (0..<loops).map { _ in
      let begin = overlay_now()
      body()
      return Double(overlay_now() - begin) / 1000
    })
}

func column(_ value: Double) -> String {
  let text = "\((value * 1000).rounded() / 1000)"
  return String(repeating: " ", count: max(1, 12 - text.count)) + text
}

func compare(_ name: String, loops: Int = 1, _ first: () -> Void, _ second: () -> Void) {
  var (firsts, seconds): ([Double], [Double]) = ([], [])
  first()
  second()
  for round in 0..<rounds {
    if round % 2 == 0 { firsts.append(time(loops, first)) }
    seconds.append(time(loops, second))
    if round % 2 == 1 { firsts.append(time(loops, first)) }
  }
  let columns = [median(firsts), median(seconds), median(zip(firsts, seconds).map { $1 / $0 })]
  let gap = String(repeating: " ", count: max(1, 26 - name.count))
  print(name + gap + columns.map(column).joined())
}

// MARK: Loops

// nonisolated(unsafe): every iteration writes its own element.
nonisolated(unsafe) let results = UnsafeMutablePointer<UInt64>.allocate(capacity: 1_000_000)

func loopTiny(_ stride: LoopStride) {
  concurrentLoop(0..<overlay_count(OVERLAY_TINY), stride: stride) {
    for index in $0 { overlay_iteration(OVERLAY_TINY, index, results) }
  }
}

print("overlay                           C us    Swift us      paired")
compare("tiny", loops: 21) {
  overlay_loop(OVERLAY_TINY, 0, results)
} _: {
  loopTiny(.automatic)
}
compare("light") {
  overlay_loop(OVERLAY_LIGHT, 0, results)
} _: {
  concurrentLoop(0..<overlay_count(OVERLAY_LIGHT)) {
    for index in $0 { overlay_iteration(OVERLAY_LIGHT, index, results) }
  }
}
compare("tiny, stride 64", loops: 5) {
  overlay_loop(OVERLAY_TINY, 64, results)
} _: {
  loopTiny(64)
}
compare("tiny, concurrentForEach", loops: 21) {
  overlay_loop(OVERLAY_TINY, 0, results)
} _: {
  (0..<overlay_count(OVERLAY_TINY)).concurrentForEach {
    overlay_iteration(OVERLAY_TINY, $0, results)
  }
}

let numbers = Array(0..<10_000_000)

/// A map on unsafe buffers, as one would write it without concurrentMap.
func mapByHand() -> [Int] {
  Array(unsafeUninitializedCapacity: numbers.count) { mapped, count in
    numbers.withUnsafeBufferPointer { source in
      // nonisolated(unsafe): every iteration writes its own element.
      nonisolated(unsafe) let (from, to) = (source.baseAddress, mapped.baseAddress)
      concurrentLoop(0..<source.count) { range in
        guard let from, let to else { return }
        for index in range { (to + index).initialize(to: from[index] &* 3 &+ 1) }
      }
    }
    count = numbers.count
  }
}

func sumInC() -> Int64 {
  numbers.withUnsafeBufferPointer {
    $0.withMemoryRebound(to: Int64.self) { overlay_sum($0.baseAddress, $0.count) }
  }
}

compare("map of [Int]") {
  precondition(mapByHand()[1] == 4)
} _: {
  precondition(numbers.concurrentMap { $0 &* 3 &+ 1 }[1] == 4)
}
compare("sum of [Int]") {
  precondition(sumInC() > 0)
} _: {
  precondition(numbers.concurrentReduce(0, +) > 0)
}

// MARK: Permits

/// So many pairs of taking a permit and returning it, on one thread.
let pairs = 100_000
let gate = Gate(label: "overlay", permits: 3)

print("\noverlay                         GCD us     Weir us      paired")
compare("100,000 pairs, C") {
  overlay_semaphore_pairs(pairs)
} _: {
  overlay_gate_pairs(pairs)
}
compare("100,000 pairs, Swift") {
  overlay_semaphore_pairs(pairs)
} _: {
  for _ in 0..<pairs {
    guard let permit = try? gate.acquire() else { fatalError("an open gate gave no permit") }
    permit.release()
  }
}
compare("1,000 loops of two, C") {
  overlay_dispatch_loops(1_000, 2)
} _: {
  overlay_weir_loops(1_000, 2)
}
compare("100,000 iterations, C") {
  overlay_dispatch_loops(1, 100_000)
} _: {
  overlay_weir_loops(1, 100_000)
}
print("\(rounds) rounds")
