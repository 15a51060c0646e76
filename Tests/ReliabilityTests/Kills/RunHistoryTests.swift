// The history of a run of many commands: killed, interrupted, stopped and continued at random moments,
// and resumed each time. A command that is logged has ended, does not run again, and its output is
// there; only those that were running at the end of a run begin again.

import Glibc
import TestSupport
import Testing

/// The numbers of commands and of ends before their time, as `100000,200`; `nil` for the sample of
/// `make test`.
private let size = getenv("WEIR_TEST_RUN_HISTORY").map { String(cString: $0) }?
  .split(separator: ",").compactMap { Int($0) }

@Suite(.serialized, .timeLimit(.minutes(120)))
struct RunHistoryTests {
  private static let jobsMost = 6

  /// What the runs up to now have done.
  private struct Effects {
    let logged: Set<Int>
    let begun: [Int: Int]
    let ended: Set<Int>
  }

  private func numbers(_ name: String, _ directory: TemporaryDirectory) -> [Int] {
    (directory.content(name) ?? []).split(separator: 0x0A).compactMap {
      Int(String(decoding: $0, as: UTF8.self))
    }
  }

  /// Returns the effects, and compares them with those of the runs before.
  private func effects(_ directory: TemporaryDirectory, after before: Effects?) -> Effects {
    // The log first: commands that outlive a killed run may end meanwhile.
    let log = (directory.content("L") ?? []).split(separator: 0x0A).dropFirst().map { line in
      Int(String(decoding: line.split(separator: 0x20).last ?? [], as: UTF8.self)) ?? 0
    }
    let now = Effects(
      logged: Set(log),
      begun: Dictionary(numbers("begun", directory).map { ($0, 1) }, uniquingKeysWith: +),
      ended: Set(numbers("ended", directory)))
    #expect(now.logged.count == log.count, "a command has two lines")
    #expect(now.ended.isSuperset(of: now.logged), "a logged command has not ended")
    if let before {
      #expect(now.logged.isSuperset(of: before.logged), "a line is lost")
      let again = before.logged.filter { now.begun[$0] != before.begun[$0] }
      #expect(again.isEmpty, "logged commands ran again: \(again.prefix(5))")
    }
    return now
  }

  /// The size of the line of a command.
  private static func width(_ number: Int) -> Int {
    number % 397 == 0 ? 150_000 : number * 7919 % 1201 + 8
  }

  /// Returns the numbers of the whole lines of a run, and compares their order: first what waited
  /// from the runs before, then the commands of this run. One line may be cut, that of the command
  /// whose turn it was.
  private func printed(_ output: [UInt8], wasEnded: Bool) -> [Int] {
    var (whole, cut, descents) = ([Int](), 0, 0)
    for chunk in output.split(separator: UInt8(ascii: "<")) {
      let digits = chunk.prefix { (0x30...0x39).contains($0) }
      guard let number = Int(String(decoding: digits, as: UTF8.self)),
        digits.count == RunHistoryTests.width(number),
        chunk.dropFirst(digits.count).elementsEqual(">\n".utf8)
      else {
        cut += 1
        continue
      }
      if let last = whole.last, last >= number { descents += 1 }
      whole.append(number)
    }
    #expect(descents <= 1, "the order of the output")
    #expect(cut <= (wasEnded ? 1 : 0), "\(cut) lines are cut")
    return whole
  }

  @Test(
    "each command runs to its end once over killed, interrupted and stopped runs, and is logged")
  func history() async throws {
    let (count, stops) = (size?.first ?? 500, size?.last ?? 10)
    var random = SeededGenerator(for: "histories of runs")
    let directory = try TemporaryDirectory()
    try directory.write((1...count).map { "\($0)\n" }.joined(), to: "N")
    // Of any length, and with outputs of any size.
    let script = """
      echo $1 >> begun; i=$(($1 * 31 % 200)); while [ $i -gt 0 ]; do i=$((i - 1)); done
      [ $(($1 % 211)) = 0 ] && sleep 0.$(($1 % 4))
      w=$(($1 * 7919 % 1201 + 8)); [ $(($1 % 397)) = 0 ] && w=150000
      printf "<%0${w}d>\\n" $1; echo $1 >> ended
      """
    var before: Effects?
    var copies: [Int: Int] = [:]
    var (made, isComplete) = (0, false)
    let pause = 0.002 * Double(count) / Double(stops)
    while !isComplete {
      let jobs = Int.random(in: 2...RunHistoryTests.jobsMost, using: &random)
      let isLast = made >= stops
      let signal = [SIGKILL, SIGKILL, SIGKILL, SIGINT, SIGTERM].randomElement(using: &random)
      let delays = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        Double.random(in: 0...pause, using: &random)
      }
      var command = weir(
        words(
          "run", "-j\(jobs)", "--joblog", "L", "--resume", "--files-from", "N", "--", "sh", "-c")
          + [Array(script.utf8)] + words("sh", "{}"), in: directory)
      command.output = .file(directory.path("out"), O_WRONLY | O_CREAT | O_TRUNC)
      let run = try await onThread { [command] in
        let child = try Child(command)
        for (index, delay) in delays.enumerated() where !isLast {
          _ = child.collect(limit: delay) { _, _ in false }
          if index == delays.count - 1 {
            kill(child.pid, signal ?? SIGKILL)
          } else {
            // At once: the continuation may come before the stop.
            kill(child.pid, SIGTSTP)
            if index == 1 { usleep(2000) }
            kill(child.pid, SIGCONT)
          }
        }
        return try child.finish(limit: isLast ? 3600 : 60)
      }
      #expect(!run.wasLate, "it does not end")
      isComplete = run.signal == nil
      if !isComplete { made += 1 } else { #expect(run.status == 0, "\(run.errorText)") }
      before = effects(directory, after: before)
      for number in printed(directory.content("out") ?? [], wasEnded: !isComplete) {
        copies[number, default: 0] += 1
      }
    }
    let end = try #require(before)
    #expect(end.logged == Set(1...count), "\(end.logged.count) are logged")
    #expect(Set(copies.keys) == Set(1...count), "\(copies.count) have output")
    #expect(directory.content("L.waiting") == nil)
    let (again, twice) = (
      end.begun.values.reduce(0) { $0 + $1 - 1 }, copies.values.reduce(0) { $0 + $1 - 1 }
    )
    print("\(count) commands, \(made) ends: \(again) begun again, \(twice) outputs twice")
    #expect(again <= made * RunHistoryTests.jobsMost && twice <= again + made)
  }
}
