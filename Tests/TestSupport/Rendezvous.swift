internal import Dispatch

/// A barrier that opens when the expected number of threads has arrived.
public final class Rendezvous: Sendable {
  private let expected: Int
  private let come = Shared(0)
  private let open = DispatchSemaphore(value: 0)

  public init(of expected: Int) {
    self.expected = expected
  }

  /// Waits for the other threads. Returns false if they do not arrive within a time
  /// limit that is far longer than they need.
  public func arrive() -> Bool {
    let isLast = come.change { come in
      come += 1
      return come == expected
    }
    if isLast {
      for _ in 1..<max(expected, 2) { open.signal() }
      return true
    }
    return open.wait(timeout: .now() + 600) == .success
  }
}

/// Closed until it is opened, then open for all. Not for the cooperative pool.
public final class Latch: Sendable {
  private let group = DispatchGroup()

  public init() {
    group.enter()
  }

  deinit {
    // A group that was entered and not left is never freed.
    if group.wait(timeout: .now()) == .timedOut { group.leave() }
  }

  public func open() {
    group.leave()
  }

  /// Waits until it is open. Whether it was opened at all.
  @discardableResult
  public func wait() -> Bool {
    group.wait(timeout: .now() + 600) == .success
  }
}
