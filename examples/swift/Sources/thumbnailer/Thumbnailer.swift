// A thumbnailer: pictures from a server, at most eight requests at once, with a time-out and three
// attempts for each; at most 64 megabytes of pictures in memory; made small on all cores.
import Weir

/// A server without a network: picture 13 never comes, every seventh one fails the first time, and
/// the sizes differ. A request takes some milliseconds, as many as the program is told.
actor Server {
  let latency = Duration.milliseconds(
    CommandLine.arguments.dropFirst().compactMap { Int($0) }.first ?? 1)
  /// The time-out of a request; as the program is told, in milliseconds.
  let timeout = Duration.milliseconds(
    CommandLine.arguments.dropFirst(2).compactMap { Int($0) }.first ?? 250)
  private var requests: [Int: Int] = [:]

  nonisolated func megabytes(of picture: Int) -> Int { 1 + picture % 5 * 4 }

  func picture(_ picture: Int) async throws -> [UInt8] {
    requests[picture, default: 0] += 1
    if picture == 13 { try await Task.sleep(for: .seconds(3600)) }
    try await Task.sleep(for: latency)
    if picture.isMultiple(of: 7) && requests[picture] == 1 { throw Unavailable() }
    return [UInt8](repeating: UInt8(picture % 256), count: megabytes(of: picture) << 10)
  }
}

struct Unavailable: Error {}

@main struct Thumbnailer {
  static func main() async throws {
    let server = Server()
    let memory = Gate(label: "memory", permits: 64)
    let connections = Gate(label: "connections", permits: 8)
    let shrinking = Lanes(label: "shrinking", width: Lanes.defaultWidth)
    let options = MapOptions(retry: .attempts(3, delay: .milliseconds(1)))

    let thumbnails = try await (1...300).mapConcurrently(
      limit: 100, options: options, failures: .becomeResults
    ) { number in
      // The memory first: a picture that came and finds no room would keep its connection.
      try await memory.withPermits(server.megabytes(of: number)) {
        let picture = try await connections.withPermit {
          try await withTimeout(server.timeout) { try await server.picture(number) }
        }
        return try await shrinking.run { picture.indices.count { $0.isMultiple(of: 1024) } }
      }
    }
    let sizes = thumbnails.compactMap { try? $0.get() }
    print("\(sizes.count) thumbnails, \(sizes.reduce(0, +)) bytes")
    for (index, thumbnail) in thumbnails.enumerated() {
      if case .failure(let error) = thumbnail { print("picture \(index + 1): \(error)") }
    }
    print("at most \(connections.statistics.peak) of 8 requests at once")
    print(memory.statistics.peak <= 64 ? "at most 64 MB" : "\(memory.statistics.peak) MB")
  }
}
