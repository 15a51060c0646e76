// The ways in which a gallery is fetched, one line each.

import Foundation
import Synchronization
import Weir

/// A way of fetching, and what is done to it.
struct Way: Sendable {
  let name: String
  let asked: Int
  /// Whether picture 3 fails.
  var hasFault = false
  /// Whether it is cancelled when two pictures have arrived.
  var isCancelled = false
  let fetch: @Sendable (Gallery, ClosedRange<Int>) async throws -> [Picture?]

  static let all: [Way] = [
    Way(name: "async let", asked: 4) { gallery, _ in try await gallery.asyncLet() },
    Way(name: "task group", asked: 5) { await $0.taskGroup($1) },
    Way(name: "task group, sorted", asked: 5) { await $0.taskGroupInOrder($1) },
    Way(name: "batches of 3, waitForAll()", asked: 5) { await $0.batches($1, of: 3) },
    Way(name: "OperationQueue, 3 at a time", asked: 5) { gallery, ids in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 3
      queue.isSuspended = true  // a Boolean, which does not count as suspend() does
      let pictures = Mutex<[Int: Picture]>([:])
      return await withCheckedContinuation { continuation in
        let last = BlockOperation {
          continuation.resume(returning: ids.map { id in pictures.withLock { $0[id] } })
        }
        for id in ids {
          let fetch = BlockOperation {
            let picture = try? gallery.blocking(id)  // blocks a thread of the queue
            pictures.withLock { $0[id] = picture }
          }
          last.addDependency(fetch)  // in place of a group
          queue.addOperation(fetch)
        }
        queue.addOperation(last)
        queue.isSuspended = false
      }
    },
    Way(name: "windowed group, 3 at a time", asked: 5) {
      try await $0.windowedTaskGroup($1, limit: 3)
    },
    Way(name: "Weir's map, 3 at a time", asked: 5) { try await $0.map($1, limit: 3) },
    Way(name: "Weir's map, as they arrive", asked: 5) {
      try await $0.map($1, limit: 5, order: .completion)
    },
    Way(name: "two maps in a gate of 2", asked: 5) { gallery, ids in
      let gate = Gate(label: "pictures", permits: 2)
      async let first = gallery.map(ids.prefix(2), limit: 5, within: gate)
      async let rest = gallery.map(ids.dropFirst(2), limit: 5, within: gate)
      return try await first + rest
    },
    Way(name: "async let, #3 fails", asked: 4, hasFault: true) { gallery, _ in
      try await gallery.asyncLet()
    },
    Way(name: "task group, #3 is nil", asked: 5, hasFault: true) { await $0.taskGroup($1) },
    Way(name: "throwing group, #3 fails", asked: 5, hasFault: true) {
      try await $0.throwingTaskGroup($1)
    },
    Way(name: "Weir's map, #3 is nil", asked: 5, hasFault: true) {
      try await $0.mapOrNil($1, limit: 5)
    },
    Way(name: "Weir's map, #3 fails", asked: 5, hasFault: true) { try await $0.map($1, limit: 5) },
    Way(name: "task group, cancelled", asked: 5, isCancelled: true) { await $0.taskGroup($1) },
    Way(name: "Weir's map, cancelled", asked: 5, isCancelled: true) {
      try await $0.mapOrNil($1, limit: 5)
    },
  ]
}

/// What came of it.
struct Outcome: Sendable {
  let way: Way
  /// The pictures, or the error.
  let result: Result<[Int?], any Error>
  /// The pictures that failed, and those that were cancelled.
  let (failed, cancelled): ([Int], [Int])
  let peak: Int
  /// Requests that were still under way when it returned.
  let left: Int
  let seconds: Double

  var text: String {
    switch result {
    case .success(let ids):
      "[\(ids.map { $0.map(String.init) ?? "nil" }.joined(separator: " "))]"
    case .failure(is CancellationError): "throws CancellationError"
    case .failure(let error): "throws \(error)"
    }
  }

  /// An array that says nothing of what is missing.
  var isShort: Bool {
    guard case .success(let ids) = result else { return false }
    return ids.count < way.asked
  }
}

extension Way {
  func run(_ source: PictureSource) async -> Outcome {
    let gallery = Gallery(source: source)
    let begin = ContinuousClock.now
    let task = Task { try await fetch(gallery, 1...asked) }
    if isCancelled {
      for await _ in gallery.events.prefix(2) {}
      task.cancel()
    }
    let result = await task.result
    return Outcome(
      way: self, result: result.map { $0.map { $0?.id } }, failed: gallery.ids(.failed),
      cancelled: gallery.ids(.cancelled), peak: gallery.requests.peak,
      left: gallery.requests.inside, seconds: begin.duration(to: .now) / .seconds(1))
  }
}
