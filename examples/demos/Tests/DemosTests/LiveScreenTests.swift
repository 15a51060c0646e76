// The live view: lines that fit, the state of each task, the lists of the downloads and the alert.

import Testing

@testable import Demos

@Suite("live screens")
struct LiveScreenTests {
  /// The screen of a simulated run at a time.
  private static func screen(
    _ name: String, at seconds: Double, _ columns: Int = 80, _ rows: Int = 24,
    usesColors: Bool = false, language: Language = .english
  ) throws -> [String] {
    let demo = try #require(Demo.named(name))
    let run = try DemoRun.perform(
      demo, KnobValues(demo.knobs), on: SimulatedMachine(), watchdog: 100)
    let model = LiveModel(speed: 1)
    _ = model.replay(run.log, from: 0, to: UInt64(seconds * 1e9))
    return model.screen(
      title: name, columns: columns, rows: rows, usesColors: usesColors, language: language)
  }

  @Test("a task is queued, waits, runs, is suspended or done, and a gate knows its free permits")
  func states() async {
    await #expect(processExitsWith: .success) {
      let gate = try LiveScreenTests.screen("gate", at: 0.7)
      #expect(gate.contains("gate ●●●● 0 free, 4 in use, 5 waiting"))
      #expect(gate.contains("  task 1D 2D 3S 4S 5W 6W 7W 8W 9W"))
      #expect(gate.contains("main - idle") && gate.contains("   2 - idle"))
      // No child sleeps with the letter of one that runs.
      let children = try LiveScreenTests.screen("tasks", at: 0.3)
      #expect(children.contains("  child 1S 2S 3S 4S 5S 6S 7S 8S"))
      let starvation = try LiveScreenTests.screen("starvation", at: 0.05)
      #expect(starvation.contains("semaphore ●●●○○○○○○○○○○○○○ 13 free, 3 in use, 0 waiting"))
    }
  }

  @Test("the downloads have both lists, with bars and percentages, and at last the alert")
  func lists() async {
    await #expect(processExitsWith: .success) {
      let screen = try LiveScreenTests.screen("downloads", at: 7.5)
      #expect(
        screen.contains { $0.hasPrefix("Download Queue (10)") && $0.contains("Completed (5)") })
      #expect(screen.contains { $0.contains("Downloading #6   ▓▓▓▓░░░░░░ 40 %") })
      #expect(screen.contains { $0.contains("Pending #11") })
      let last = try LiveScreenTests.screen("downloads", at: 20)
      #expect(last.last == "alert: All Download tasks has been completed 😋😋😋")
      let chinese = try LiveScreenTests.screen("downloads", at: 7.5, language: .chinese)
      #expect(chinese.contains { $0.hasPrefix("下载队列 (10)") && $0.contains("已完成 (5)") })
      #expect(chinese.contains("线程") && chinese.contains { $0.contains("下载中 #6") })
    }
  }

  @Test("lines fit the terminal, and the alert stays", arguments: [(80, 24), (60, 20), (20, 12)])
  func sizes(columns: Int, rows: Int) async {
    await #expect(processExitsWith: .success) { [columns, rows] in
      for demo in Demo.all {
        for seconds in [0.3, 5, 30] {
          for language in Language.allCases {
            let lines = try LiveScreenTests.screen(
              demo.name, at: seconds, columns, rows, usesColors: true, language: language)
            #expect(lines.count <= rows, "\(demo.name)")
            for line in lines {
              #expect(TextWidth.of(line) <= columns, "\(demo.name): \(line)")
              let plain = line.replacing(#/\u{1B}\[[0-9]+m/#, with: "")
              #expect(!plain.contains("\u{1B}") && !plain.contains(#/\[[0-9]+m/#), "\(line)")
            }
            if demo.name == "downloads" && seconds > 20 {
              #expect(lines.last?.contains("😋😋😋") == true)
            }
          }
        }
      }
    }
  }

  @Test("Chinese characters and emoji take two columns, colors none")
  func width() {
    #expect(TextWidth.of("a\u{1B}[32m下\u{1B}[0m😋") == 5)
    #expect(TextWidth.cut("\u{1B}[32m下载中\u{1B}[0m", to: 5) == "\u{1B}[32m下载\u{1B}[0m")
    #expect(TextWidth.padded("下", 4) == "下  ")
    #expect(TextWidth.wrapped("one two 下载 😋😋😋", columns: 7) == ["one two", "下载", "😋😋😋"])
    #expect(TextWidth.wrapped("longest", columns: 3) == ["lon", "ges", "t"])
  }
}
