// Pages of several sites: at most four requests at once for all sites together, a time-out
// and three attempts for each page. A page with the name "stop" cancels everything else.
import Glibc
import Weir

@main struct Downloads {
  static func main() async throws {
    let (stops, stop) = AsyncStream.makeStream(of: Void.self)
    let server = FakeServer(stop: { stop.yield() })
    let connections = Gate(label: "connections", permits: 4)
    let sites = CommandLine.arguments.dropFirst().map { $0.split(separator: ",").map(String.init) }

    let download = Task {
      // The index of each site, under the same limit.
      try await connections.withPermit(timeout: .seconds(30)) { try await server.index(of: sites) }
      return try await sites.mapConcurrently(limit: 8, within: connections) { pages in
        try await pages.mapConcurrently(
          limit: 8, within: connections,
          options: MapOptions(
            timeout: .milliseconds(200), retry: .attempts(3, delay: .milliseconds(1))),
          failures: .becomeResults
        ) { page in try await server.get(page) }
      }
    }
    let watch = Task { for await _ in stops { download.cancel() } }
    defer { watch.cancel() }

    var status: Int32 = 0
    do {
      for (site, results) in zip(sites, try await download.value) {
        for (page, result) in zip(site, results) {
          switch result {
          case .success(let text): print("\(page): \(text.utf8.count) bytes")
          case .failure(is MapTimeoutError): print("\(page): no answer in time")
          case .failure(let error): print("\(page): \(error)")
          }
          if case .failure = result { status = 1 }
        }
      }
    } catch is CancellationError {
      print("cancelled")
      status = 2
    }
    print("\(await server.peak) requests at once, \(await server.inProgress) left")
    exit(status)
  }
}
