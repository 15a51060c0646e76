// The recorder of weir/trace.h: the events that it keeps, the formats that it writes, and its stop
// and release while other threads record. Recording affects the whole process, so each test has a
// process of its own.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct RecorderTests {
    @Test func jsonLinesAreAsDocumented() async {
      await #expect(processExitsWith: .success) {
        let recorder = Recorder.ofTheStory()
        let text = recorder.text(WEIR_TRACE_JSON_LINES)
        #expect(difference(text.split(separator: "\n"), storyAsLines.split(separator: "\n")) == nil)
        #expect(text == recorder.text(WEIR_TRACE_JSON_LINES))
      }
    }

    @Test func traceEventsAreAsDocumented() async {
      await #expect(processExitsWith: .success) {
        let text = Recorder.ofTheStory().text(WEIR_TRACE_EVENT_JSON)
        #expect(
          difference(text.split(separator: "\n"), storyAsEvents.split(separator: "\n")) == nil)
      }
    }

    /// A strict reader gets any bytes of a label, or U+FFFD.
    @Test func stringsAreEscaped() async {
      await #expect(processExitsWith: .success) {
        let labels: [[UInt8]] = [
          Array("plain".utf8), [], Array(1...0x40), Array(0x41...0x7F),
          Array("é€😀\u{7F}\u{2028}".utf8),
          [0x80], [0xC3], [0xC3, 0x28], [0xC0, 0xAF], [0xE2, 0x82], [0xE0, 0x80, 0x80],
          [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xFF, 0xFE, 0x41],
          [0xF8, 0x88, 0x80, 0x80, 0x80], [UInt8](repeating: 0x78, count: 79),
        ]
        var random = Random("stringsAreEscaped")
        let others = (0..<200).map { _ in
          random.bytes(random.below(12)).map { $0 == 0 ? UInt8(1) : $0 }
        }
        let recorder = Recorder()
        #expect(recorder.start() == 0)
        for label in labels + others { note(label) }
        recorder.stop()
        /* A longer label is cut after a character. */
        let cut = Recorder(), long = Array(String(repeating: "é", count: 200).utf8)
        #expect(cut.start() == 0)
        note(long)
        cut.stop()
        #expect(cut.lines.map { $0["q"]?.string } == [replacing(Array(long.prefix(78)))])
        for (line, label) in zip(recorder.lines, labels + others) {
          #expect(line["q"]?.string == replacing(label))
        }
        #expect(recorder.lines.count == labels.count + others.count)
        let marks = recorder.events.filter { $0["ph"]?.string == "i" }
        #expect(marks.map { $0["name"]?.string } == (labels + others).map(replacing))
      }
    }

    /// An event of the program's own keeps its time, or gets the present one.
    @Test func anEmittedEventKeepsItsTime() async {
      await #expect(processExitsWith: .success) {
        let serial = weir_trace_serial()
        #expect(serial != weir_trace_serial())
        let recorder = Recorder()
        emit(WEIR_TRACE_NOTE, serial, 1)
        #expect(recorder.start() == 0)
        for time in [1000, 3500, 2000] { emit(WEIR_TRACE_SIGNAL, serial, UInt64(time)) }
        recorder.stop()
        #expect(recorder.lines.map { $0["t"]?.integer } == [0, 1000, 2500])
        #expect(recorder.start() == 0)
        weir_trace_note("before", 0, 0)
        emit(WEIR_TRACE_SIGNAL, serial, 0)
        weir_trace_note("after", 0, 0)
        recorder.stop()
        #expect(recorder.lines.map { $0["q"]?.string } == ["before", "own", "after"])
      }
    }

    /// The oldest events are dropped and counted.
    @Test(arguments: [1, 2, 63, 64, 65, 1000, 5000])
    func theOldestAreDropped(capacity: Int) async {
      await #expect(processExitsWith: .success) { [capacity] in
        for written in [capacity - 1, capacity, capacity + 1, 2 * capacity, 3 * capacity + 7] {
          let recorder = Recorder(capacity)
          #expect(recorder.start() == 0)
          for number in 0..<written { weir_trace_note("label \(number)", UInt64(number), 0) }
          recorder.stop()
          let kept = min(written, capacity), stats = recorder.stats
          #expect(stats.events == kept && Int(stats.dropped) == written - kept)
          #expect(stats.threads == (written == 0 ? 0 : 1))
          let labels = recorder.lines.map { $0["q"]?.string }
          #expect(labels == (written - kept..<written).map { "label \($0)" })
        }
      }
    }

    @Test func threadsThatEndLeaveTheirEvents() async {
      await #expect(processExitsWith: .success) {
        let recorder = Recorder()
        #expect(recorder.start() == 0)
        weir_trace_note("main", 0, 0)
        for number in 1...50 { inAThread { weir_trace_note("of \(number)", 0, 0) } }
        recorder.stop()
        #expect(recorder.stats.threads == 51 && recorder.stats.events == 51)
        #expect(recorder.lines.map { $0["thr"]?.integer } == (1...51).map { $0 })
        let names = recorder.events.filter { $0["name"]?.string == "thread_name" }
        #expect(names.map { $0["tid"]?.integer } == (1...51).map { $0 })
      }
    }

    @Test func onlyOneRecords() async {
      await #expect(processExitsWith: .success) {
        let first = Recorder(), second = Recorder()
        #expect(second.start() == 0)
        weir_trace_note("kept", 0, 0)
        second.stop()
        #expect(first.start() == 0 && first.start() == EBUSY && second.start() == EBUSY)
        #expect(second.lines.count == 1)
        #expect(first.write(WEIR_TRACE_JSON_LINES, to: 1) == EBUSY)
        first.stop()
        first.stop()
        #expect(second.start() == 0)
        second.stop()
        #expect(second.lines.isEmpty)
        #expect(first.start() == 0)
      }
    }

    /// Both get the events, in whatever order they come and go.
    @Test func anObserverAndARecorderAreIndependent() async {
      await #expect(processExitsWith: .success) {
        let seen = Meter(), recorder = Recorder()
        let observer = observer(counting: seen)
        for isFirst in [true, false] {
          let before = seen.ever
          if isFirst { #expect(weir_trace_set_observer(observer) == nil) }
          #expect(recorder.start() == 0)
          if !isFirst { #expect(weir_trace_set_observer(observer) == nil) }
          weir_trace_note("both", 0, 0)
          if isFirst { recorder.stop() }
          #expect(weir_trace_set_observer(nil) == observer)
          weir_trace_note("one or none", 0, 0)
          recorder.stop()
          #expect(recorder.lines.count == (isFirst ? 1 : 2) && seen.ever == before + 1)
        }
        /* What was there before can be put back, also when the recorder is gone. */
        let raw: weir_trace_recorder_t = weir_trace_recorder_create(0)!
        #expect(weir_trace_recorder_start(raw) == 0)
        let former = weir_trace_set_observer(observer)
        weir_trace_recorder_release(raw)
        #expect(former == nil && weir_trace_set_observer(former) == observer)
        weir_trace_note("nobody", 0, 0)
        #expect(seen.ever == 2)
      }
    }

    /// A slow output delays only a start.
    @Test func whileItIsWritten() async {
      await #expect(processExitsWith: .success) {
        let recorder = Recorder(), ended = Latch(1)
        #expect(recorder.start() == 0)
        for _ in 0..<5000 { weir_trace_note("mark", 0, 0) }
        recorder.stop()
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        let (reading, writing) = (ends[0], ends[1])
        startThread {
          #expect(recorder.write(WEIR_TRACE_JSON_LINES, to: writing) == 0)
          close(writing)
          ended.arrive()
        }
        var first: UInt8 = 0
        #expect(read(reading, &first, 1) == 1)  // the pipe holds less than there is
        let asked = Crew(1) { _ in
          #expect(recorder.stats.events == 5000 && recorder.start() == EBUSY)
          recorder.stop()
          #expect(recorder.lines.count == 5000)
        }
        #expect(asked.wait() && !ended.isOpen)
        var piece = [UInt8](repeating: 0, count: 65536)
        while read(reading, &piece, piece.count) > 0 {}
        #expect(ended.wait() && recorder.start() == 0)
      }
    }

    @Test func aFailedWriteReturnsItsError() async {
      await #expect(processExitsWith: .success) {
        signal(SIGPIPE, SIG_IGN)
        let recorder = Recorder()
        #expect(recorder.start() == 0)
        for _ in 0..<5000 { weir_trace_note("mark", 0, 0) }
        recorder.stop()
        let full = open("/dev/full", O_WRONLY), unwritable = open("/dev/null", O_RDONLY)
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        close(ends[0])
        for format in [WEIR_TRACE_JSON_LINES, WEIR_TRACE_EVENT_JSON] {
          #expect(recorder.write(format, to: full) == ENOSPC)
          #expect(recorder.write(format, to: ends[1]) == EPIPE)
          #expect(recorder.write(format, to: unwritable) == EBADF)
          #expect(recorder.write(format, to: -1) == EBADF)
        }
        #expect(recorder.write(weir_trace_format_t(3), to: 1) == EINVAL)
        #expect(recorder.write(weir_trace_format_t(0), to: -1) == EINVAL)
        #expect(recorder.lines.count == 5000)
      }
    }

    /// As a Swift task may: on another thread, or after a job that began earlier. Such a job is no
    /// slice of its thread, but its row ends.
    @Test func aJobThatEndsElsewhereEndsItsRow() async {
      await #expect(processExitsWith: .success) {
        let recorder = Recorder()
        #expect(recorder.start() == 0)
        tell(Telling(1, WEIR_TRACE_START, 1, "tasks", 1, 1))
        tell(Telling(2, WEIR_TRACE_START, 1, "tasks", 2, 1))
        tell(Telling(3, WEIR_TRACE_END, 1, "tasks", 1, 1))
        tell(Telling(4, WEIR_TRACE_END, 1, "tasks", 2, 1))
        tell(Telling(5, WEIR_TRACE_START, 1, "tasks", 3, 1))
        inAThread { tell(Telling(6, WEIR_TRACE_END, 1, "tasks", 3, 1)) }
        recorder.stop()
        expectEventsHold(recorder.events)
        let slices = recorder.events.filter { $0["cat"]?.string == "job" }
        #expect(slices.map { $0["name"]?.string } == ["tasks 1"])
        let ends = recorder.events.filter { $0["ph"]?.string == "e" }
        #expect(
          ends.map { $0["name"]?.string }
            == ["running", "tasks 1", "running", "tasks 2", "running", "tasks 3"])
      }
    }

    /// Lanes, gates and groups at work, and the properties of their events. With buffers that wrap
    /// round, counterparts are missing.
    @Test(arguments: [(1, 0), (3, 0), (2, 3), (2, 17), (2, 100)])
    func aRealRecordingIsConsistent(width: Int, capacity: Int) async {
      await #expect(processExitsWith: .success) {
        [width = width as Int, capacity = capacity as Int] in
        let recorder = Recorder(capacity)
        #expect(recorder.start() == 0)
        work(width: UInt(width))
        recorder.stop()
        let lines = recorder.lines
        #expect((recorder.stats.dropped > 0) == (capacity > 0))
        #expect(lines.count == Int(recorder.stats.events))
        expectEventsHold(recorder.events)
        if capacity > 0 { return }
        expectLinesHold(lines)
        for (kind, count) in [("submit", 200), ("start", 200), ("end", 200)] {
          #expect(lines.count { $0["ev"]?.string == kind } == count)
        }
        let flows = recorder.events.count { $0["flow_in"] != nil }
        #expect(flows >= 200)
      }
    }

    /// The first half of a busy thread's events is lost, and a quiet thread has few: the counts are
    /// right from the time on from which all events are kept.
    @Test func countsAreRightIfABufferWrappedRound() async {
      await #expect(processExitsWith: .success) {
        let recorder = Recorder(20)
        #expect(recorder.start() == 0)
        inAThread {
          for job in 1...18 {
            tell(Telling(UInt64(job), WEIR_TRACE_SUBMIT, 1, "lanes", UInt64(job), 1))
          }
          tell(Telling(900, WEIR_TRACE_SUBMIT, 1, "lanes", 19, 1))
        }
        inAThread {
          for job in UInt64(1)...18 {
            for (late, kind) in [WEIR_TRACE_START, WEIR_TRACE_END].enumerated() {
              tell(Telling(job * 10 + 100 + UInt64(late), kind, 1, "lanes", job, 1))
            }
          }
          for gives in 0..<2 {
            tell(Telling(300 + UInt64(gives), WEIR_TRACE_SIGNAL, 2, "gate", 0, 1))
          }
          tell(Telling(910, WEIR_TRACE_START, 1, "lanes", 19, 1))
          tell(Telling(920, WEIR_TRACE_END, 1, "lanes", 19, 1))
          tell(Telling(930, WEIR_TRACE_ACQUIRED, 2, "gate", 0, 1))
        }
        recorder.stop()
        let lines = recorder.lines
        #expect(recorder.stats.dropped == 21)
        let queued = lines.compactMap { $0["jobs"]?["queued"]?.integer }
        let running = lines.compactMap { $0["jobs"]?["running"]?.integer }
        #expect(queued.allSatisfy { 0...9 ~= $0 } && running.allSatisfy { 0...1 ~= $0 })
        #expect(queued.suffix(4) == [0, 1, 0, 0] && running.suffix(4) == [0, 0, 1, 0])
        #expect(lines.compactMap { $0["sem"]?["free"]?.integer } == [1, 2, 1])
      }
    }

    /// Objects made at the address of a freed one are different objects with different numbers,
    /// even very many with as many labels.
    @Test func everyObjectHasANumberOfItsOwn() async {
      await #expect(processExitsWith: .success) {
        let recorder = Recorder()
        #expect(recorder.start() == 0)
        for number in 0..<500 {
          let gate = Gate(number < 250 ? 10 : 1, number % 2 == 0 ? "even" : "odd")
          #expect(gate.attempt(number < 250 ? 10 : 1) == 0)
          gate.signal(number < 250 ? 10 : 1)
          gate.release()
        }
        recorder.stop()
        let lines = recorder.lines
        #expect(Set(lines.map { $0["obj"]?.integer }).count == 500)
        for line in lines {
          let isSignal = line["ev"]?.string == "signal"
          #expect(line["sem"]?["free"]?.integer == (isSignal ? line["v"]?.integer : 0), "\(line)")
        }
        let names = Set(
          recorder.events.compactMap { $0["ph"]?.string == "C" ? $0["name"]?.string : nil })
        let numbered: [String] = (2...250).flatMap { (number: Int) -> [String] in
          ["even #\(number)", "odd #\(number)"]
        }
        #expect(names == Set(["even", "odd"] + numbered))
      }
    }

    /// The result does not depend on the order in which threads report.
    @Test func theOutstandingCountChangesByOne() async {
      await #expect(processExitsWith: .success) {
        let recorder = Recorder()
        #expect(recorder.start() == 0)
        let counts: [(weir_trace_kind_t, Int)] = [
          (WEIR_TRACE_ENTER, 5), (WEIR_TRACE_ENTER, 4), (WEIR_TRACE_LEAVE, 3),
          (WEIR_TRACE_LEAVE, 4),
          (WEIR_TRACE_ENTER, 4),
        ]
        for (time, event) in counts.enumerated() {
          tell(Telling(UInt64(time + 1), event.0, 1, "group", 0, event.1))
        }
        recorder.stop()
        let counters = recorder.events.filter { $0["ph"]?.string == "C" }
        #expect(counters.map { $0["args"]?["outstanding"]?.integer } == [4, 5, 4, 3, 4])
      }
    }

    /// Starting, stopping, reading and freeing while other threads record.
    @Test func startAndStopDuringRecording() async {
      await #expect(processExitsWith: .success) {
        let over = Locked(false)
        let crew = Crew(3) { number in
          var count = 0
          while !over.now {
            weir_trace_note("note \(number) \(count % 50)", UInt64(count), 0)
            count += 1
          }
        }
        let nowhere = open("/dev/null", O_WRONLY)
        for round in 0..<20 {
          let recorder = Recorder(round % 3 == 0 ? 100 : 2000)
          for _ in 0..<3 {
            #expect(recorder.start() == 0)
            _ = eventually { recorder.stats.events > 0 }
            recorder.stop()
            #expect(recorder.write(WEIR_TRACE_JSON_LINES, to: nowhere) == 0)
            #expect(recorder.write(WEIR_TRACE_EVENT_JSON, to: nowhere) == 0)
          }
          if round % 2 == 0 { #expect(recorder.start() == 0) /* stopped by its release */ }
        }
        over.with { $0 = true }
        #expect(crew.wait())
      }
    }
  }
}

