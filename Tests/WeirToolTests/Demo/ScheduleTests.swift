// weir demo schedule: given steps, the game on a terminal, and the page in a browser.

import Demos
import Foundation
import TestSupport
import Testing

@testable import WeirTool

/// The browser of this machine, if there is one.
private let installedBrowser = ["chromium", "chromium-browser", "google-chrome"].first {
  isInstalled($0)
}

@Suite(.timeLimit(.minutes(3)))
struct ScheduleToolTests {
  private func schedule(
    _ arguments: [String], in directory: TemporaryDirectory
  ) async throws -> Outcome {
    let words = ["demo", "schedule"] + arguments
    return try await weir(words.map { Array($0.utf8) }, in: directory).run()
  }

  // MARK: Given steps

  @Test("the solution of each level reaches its goal", arguments: ScheduleLevel.all.map(\.number))
  func solution(number: Int) async throws {
    let directory = try TemporaryDirectory()
    let level = ScheduleLevel.all[number - 1]
    for more in [[], ["--plain"]] {
      let result = try await schedule(["\(number)", "--solution"] + more, in: directory)
      result.expectSilence()
      let text = result.outputText
      #expect(text.contains("\nGoal reached in "))
      #expect(text.hasSuffix("\nFor real: weir demo pitfalls \(level.pitfall)\n"))
      for line in text.split(separator: "\n") { #expect(line.count <= 80 || !more.isEmpty) }
      #expect(more.isEmpty || !text.contains("\n\n"))
    }
  }

  @Test("given steps have one output, to the byte")
  func golden() async throws {
    let directory = try TemporaryDirectory()
    let result = try await schedule(["4", "--steps", "3,u,3,3"], in: directory)
    #expect(result.status == 1 && result.errors.isEmpty)
    let board = { (third: String, marks: [String], images: String) in
      """
      1 Child task 1: ready
        > let image = fetch(1)
          images.append(image)
      2 Child task 2: ready
        > let image = fetch(2)
          images.append(image)
      3 Child task 3: \(third)
        \(marks[0]) let image = fetch(3)
        \(marks[1]) images.append(image)
      Shared: images: \(images).
      """
    }
    #expect(
      result.outputText == """
        Level 4: An unordered list (a simulated machine)
        Goal: Fill the list in the order 3, 1, 2.
        Step 1: Child task 3 runs let image = fetch(3).

        \(board("ready", [".", ">"], "empty"))

        Back at the start.

        \(board("ready", [">", " "], "empty"))

        Step 1: Child task 3 runs let image = fetch(3).

        \(board("ready", [".", ">"], "empty"))

        Step 2: Child task 3 appends 3.

        \(board("finished", [".", "."], "3"))

        The goal is not reached after 2 steps.

        """)
  }

  @Test("a missed goal is status 1, and so is one that is not reached yet")
  func missed() async throws {
    let directory = try TemporaryDirectory()
    for (arguments, sentence) in [
      (["1", "--steps", "1,1,1,2,2,2,3,3"], "No thread can step, and the goal is not reached."),
      (["1", "--steps", "1"], "The goal is not reached after 1 step."),
    ] {
      let result = try await schedule(arguments, in: directory)
      #expect(result.status == 1 && result.errors.isEmpty)
      #expect(result.outputText.contains(sentence))
    }
  }

  @Test("an impossible step is an error that names the reason")
  func impossible() async throws {
    let directory = try TemporaryDirectory()
    for (arguments, sentence) in [
      (["1", "--steps", "2,1,1"], "step 3: thread 1 cannot step: waits for a permit"),
      (["1", "--steps", "3"], "step 1: thread 3 cannot step: not submitted yet"),
      (["6", "--steps", "1,2,1,3"], "step 4: thread 3 cannot step: the goal is already reached"),
    ] {
      let result = try await schedule(arguments, in: directory)
      #expect(result.status == 2)
      #expect(result.errorText == "weir: \(sentence)\n")
    }
  }

  @Test("with --real the pitfall of the level runs")
  func real() async throws {
    let directory = try TemporaryDirectory()
    let result = try await schedule(["6", "--solution", "--real"], in: directory)
    result.expectSilence()
    let reached = try #require(result.outputText.range(of: "Goal reached in 3 steps"))
    let verdict = try #require(result.outputText.range(of: "Verdict: it broke as described (trap)"))
    #expect(reached.upperBound < verdict.lowerBound)
  }

