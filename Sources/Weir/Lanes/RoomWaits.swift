// Tasks that wait for room in the backlog of lanes.
//
// C lets threads wait for it, and tells nobody. But every job that starts has left
// a place, and passes here on its way (LaneJob.run). So whoever waits is submitted
// then, by the lane itself, and no thread waits for a task. No place is missed:
// a request is tried after it was put in line, and where that finds no room there
// are jobs queued, which start, or are dropped, later.

internal import CWeir
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The line of those who wait for room.
final class RoomWaits: Sendable {
  /// A job and the task that submits it.
  struct Request: Sendable {
    let job: SendableJob
    let wait: TaskWait
  }

  /// What `LaneJob.give` gave.
  struct SendableJob: @unchecked Sendable {
    // @unchecked: it is run or dropped by whoever takes it out of the line.
    let pointer: UnsafeMutableRawPointer
  }

  /// In order; those that gave up are missing.
  private struct Line {
    var requests: [Int: Request] = [:]
    var first = 0
    var next = 0
  }

  // nonisolated(unsafe): never changed, the C type may be used by any thread, and
  // it is only used for somebody who waits, and keeps the lanes.
  private nonisolated(unsafe) let lanes: OpaquePointer
  private let line = Locked(Line())
  private let count = Atomic(0)

  init(_ lanes: OpaquePointer) {
    self.lanes = lanes
  }

  var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// Puts a request at the end of the line.
  ///
  /// - Returns: A number to ``withdraw(_:)`` it by.
  func add(_ request: Request) -> Int {
    line.with { line in
      defer { line.next += 1 }
      line.requests[line.next] = request
      count.add(1, ordering: .relaxed)
      return line.next
    }
  }

  /// Ends a request, unless it has been served.
  func withdraw(_ number: Int) {
    let request = line.with { line in
      let request = line.requests.removeValue(forKey: number)
      if request != nil { count.subtract(1, ordering: .relaxed) }
      return request
    }
    guard let request else { return }
    LaneJob.drop(request.job.pointer)
    request.wait.end(.cancelled)
  }

  /// Submits as many as there is room for, or refuses all where the lanes are
  /// closed. Called whenever room may have been made.
  func serve() {
    while !isEmpty, let (request, error) = line.with({ serveFirst(&$0) }) {
      if error != 0 { LaneJob.drop(request.job.pointer) }
      request.wait.end(error == 0 ? .over : .refused)
    }
  }

  private func serveFirst(_ line: inout Line) -> (Request, Int32)? {
    while line.first < line.next {
      if let request = line.requests[line.first] {
        let error = weir_lanes_try_async_f(lanes, request.job.pointer) { job, _ in
          LaneJob.run(job)
        }
        Lanes.refuseWithoutMemory(error)
        if error == EAGAIN { return nil }
        line.requests[line.first] = nil
        line.first += 1
        count.subtract(1, ordering: .relaxed)
        return (request, error)
      }
      line.first += 1
    }
    return nil
  }
}
