// The files of the page: their folder, their modules as one script, and the timeline's tests.

import TestSupport
import Testing

@testable import Demos

@Suite("the files of the page")
struct PageTests {
  private func node(_ script: String) async throws -> Outcome {
    let directory = try TemporaryDirectory()
    try directory.write(script, to: "script.cjs")
    var command = Command("node", "script.cjs")
    command.directory = directory.path
    return try await command.run()
  }

  @Test("the first place that has the files is taken; without one the error names all")
  func places() throws {
    let directory = try TemporaryDirectory()
    let (first, second) = (directory.text + "/first", directory.text + "/second")
    let error = #expect(throws: PageError.self) { try PageFolder.find(in: [first, second]) }
    #expect(error?.description == "the files of the page are in none of \(first), \(second)")
    for name in ["second", "first"] {
      try directory.makeDirectory(name)
      try directory.write("", to: name + "/report.html")
      #expect(try PageFolder.find(in: [first, second]).path == directory.text + "/" + name)
    }
  }

  @Test("the modules of each view become one script", .enabled(if: isInstalled("node")))
  func modules() async throws {
    let folder = try PageFolder.find()
    var names = ["generic"]
    for demo in Demo.all where folder.has("views/\(demo.name).js") { names.append(demo.name) }
    #expect(names.count > 4)
    for name in names {
      var script = PageScript(folder)
      try script.add("code/exported.js")
      try script.add("views/\(name).js")
      let isView = """
        const view = modules["views/\(name).js"].default;
        for (const part of ["build", "initial", "apply", "render"]) {
          if (typeof view[part] !== "function") throw new Error(part);
        }
        if (typeof modules["code/exported.js"].show !== "function") throw new Error("show");
        """
      let outcome = try await node(script.text + isView)
      #expect(outcome.status == 0, "\(name): \(outcome.errorText)")
    }
  }

  @Test(
    "the page computes the rows and the times of a loop as the simulation does",
    .enabled(if: isInstalled("node")), arguments: [LoopBody.Kind.mandelbrot, .even])
  func loops(kind: LoopBody.Kind) async throws {
    var script = PageScript(try PageFolder.find())
    try script.add("views/loops.js")
    let body = LoopBody(kind, rows: 200, size: 20)
    let strides = [1, 7, 50, 100, 200]
    let times = LoopMeasurement.simulate(
      [.plain] + strides.map { .apply(stride: $0) }, body, cores: 2, isSerial: false)
    let test = """
      const { costs, pointsOf, timeOf } = modules["views/loops/model.js"];
      const assert = require("node:assert");
      const rows = Array.from({ length: 200 }, (_, row) => pointsOf("\(kind.rawValue)", row, 200, 20)
        .reduce((sum, count) => sum + count, 0));
      assert.deepEqual(rows, \(body.iterations));
      const works = rows.map(row => row * costs.iteration);
      [0, ...\(strides)].forEach((stride, index) => {
        const [own, { time, idle }] = [timeOf(works, stride, 2), \(
          "[\(times.map { "{ time: \($0.time), idle: \($0.idle) }" }.joined(separator: ", "))]")[index]];
        assert.ok(Math.abs(own.time - time) < 400, `stride ${stride}: ${own.time}, simulated ${time}`);
        assert.ok(Math.abs(own.idle - idle) < 400, `stride ${stride}: idle ${own.idle}, simulated ${idle}`);
      });
      """
    let outcome = try await node(script.text + test)
    #expect(outcome.status == 0, "\(outcome.errorText)")
  }

  @Test("the timeline's rows and statistics", .enabled(if: isInstalled("node")))
  func timeline() async throws {
    var script = PageScript(try PageFolder.find())
    for name in ["timeline/timeline", "listings", "stream"] {
      try script.add("code/\(name).js")
    }
    var random = TestSupport.SeededGenerator(for: "rows of the timeline")
    func json(_ events: [TraceLog.Event]) -> String {
      TraceLog.json(TraceLog(events: events).events)
    }
    let any = (0..<1000).map { _ in json(randomEvents(&random)) }
    let life = [
      event(0, .submit, 1, "jobs", 1), event(1, .start, 2, "jobs", 1),
      event(2, .wait, 2, "gate", 9), event(5, .acquired, 2, "gate", 9),
      event(7, .signal, 2, "gate"), event(8, .end, 2, "jobs", 1),
    ]
    let code = [
      event(0, .submit, 1, "pool", 1), event(1, .start, 2, "pool", 1),
      event(1, .submit, 1, "pool", 2), event(2, .signal, 2, "gate"), event(3, .end, 2, "pool", 1),
      event(3, .leave, 2, "group"), event(4, .start, 3, "main", 9), event(4, .wait, 3, "gate", 1),
    ]
    let data = """
      const life = \(json(life));
      const code = \(json(code));
      const any = [\(any.joined(separator: ","))];

      """
    let file = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    let tests = try PageFolder(path: file + "/Page").text("timeline.js")
    let outcome = try await node(script.text + data + tests)
    #expect(outcome.status == 0, "seed \(testSeed): \(outcome.outputText)\(outcome.errorText)")
  }
}
