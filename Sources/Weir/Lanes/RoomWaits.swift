// Tasks that wait for room in the backlog of lanes.
//
// DESIGN. In C threads can wait for room, but nothing reports it. But every job that starts
// has freed a place, and calls LaneJob.run first. There the lane itself submits the job of
// the next waiting task, so no thread waits on behalf of a task. No place is missed: a
// request is tried after it was queued, and if there is no room at that time, jobs are
// queued that start or are dropped later.

internal import CWeir
internal import Synchronization
internal import WeirLibC

/// The queue of tasks that wait for room.
final class RoomWaits: Sendable {
  /// A job and the task that submits it.
  struct Request: Sendable {
    let job: SendableJob
    let wait: TaskWait
  }

  /// A job of `LaneJob.retain`.
  struct SendableJob: @unchecked Sendable {
    // @unchecked: the code that takes the job out of the queue runs it or drops it.
    let pointer: UnsafeMutableRawPointer
  }

  /// Requests in order. Withdrawn requests are missing.
  private struct Line {
    var requests: [Int: Request] = [:]
    var first = 0
    var next = 0
  }

  // nonisolated(unsafe): never changed, any thread may use the C type, and it is used only
  // for a waiting task, which keeps the lanes alive.
  private nonisolated(unsafe) let lanes: OpaquePointer
  private let line = Locked(Line())
  private let count = Atomic(0)

  init(_ lanes: OpaquePointer) {
    self.lanes = lanes
  }

  var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// Appends a request.
  ///
  /// - Returns: The number of the request for ``withdraw(_:)``.
  func add(_ request: Request) -> Int {
    line.with { line in
      defer { line.next += 1 }
      line.requests[line.next] = request
      count.add(1, ordering: .relaxed)
      return line.next
    }
  }

  /// Ends a request, unless its job has been submitted.
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

  /// Submits as many jobs as there is room for, or refuses all if the lanes are closed. Called
  /// whenever there may be new room.
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
