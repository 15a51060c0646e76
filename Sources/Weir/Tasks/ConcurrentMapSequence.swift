extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Returns a sequence of this one's transformed elements, several computed at once.
  ///
  ///     func showAll(_ urls: AsyncStream<URL>) async throws {
  ///       for try await page in urls.concurrentlyMapped(limit: 8, { try await fetch($0) }) {
  ///         await show(page)
  ///       }
  ///     }
  ///
  /// Nothing happens before the first result is requested. After that, at most `limit` elements
  /// have been taken from this sequence whose results have not been taken from the new one: a
  /// slow consumer slows the transforms, and they slow this sequence.
  ///
  /// A failure is thrown in place of the next result and ends the sequence. If the loop ends
  /// early, or its task is cancelled, the transforms in progress are cancelled. (They may end a
  /// little later than the loop: a sequence is not a scope. If that matters, use
  /// ``mapConcurrently(limit:order:within:isolation:_:)``.)
  ///
  /// - Parameters:
  ///   - limit: The maximum number of elements in progress, at least 1.
  ///   - order: The order of the results: that of the elements, or of completion.
  ///   - gate: A further limit, which can be shared: each element takes a permit before its
  ///     transform begins. The permits that a scope of the consumer holds are not lent, since
  ///     the consumer may work at the same time as the transforms: a consumer that holds all
  ///     permits waits for itself.
  ///   - transform: Called once for each element, in a task of its own.
  /// - Returns: A sequence of the results, which can be iterated as often as this one.
  /// - Complexity: O(1); a step costs O(1).
  ///
  /// Blocks: no. There is no corresponding C function.
  public func concurrentlyMapped<T: Sendable>(
    limit: Int, order: ResultOrder = .input, within gate: Gate? = nil,
    _ transform: @escaping @Sendable (Element) async throws -> T
  ) -> ConcurrentMapSequence<Self, T> {
    ConcurrentMapSequence(self, Window(limit: limit, within: gate), order, transform)
  }

  /// Returns a sequence of this one's transformed elements, several computed at once, with `nil`
  /// for failures.
  ///
  /// Like ``concurrentlyMapped(limit:order:within:_:)``, but a failed transform ends its own
  /// element only.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of elements in progress, at least 1.
  ///   - order: The order of the results.
  ///   - gate: A further limit, which can be shared.
  ///   - failures: `.becomeNil`.
  ///   - transform: Called once for each element, in a task of its own.
  /// - Returns: A sequence of the results.
  /// - Complexity: O(1); a step costs O(1).
  ///
  /// Blocks: no. There is no corresponding C function.
  public func concurrentlyMapped<T: Sendable>(
    limit: Int, order: ResultOrder = .input, within gate: Gate? = nil,
    failures: FailuresBecomeNil,
    _ transform: @escaping @Sendable (Element) async throws -> T
  ) -> ConcurrentMapSequence<Self, T?> {
    concurrentlyMapped(limit: limit, order: order, within: gate) { element in
      try await nilOnFailure { try await transform(element) }
    }
  }
}

/// The sequence of ``_Concurrency/AsyncSequence/concurrentlyMapped(limit:order:within:_:)``.
///
/// There is no corresponding C type.
public struct ConcurrentMapSequence<Base: AsyncSequence & Sendable, Element: Sendable>:
  AsyncSequence, Sendable
where Base.Element: Sendable {
  /// The errors of the sequence and of the transform.
  public typealias Failure = any Error

  private let base: Base
  private let window: Window
  private let order: ResultOrder
  private let transform: @Sendable (Base.Element) async throws -> Element

  init(
    _ base: Base, _ window: Window, _ order: ResultOrder,
    _ transform: @escaping @Sendable (Base.Element) async throws -> Element
  ) {
    self.base = base
    self.window = window.withoutLender
    self.order = order
    self.transform = transform
  }

  /// Returns an iterator, for one task at a time.
  ///
  /// Blocks: no. There is no corresponding C function.
  public func makeAsyncIterator() -> Iterator {
    let channel = ResultChannel<Element>(order, limit: window.limit)
    let (base, window, transform) = (base, window, transform)
    return Iterator(channel) { await drive(base, window, transform, into: channel) }
  }

  /// The iterator over the results.
  ///
  /// The first request starts the transforms; destroying the iterator cancels them.
  ///
  /// There is no corresponding C type.
  public struct Iterator: AsyncIteratorProtocol {
    /// The owner of the work, which ends it together with the iterator.
    private final class Link: Sendable {
      let channel: ResultChannel<Element>
      private let driver: Locked<(@Sendable () async -> Void)?>

      init(_ channel: ResultChannel<Element>, _ driver: @escaping @Sendable () async -> Void) {
        self.channel = channel
        self.driver = Locked(driver)
      }

      func begin() {
        let driver = driver.with { driver in
          defer { driver = nil }
          return driver
        }
        if let driver { channel.begin(Task { await driver() }) }
      }

      deinit {
        channel.abandon()
      }
    }

    private let link: Link

    fileprivate init(
      _ channel: ResultChannel<Element>, _ driver: @escaping @Sendable () async -> Void
    ) {
      link = Link(channel, driver)
    }

    /// Returns the next result, or `nil` at the end.
    ///
    /// - Throws: The error of the sequence or a transform; `CancellationError`
    ///   if the task is cancelled.
    ///
    /// Blocks: no, it suspends. There is no corresponding C function.
    nonisolated(nonsending) public mutating func next() async throws -> Element? {
      link.begin()
      return try await link.channel.next()
    }
  }
}

/// Reads a sequence when the channel has room, and transforms its elements.
private func drive<Base: AsyncSequence & Sendable, T: Sendable>(
  _ base: Base, _ window: Window,
  _ transform: @escaping @Sendable (Base.Element) async throws -> T,
  into channel: ResultChannel<T>
) async where Base.Element: Sendable {
  // Children that have ended are released at once.
  await withDiscardingTaskGroup { group in
    do {
      var iterator = base.makeAsyncIterator()
      var begun = 0
      try await channel.room()
      while let element = try await iterator.next() {
        let index = begun
        group.addTask {
          do {
            channel.put(index, try await window.run { try await transform(element) })
          } catch {
            channel.fail(error)
          }
        }
        begun += 1
        try await channel.room()
      }
      try Task.checkCancellation()
      channel.end(after: begun)
    } catch {
      channel.fail(error)
    }
  }
}
