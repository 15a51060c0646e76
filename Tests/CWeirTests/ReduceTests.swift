// weir_reduce: the result is the same, to the last bit, as of one thread that reduces stride by
// stride, on any queue and any number of cores.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct ReduceTests {
    /// Ranges joined like strings, so that the order is visible.
    @Test(arguments: [false, true], Place.allCases)
    func everySmallReductionIsInOrder(asBlock: Bool, place: Place) {
      place.with { queue in
        for count in 0...40 {
          for stride in Array(1...41) + [Int.max] {
            let seen = chain(count, stride, queue, asBlock: asBlock)
            #expect(seen == .whole(count, stride), "count \(count) stride \(stride)")
          }
          #expect(chain(count, 0, queue, asBlock: asBlock) == .whole(count, 1))
        }
      }
    }

    @Test func theAutomaticStrideIsTheSmallestOf1024Ranges() {
      var random = Random("automatic reductions")
      for count in [1, 1023, 1024, 1025, 2048, 2049]
        + (0..<8).map({ _ in random.below(9_999_999) })
      {
        let stride = count == 0 ? 1 : (count - 1) / 1024 + 1
        #expect(chain(count, 0, nil, asBlock: false) == .whole(count, stride), "count \(count)")
      }
    }

    @Test func hugeCountsDoNotOverflow() {
      for count in [UInt.max, UInt.max - 1, UInt.max / 2 + 1] {
        for stride in [UInt.max, UInt.max - 1, UInt.max / 2, UInt.max / 3, 0] {
          let count = Int(bitPattern: count), given = Int(bitPattern: stride)
          let stride =
            stride == 0 ? Int(bitPattern: (UInt(bitPattern: count) - 1) / 1024 + 1) : given
          let seen = chain(count, given, nil, asBlock: false)
          #expect(seen == .whole(count, stride), "\(count) / \(given)")
        }
      }
    }

    @Test(arguments: [0, 1, 1000, 4096])
    func aSumIsTheSameOnAnyQueue(stride: Int) {
      let sums = Place.allCases.flatMap { place in
        (0..<5).map { _ in
          var sum = 0.0
          place.with { sum = harmonicSum(stride: stride, $0) }
          return sum.bitPattern
        }
      }
      #expect(Set(sums).count == 1, "\(sums)")
    }

    /// Partial results of any size, aligned for any type of that size.
    @Test(arguments: [1, 2, 3, 7, 8, 16, 24, 32, 48, 64, 65, 128, 1000, 4096])
    func partialResultsAreAligned(size: Int) {
      let wrong = Meter()
      var result = [UInt8](repeating: 0x5A, count: size)
      let alignment = min(size & -size, 64)
      let error = weir_reduce(5000, 1, nil, &result, size) { begin, _, partial in
        let bytes = UnsafeRawBufferPointer(start: partial, count: size)
        if UInt(bitPattern: partial) % 128 != 0 { wrong.enter() }
        if bytes.contains(where: { $0 != 0x5A }) { wrong.enter() }
        partial.assumingMemoryBound(to: UInt8.self)[0] = UInt8(truncatingIfNeeded: begin)
      } _: { result, partial in
        if UInt(bitPattern: partial) % UInt(alignment) != 0 { wrong.enter() }
        result.assumingMemoryBound(to: UInt8.self)[0] &+=
          partial.assumingMemoryBound(to: UInt8.self)[0]
      }
      #expect(error == 0 && wrong.ever == 0)
      #expect(result[0] == (0..<5000).reduce(0x5A) { $0 &+ UInt8(truncatingIfNeeded: $1) })
      #expect(result.dropFirst().allSatisfy { $0 == 0x5A })
    }

    @Test func invalidSizesAreRefusedWithoutACall() {
      let called = Meter()
      var sum = 5
      func reduce(_ count: UInt, _ stride: UInt, _ size: UInt) -> Int32 {
        weir_reduce(
          Int(bitPattern: count), Int(bitPattern: stride), nil, &sum, Int(bitPattern: size)
        ) { _, _, _ in
          called.enter()
        } _: { _, _ in
          called.enter()
        }
      }
      #expect(reduce(10, 1, 0) == EINVAL && reduce(0, 0, 0) == EINVAL)
      #expect(reduce(0, 0, 8) == 0 && reduce(0, 7, UInt.max) == 0)
      for (count, stride, size) in [
        (UInt.max, 1, 8), (UInt.max / 8, 1, 8), (1, 1, 1 << 62), (2, 1, UInt.max),
        (2, 1, UInt.max / 2), (1, 1, UInt.max - 126), (1, 1, UInt.max - 127), (1, 1, 1 << 63),
        (UInt.max / 128 + 1, 1, 128), (3, 1, UInt.max / 3),
      ] as [(UInt, UInt, UInt)] {
        #expect(reduce(count, stride, size) == ENOMEM, "\(count) \(stride) \(size)")
      }
      #expect(called.ever == 0 && sum == 5)
    }
  }
}