/// Some of everything: jobs on lanes of that width with a backlog, permits that threads and
/// requests wait for, and a group.
private func work(width: UInt) {
  let lanes = LaneSet(width: width, backlog: 8, label: "lanes")!
  let gate = Gate(2, "gate")
  let group = Passed<weir_group_t>(weir_group_create("group")!)
  let crew = Crew(3) { number in
    for _ in 0..<30 where gate.wait(number == 0 ? 2 : 1) == 0 { gate.signal(number == 0 ? 2 : 1) }
    _ = gate.wait(1, atOnce) == 0 ? gate.signal(1) : 0
  }
  for number in 0..<200 {
    weir_group_enter(group.it)
    lanes.async {
      if number % 10 == 0, gate.wait(1) == 0 { gate.signal(1) }
      weir_trace_note("in a job", UInt64(number), 0)
      weir_group_leave(group.it)
    }
  }
  for _ in 0..<20 {
    weir_group_enter(group.it)
    _ = weir_gate_async(gate.raw, 1, globalQueue()) { weir_group_leave(group.it) }
  }
  #expect(weir_group_wait(group.it, forever) == 0 && crew.wait())
  #expect(lanes.wait() == 0)
  lanes.release()
  #expect(eventually { gate.stats.in_use == 0 })
  gate.release()
  weir_group_release(group.it)
}

