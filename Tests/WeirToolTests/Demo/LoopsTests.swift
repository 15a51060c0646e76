// weir demo: the parts of its output that do not depend on the machine.

import CTestSupport
import struct Demos.Demo
import Foundation
import TestSupport
import Testing

@testable import WeirTool

@Suite(.serialized, .timeLimit(.minutes(5)))
struct LoopsTests {
  // MARK: The loop

  private static func randomPlan(_ random: inout SeededGenerator, most: Int) -> LoopsPlan {
    LoopsPlan(
      count: Int.random(in: 1...most, using: &random),
      stride: Int.random(in: 1...most, using: &random),
      work: Int.random(in: 0...300, using: &random), cores: Int.random(in: 1...9, using: &random))
  }

  @Test("every form runs every index once, in the number of blocks of its stride")
  func loops() {
    var random = SeededGenerator(for: "demo loops")
    for _ in 0..<20 {
      let plan = Self.randomPlan(&random, most: 900)
      let runner = LoopsRunner(plan, isTraced: true)
      var results: Set<UInt64> = []
      for form in plan.forms {
        let run = runner.best(form)
        results.insert(run.sum)
        #expect(run.blocks == plan.blocks(form) ?? run.blocks)
        #expect(run.blocks == run.trace.count)
        // The blocks in their order cover the loop.
        let ends = run.trace.map(\.range.upperBound)
        #expect(run.trace.map(\.range.lowerBound) == [0] + ends.dropLast())
        #expect(ends.last == plan.count)
        for share in run.shares {
          let own = run.trace.filter { $0.thread == share.thread }
          #expect(share.blocks == own.count)
          #expect(share.first == own.prefix(LoopsShare.listedBlocks).map(\.range))
          #expect(share.indices == own.reduce(0) { $0 + $1.range.count })
        }
        // The threads together ran all indices of a column.
        for column in 0..<plan.columns {
          let width = LoopsResult.width(of: column, of: plan.columns, count: plan.count)
          let sum = run.shares.reduce(0) { $0 + $1.halves[2 * column] + $1.halves[2 * column + 1] }
          #expect(sum == width)
        }
      }
      #expect(results.count == 1, "\(plan)")
    }
  }

