// The states of a run: one truth for lines, findings and pages, and an oracle that reads the log
// alone.
//
// A sample of the runs by default; WEIR_TEST_SIMULATION=all for every value of every knob and 200
// random programs.

import Synchronization
import TestSupport
import Testing
import Glibc

@testable import Demos

@Suite(.timeLimit(.minutes(10)))
struct StateTests {
  private func states(_ log: TraceLog, _ row: String) -> [String] {
    log.events.enumerated().flatMap { place, event in
      event.changes.filter { $0.row == row }.map { "\(place)\($0.state.rawValue)" }
    }
  }

  @Test("a thread that waits runs none of its jobs; its next event ends the wait")
  func waits() {
    let log = TraceLog(events: [
      event(0, .start, 1, "a", 1), event(1, .submit, 1, "b", 1), event(2, .wait, 1, "b", 1),
      event(3, .acquired, 1, "b", 1), event(4, .start, 1, "b", 1), event(5, .note, 1, "group wait"),
      event(6, .note, 1, "group is empty"), event(7, .end, 1, "b", 1),
    ])
    #expect(states(log, "ja 1") == ["0R", "2W", "3R", "5W", "6R"])
    #expect(states(log, "jb 1") == ["1Q", "4R", "5W", "6R", "7D"])
    #expect(states(log, "t1") == ["0R", "2W", "3R", "4R", "5W", "6R", "7R"])
    #expect(log.events.map(\.counts.waiting) == [0, 0, 1, 0, 0, 2, 0, 0])
  }

  @Test("waiting children are not drawn running, and blocked ones are queued for a thread")
  func children() async {
    await #expect(processExitsWith: .success) {
      for (form, peak, running) in [("map", 3, 1), ("group", 5, 1), ("blocking", 2, 2)] {
        let log = try simulated("gallery", ["form": form]).log
        #expect(log.peakInProgress == peak, "\(form)")
        let rows = log.events.flatMap(\.rows).filter { $0.id.hasPrefix("j") }
        #expect(Set(rows.map(\.id)).count == 5 && Set(rows.map(\.group)).contains("picture"))
        // In the middle of the moments, when nothing happens, only blocked children run.
        for (event, next) in zip(log.events, log.events.dropFirst())
        where next.time - event.time > log.moment {
          #expect(event.counts.running <= (form == "blocking" ? running : 0), "\(form)")
        }
      }
      let blocked = try simulated("gallery", ["form": "blocking"]).log
      let third = blocked.events.flatMap(\.changes).filter { $0.row == "jpicture 3" }
      #expect(third.map(\.state) == [.queued, .running, .done])
      let begin = blocked.events.first { $0.kind == .start && $0.task == 3 }?.time ?? 0
      #expect(begin > 100_000_000, "it was queued for a thread")
    }
  }

  @Test("the numbers of the lines are those of the verdict: images, steps 5 and 6")
  func images() async {
    await #expect(processExitsWith: .success) {
      for step in ["5", "6"] {
        let log = try simulated("images", ["step": step]).log
        #expect(log.peakInProgress == 3 && log.peak(from: "request", to: "response") == 3)
        let lines = log.events.compactMap { LogLines().line($0) }
        let running = lines.compactMap { Int($0.split(separator: " ")[2]) }
        #expect(running.max() == 3, "step \(step): \(lines)")
      }
    }
  }

  @Test("the caller of a loop waits for the last block of another thread, and does not run")
  func loop() async {
    await #expect(processExitsWith: .success) {
      let log = try simulated("loops", ["stride": "1024"]).log
      let main = log.events.flatMap { event in
        event.changes.filter { $0.row == "main" }.map { (time: event.time, state: $0.state) }
      }
      let waits = main.indices.filter { main[$0].state == .waiting }
      #expect(waits.count == 1)
      // The lower half of the picture has four fifths of 0.8 ms.
      #expect(waits.allSatisfy { main[$0 + 1].time - main[$0].time > 400_000 })
    }
  }

  private static let isWhole = getenv("WEIR_TEST_SIMULATION") != nil

  /// Every demo with values of its knobs, and random programs.
  @Test("the states are at each moment those that the log alone tells, in the rows of a page too")
  func oracle() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.text + "/states.js"
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) { [file = file as String] in
      try await onThread {
        var differences = StateDifferences()
        for demo in Demo.all {
          for (place, values) in valuesOfKnobs(demo).enumerated()
          where demo.complaint(values) == nil && (Self.isWhole || place % 10 == 0) {
            let run = DemoRun.perform(demo, values, on: SimulatedMachine(), watchdog: 100)
            let page = !Self.isWhole || differences.logs % 6 == 0
            try differences.compare(run.log, "\(demo.name) \(words(demo, values))", inPage: page)
            if let peak = differences.peakQuestion(demo, values, run) {
              #expect(run.log.peakInProgress == peak, "\(demo.name) \(words(demo, values))")
            }
          }
        }
        var random = TestSupport.SeededGenerator(for: "states")
        for number in 0..<(Self.isWhole ? 200 : 20) {
          let program = RandomProgram(&random, cores: 2)
          let log = recorded(program, on: SimulatedMachine())
          #expect(log.events.count > 4 * program.blockCount, "its blocks are in the log")
          try differences.compare(log, "program \(number), seed \(testSeed)", inPage: number < 20)
        }
        print(differences.summary)
        try differences.write(to: file)
      }
    }
    if let output = result?.standardOutputContent {
      print(String(decoding: output, as: UTF8.self))
    }
    guard isInstalled("node") else { return }
    var script = PageScript(try PageFolder.find())
    try script.add("code/timeline/rows.js")
    try directory.write(
      script.text + """
        const { Rows, partAt } = modules["code/timeline/rows.js"];
        const letters = { queued: "Q", running: "R", waiting: "W", suspended: "S" };
        for (const { name, events, states } of JSON.parse(require("fs").readFileSync("states.js"))) {
          const rows = new Rows();
          const expected = new Map();
          events.forEach((event, index) => {
            rows.apply({ kind: "event", ...event });
            for (const [row, state] of Object.entries(states[index])) expected.set(row, state);
            for (const [id, state] of expected) {
              const row = rows.byId.get(id);
              const part = row && partAt(row, index);
              const shown = part ? letters[part.kind] : id.startsWith("j") ? "D" : "I";
              if (!row || shown !== state) throw new Error(`${name}, ${index}: ${id} ${shown} ${state}`);
            }
          });
        }
        """, to: "script.cjs")
    var command = Command("node", "script.cjs")
    command.directory = directory.path
    let outcome = try await command.run()
    #expect(outcome.status == 0, "\(outcome.errorText.prefix(1000))")
  }
}

