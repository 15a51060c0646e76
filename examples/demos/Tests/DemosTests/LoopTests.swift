// The loops: every row is drawn, the parts of a time are the time, and a simulated curve has two ends.

import TestSupport
import Testing

@testable import Demos

@Suite(.timeLimit(.minutes(10)), .serialized)
struct LoopTests {
  private static let cores = 2
  private static let strides = [1, 4, 16, 64, 256, 1024, 2048]

  private func simulated(_ kind: LoopBody.Kind) -> (body: LoopBody, times: [LoopTime]) {
    let body = LoopBody.calibrated(
      kind, rows: 2048, nanoseconds: 400, on: SimulatedMachine(cores: Self.cores))
    let forms = [LoopForm.plain] + Self.strides.map { .apply(stride: $0) }
    return (
      body, LoopMeasurement.simulate(forms, body, cores: Self.cores, isSerial: false)
    )
  }

  @Test("a simulated curve has both ends: handing out on the left, a core that waits on the right")
  func ends() {
    for kind in [LoopBody.Kind.mandelbrot, .even] {
      let (body, times) = simulated(kind)
      let work = Int((body.seconds(0..<body.rows) * 1e9).rounded())
      let (plain, strides) = (times[0], Array(times.dropFirst()))
      let best = strides.map(\.time).min() ?? 0
      #expect(abs(plain.time - work) < 10 && plain.idle > plain.time * 49 / 100)
      #expect(best >= work / 2 && strides[0].time > best + 50_000)
      #expect(strides[0].handing > strides[0].idle, "\(kind): a row a block")
      #expect(abs(strides[0].handing - 1024 * 120) < 3000)
      #expect(strides[6].time > work && strides[6].idle > strides[6].handing)
      // Half of the rows is half of the work only if all rows are alike.
      let isFair = strides[5].time < best * 11 / 10
      #expect(isFair == (kind == .even), "\(kind): \(strides.map(\.time))")
      for time in times {
        #expect(time.work + time.handing + time.idle == time.time)
        #expect(min(time.work, time.handing, time.idle) >= 0)
        // Each block loses less than a nanosecond of its time to rounding.
        #expect(abs(time.work - work / 2) <= 2048, "\(kind): \(time)")
      }
    }
  }

  @Test("each form draws each row once in a round, on real threads")
  func rows() async throws {
    try await onThread {
      let machine = RealMachine(speed: 1)
      for kind in [LoopBody.Kind.mandelbrot, .even] {
        let queue = machine.makeQueue(label: "loop", kind: .serial)
        for queue in [nil, queue] {
          let body = LoopBody(kind, rows: 100, size: 5)
          let loop = LoopMeasurement(body: body, machine: machine, queue: queue)
          let forms = [LoopForm.plain, .automatic] + [1, 7, 50, 100].map { .apply(stride: $0) }
          let (times, isDrawn) = loop.measure(forms, rounds: 3)
          #expect(isDrawn && times.map(\.form) == forms)
          #expect(times.allSatisfy { $0.work + $0.handing + $0.idle == $0.time && $0.time > 0 })
          // A row that is drawn once more, or not at all, is found.
          body.draw(3..<4)
          #expect(!body.isDrawn(times: 2 * 3 * forms.count))
        }
      }
    }
  }

  @Test("rows have the work that was asked for, and those of the picture differ")
  func calibration() {
    let machine = SimulatedMachine()
    for kind in [LoopBody.Kind.mandelbrot, .even] {
      for nanoseconds in [400, 5000] {
        let body = LoopBody.calibrated(kind, rows: 500, nanoseconds: nanoseconds, on: machine)
        let average = body.seconds(0..<500) * 1e9 / 500
        #expect(
          abs(average - Double(nanoseconds)) < 0.1 * Double(nanoseconds), "\(kind): \(average)")
        let upper = body.seconds(0..<250) / body.seconds(0..<500)
        #expect(kind == .even ? abs(upper - 0.5) < 0.01 : upper < 0.3, "\(kind): \(upper)")
      }
    }
  }

  @Test("the note of a time is read as it was written")
  func notes() throws {
    for form in [LoopForm.plain, .automatic, .apply(stride: 1), .apply(stride: 16_384)] {
      let time = LoopTime(form, time: 900_000_000_000, work: 500_000_000_000, idle: 30)
      let note = TraceLog.Event(
        time: 0, kind: .note, thread: 1, label: time.note.label,
        task: time.note.number == 0 ? nil : time.note.number, value: time.time)
      let read = try #require(LoopTime(note))
      #expect(read.form == form && read.time == time.time && read.work == time.work)
      #expect(read.idle == 30 && read.handing == time.handing)
      #expect(time.note.label.utf8.count < 80, "the recorder keeps so many bytes")
    }
    // A part that was measured in a longer round is no longer than the time.
    let long = LoopTime(.plain, time: 100, work: 150, idle: 50)
    #expect(long.work == 75 && long.idle == 25 && long.handing == 0)
  }
}
