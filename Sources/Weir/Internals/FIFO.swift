// Values in the order in which they came.

/// A queue whose memory is that of what is in it.
///
/// An array with a place to take from, made smaller when half of it has been
/// taken: taking costs O(1) on average, and what was taken is let go at once.
struct FIFO<Element> {
  private var items: [Element?] = []
  private var head = 0

  var isEmpty: Bool { head == items.count }

  mutating func append(_ element: Element) {
    items.append(element)
  }

  /// The oldest, or `nil` where there is none.
  mutating func take() -> Element? {
    guard head < items.count else { return nil }
    defer {
      items[head] = nil
      head += 1
      if head > 16 && head > items.count / 2 {
        items.removeFirst(head)
        head = 0
      }
    }
    return items[head]
  }
}
