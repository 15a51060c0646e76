// A map of an asynchronous sequence, as a sequence.

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// This sequence with every element transformed, so many at once.
  ///
  ///     func showAll(_ urls: AsyncStream<URL>) async throws {
  ///       for try await page in urls.concurrentlyMapped(limit: 8, { try await fetch($0) }) {
  ///         await show(page)
  ///       }
  ///     }
  ///
  /// Nothing happens before the first result is asked for. From then on at most
  /// `limit` elements have been taken from the sequence whose results have not
  /// been taken from this one: a slow consumer slows the transforms, and those
  /// the sequence.
  ///
  /// A failure is thrown in the place of the next result and ends the sequence.
  /// Where the loop is left early, or its task is cancelled, the transforms that
  /// are under way are cancelled. (They may end a little later than the loop: a
  /// sequence is no scope. Where that matters, use
  /// ``mapConcurrently(limit:order:within:isolation:_:)``.)
  ///
  /// - Parameters:
  ///   - limit: How many elements may be under way, at least 1.
  ///   - order: Whether the results come in the order of the elements, or as
  ///     they are completed.
  ///   - gate: Another bound, shared with others: a permit is taken for each
  ///     element before its transform begins. The permits that a scope of the
  ///     consumer holds are not lent, since it may work while the transforms do:
  ///     where it holds all there are, it waits for itself.
  ///   - transform: Called once for each element, in a task of its own.
  /// - Returns: A sequence of the results, which can be iterated as often as
  ///   this one.
  /// - Complexity: O(1); a step costs O(1).
  ///
  /// Blocks: no. There is no corresponding C function.
  public func concurrentlyMapped<T: Sendable>(
    limit: Int, order: ResultOrder = .input, within gate: Gate? = nil,
    _ transform: @escaping @Sendable (Element) async throws -> T
  ) -> ConcurrentMapSequence<Self, T> {
    ConcurrentMapSequence(self, Window(limit: limit, within: gate), order, transform)
  }

  /// This sequence with every element transformed, so many at once; those that
  /// fail are `nil`.
  ///
  /// As ``concurrentlyMapped(limit:order:within:_:)``, but a failed transform
  /// ends its own element alone.
  ///
  /// - Parameters:
  ///   - limit: How many elements may be under way, at least 1.
  ///   - order: The order of the results.
  ///   - gate: Another bound, shared with others.
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

/// The results of ``_Concurrency/AsyncSequence/concurrentlyMapped(limit:order:within:_:)``.
///
/// There is no corresponding C type.
public struct ConcurrentMapSequence<Base: AsyncSequence & Sendable, Element: Sendable>:
  AsyncSequence, Sendable
where Base.Element: Sendable {
  /// Whatever the sequence and the transform throw.
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

  /// An iterator, for one task at a time.
  ///
  /// Blocks: no. There is no corresponding C function.
  public func makeAsyncIterator() -> Iterator {
    let channel = ResultChannel<Element>(order, limit: window.limit)
    let (base, window, transform) = (base, window, transform)
    return Iterator(channel) { await drive(base, window, transform, into: channel) }
  }

  /// Takes the results, one after the other.
  ///
  /// The first one starts the transforms; when it goes, they are cancelled.
  ///
  /// There is no corresponding C type.
  public struct Iterator: AsyncIteratorProtocol {
    /// Ends the work when the iterator goes.
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

    /// The next result; `nil` at the end.
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

/// Reads a sequence as the channel has room, and works on what it gives.
private func drive<Base: AsyncSequence & Sendable, T: Sendable>(
  _ base: Base, _ window: Window,
  _ transform: @escaping @Sendable (Base.Element) async throws -> T,
  into channel: ResultChannel<T>
) async where Base.Element: Sendable {
  // Children that have ended are let go at once.
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