/// The values of the knobs in words.
private func words(_ demo: Demo, _ values: KnobValues) -> String {
  demo.knobs.map { "\($0.name)=\(values[$0.name])" }.joined(separator: " ")
}

func simulated(_ name: String, _ given: [String: String]) throws -> DemoRun {
  let demo = try #require(Demo.named(name))
  return DemoRun.perform(
    demo, KnobValues(demo.knobs, given: given), on: SimulatedMachine(), watchdog: 100)
}

private struct StateDifferences {
  var logs = 0
  private var events = 0
  private var states = 0
  private var pages: [String] = []

  var summary: String { "\(logs) logs, \(events) events, \(states) states compared" }

  mutating func compare(_ log: TraceLog, _ name: String, inPage: Bool) throws {
    // The oracle takes the square of the time that the reducer takes.
    let log = TraceLog(events: Array(log.events.prefix(600)))
    let oracle = StateOracle(log)
    logs += 1
    events += log.events.count
    for (place, event) in log.events.enumerated() {
      var changes: [String: String] = [:]
      for change in event.changes where change.state != .holding && change.state != .released {
        changes[change.row] = change.state.rawValue
      }
      shown.merge(changes) { $1 }
      expected.merge(oracle.changes[place]) { $1 }
      states += expected.count
      #expect(shown == expected, "\(name), event \(place): \(event)")
      let counts = [event.counts.running, event.counts.waiting, event.counts.suspended]
      #expect(counts == oracle.counts[place], "\(name), event \(place)")
      if shown != expected || counts != oracle.counts[place] { break }
    }
    (shown, expected) = ([:], [:])
    if inPage {
      var text = "{\"name\":"
      JSONText.write(name, to: &text)
      let states = oracle.changes.map { changes in
        "{" + changes.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
      }.joined(separator: ",")
      pages.append("\(text),\"events\":\(TraceLog.json(log.events)),\"states\":[\(states)]}")
    }
  }

  private var shown: [String: String] = [:]
  private var expected: [String: String] = [:]

  /// The answer to the question how many run at once; nil if the demo asks none.
  func peakQuestion(_ demo: Demo, _ values: KnobValues, _ run: DemoRun) -> Int? {
    guard let place = demo.questions.firstIndex(where: { $0.name == "peak" }) else { return nil }
    return demo.findings(values, run).answers[place].map { Int($0) }
  }

  func write(to path: String) throws {
    let file = try #require(fopen(path, "w"))
    fputs("[\(pages.joined(separator: ",\n"))]", file)
    fclose(file)
  }
}
