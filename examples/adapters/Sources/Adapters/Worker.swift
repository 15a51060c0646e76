// Lanes as a service of swift-service-lifecycle: after a graceful shutdown it accepts no more
// requests, and finishes the accepted ones.

import ServiceLifecycle
import Weir

struct Worker<Requests: AsyncSequence & Sendable>: Service where Requests.Element: Sendable {
  let lanes: Lanes
  let requests: Requests
  let handle: @Sendable (Requests.Element) -> Void

  func run() async throws {
    for try await request in requests.cancelOnGracefulShutdown() {
      lanes.async { handle(request) }
    }
    lanes.close()
    await lanes.wait()
  }
}
