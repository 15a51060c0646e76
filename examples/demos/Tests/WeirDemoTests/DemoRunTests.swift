// The runs of the demos: the same run each time in a simulation. DemoSimulationTests.swift has the
// real threads.

import Foundation
import Glibc
import TestSupport
import Testing

@testable import Demos

@Suite(.timeLimit(.minutes(10)))
struct DemoRunTests {
  /// Every demo, with the values of its knobs that matter.
  static let runs = [
    "queues", "queues --tasks 12", "queues --suspend 2 --resume 1", "queues --queues 4", "groups",
    "groups --timeout 5", "downloads", "downloads --form article --max 10",
    "downloads --form gate --randomize", "downloads --forget signal --form gate",
    "downloads --forget leave", "downloads --forget leave --form article",
    "downloads --form article --tasks 20 --max 10 --step 0.02",
    "downloads --form operations --max 10 --step 0.1", "images --step 1", "images --step 2",
    "images --step 3", "images --step 4 --queue concurrent", "images --step 5", "images --step 6",
    "images --form gate", "images --form gate --network wifi --scroll 1",
    "images --step 2 --network change", "images --form gate --network change", "gallery",
    "gallery --form async-let", "gallery --form blocking --tasks 6",
    "gallery --form throwing --fail 3", "gallery --form map", "gallery --form map --fail 3",
    "gallery --form batches --fail 2", "gallery --form batches --cancel-after 0.3",
    "gallery --form sequential --fail 3", "gallery --cancel-after 0.3", "loops",
    "loops --queue serial",
  ]

  private func demo(_ line: String, _ more: String = "") async throws -> Outcome {
    let directory = try TemporaryDirectory()
    let words = "\(line) \(more)".split(separator: " ").map(String.init)
    return try await weirDemo(words.map { Array($0.utf8) }, in: directory).run()
  }

