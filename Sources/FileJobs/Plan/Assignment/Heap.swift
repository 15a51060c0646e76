// A binary heap in an array.

extension Array {
  /// Moves the element at `root` down until no child precedes it. The elements below it form
  /// a heap, whose first element precedes all others.
  mutating func siftDown(
    _ root: Int, end: Int, _ precedes: (Element, Element) -> Bool
  ) {
    var place = root
    while true {
      var child = 2 * place + 1
      if child >= end { return }
      if child + 1 < end && precedes(self[child + 1], self[child]) { child += 1 }
      if !precedes(self[child], self[place]) { return }
      swapAt(place, child)
      place = child
    }
  }

  /// Replaces the first element of a heap, or removes it if there is no other.
  mutating func replaceFirst(by other: Element?, _ precedes: (Element, Element) -> Bool) {
    if let other {
      self[0] = other
    } else {
      swapAt(0, count - 1)
      removeLast()
    }
    siftDown(0, end: count, precedes)
  }

  mutating func heapify(_ precedes: (Element, Element) -> Bool) {
    for root in stride(from: count / 2 - 1, through: 0, by: -1) {
      siftDown(root, end: count, precedes)
    }
  }
}
