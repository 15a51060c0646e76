// weir run --joblog --resume, killed: each command runs, and none that is logged runs again.

import Glibc
import TestSupport
import Testing

/// The effects of commands with numbers: `begun` and `ended` have a line for each, the file
/// `out` has the output that weir has written, the file `L` the log.
private struct Effects {
  let begun: [Int: Int]
  let ended: Set<Int>
  let printed: [Int: Int]
  let logged: [Int]

  init(_ place: KillPlace) {
    // The log first: a command is logged after its end.
    logged = place.logged()
    printed = Effects.counts(
      place.lines("out").compactMap { $0.hasPrefix("out ") ? Int($0.dropFirst(4)) : nil })
    ended = Set(place.numbers("ended"))
    begun = Effects.counts(place.numbers("begun"))
  }

  private static func counts(_ numbers: [Int]) -> [Int: Int] {
    Dictionary(numbers.map { ($0, 1) }, uniquingKeysWith: +)
  }
}

extension KillTests {
  @Test("run --joblog --resume: each command runs, and none that is logged runs again")
  func run() async throws {
    var series = KillSeries("run --joblog --resume", share: 200, sample: 6)
    let place = try KillPlace()
    let count = killsInAll == nil ? 100 : 150
    try place.directory.write((1...count).map { "\($0)\n" }.joined(), to: "N")
    let script = """
      echo $1 >> begun; echo "out $1"; echo $1 >> ended; [ $(($1 % 7)) != 0 ]
      """
    var command = weir(
      words("run", "-j3", "--joblog", "L", "--resume", "--files-from", "N", "--", "sh", "-c")
        + [Array(script.utf8)] + words("sh", "{}"), in: place.directory)
    command.output = .file(place.directory.path("out"), O_WRONLY | O_CREAT | O_APPEND)
    _ = try await series.measure(command)
    while !series.isDone {
      for name in ["L", "L.waiting", "out", "begun", "ended"] { try place.set(name, to: nil) }
      var (attempts, before) = (1, Effects(place))
      for _ in series.beginChain() {
        let run = try await series.stop(command)[0]
        attempts += 1
        before = expect(place, after: before)
        guard run.isStopped else {
          #expect(run.status == 1, "\(run.errorText)")
          break
        }
      }
      let result = try await command.run()
      #expect(result.status == 1, "\(result.errorText)")
      let after = expect(place, after: before)
      #expect(Set(after.logged) == Set(1...count), "\(after.logged.count) are logged")
      #expect(after.ended == Set(1...count), "\(after.ended.count) have ended")
      #expect(Set(after.printed.keys) == Set(1...count), "\(after.printed.count) have output")
      #expect(place.content("L.waiting") == nil, "a file is left")
      #expect(after.begun.values.allSatisfy { $0 <= attempts }, "in one attempt")
    }
  }

  /// Compares the effects of a run with those of the runs before it.
  private func expect(_ place: KillPlace, after before: Effects) -> Effects {
    let now = Effects(place)
    let logged = Set(now.logged)
    #expect(logged.count == now.logged.count, "a line of the log")
    #expect(logged.isSuperset(of: before.logged), "a line of the log")
    #expect(now.ended.isSuperset(of: logged), "a logged command has not ended")
    var again: [Int] = []
    for number in before.logged {
      #expect(now.begun[number] == before.begun[number], "command \(number)")
      // The output of a logged command may have waited. A run that is killed between the write and
      // the release of an output leaves that output to the next run as well.
      if let printed = before.printed[number], let count = now.printed[number], count != printed {
        #expect(count == printed + 1, "output of \(number)")
        again.append(number)
      }
    }
    #expect(again.count <= 1, "output of \(again)")
    return now
  }
}
