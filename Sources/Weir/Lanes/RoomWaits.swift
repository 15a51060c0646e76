// Tasks that wait for room in the backlog of lanes.
//
// DESIGN. In C threads can wait for room, but nothing reports it. But every job that starts
// has freed a place, and calls LaneJob.run first. There the lane itself submits the job of
// the next waiting task, so no thread waits on behalf of a task. No place is missed: a
// request is tried after it was queued, and if there is no room at that time, jobs are
// queued that start or are dropped later.
//
// Lanes without a backlog queue no jobs, and nothing reports that a lane is free. There a
// thread waits on behalf of the tasks, one for all of them: for each request it submits a
// job that runs the first request's job in its own place.

internal import CWeir
internal import Dispatch
internal import Synchronization
internal import WeirLibC

/// The queue of tasks that wait for room.
final class RoomWaits: Sendable {
  /// A job, and the task that waits until it is submitted, if any.
  struct Request: Sendable {
    let job: SendableJob
    let wait: TaskWait?
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
  /// The queue whose thread waits for free lanes; `nil` if the lanes queue jobs.
  private let waiting: DispatchQueue?
  /// The number of jobs that the thread has submitted or is going to.
  private let substitutes = Atomic(0)

  init(_ lanes: OpaquePointer, queues: Bool) {
    self.lanes = lanes
    waiting = queues ? nil : DispatchQueue(label: "weir.free-lanes")
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

  /// Ends a request, unless its job has been submitted. Returns true if it did.
  @discardableResult
  func withdraw(_ number: Int) -> Bool {
    let request = line.with { line in
      let request = line.requests.removeValue(forKey: number)
      if request != nil { count.subtract(1, ordering: .relaxed) }
      return request
    }
    guard let request else { return false }
    LaneJob.drop(request.job.pointer)
    request.wait?.end(.cancelled)
    return true
  }

  /// Submits as many jobs as there is room for, or refuses all if the lanes are closed. Called
  /// whenever there may be new room.
  func serve() {
    while !isEmpty, let (request, error) = line.with({ serveFirst(&$0) }) {
      if error != 0 { LaneJob.drop(request.job.pointer) }
      request.wait?.end(error == 0 ? .over : .refused)
    }
    waitForLanes()
  }

  /// Lets the thread wait for one free lane for each request.
  private func waitForLanes() {
    guard let waiting else { return }
    while substitutes.load(ordering: .relaxed) < count.load(ordering: .relaxed) {
      substitutes.add(1, ordering: .relaxed)
      // nonisolated(unsafe): any thread may use the C type.
      nonisolated(unsafe) let lanes = weir_lanes_retain(lanes)
      waiting.async {
        self.submitSubstitute(lanes)
        weir_lanes_release(lanes)
      }
    }
  }

  private func submitSubstitute(_ lanes: OpaquePointer) {
    let job = LaneJob.retain({ self.runFirst() }, dropped: { self.endSubstitute() }, rooms: nil)
    let error = weir_lanes_async_f(lanes, job) { job, _ in LaneJob.run(job) }
    Lanes.refuseWithoutMemory(error)
    if error != 0 { LaneJob.drop(job) }
  }

  private func endSubstitute() {
    substitutes.subtract(1, ordering: .relaxed)
    serve()
  }

  /// Runs the job of the first request, if any, on this lane.
  private func runFirst() {
    let first = line.with { takeFirst(&$0) }
    endSubstitute()
    first?.wait?.end(.over)
    if let first { LaneJob.run(first.job.pointer) }
  }

  private func takeFirst(_ line: inout Line) -> Request? {
    while line.first < line.next {
      defer { line.first += 1 }
      if let request = line.requests.removeValue(forKey: line.first) {
        count.subtract(1, ordering: .relaxed)
        return request
      }
    }
    return nil
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
