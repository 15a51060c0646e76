// The task group tutorial: a grid of pictures, fetched in each of its ways and by Weir's map.

internal import Synchronization
internal import Weir

struct Gallery {
  static let title = "Task Group 🥳"

  let source: PictureSource
  private let tasks = TracedTasks(label: "picture")

  init(source: PictureSource) { self.source = source }

  // MARK: the tutorial's ways

  /// `async let`: as many as there are names in the source, which are four.
  func asyncLet() async throws -> [Picture] {
    (1...4).forEach(tasks.submit)
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
        tasks.submit(id)
        group.addTask { try? await fetch(id) }
      }
      for await picture in group {
        if let picture { pictures.append(picture) }
      }
      return pictures
    }
  }

  /// A task group in batches, as the tutorial proposes for long lists. Each batch waits for its
  /// slowest picture, and `waitForAll()` drops all results: the children store their own.
  func batches(_ ids: some Sequence<Int> & Sendable, of size: Int) async -> [Picture] {
    let stored = StoredPictures()
    await withTaskGroup(of: Void.self) { group in
      for (index, id) in ids.enumerated() {
        if index > 0 && index % size == 0 { await group.waitForAll() }
        tasks.submit(id)
        group.addTask {
          guard let picture = try? await fetch(id) else { return }
          stored.pictures.withLock { $0.append(picture) }
        }
      }
      await group.waitForAll()
    }
    return stored.pictures.withLock(\.self)
  }

  /// A throwing task group: the first failure cancels the rest.
  func throwingTaskGroup(_ ids: some Sequence<Int> & Sendable) async throws -> [Picture] {
    try await withThrowingTaskGroup(of: Picture.self) { group in
      for id in ids {
        tasks.submit(id)
        group.addTask { try await fetch(id) }
      }
      var pictures: [Picture] = []
      for try await picture in group {
        pictures.append(picture)
      }
      return pictures
    }
  }

  /// A task group whose children block: each holds one of the few threads of all tasks, and the
  /// others are queued meanwhile.
  func blockingTaskGroup(_ ids: some Sequence<Int> & Sendable) async -> [Picture] {
    await withTaskGroup(of: Picture?.self) { group in
      for id in ids {
        tasks.submit(id)
        group.addTask { await tasks.run(id) { try? blocking(id) } }
      }
      return await group.reduce(into: []) { pictures, picture in
        if let picture { pictures.append(picture) }
      }
    }
  }

  /// One picture after the other, for contrast: as slow as all of them together.
  func sequential(_ ids: some Sequence<Int> & Sendable) async -> [Picture] {
    var pictures: [Picture] = []
    for id in ids {
      if let picture = try? await fetch(id) { pictures.append(picture) }
    }
    return pictures
  }

  /// Weir's map: so many at a time. The first failure cancels the rest and is thrown, and so is being
  /// cancelled.
  func map(_ ids: some Sequence<Int> & Sendable, limit: Int) async throws -> [Picture] {
    try await ids.mapConcurrently(limit: limit) { try await fetch($0) }
  }

  // MARK: one picture

  private func blocking(_ id: Int) throws -> Picture {
    do {
      let picture = try source.blocking(id)
      note("ARRIVED", id)
      return picture
    } catch {
      note("FAILED", id)
      throw error
    }
  }

  private func fetch(_ id: Int) async throws -> Picture {
    do {
      let picture = try await tasks.run(id) { try await source.suspending(id) }
      note("ARRIVED", id)
      return picture
    } catch  where Task.isCancelled {
      note("CANCELLED", id)
      throw CancellationError()
    } catch {
      note("FAILED", id)
      throw error
    }
  }
}

private final class StoredPictures: Sendable {
  let pictures = Mutex<[Picture]>([])
}
