// A concurrent map of a sequence, as an asynchronous sequence.

extension Sequence where Self: Sendable, Element: Sendable {
  /// Returns an asynchronous sequence of this one's transformed elements, several computed at
  /// once.
  ///
  ///     import Weir
  ///
  ///     let words = ["weir", "sluice", "lock"]
  ///     for await length in words.concurrentlyMapped(limit: 2, { $0.count }) {
  ///       print(length)
  ///     }
  ///
  /// The error type of the transform is that of the sequence. A cancelled task gets a
  /// `CancellationError` from the loop if that type includes it, as `any Error` does. Otherwise the
  /// transforms are cancelled, and the loop goes on, since a shorter sequence would look complete:
  /// leave the loop to end it. In all else like
  /// ``concurrentlyMapped(limit:order:within:options:fileID:line:_:)``.
  ///
  /// Blocks: no. There is no corresponding C function.
  public func concurrentlyMapped<T: Sendable, E: Error>(
    limit: Int, order: ResultOrder = .input,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Element) async throws(E) -> T
  ) -> some AsyncSequence<T, E> & Sendable {
    ConcurrentMapSequence(
      Elements(base: self), limit: limit, within: nil, order, at: fileID, line,
      MapOptions().attempts(of: transform))
  }

  /// Returns an asynchronous sequence of this one's transformed elements, several computed at once.
  ///
  ///     for try await page in urls.concurrentlyMapped(limit: 8, { try await fetch($0) }) {
  ///       await show(page)
  ///     }
  ///
  /// Nothing happens before the first result is requested. After that, at most `limit` elements
  /// have been taken from this sequence whose results have not been taken from the new one: a slow
  /// consumer slows the transforms.
  ///
  /// A failure is thrown in place of the next result and ends the sequence. If the loop ends early,
  /// or its task is cancelled, the transforms in progress are cancelled, and may end a little later
  /// than the loop.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of elements in progress, at least 1.
  ///   - order: The order of the results: that of the elements, or of completion.
  ///   - gates: Further limits, which can be shared: each element takes a permit of each, in this
  ///     order, before its transform begins. The permits that a scope of the consumer holds are not
  ///     lent: a consumer that holds all permits waits for itself.
  ///   - options: The time-out of a transform, and new attempts for one that failed.
  ///   - transform: Called once for each element, in a task of its own.
  /// - Returns: A sequence of the results, which can be iterated as often as this one.
  ///
  /// Blocks: no. There is no corresponding C function.
  @_disfavoredOverload
  public func concurrentlyMapped<T: Sendable>(
    limit: Int, order: ResultOrder = .input, within gates: (any Gates)? = nil,
    options: MapOptions = MapOptions(),
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Element) async throws -> T
  ) -> some AsyncSequence<T, any Error> & Sendable {
    ConcurrentMapSequence(
      Elements(base: self), limit: limit, within: gates, order, at: fileID, line,
      options.attempts(of: transform))
  }

  /// Returns a sequence of this one's transformed elements, like
  /// ``concurrentlyMapped(limit:order:within:options:fileID:line:_:)``, but a failed transform ends
  /// its own element only: failures are `.becomeNil` or `.becomeResults`. Blocks: no. There is no
  /// corresponding C function.
  public func concurrentlyMapped<T: Sendable, Output: Sendable>(
    limit: Int, order: ResultOrder = .input, within gates: (any Gates)? = nil,
    options: MapOptions = MapOptions(), failures: FailureHandling<T, Output>,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Element) async throws -> T
  ) -> some AsyncSequence<Output, any Error> & Sendable {
    ConcurrentMapSequence(
      Elements(base: self), limit: limit, within: gates, order, at: fileID, line,
      failures.handled(options.attempts(of: transform)))
  }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Returns a sequence of this one's transformed elements, several computed at once; like the form
  /// of `Sequence`. A slow consumer slows the transforms, and they slow this sequence. Blocks: no.
  /// There is no corresponding C function.
  public func concurrentlyMapped<T: Sendable>(
    limit: Int, order: ResultOrder = .input, within gates: (any Gates)? = nil,
    options: MapOptions = MapOptions(),
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Element) async throws -> T
  ) -> some AsyncSequence<T, any Error> & Sendable {
    ConcurrentMapSequence(
      self, limit: limit, within: gates, order, at: fileID, line,
      options.attempts(of: transform))
  }

  /// Returns a sequence of this one's transformed elements, like the form of `Sequence`. Blocks:
  /// no. There is no corresponding C function.
  public func concurrentlyMapped<T: Sendable, Output: Sendable>(
    limit: Int, order: ResultOrder = .input, within gates: (any Gates)? = nil,
    options: MapOptions = MapOptions(), failures: FailureHandling<T, Output>,
    fileID: StaticString = #fileID, line: UInt = #line,
    _ transform: @escaping @Sendable (Element) async throws -> T
  ) -> some AsyncSequence<Output, any Error> & Sendable {
    ConcurrentMapSequence(
      self, limit: limit, within: gates, order, at: fileID, line,
      failures.handled(options.attempts(of: transform)))
  }
}