  @Test("the JSON is valid by its schema, and ends with the summary")
  func json() async throws {
    let directory = try TemporaryDirectory()
    let schema = try Schema(of: "schedule")
    for (arguments, status) in [
      (["2", "--solution"], 0), (["5", "--solution"], 0), (["3", "--steps", "1,2,u"], 1),
    ] {
      let result = try await schedule(arguments + ["--format", "json"], in: directory)
      #expect(result.status == Int32(status) && result.errors.isEmpty)
      let objects = try result.lines.map { line in
        try #require(JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
      }
      for object in objects { #expect(schema.faults(of: object).isEmpty, "\(object)") }
      #expect(objects.last?["type"] as? String == "summary")
      #expect(objects.last?["reached"] as? Bool == (status == 0))
    }
  }

  @Test("without a terminal the levels are listed, and a level is shown")
  func list() async throws {
    let directory = try TemporaryDirectory()
    let list = try await schedule([], in: directory)
    list.expectSilence()
    for level in ScheduleLevel.all {
      #expect(list.outputText.contains("  \(level.number)  \(level.title)\n"))
    }
    let shown = try await schedule(["2"], in: directory)
    shown.expectSilence()
    #expect(shown.outputText.hasSuffix("\nShared: permits: 1; limit: 1.\n"))
  }

  @Test(
    "a usage error has a message",
    arguments: [
      (["7"], "a level is a number from 1 to 6, not 7"),
      (["1", "2"], "unexpected operand 2"),
      (
        ["1", "--steps", "1,4"], "--steps takes numbers of threads from 1 to 3, such as 1,2,2, not"
      ),
      (["1", "--steps", "1", "--solution"], "--steps cannot be combined with --solution"),
      (["--solution"], "--steps, --solution and --real take the number of a level"),
      (["1", "--plain", "--format", "json"], "--plain cannot be combined with --format json"),
      (["1", "--format", "json"], "--format json takes a level with --steps or --solution"),
      (["1", "--real"], "--real takes --steps or --solution, unless standard input is a terminal"),
      (["1", "--html", "f"], "--html has all levels, and takes no other option and no level"),
      (["--html", "-"], "--html takes the name of a file"),
    ])
  func usage(arguments: [String], sentence: String) async throws {
    let directory = try TemporaryDirectory()
    let result = try await schedule(arguments, in: directory)
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(result.errorText.hasPrefix("weir: \(sentence)"), "\(result.errorText)")
  }

  // MARK: The terminal

  private func play(_ input: String, until end: String, columns: Int = 80) async throws -> String {
    let directory = try TemporaryDirectory()
    return try await onThread {
      let terminal = try Terminal(input: input, columns: columns)
      var command = weir("demo", "schedule", "6", in: directory)
      command.input = .file(terminal.name, O_RDONLY | O_NOCTTY)
      command.output = .file(terminal.name, O_WRONLY | O_NOCTTY)
      let child = try Child(command)
      let text = terminal.text(until: end)
      let result = try child.finish(limit: 40)
      #expect(result.status == 0 && result.errors.isEmpty)
      return text.replacing("\r\n", with: "\n")
    }
  }

  @Test("on a terminal the player steps, goes back, asks for a hint, and sees the real run")
  func terminal() async throws {
    let text = try await play("9\nh\n1\nu\n2\n1\n1\ny\n", until: "That was the last level")
    for part in [
      "\n  > hideScreen()\n", "1, 2, 3 step, u undo, r restart, h hint, q quit: ",
      "There is no 9 here.", "Hint: A semaphore that was created", "Back at the start.",
      "Step 3: The main queue releases the semaphore with 1 of 2 permits: trap.",
      "Goal reached in 3 steps.", "Verdict: it broke as described (trap)",
    ] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
  }

  @Test("a missed goal can be taken back, and q ends the game")
  func missedOnTerminal() async throws {
    let text = try await play(
      "1\n1\n2\n3\nr\n2\n1\n1\nq\n", until: "or quit (q)? ", columns: 60)
    #expect(text.contains("No thread can step, and the goal is not"))
    for line in text.split(separator: "\n") where !line.contains("quit") {
      #expect(line.count <= 60, "\(line)")
    }
  }

  // MARK: The browser

  /// Returns the page after a script ran in it.
  private func browse(
    _ script: String, in directory: TemporaryDirectory, at address: String = ""
  ) async throws -> String {
    let page = try String(contentsOfFile: directory.text + "/game.html", encoding: .utf8)
    let errors = "window.addEventListener('error', e => document.body.dataset.error = e.message);"
    let tested = page.replacing("<script>\n", with: "<script>\(errors)</script><script>\n")
      .replacing("</body>", with: "<script>\(script)</script></body>")
    try directory.write(tested, to: "tested.html")
    var command = other(
      try #require(installedBrowser),
      words(
        "--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(directory.text)/user",
        "--dump-dom", "file://\(directory.text)/tested.html\(address)"), in: directory)
    command.environment = ["PATH=/usr/bin:/bin", "HOME=\(directory.text)"]
    return try await command.run().outputText
  }

  @Test(
    "in a browser the keys step, and the solution of each level reaches its goal",
    .enabled(if: installedBrowser != nil))
  func browser() async throws {
    let directory = try TemporaryDirectory()
    let written = try await schedule(["--html", "game.html"], in: directory)
    written.expectSilence()
    #expect(written.output.isEmpty)
    let keys = """
      const key = k => document.dispatchEvent(new KeyboardEvent('keydown', {key: k}));
      const seen = [];
      const look = () => { const d = document.body.dataset;
        seen.push(d.level + ':' + d.steps + (d.reached === 'true' ? 'r' : '')); };
      const levels_ = JSON.parse(document.getElementById('levels').textContent);
      for (const l of levels_) {
        key('1'); key('u'); key('u'); look();
        key('h'); if (document.getElementById('hint').hidden) seen.push('no hint');
        l.solution.forEach(t => key(String(t))); look();
        seen.push(document.getElementById('live').textContent.includes('Goal reached'));
        key('u'); look(); key('r'); look();
        l.solution.forEach(t => key(String(t))); key('n');
      }
      document.body.dataset.seen = seen.join(' ');
      """
    let page = try await browse(keys, in: directory)
    let expected = ScheduleLevel.all.map { level in
      let count = ScheduleGraph(level).solution?.count ?? 0
      return "\(level.number):0 \(level.number):\(count)r true \(level.number):\(count - 1) "
        + "\(level.number):0"
    }.joined(separator: " ")
    #expect(page.contains("data-seen=\"\(expected)\""), "\(page.suffix(500))")
    #expect(!page.contains("data-error"))
    // The address has the level and the steps.
    let addressed = try await browse("", in: directory, at: "#3:1,2,1,2")
    #expect(addressed.contains("data-level=\"3\" data-steps=\"4\" data-reached=\"false\""))
  }
}