private func note(_ label: [UInt8]) {
  (label.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer {
    weir_trace_note($0.baseAddress!, 0, 0)
  }
}

/// The expected form of a label: each byte that is not UTF-8 as U+FFFD. (Swift would write one for
/// several bytes.)
private func replacing(_ label: [UInt8]) -> String {
  var text = "", place = 0
  while place < label.count {
    let character = (1...4).lazy.compactMap { count -> (String, Int)? in
      guard place + count <= label.count,
        let one = String(validating: label[place..<place + count], as: UTF8.self),
        one.unicodeScalars.count == 1
      else { return nil }
      return (one, count)
    }.first
    text += character?.0 ?? "\u{FFFD}"
    place += character?.1 ?? 1
  }
  return text
}

/// Reports an event of an object of the program's own.
private func emit(_ kind: weir_trace_kind_t, _ serial: UInt64, _ nanoseconds: UInt64) {
  "own".withCString { label in
    var event = weir_trace_event_t(
      kind: kind, object: nil, label: label, job: 0, lane: 0, count: 1, nanoseconds: nanoseconds,
      serial: serial, caller: nil)
    weir_trace_emit(&event)
  }
}

/// An observer that counts its events; it is never freed.
private func observer(counting meter: Meter) -> UnsafePointer<weir_trace_observer_t> {
  let made = UnsafeMutablePointer<weir_trace_observer_t>.allocate(capacity: 1)
  made.initialize(
    to: weir_trace_observer_t(
      context: Unmanaged.passRetained(meter).toOpaque(),
      observe: { context, _ in Unmanaged<Meter>.fromOpaque(context!).takeUnretainedValue().enter()
      },
      reserved: (0, 0, 0, 0)))
  observers.with { $0.append(UInt(bitPattern: made)) }
  return UnsafePointer(made)
}

/// Keeps them reachable for the leak detector.
private let observers = Locked<[UInt]>([])
