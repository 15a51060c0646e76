// Binary search over a range of numbers.

extension Range<Int> {
  /// Returns the first number that satisfies a condition which all later numbers satisfy.
  func binarySearch(where condition: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if condition(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
