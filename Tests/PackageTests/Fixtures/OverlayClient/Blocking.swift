// Every blocking form, in functions that may block, with the types that belong to it.

import Dispatch
import SystemPackage
import Weir

func blockingLoops() {
  let numbers = Array(1...100)
  let total = Total()
  numbers.concurrentForEach { total.add($0) }
  (1...100).concurrentForEach(stride: .fixed(7)) { total.add($0) }
  expect(total.value == 10_100, "each element once, twice")
  expect(numbers.concurrentReduce(0) { $0 + $1 } == 5050, "a sum")
  let most = numbers.concurrentReduce(into: 0, { $0 = max($0, $1) }, combine: { $0 = max($0, $1) })
  expect(most == 100, "a maximum")
  let stride: Stride = 8
  expect("\(stride)" == "8" && "\(Stride.automatic)" == "automatic", "strides say what they are")
}

func blockingGates() throws {
  let gate = Gate(label: "blocking", permits: 4)
  var four = try gate.acquire(4)
  let one = four.split(1)
  expect(four.count == 3 && one.count == 1, "a permit is split")
  let isFree = try gate.tryAcquire() != nil
  expect(!isFree, "none is free")
  let shared: OwnedPermit = four.owned()
  expect(shared.count == 3, "an owned permit has as many")
  shared.release()
  one.release()
  let statistics: Gate.Statistics = gate.statistics
  expect(statistics.permits == 4 && statistics.inUse == 0 && statistics.peak == 4, "\(statistics)")
  let queue = DispatchQueue(label: "queue")
  try gate.async(on: queue) {}
  gate.permits = 2
  queue.sync {}
  gate.close()
  expect(gate.isClosed && gate.label == "blocking", "it is closed")
  do {
    try gate.withPermits(1) { expect(false, "no way through a closed gate") }
  } catch let error as GateError {
    expect(error == .closed, "it says why: \(error)")
  }
}

func blockingLanes() {
  let wide = Lanes(label: "wide", width: Lanes.defaultWidth, backlog: 8, qos: .utility)
  let total = Total()
  wide.async({ total.add(1) }, dropped: { expect(false, "nothing is dropped") })
  while !wide.tryAsync({ total.add(1) }) {}
  wide.suspend()
  wide.resume()
  let told = DispatchSemaphore(value: 0)
  wide.notify(on: .global()) { told.signal() }
  told.wait()
  expect(wide.wait(wallTimeout: .distantFuture) == .success, "all is done")
  let statistics: Lanes.Statistics = wide.statistics
  expect(statistics.finished == 2 && statistics.queued == 0, "\(statistics)")
  let limit: Lanes.Limit = statistics.limit
  expect(limit == .width || limit == .work || "\(limit)" != "", "what limits it: \(limit)")
  wide.close()
  expect(wide.cancel() == 0 && total.value == 2, "nothing was left")
  let here = Lanes.inline(label: "here")
  here.async { total.add(1) }
  here.wait()
  expect(total.value == 3 && Lanes.widthMax > 0, "on the caller's thread")
}

func blockingGroups() throws {
  let group: WorkGroup = WorkGroup(label: "group")
  let membership: WorkGroup.Membership = group.enter()
  membership.leave()
  let owned: WorkGroup.OwnedMembership = group.enter().owned()
  expect(group.outstanding == 1 && !group.isCancelled, "one is in")
  owned.leave()
  let lanes = Lanes(label: "of the group", width: 2)
  let queue = OwnedQueue(label: "also", qos: .utility, context: 0)
  let total = Total()
  group.async(on: DispatchQueue(label: "queue")) { total.add(1) }
  group.async(on: lanes) { total.add(1) }
  group.async(on: queue) { number in number += 1 }
  expect(try group.wait() == .success && total.value == 2, "all have left")
  let told = DispatchSemaphore(value: 0)
  group.notify(on: .global()) { error in
    expect(error == nil, "nothing failed")
    told.signal()
  }
  told.wait()
  group.enter().leave(throwing: Odd(number: 1))
  do {
    _ = try group.wait(wallTimeout: .distantFuture)
    expect(false, "one has failed")
  } catch is Odd {
  }
  group.cancel()
}

func blockingQueues() {
  let base = OwnedQueue(label: "base", context: ())
  let upper = OwnedQueue(label: "upper", target: base, context: [Int]())
  upper.suspend()
  upper.async { $0.append(1) }
  upper.resume()
  let count = upper.sync { $0.count }
  expect(count == 1 && upper.label == "upper", "a queue on another")
}

func blockingTraces() throws {
  let kinds: [TraceEvent.Kind] = TraceEvent.Kind.allCases
  expect(kinds.contains(.note), "notes are events")
  let seen = Total()
  Trace.setObserver { (event: TraceEvent) in
    let source: TraceEvent.Source? = event.source
    if source == nil && event.kind == .note && event.label == "here" { seen.add(event.count) }
  }
  Trace.note("here", value: 42)
  Trace.setObserver(nil)
  expect(seen.value == 42, "an observer is told")

  let recorder: TraceRecorder = TraceRecorder(eventsPerThread: 128)
  let format: TraceRecorder.Format = .jsonLines
  let number = try recorder.record {
    Trace.note("there")
    return 42
  }
  let statistics: TraceRecorder.Statistics = recorder.statistics
  expect(number == 42 && statistics.events > 0 && statistics.dropped == 0, "\(statistics)")
  try recorder.write(to: sink(), format: format)
  try recorder.start()
  recorder.stop()
  Trace.finish()

  let subject: TraceSubject = TraceSubject(label: "subject")
  subject.report(.signal)
  try Trace.writeSnapshot(to: sink())
}
