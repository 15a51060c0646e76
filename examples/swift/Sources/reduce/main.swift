// Map and reduce on all cores: squares in order, and a sum and a histogram of them by ranges.
import Weir

let squares = (0..<1_000_000).concurrentMap { $0 * $0 }
print("last square", squares.last ?? 0)

let sum = concurrentReduce(0..<squares.count, into: 0) { partial, range in
  for square in squares[range] { partial += square }
} combine: { result, partial in
  result += partial
}
print("sum of squares", sum)

// Each range has a partial result of its own; they are combined in the order of the ranges.
let digits = concurrentReduce(0..<squares.count, into: [Int](repeating: 0, count: 10)) {
  partial, range in
  for square in squares[range] { partial[square % 10] += 1 }
} combine: { result, partial in
  for digit in 0..<10 { result[digit] += partial[digit] }
}
print("last digits", digits)
