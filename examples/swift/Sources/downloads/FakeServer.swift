// A server without a network. The name of a page decides what happens to a request for it.

struct Refused: Error, CustomStringConvertible {
  let description = "refused"
}

actor FakeServer {
  private let stop: @Sendable () -> Void
  private var requests: [String: Int] = [:]
  private(set) var inProgress = 0
  private(set) var peak = 0

  init(stop: @escaping @Sendable () -> Void) {
    self.stop = stop
  }

  func index(of sites: [[String]]) throws {
    if sites.isEmpty { throw Refused() }
  }

  /// Answers, except `slow...` (never), `flaky...` (not the first two times) and `gone...`.
  func get(_ page: String) async throws -> String {
    inProgress += 1
    peak = max(peak, inProgress)
    defer { inProgress -= 1 }
    requests[page, default: 0] += 1
    if page == "stop" { stop() }
    if page == "stop" || page.hasPrefix("slow") { try await Task.sleep(for: .seconds(3600)) }
    if page.hasPrefix("gone") { throw Refused() }
    if page.hasPrefix("flaky") && requests[page, default: 0] < 3 { throw Refused() }
    return "<p>\(page)</p>"
  }
}
