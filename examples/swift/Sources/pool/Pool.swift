// A pool of connections, which threads and tasks share: at most four exist, each is used by one
// caller at a time, and one that failed is replaced. To open one takes an `await`.
import Synchronization
import Weir

/// A connection that notices two users, and breaks at every 50th query.
final class Connection: Sendable {
  static let opened = Atomic(0)
  private let users = Atomic(0)
  let number = opened.add(1, ordering: .relaxed).newValue

  init() async { await Task.yield() }

  func query(_ query: Int) throws -> Int {
    let before = users.add(1, ordering: .relaxed).oldValue
    defer { users.subtract(1, ordering: .relaxed) }
    precondition(before == 0, "two callers have connection \(number)")
    if query.isMultiple(of: 50) { throw Broken() }
    return query * 2
  }
}

struct Broken: Error {}

@main struct PoolProgram {
  static func main() async throws {
    let pool = Pool(label: "database", count: 4) { await Connection() }
    let lanes = Lanes(label: "threads", width: 8)

    // Tasks suspend for a connection, jobs on lanes block; both stand in one queue.
    let answers = try await (1...500).mapConcurrently(limit: 50, failures: .becomeNil) { query in
      if query.isMultiple(of: 2) {
        return try await lanes.run {
          try pool.withElement { connection in try connection.query(query) }
        }
      }
      return try await pool.withElement { connection in
        await Task.yield()
        return try connection.query(query)
      }
    }
    let answered = answers.compactMap { $0 }
    print("\(answered.count) answers, sum \(answered.reduce(0, +))")
    let opened = Connection.opened.load(ordering: .relaxed)
    print(opened <= 4 + 10 ? "at most 4 at once, 10 replaced" : "\(opened) connections opened")
  }
}
