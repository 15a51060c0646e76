// Orders of numbers: how to make and check them.

/// Of the numbers from 0 on, in the order in which they came: how many smaller
/// ones were still missing, at most, when one came.
///
/// 0 for an ascending order. (It is enough to look when one comes that is
/// larger than all before it.)
func latecomers(_ order: [Int]) -> Int {
  var most = 0, largest = -1
  for (seen, number) in order.enumerated() where number > largest {
    largest = number
    most = max(most, number - seen)
  }
  return most
}

/// Every list of so many values.
func lists<T>(of values: [T], length: Int) -> [[T]] {
  guard length > 0 else { return [[]] }
  return lists(of: values, length: length - 1).flatMap { list in values.map { list + [$0] } }
}
