// The task group tutorial: a grid of pictures, fetched in each of its ways and
// in Weir's.

import Synchronization
import Weir

/// Fetches the pictures of a grid.
///
/// A gallery counts what becomes of its requests, so that what a way of fetching
/// leaves behind can be seen.
final class Gallery: Sendable {
  /// The title of the grid.
  static let title = "Task Group 🥳"

  /// The end of a request.
  struct Event: Sendable, Equatable {
    /// The way in which a request ends.
    enum End: String, Sendable {
      case arrived, failed, cancelled
    }

    /// The number of the picture.
    let id: Int
    /// The way in which its request ended.
    let end: End
  }

  /// The ends of the requests, as they come.
  let events: AsyncStream<Event>
  /// The requests that are under way.
  let requests = Meter()

  private let source: PictureSource
  private let continuation: AsyncStream<Event>.Continuation
  private let ends = Mutex<[Event]>([])

  /// Creates a gallery without a picture.
  init(source: PictureSource) {
    self.source = source
    (events, continuation) = AsyncStream.makeStream()
  }

  /// Returns the pictures whose requests have ended in a way, in that order.
  func ids(_ end: Event.End) -> [Int] {
    ends.withLock { $0.filter { $0.end == end }.map(\.id) }
  }

  // MARK: the tutorial's ways

  /// `async let`: as many as there are names in the source, which are four.
  func asyncLet() async throws -> [Picture] {
    async let first = fetch(1)
    async let second = fetch(2)
    async let third = fetch(3)
    async let fourth = fetch(4)
    return try await [first, second, third, fourth]
  }

  /// A task group: any number, in the order in which they arrive. A failure is
  /// `nil` and left out. That holds for being cancelled too: the array is then
  /// short, and nobody is told.
  func taskGroup(_ ids: some Sequence<Int> & Sendable) async -> [Picture] {
    await withTaskGroup(of: Picture?.self) { group in
      var pictures: [Picture] = []
      pictures.reserveCapacity(ids.underestimatedCount)
      for id in ids {
        group.addTask { try? await self.fetch(id) }
      }
      for await picture in group {
        if let picture { pictures.append(picture) }
      }
      return pictures
    }
  }

  /// The same, in the order in which they were asked for: each carries its
  /// place along.
  func taskGroupInOrder(_ ids: some Sequence<Int> & Sendable) async -> [Picture] {
    await withTaskGroup(of: (Int, Picture?).self) { group in
      var pictures: [(place: Int, picture: Picture)] = []
      for (place, id) in ids.enumerated() {
        group.addTask { (place, try? await self.fetch(id)) }
      }
      for await (place, picture) in group {
        if let picture { pictures.append((place, picture)) }
      }
      return pictures.sorted { $0.place < $1.place }.map(\.picture)
    }
  }

  /// A throwing task group: the first failure cancels the rest.
  func throwingTaskGroup(_ ids: some Sequence<Int> & Sendable) async throws -> [Picture] {
    try await withThrowingTaskGroup(of: Picture.self) { group in
      for id in ids {
        group.addTask { try await self.fetch(id) }
      }
      var pictures: [Picture] = []
      for try await picture in group {
        pictures.append(picture)
      }
      return pictures
    }
  }

  /// A task group in batches, as the tutorial proposes for long lists. Each batch waits for its
  /// slowest picture, and `waitForAll()` drops all results: the children store their own.
  func batches(_ ids: some Sequence<Int> & Sendable, of size: Int) async -> [Picture] {
    let pictures = StoredPictures()
    await withTaskGroup(of: Void.self) { group in
      for (index, id) in ids.enumerated() {
        if index > 0 && index % size == 0 { await group.waitForAll() }
        group.addTask {
          guard let picture = try? await self.fetch(id) else { return }
          pictures.list.withLock { $0.append(picture) }
        }
      }
      await group.waitForAll()
    }
    return pictures.list.withLock { $0 }
  }

  // MARK: Weir's ways

  /// The tutorial's group with a window: so many at a time.
  func windowedTaskGroup(
    _ ids: some Sequence<Int> & Sendable, limit: Int
  ) async throws -> [Picture] {
    try await withWindowedTaskGroup(of: Picture?.self, limit: limit) { group in
      var pictures: [Picture] = []
      for id in ids {
        try await group.addTask { try? await self.fetch(id) }
      }
      for try await case let picture? in group {
        pictures.append(picture)
      }
      return pictures
    }
  }

  /// Weir's map: so many at a time, in either order. The first failure cancels
  /// the rest and is thrown, and so is being cancelled. Maps within the same
  /// gate share its limit.
  func map(
    _ ids: some Sequence<Int> & Sendable, limit: Int, order: ResultOrder = .input,
    within gate: Gate? = nil
  ) async throws -> [Picture] {
    try await ids.mapConcurrently(limit: limit, order: order, within: gate) { id in
      try await self.fetch(id)
    }
  }

  /// The same, where a failure is `nil` in its place. Being cancelled is still
  /// thrown: the array is never short.
  func mapOrNil(
    _ ids: some Sequence<Int> & Sendable, limit: Int
  ) async throws -> [Picture?] {
    try await ids.mapConcurrently(limit: limit, failures: .becomeNil) { id in
      try await self.fetch(id)
    }
  }

  // MARK: one picture

  /// Fetches a picture for a caller that blocks, such as an operation of Foundation.
  ///
  /// Blocks: until the picture is there.
  func blocking(_ id: Int) throws -> Picture {
    requests.enter()
    defer { requests.leave() }
    do {
      let picture = try source.blocking(id)
      record(id, .arrived)
      return picture
    } catch {
      record(id, .failed)
      throw error
    }
  }

  private func fetch(_ id: Int) async throws -> Picture {
    requests.enter()
    defer { requests.leave() }
    do {
      let picture = try await source.suspending(id)
      record(id, .arrived)
      return picture
    } catch  where Task.isCancelled {
      record(id, .cancelled)
      throw CancellationError()
    } catch {
      record(id, .failed)
      throw error
    }
  }

  private func record(_ id: Int, _ end: Event.End) {
    let event = Event(id: id, end: end)
    ends.withLock { ends in
      ends.append(event)
    }
    continuation.yield(event)
  }
}

/// Pictures that child tasks store.
private final class StoredPictures: Sendable {
  let list = Mutex<[Picture]>([])
}
