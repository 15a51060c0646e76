// What a loop works on, and who wrote what: a place for each iteration, so that
// no lock is in the way of what is measured.

internal import Glibc

/// The results of a loop, and the threads they are from.
///
/// @unchecked: each place is written by one block, and read when all are over.
final class LoopNotes: @unchecked Sendable {
  private let results: UnsafeMutableBufferPointer<UInt64>
  private let writers: UnsafeMutableBufferPointer<pthread_t>
  private let begins: UnsafeMutableBufferPointer<Bool>

  init(iterations: Int) {
    results = .allocate(capacity: iterations)
    writers = .allocate(capacity: iterations)
    begins = .allocate(capacity: iterations)
    results.initialize(repeating: 0)
    writers.initialize(repeating: 0)
    begins.initialize(repeating: false)
  }

  deinit {
    results.deallocate()
    writers.deallocate()
    begins.deallocate()
  }

  /// A block of the loop: some steps of xorshift for each iteration.
  func run(_ range: Range<Int>, _ steps: Int) {
    begins[range.lowerBound] = true
    let thread = pthread_self()
    for iteration in range {
      var x = UInt64(iteration) + 1
      for _ in 0..<steps {
        x ^= x << 13
        x ^= x >> 7
        x ^= x << 17
      }
      results[iteration] = x
      writers[iteration] = thread
    }
  }

  var blocks: Int { begins.count { $0 } }
  var sum: UInt64 { results.reduce(0, &+) }

  /// A number for each iteration's thread. This thread is 1, the others are
  /// numbered as they turn up; 0 is where nobody was.
  var threads: [Int] {
    var numbers: [pthread_t: Int] = [0: 0, pthread_self(): 1]
    return writers.map { writer in
      if let number = numbers[writer] { return number }
      numbers[writer] = numbers.count
      return numbers.count - 1
    }
  }
}
