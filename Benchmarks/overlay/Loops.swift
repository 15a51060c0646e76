// concurrentLoop and its relatives beside the C functions under them.

import CWeir
import Dispatch
import OverlayBodies
import Weir

func compareLoops(_ pairs: Pairs) {
  // nonisolated(unsafe): every iteration writes its own element.
  nonisolated(unsafe) let results = UnsafeMutablePointer<UInt64>.allocate(capacity: 1_000_000)
  defer { results.deallocate() }
  pairs.compare("tiny", goal: 1.15, loops: 21) {
    overlay_loop(OVERLAY_TINY, 0, results)
  } _: {
    runTiny(.automatic, results)
  }
  pairs.compare("light", goal: 1.05) {
    overlay_loop(OVERLAY_LIGHT, 0, results)
  } _: {
    concurrentLoop(0..<overlay_count(OVERLAY_LIGHT)) {
      for index in $0 { overlay_iteration(OVERLAY_LIGHT, index, results) }
    }
  }
  pairs.compare("tiny, stride 64", goal: nil, loops: 5) {
    overlay_loop(OVERLAY_TINY, 64, results)
  } _: {
    runTiny(64, results)
  }
  pairs.compare("tiny, concurrentForEach", goal: nil, loops: 21) {
    overlay_loop(OVERLAY_TINY, 0, results)
  } _: {
    (0..<overlay_count(OVERLAY_TINY)).concurrentForEach {
      overlay_iteration(OVERLAY_TINY, $0, results)
    }
  }
}

private func runTiny(_ stride: Stride, _ results: UnsafeMutablePointer<UInt64>) {
  // nonisolated(unsafe): as above.
  nonisolated(unsafe) let results = results
  concurrentLoop(0..<overlay_count(OVERLAY_TINY), stride: stride) {
    for index in $0 { overlay_iteration(OVERLAY_TINY, index, results) }
  }
}

private let tenMillion = 10_000_000

func compareMaps(_ pairs: Pairs) {
  let numbers = Array(0..<tenMillion)
  pairs.compare("map of [Int]", goal: 1.1) {
    check(mapByHand(numbers))
  } _: {
    check(numbers.concurrentMap { $0 &* 3 &+ 1 })
  }
  pairs.compare("map of Range<Int>", goal: 1.1) {
    check(mapByHand(0..<tenMillion))
  } _: {
    check((0..<tenMillion).concurrentMap { $0 &* 3 &+ 1 })
  }
  pairs.compare("sum of [Int]", goal: nil) {
    check(sumInC(numbers))
  } _: {
    check(numbers.concurrentReduce(0, +))
  }
}

private func sumInC(_ numbers: [Int]) -> Int {
  numbers.withUnsafeBufferPointer {
    $0.withMemoryRebound(to: Int64.self) { Int(overlay_sum($0.baseAddress, $0.count)) }
  }
}

/// What it takes a task to wait for a loop, beside the blocking form.
func compareAsyncForms(_ pairs: Pairs) {
  nonisolated(unsafe) let results = UnsafeMutablePointer<UInt64>.allocate(capacity: 1_000_000)
  defer { results.deallocate() }
  pairs.compare("tiny, async of blocking", goal: nil, loops: 21) {
    runTiny(.automatic, results)
  } _: {
    let over = DispatchSemaphore(value: 0)
    Task {
      try await concurrentLoop(0..<overlay_count(OVERLAY_TINY)) {
        for index in $0 { overlay_iteration(OVERLAY_TINY, index, results) }
      }
      over.signal()
    }
    over.wait()
  }
}

private func check(_ results: [Int]) {
  guard results.count == tenMillion, results[tenMillion - 1] == tenMillion * 3 - 2 else {
    fatalError("the results are wrong")
  }
}

private func check(_ sum: Int) {
  guard sum == tenMillion / 2 * (tenMillion - 1) else { fatalError("the sum is wrong") }
}

private struct Buffers {
  let source: UnsafePointer<Int>
  let results: UnsafeMutablePointer<Int>
}

/// What one would write without concurrentMap, on the same strides.
private func mapByHand(_ numbers: [Int]) -> [Int] {
  numbers.withUnsafeBufferPointer { numbers in
    Array(unsafeUninitializedCapacity: numbers.count) { results, count in
      guard let source = numbers.baseAddress, let target = results.baseAddress else { return }
      var buffers = Buffers(source: source, results: target)
      weir_apply_f(numbers.count, 0, nil, &buffers) { buffers, begin, end in
        guard let buffers = buffers?.load(as: Buffers.self) else { return }
        for index in begin..<end {
          (buffers.results + index).initialize(to: buffers.source[index] &* 3 &+ 1)
        }
      }
      count = numbers.count
    }
  }
}

private func mapByHand(_ numbers: Range<Int>) -> [Int] {
  Array(unsafeUninitializedCapacity: numbers.count) { results, count in
    weir_apply_f(numbers.count, 0, nil, results.baseAddress) { results, begin, end in
      guard let results = results?.assumingMemoryBound(to: Int.self) else { return }
      for index in begin..<end { (results + index).initialize(to: index &* 3 &+ 1) }
    }
    count = numbers.count
  }
}