  @Test("the forms are the plain loop, three strides and automatic strides, each once")
  func forms() {
    for (stride, expected) in [
      (4, [1, 4, 64]), (1, [1, 64]), (64, [1, 64]), (900, [1, 64, 900]),
    ] {
      let plan = LoopsPlan(count: 100, stride: stride, work: 0, cores: 2)
      #expect(plan.forms == [.plain] + expected.map { .stride($0) } + [.automatic])
    }
    let plan = LoopsPlan(count: 100, stride: 4, work: 0, cores: 2)
    #expect(
      [.stride(4), .stride(3), .stride(1), .stride(1000), .plain].map(plan.blocks) == [
        25, 34, 100, 1, 1,
      ])
  }

  // MARK: Text

  @Test("drawn output fits in 80 columns, and plain output is one sentence per line")
  func widths() {
    var random = SeededGenerator(for: "demo widths")
    for most in [10, 100, 5000, 1_000_000] {
      for _ in 0..<10 {
        let plan = Self.randomPlan(&random, most: most)
        let runs = plan.forms.map { form in Self.madeUp(form, plan, &random) }
        let summary = LoopsSummary(
          plan: plan, prediction: LoopsPrediction(blocks: 999_999, time: 123_456_789), results: runs
        )
        for isPlain in [false, true] {
          let text = LoopsText(plan: plan, isPlain: isPlain)
          var lines = text.beginning + text.legend
          for run in runs { lines += text.lines(run, against: runs[0]) }
          lines += text.lines(summary)
          for line in lines {
            #expect(isPlain || line.count <= 80, "\(line)")
            #expect(!isPlain || line.last == "." || line.contains(": weir demo"), "\(line)")
            #expect(line.utf8.allSatisfy { (0x20...0x7E).contains($0) })
          }
        }
      }
    }
  }

  /// A made-up result with up to 200 threads.
  private static func madeUp(
    _ form: LoopsForm, _ plan: LoopsPlan, _ random: inout SeededGenerator
  ) -> LoopsResult {
    let threads = form == .plain ? 1 : Int.random(in: 1...200, using: &random)
    var shares = (1...threads).map { LoopsShare(thread: $0, columns: plan.columns) }
    let stride = (plan.count - 1) / 400 + 1
    for begin in Swift.stride(from: 0, to: plan.count, by: stride) {
      let thread = Int.random(in: 0..<threads, using: &random)
      shares[thread].add(begin..<min(begin + stride, plan.count), of: plan.count)
    }
    return LoopsResult(
      form: form, nanoseconds: UInt64.random(in: 1...20_000_000_000, using: &random),
      processorNanoseconds: UInt64.random(in: 1...20_000_000_000, using: &random),
      blocks: plan.blocks(form) ?? 12_345, shares: shares, sum: 1)
  }

  @Test("a bar shows which half of a column a thread ran")
  func bars() {
    let plan = LoopsPlan(count: 100, stride: 4, work: 0, cores: 2)
    var shares = (1...2).map { LoopsShare(thread: $0, columns: plan.columns) }
    for index in 0..<100 {
      // Alternately up to index 59, then the second thread only.
      shares[index < 60 ? index % 2 : 1].add(index..<index + 1, of: 100)
    }
    let result = LoopsResult(
      form: .stride(1), nanoseconds: 1, processorNanoseconds: 1, blocks: 100, shares: shares, sum: 1
    )
    let lines = LoopsText(plan: plan, isPlain: false).lines(result, against: nil)
    func marks(_ mark: String, _ count: Int) -> String { String(repeating: mark, count: count) }
    #expect(lines[1].contains("|\(marks("<", 30))\(marks(".", 20))|"))
    #expect(lines[2].contains("|\(marks(">", 30))\(marks("#", 20))|"))
  }

  @Test("few rows show few threads, and few columns have short lines")
  func smallScreen() {
    var random = SeededGenerator(for: "demo small screen")
    var plan = LoopsPlan(count: 100, stride: 4, work: 0, cores: 2)
    plan.width = 60
    for form in plan.forms.dropFirst() {
      let lines = LoopsText(plan: plan, isPlain: false, rows: 20)
        .lines(Self.madeUp(form, plan, &random), against: nil)
      #expect(lines.count <= 4 && lines.allSatisfy { $0.count <= 60 || $0.contains(" blocks on ") })
    }
    #expect(LoopsText(plan: plan, isPlain: false).legend.allSatisfy { $0.count <= 60 })
  }

  @Test("a prediction is compared with the result")
  func predictions() {
    let plan = LoopsPlan(count: 100, stride: 3, work: 1000, cores: 2)
    let runs = plan.forms.map { form in
      LoopsResult(
        form: form, nanoseconds: form == .plain ? 100_000 : 50_000,
        processorNanoseconds: 100_000, blocks: plan.blocks(form) ?? 9,
        shares: [LoopsShare(thread: 1, columns: 1)], sum: 7)
    }
    for (said, blocks, time) in [
      ("34,0.05ms", "Right: 34 blocks, 100 indices by 3, rounded up.", "Right or close: "),
      ("33,60us", "Wrong: 34 blocks, not 33: 100 indices by 3", "Right or close: "),
      ("34,25us", "Right: 34 blocks", "Wrong: you said 25.0 us, and it took 50.0 us, 2.00 times"),
      ("34,1ms", "Right: 34 blocks", "Wrong: you said 1.00 ms, and it took 50.0 us, 0.05 times"),
      ("34,0", "Right: 34 blocks", "Wrong: you said 0 ns, and it took 50.0 us."),
    ] {
      let prediction = LoopsPrediction(said)
      let sentences = LoopsSummary(plan: plan, prediction: prediction, results: runs).sentences
      #expect(sentences[0].hasPrefix(blocks), "\(sentences)")
      #expect(sentences[1].hasPrefix(time), "\(sentences)")
    }
    let without = LoopsSummary(plan: plan, prediction: nil, results: runs)
    #expect(without.sentences[0] == "Stride 3 makes 34 blocks: 100 indices by 3, rounded up.")
    #expect(without.hasEqualSums)
    var other = runs
    other[1] = LoopsResult(
      form: .stride(1), nanoseconds: 1, processorNanoseconds: 1, blocks: 100, shares: [], sum: 8)
    let differing = LoopsSummary(plan: plan, prediction: nil, results: other)
    #expect(!differing.hasEqualSums && differing.sentences.contains("THE RESULTS DIFFER."))
  }

  /// Returns the sentences about results of these microseconds, in which each thread had
  /// this percentage of a core.
  private static func lessons(
    _ plan: LoopsPlan, _ microseconds: [UInt64], percent: UInt64 = 100
  ) -> String {
    let runs = zip(plan.forms, microseconds).map { form, time in
      let threads = form == .plain ? 1 : 2
      return LoopsResult(
        form: form, nanoseconds: time * 1000,
        processorNanoseconds: time * 10 * percent * UInt64(threads),
        blocks: plan.blocks(form) ?? 20,
        shares: (1...threads).map { LoopsShare(thread: $0, columns: 1) }, sum: 7)
    }
    return LoopsSummary(plan: plan, prediction: nil, results: runs).sentences.joined(
      separator: "\n")
  }

  @Test("each conclusion is drawn if the results show it, and only then")
  func lessons() {
    let even = LoopsPlan(count: 100, stride: 4, work: 100_000, cores: 2)
    let many = LoopsPlan(count: 1_000_000, stride: 4, work: 20, cores: 2)
    let short = LoopsPlan(count: 100, stride: 4, work: 100, cores: 2)
    let alone = LoopsPlan(count: 100, stride: 4, work: 100_000, cores: 1)
    let said = [
      Self.lessons(even, [10_000, 5100, 5000, 6500, 5200]),
      Self.lessons(many, [20_000, 60_000, 20_000, 11_000, 10_000]),
      Self.lessons(short, [10, 60, 30, 20, 20]),
      Self.lessons(alone, [10_000, 10_000, 10_000, 10_000, 10_000]),
      Self.lessons(even, [10_000, 12_000, 11_000, 11_500, 11_100], percent: 50),
    ]
    for (sentence, places) in [
      ("The plain loop is 10.0 ms of work, which 2 cores can do in 5.00 ms.", [0]),
      ("The fastest was stride 4: 5.00 ms, 2.00 times as fast as plain.", [0]),
      ("The fastest was automatic: 10.0 ms, 2.00 times as fast as plain.", [1]),
      (
        "A block of stride 64 has 64 of 100 indices, more than a core's share: the loop", [0, 2, 4]
      ),
      ("each has a cost: stride 1 took 6.00 times as long as automatic", [1]),
      ("Stride 1 hands out", [1]),
      ("to hand 10.0 us of work to other threads takes more time", [2]),
      ("This process may use one core", [3]),
      ("Other programs use the cores too", [4]), ("(plain loop: 1 thread had 0.5 cores)", [4]),
      ("Nothing was faster than the plain loop", [2, 4]),
      ("--count 1000000 --work 20", [0, 3, 4]), ("--count 100 --work 100000", [1, 2]),
    ] {
      #expect(said.indices.filter { said[$0].contains(sentence) } == places, "\(sentence)")
    }
  }

  @Test("durations are parsed and formatted")
  func times() {
    for (text, nanoseconds) in [
      ("5", 5e6), ("5ms", 5e6), ("5 ms", 5e6), ("0.005s", 5e6), ("800us", 8e5), ("40ns", 40),
      ("1.5 µs", 1500), ("0", 0),
    ] {
      #expect(LoopsDuration.nanoseconds(text) == nanoseconds, "\(text)")
    }
    for text in ["", "ms", "-5ms", "5 min", "inf", "nan", "0x5", "1e3", "5,0", ".", "99999999s"] {
      #expect(LoopsDuration.nanoseconds(text) == nil, "\(text)")
    }
    for (nanoseconds, text) in [
      (0.0, "0 ns"), (999, "999 ns"), (1000, "1.00 us"), (5_210_000, "5.21 ms"),
      (52_100_000, "52.1 ms"), (1.2e9, "1.20 s"), (640_000_000, "640 ms"),
    ] {
      #expect(LoopsDuration.text(nanoseconds) == text)
    }
    for text in ["25,5ms", "25,0.005 s"] {
      #expect(LoopsPrediction(text) == LoopsPrediction(blocks: 25, time: 5e6))
    }
    for text in ["", "25", "25,", ",5ms", "25,5ms,1", "-1,5ms", "x,5ms", "25,x", "+5,5ms"] {
      #expect(LoopsPrediction(text) == nil, "\(text)")
    }
  }

  // MARK: The tool

  @Test("without a name the demos are listed, and the help page names no others")
  func list() async throws {
    let directory = try TemporaryDirectory()
    let result = try await weir("demo", in: directory).run()
    result.expectSilence()
    let names = result.outputText.split(separator: "\n")
      .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .map { String($0.split(separator: " ")[0]) }
    #expect(names == Demo.all.map(\.name) + ["pitfalls", "schedule"])
    let help = try await weir("help", "demo", in: directory).run().outputText
    for name in help.matches(of: /weir demo ([a-z]+)/).map(\.1) {
      #expect(DemoCommand.names.contains(String(name)), "\(name)")
    }
  }

  @Test(
    "a usage error has a message",
    arguments: [
      (["nowhere"], "no demo is called nowhere"),
      (["lops"], "no demo is called lops (did you mean loops?)"),
      (["loops", "loops"], "unexpected operand loops"),
      (["--count", "5"], "options need the name of a demo; weir demo lists the demos"),
      (["loops", "--count", "0"], "--count takes a number from 1 to 1000000, not 0"),
      (["loops", "--stride=0"], "--stride takes a number from 1 to 1000000, not 0"),
      (["loops", "--stride", "four"], "--stride takes a number from 1 to 1000000, not four"),
      (["loops", "--work", "-1"], "--work takes a number from 0 to 1000000000, not -1"),
      (["loops", "--predict", "25"], "--predict takes BLOCKS,TIME such as 12,3.5ms, not 25"),
      (["loops", "--predict", ""], "--predict takes BLOCKS,TIME such as 12,3.5ms, not ''"),
      (
        ["loops", "--plain", "--format", "json"],
        "--plain cannot be combined with --format json, which draws nothing"
      ),
      (["loops", "--format", "mtree"], "--format takes text or json, not mtree"),
      (
        ["loops", "--count", "100001", "--trace", "t", "--work", "0"],
        "--trace has a line for each block and takes a --count of at most 100000, not 100001"
      ),
      (
        ["loops", "--count", "1000", "--work", "10000001"],
        "--count times --work may be at most 10000000000 ns (10 s), not 1000 times 10000001"
      ),
    ])
  func usage(arguments: [String], sentence: String) async throws {
    let directory = try TemporaryDirectory()
    let result = try await weir((["demo"] + arguments).map { Array($0.utf8) }, in: directory).run()
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(result.errorText == "weir: \(sentence); see weir demo --help\n")
  }

  @Test("through a pipe the demo asks no questions and writes sentences")
  func sentences() async throws {
    let directory = try TemporaryDirectory()
    for (count, stride, blocks) in [(100, 4, 25), (101, 4, 26), (3, 7, 1), (1, 1, 1)] {
      for more in [[], ["--plain"], ["--predict", "\(blocks),1s"]] {
        let words = [
          "demo", "loops", "--count", "\(count)", "--stride", "\(stride)", "--work", "0",
        ]
        var command = weir((words + more).map { Array($0.utf8) }, in: directory)
        command.input = .bytes(Array("7\n7\n".utf8))
        let result = try await command.run()
        result.expectSilence()
        let text = result.outputText
        let noun = blocks == 1 ? "block" : "blocks"
        #expect(text.contains("\nStride \(stride): \(blocks) \(noun) on "), "\(text)")
        #expect(text.contains(more.count == 2 ? "Right: \(blocks) \(noun)" : "makes \(blocks) "))
        #expect(text.contains("had the same result."))
        #expect(!text.contains("\u{1B}") && !text.contains("Before the loop runs"))
        #expect(!text.contains("\n\n") && !text.contains("|"))
      }
    }
  }

  @Test(
    "on a terminal the demo asks first, repeats a question after an invalid answer, and draws",
    arguments: [true, false])
  func terminal(hasColors: Bool) async throws {
    let directory = try TemporaryDirectory()
    let script = "\(hasColors ? "" : "NO_COLOR=1 ")TERM=xterm exec \"$0\" demo loops --work 0"
    let text = try await onThread {
      let terminal = try Terminal(input: "many\n25\n\n")
      var command = shell(script, in: directory)
      command.input = .file(terminal.name, O_RDONLY | O_NOCTTY)
      command.output = .file(terminal.name, O_WRONLY | O_NOCTTY)
      let child = try Child(command)
      let text = terminal.text(until: "Now try more work")
      let result = try child.finish(limit: 40)
      #expect(result.status == 0 && result.errors.isEmpty)
      return text
    }
    // Two questions for the blocks and one for the time, before the first form.
    #expect(text.components(separatedBy: "How many blocks will there be? ").count == 3)
    #expect(text.components(separatedBy: "How long will it take, such as 7 ms? ").count == 2)
    let asked = try #require(text.range(of: "How long will it take"))
    let shown = try #require(text.range(of: "Stride 4: 25 blocks"))
    #expect(asked.upperBound < shown.lowerBound)
    #expect(text.contains("Right: 25 blocks, 100 indices by 4.") && !text.contains("you said"))
    #expect(text.contains("\u{1B}[") == hasColors)
    #expect(text.contains("   1 |"))
    // What explains the bars stays on the screen.
    let legend = try #require(text.range(of: "A bar is a thread"))
    let last = try #require(text.range(of: "Automatic: "))
    #expect(last.upperBound < legend.lowerBound)
  }

  @Test("the JSON is valid by its schema, and its threads add up to the loop")
  func json() async throws {
    let directory = try TemporaryDirectory()
    let schema = try Schema(of: "demo")
    let words = "demo loops --count 130 --work 100 --format json"
    for (more, predicted) in [("", nil), (" --predict 33,1.5us", [33, 1500])] as [(String, [Int]?)]
    {
      let arguments = (words + more).split(separator: " ").map { Array($0.utf8) }
      let result = try await weir(arguments, in: directory).run()
      result.expectSilence()
      let objects = try result.lines.map { line in
        try #require(JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
      }
      for object in objects { #expect(schema.faults(of: object).isEmpty, "\(object)") }
      let loops = objects.filter { $0["type"] as? String == "loop" }
      #expect(loops.compactMap { $0["stride"] as? Int } == [1, 4, 64])
      #expect(loops.dropLast().compactMap { $0["blocks"] as? Int } == [1, 130, 33, 3])
      for loop in loops {
        let threads = objects.filter {
          $0["type"] as? String == "thread" && $0["form"] as? String == loop["form"] as? String
            && $0["stride"] as? Int == loop["stride"] as? Int
        }
        func sum(_ key: String) -> Int { threads.reduce(0) { $0 + ($1[key] as? Int ?? 0) } }
        #expect(sum("indices") == 130 && sum("blocks") == loop["blocks"] as? Int)
        #expect(threads.count == loop["threads"] as? Int)
      }
      let summary = try #require(objects.last)
      #expect(summary["type"] as? String == "summary" && summary["same_result"] as? Bool == true)
      let predictions = ["predicted_blocks", "predicted_nanoseconds"].compactMap {
        summary[$0] as? Int
      }
      #expect(predictions == predicted ?? [])
    }
  }

  @Test("the trace has every block of every form, and blocks of a thread do not overlap")
  func trace() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("older and longer than nothing", to: "t.json")
    let result = try await weir(
      "demo", "loops", "--count", "300", "--work", "2000", "--trace", "t.json", in: directory
    ).run()
    result.expectSilence()
    let data = try Data(contentsOf: URL(filePath: directory.text + "/t.json"))
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    let events = try #require(object["traceEvents"] as? [[String: Any]])
    let names = events.filter { $0["name"] as? String == "process_name" }
      .compactMap { ($0["args"] as? [String: Any])?["name"] as? String }
    #expect(names == ["plain loop", "stride 1", "stride 4", "stride 64", "automatic"])
    for process in 1...names.count {
      let slices = events.filter {
        $0["ph"] as? String == "X" && $0["pid"] as? Int == process
      }
      let indices = slices.compactMap { $0["name"] as? String }.flatMap { name in
        let ends = name.matches(of: /[0-9]+/).compactMap { Int($0.output) }
        return Array((ends.first ?? 0)...(ends.last ?? 0))
      }
      #expect(indices.sorted() == Array(0..<300), "\(names[process - 1])")
      for thread in Set(slices.compactMap { $0["tid"] as? Int }) {
        var end = 0.0
        for slice in slices where slice["tid"] as? Int == thread {
          let begin = try #require(slice["ts"] as? Double)
          // In microseconds to three digits.
          #expect(begin >= end - 0.002)
          end = begin + (slice["dur"] as? Double ?? 0)
        }
      }
    }
  }

  @Test("a failed write ends the demo with 2")
  func noRoom() async throws {
    let directory = try TemporaryDirectory()
    for (script, message) in [
      ("\"$0\" demo loops --work 0 > /dev/full", "write error: No space left on device"),
      ("\"$0\" demo > /dev/full", "write error: No space left on device"),
      ("\"$0\" demo loops --trace no/ne", "no/ne: No such file or directory"),
      ("\"$0\" demo loops --work 0 --trace /dev/full > o", "/dev/full: No space left on device"),
    ] {
      let result = try await shell(script, in: directory).run()
      #expect(result.status == 2 && result.output.isEmpty)
      #expect(result.errorText == "weir: \(message)\n")
    }
  }
}
