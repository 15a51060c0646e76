// A place where threads meet.

internal import Dispatch

/// Lets nobody pass until so many have come.
public final class Rendezvous: Sendable {
  private let expected: Int
  private let come = Shared(0)
  private let open = DispatchSemaphore(value: 0)

  public init(of expected: Int) {
    self.expected = expected
  }

  /// Waits for the others. Whether all came; far more time is given than that
  /// can take.
  public func arrive() -> Bool {
    let isLast = come.change { come in
      come += 1
      return come == expected
    }
    if isLast {
      for _ in 1..<max(expected, 2) { open.signal() }
      return true
    }
    return open.wait(timeout: .now() + 40) == .success
  }
}

/// Closed until it is opened, then open for all. Not for the cooperative pool.
public final class Latch: Sendable {
  private let group = DispatchGroup()

  public init() {
    group.enter()
  }

  public func open() {
    group.leave()
  }

  /// Waits until it is open. Whether it was opened at all.
  @discardableResult
  public func wait() -> Bool {
    group.wait(timeout: .now() + 40) == .success
  }
}