/// Joined ranges: whether each followed the one before, their end and their number.
private struct Chain: Equatable {
  var isUnbroken = true
  var end: UInt = 0
  var links = 0
  var longest: UInt = 0
  var isEmpty = true
  var begin: UInt = 0

  mutating func append(_ next: Chain) {
    isUnbroken = isUnbroken && next.isUnbroken && next.begin == end && !next.isEmpty
    if isEmpty { begin = next.begin }
    isEmpty = false
    (end, links, longest) = (next.end, links + next.links, max(longest, next.longest))
  }

  static func whole(_ count: Int, _ stride: Int) -> Chain {
    let count = UInt(bitPattern: count), stride = UInt(bitPattern: stride)
    if count == 0 { return Chain() }
    return Chain(
      end: count, links: Int((count - 1) / stride + 1), longest: min(count, stride), isEmpty: false)
  }
}

private func chain(_ count: Int, _ stride: Int, _ queue: dispatch_queue_t?, asBlock: Bool) -> Chain
{
  var whole = Chain()
  let size = MemoryLayout<Chain>.size
  let error: Int32
  if asBlock {
    error = weir_reduce(count, stride, queue, &whole, size) { begin, end, partial in
      link(begin, end, partial)
    } _: { result, partial in
      join(result, partial)
    }
  } else {
    error = weir_reduce_f(count, stride, queue, nil, &whole, size) { _, begin, end, partial in
      link(begin, end, partial)
    } _: { _, result, partial in
      join(result, partial)
    }
  }
  #expect(error == 0)
  return whole
}

private func link(_ begin: Int, _ end: Int, _ partial: UnsafeMutableRawPointer) {
  let begin = UInt(bitPattern: begin), end = UInt(bitPattern: end)
  /* Begun as a copy of the neutral value, which is empty. */
  let chain = partial.assumingMemoryBound(to: Chain.self)
  chain.pointee = Chain(
    isUnbroken: chain.pointee == Chain() && begin < end, end: end, links: 1,
    longest: end &- begin, isEmpty: false, begin: begin)
}

private func join(_ result: UnsafeMutableRawPointer, _ partial: UnsafeRawPointer) {
  result.assumingMemoryBound(to: Chain.self).pointee.append(
    partial.assumingMemoryBound(to: Chain.self).pointee)
}

private func harmonicSum(stride: Int, _ queue: dispatch_queue_t?) -> Double {
  var sum = 0.0
  _ = weir_reduce(300_000, stride, queue, &sum, MemoryLayout<Double>.size) { begin, end, partial in
    for index in begin..<end {
      partial.assumingMemoryBound(to: Double.self).pointee += 1 / Double(index + 1)
    }
  } _: { result, partial in
    result.assumingMemoryBound(to: Double.self).pointee +=
      partial.assumingMemoryBound(to: Double.self).pointee
  }
  return sum
}