  private func objects(_ result: Outcome) throws -> [[String: Any]] {
    try result.output.split(separator: 0x0A).map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
    }
  }

  private func text(of name: String, in directory: TemporaryDirectory) -> String {
    let path = String(decoding: directory.path(name), as: UTF8.self)
    return (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  @Test("a simulated run is the same each time, and its promises hold", arguments: runs)
  func determinism(line: String) async throws {
    let first = try await demo(line, "--virtual --all-events")
    let second = try await demo(line, "--virtual --all-events")
    #expect(first.status == 0 && first.outputText.contains("A simulated schedule"))
    #expect(first.output == second.output, "\(line)")
  }

  // MARK: - Golden output

  @Test("the tutorial's two lists, in simulated time")
  func golden() async throws {
    let result = try await demo("downloads --tasks 3 --max 2 --virtual")
    #expect(
      result.outputText == """
        3 downloads of 5 steps, at most 2 at once, 1 s a step.
        Simulated: threads and time follow a fixed schedule.
             s  thread  running  waiting  suspended
          0.00    main        0        0          0  controls disabled
          0.00       2        1        0          0  START 1
          0.00       3        2        0          0  START 2
          5.00       2        2        0          0  END 1
          5.00       2        2        0          0  START 3
          5.00    main        2        0          0  completed 1
          5.00       3        2        0          0  END 2
          5.00    main        1        0          0  completed 2
         10.00       2        1        0          0  END 3
         10.00    main        0        0          0  completed 3
         10.00    main        0        0          0  alert: All Download tasks has been completed 😋😋😋
         10.00    main        0        0          0  controls enabled
        A simulated schedule, with two cores.
        downloads: peak 2 = limit 2, 3 of 3 completed, the alert after 10.00 s.
        Next: Try --form article --max 10: blocks that wait or sleep hold the threads of
          the pool.

        """)
  }

  @Test("the pool of Linux starves the tutorial's pattern: 0.70 s, and 0.20 s on lanes")
  func starvation() async throws {
    for (form, peak, seconds) in [("article", 3, 0.7), ("lanes", 10, 0.2)] {
      let line = "downloads --form \(form) --tasks 20 --max 10 --step 0.02 --virtual"
      let score = try #require(try objects(await demo(line, "--predict 1,1 --score")).first)
      #expect(score["actual_peak"] as? Double == Double(peak))
      #expect((score["actual_seconds"] as? Double).map { abs($0 - seconds) < 0.01 } == true)
    }
  }

  @Test("the bars of a loop fit into a terminal of 60 columns")
  func bars() async throws {
    let bars = try await demo("loops --virtual").outputText.split(separator: "\n")
      .filter { $0.contains("█") }
    #expect(bars.count == 10 && bars.allSatisfy { $0.count <= 60 }, "\(bars)")
  }

  // MARK: - Predictions

  @Test("a prediction is marked: a count exactly, a time within a fifth, none is no mark")
  func marks() async throws {
    for (prediction, right) in [
      ("5,15", 2), ("4,15s", 1), ("5,18.1", 1), ("-,12100ms", 1), ("-,-", 0),
    ] {
      let result = try await demo("downloads --virtual --score --predict \(prediction)")
      #expect(result.status == 0)
      let score = try #require(try objects(result).last)
      #expect(score["right"] as? Int == right, "\(prediction)")
    }
    let text = try await demo("downloads --virtual --predict 4,15").outputText
    #expect(text.contains("at most? 5: you predicted 4\n"))
    #expect(text.contains("until the alert? 15.00 s: right\n"))
  }

  @Test(
    "a usage error names the option and the way out",
    arguments: [
      ("downloads --jobs 3", "downloads has no --jobs; it has --tasks"),
      ("downloads --tasks 21", "--tasks of downloads takes a number from 2 to 20, not 21"),
      ("downloads --form pool", "--form of downloads takes lanes, article, gate, operations, not"),
      ("downloads --predict 5", "--predict of downloads takes PEAK,SECONDS, not 5"),
      ("downloads --predict 5,x", "--predict of downloads takes PEAK,SECONDS, not 5,x"),
      ("downloads --predict 5,1e300", "--predict of downloads takes PEAK,SECONDS, not 5,1e300"),
      ("downloads --predict nan,1", "--predict of downloads takes PEAK,SECONDS, not nan,1"),
      ("downloads --forget signal", "--forget signal needs a semaphore or a gate; use --form"),
      ("downloads --score", "--score marks a prediction; give it with --predict"),
      ("downloads --speed 0", "--speed takes a number from 0.01 to 1000, not 0"),
      ("gallery --cancel-after nan", "--cancel-after of gallery takes seconds from 0.05"),
      ("downloads extra", "unexpected operand extra"),
    ])
  func usage(line: String, sentence: String) async throws {
    let result = try await demo(line)
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(result.errorText.hasPrefix("weir-demo: \(sentence)"), "\(result.errorText)")
  }

  // MARK: - Files

  @Test("--html writes a page of the run, or nothing runs")
  func files() async throws {
    let directory = try TemporaryDirectory()
    let result = try await weirDemo(
      "downloads", "--virtual", "--html", "page.html", in: directory
    ).run()
    #expect(result.status == 0)
    let page = text(of: "page.html", in: directory)
    #expect(
      page.contains("\"ev\":\"submit\"") && page.contains("downloads-screen")
        && !page.contains("src=\"http") && !page.contains("href=\"http"))
    let refused = try await weirDemo(
      "downloads", "--virtual", "--html", "nowhere/file", in: directory
    ).run()
    #expect(refused.status == 2 && refused.output.isEmpty)
    #expect(refused.errorText == "weir-demo: nowhere/file: No such file or directory\n")
  }

  @Test("the installed program takes the installed files of its pages, also where it was moved")
  func installed() async throws {
    let directory = try TemporaryDirectory()
    let script = """
      here=$PWD && cd "$1" && PREFIX=$here/one sh support/install.sh demos "$2" && cd "$here" &&
      mv one two && echo '/* installed */' >>two/share/weir-demo/page/style/base.css &&
      two/bin/weir-demo groups --virtual --html page.html
      """
    let program = String(decoding: weirPath, as: UTF8.self) + "-demo"
    let result = try await shell(script, "\(packageRoot)/../..", program, in: directory).run()
    #expect(result.status == 0, "\(result.errorText)")
    #expect(text(of: "page.html", in: directory).contains("/* installed */"))
  }

  // MARK: - A terminal

  @Test("on a terminal the lines come while the run goes on, after the questions")
  func terminal() async throws {
    let directory = try TemporaryDirectory()
    try await onThread {
      let terminal = try Terminal()
      let child = try Child(
        shell("exec \"$0-demo\" groups <\"$1\" >\"$1\"", terminal.nameText, in: directory))
      for word in ["no)", "begins?"] {
        #expect(terminal.collect { $0.contains(word) })
        try terminal.type("\n")
      }
      #expect(terminal.collect { $0.contains("START 3 first") && !$0.contains("Next: ") })
      #expect(terminal.collect { $0.contains("Next: ") })
      #expect(try child.finish().status == 0)
      #expect(!terminal.text.contains("\u{1B}"))
    }
  }
}
