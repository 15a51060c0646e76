/// A first-in, first-out queue: an array with a read position, half of which is removed once it has
/// been read. So its memory follows its length, and taking an element costs O(1) on average.
struct FIFO<Element> {
  private var items: [Element?] = []
  private var head = 0

  var isEmpty: Bool { head == items.count }

  mutating func append(_ element: Element) {
    items.append(element)
  }

  /// Removes and returns the oldest element, or `nil` if the queue is empty.
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
