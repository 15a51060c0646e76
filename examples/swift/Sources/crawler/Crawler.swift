// A crawler: pages that link to pages, each requested once; at most eight requests at once for all
// sites together and two for a site; three attempts for a page, and a time-out for each request.
import Weir

/// A web without a network: page N links to 2N and 2N+1, page 13 never answers, and every page
/// fails the first time. A request takes some milliseconds, as many as the program is told.
actor Web {
  let pages = 200
  let latency = Duration.milliseconds(
    CommandLine.arguments.dropFirst().compactMap { Int($0) }.first ?? 1)
  /// The time-out of a request; as the program is told, in milliseconds.
  let timeout = Duration.milliseconds(
    CommandLine.arguments.dropFirst(2).compactMap { Int($0) }.first ?? 250)
  private(set) var peak = 0
  private var inProgress = 0
  private var requests: [Int: Int] = [:]

  func links(of page: Int) async throws -> [Int] {
    inProgress += 1
    defer { inProgress -= 1 }
    peak = max(peak, inProgress)
    requests[page, default: 0] += 1
    if page == 13 { try await Task.sleep(for: .seconds(3600)) }
    try await Task.sleep(for: latency)
    if requests[page] == 1 { throw Unavailable() }
    return [2 * page, 2 * page + 1].filter { $0 <= pages }
  }
}

struct Unavailable: Error {}

@main struct Crawler {
  static func main() async throws {
    let web = Web()
    let connections = Gate(label: "connections", permits: 8)
    let sites = (0..<5).map { Gate(label: "site \($0)", permits: 2) }
    let options = MapOptions(retry: .attempts(3, delay: .milliseconds(1)))

    var (seen, wave, failed): (Set<Int>, [Int], [Int]) = ([1], [1], [])
    while !wave.isEmpty {
      let results = try await wave.mapConcurrently(
        limit: 100, options: options, failures: .becomeResults
      ) { page in
        // The permit of the site first: a connection that waits for a site would be idle.
        try await sites[page % sites.count].withPermit {
          try await connections.withPermit {
            // The time of the request alone: a page that waits for its turn is not late.
            try await withTimeout(web.timeout) { try await web.links(of: page) }
          }
        }
      }
      for (page, result) in zip(wave, results) where (try? result.get()) == nil {
        failed.append(page)
      }
      wave = results.flatMap { (try? $0.get()) ?? [] }.filter { seen.insert($0).inserted }
    }
    print("\(seen.count) pages seen, failed: \(failed)")
    print("at most \(connections.statistics.peak) of 8 requests at once")
  }
}