/// A concurrent map, which several tasks may iterate over, each with an iterator of its own.
private struct ConcurrentMapSequence<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  private let order: ResultOrder
  private let limit: Int
  private let produce: @Sendable (ResultChannel<Element, Failure>) async -> Void

  /// - Parameter transform: Throws only a `Failure`, while its task is not cancelled.
  init<Base: AsyncSequence & Sendable>(
    _ base: Base, limit: Int, within gates: (any Gates)?, _ order: ResultOrder,
    at fileID: StaticString,
    _ line: UInt,
    _ transform: @escaping @Sendable (Int, Base.Element) async throws -> Element
  ) where Base.Element: Sendable {
    self.order = order
    let limit = Window.checked(limit)
    self.limit = limit
    produce = { channel in
      let window = Window(limit: limit, within: gates, at: fileID, line, lends: false)
      await drive(base, window, transform, into: channel)
    }
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(ResultChannel(order, limit: limit), produce)
  }

  /// The iterator, whose first request starts the transforms. Destroying it cancels them.
  struct Iterator: AsyncIteratorProtocol {
    typealias Channel = ResultChannel<Element, Failure>

    /// The owner of the work, which ends it together with the iterator.
    private final class Link: Sendable {
      let channel: Channel

      init(_ channel: Channel) {
        self.channel = channel
      }

      deinit {
        channel.abandon()
      }
    }

    private let link: Link
    private let produce: @Sendable (Channel) async -> Void

    fileprivate init(
      _ channel: Channel, _ produce: @escaping @Sendable (Channel) async -> Void
    ) {
      link = Link(channel)
      self.produce = produce
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Element? {
      let (channel, produce) = (link.channel, produce)
      channel.begin { Task { await produce(channel) } }
      return try await channel.next()
    }
  }
}

/// The elements of a sequence as an asynchronous sequence, which never suspends.
private struct Elements<Base: Sequence & Sendable>: AsyncSequence, Sendable
where Base.Element: Sendable {
  let base: Base

  func makeAsyncIterator() -> Iterator { Iterator(base: base.makeIterator()) }

  struct Iterator: AsyncIteratorProtocol {
    var base: Base.Iterator

    mutating func next(isolation: isolated (any Actor)? = #isolation) async -> Base.Element? {
      base.next()
    }
  }
}

/// Reads a sequence when the channel has room, and transforms its elements.
private func drive<Base: AsyncSequence & Sendable, T: Sendable, Failure: Error>(
  _ base: Base, _ window: Window,
  _ transform: @escaping @Sendable (Int, Base.Element) async throws -> T,
  into channel: ResultChannel<T, Failure>
) async where Base.Element: Sendable {
  // Children that have ended are released at once.
  await withDiscardingTaskGroup { group in
    do {
      var iterator = base.makeAsyncIterator()
      var begun = 0
      while await channel.hasRoom(), let element = try await iterator.next() {
        let index = begun
        let child = window.add()
        group.addTask {
          do {
            channel.put(
              index, try await window.run(child) { try await transform(index, element) })
          } catch {
            channel.fail(error)
          }
        }
        begun += 1
      }
      channel.end(after: begun)
    } catch {
      channel.fail(error)
    }
  }
}
