// The shards of a plan, killed: some attempts are continued, some begin anew, and now and then two
// run at a time, as after a partition of the network.

import TestSupport
import Testing

/// A verb on the shards of a plan.
private struct Shards {
  let place: KillPlace
  let verb: String
  /// The words after the options of the shard.
  let words: [[UInt8]]
  let count: Int
  /// The command that writes the same in one process.
  let whole: [[UInt8]]

  func command(_ shard: Int, _ options: [[UInt8]] = []) -> Command {
    weir(
      TestSupport.words(
        verb, "--plan", "set.plan", "--shard", "\(shard)/\(count)", "--out", "parts")
        + options + words, in: place.directory)
  }

  /// The name of a part.
  func part(_ shard: Int) -> String {
    let digits = { (number: Int) in String(("0000" + "\(number)").suffix(5)) }
    return "shard-\(digits(shard))-of-\(digits(count)).part"
  }

  func isDone(_ shard: Int) -> Bool { place.content("parts/\(part(shard))") != nil }
}

extension KillTests {
  @Test("shards: no result is lost or there twice", arguments: ["hash", "check", "run"])
  func shard(verb: String) async throws {
    let isRun = verb == "run"
    var series = KillSeries(
      "\(verb) --plan --shard", share: isRun ? 50 : 125, sample: isRun ? 6 : 12)
    let shards = try await shards(verb, &series)
    let place = shards.place
    let expected = try await weir(shards.whole, in: place.directory).run()
    let status = try #require(expected.status)
    _ = try await series.measure(shards.command(0))
    while !series.isDone {
      place.remove(in: "parts", beginningWith: "shard")
      try place.set("begun", to: nil)
      var attempts = shards.count
      var open = Array(0..<shards.count)
      while let shard = open.randomElement(using: &series.random), !series.isDone {
        let isDouble = Int.random(in: 0..<8, using: &series.random) == 0
        let options = Bool.random(using: &series.random) ? words("--resume") : []
        let command = shards.command(shard, options)
        let runs =
          try await isDouble ? series.stop(command, command) : series.stop(command)
        attempts += runs.count
        for run in runs where !run.isStopped {
          // Of two attempts at once, one may find that the other has removed its file.
          let isRemoved = run.errorText.hasSuffix("No such file or directory\n")
          if isDouble && run.status == 2 && isRemoved { continue }
          #expect(run.status == status, "\(run.errorText)")
        }
        if shards.isDone(shard) { open.removeAll { $0 == shard } }
      }
      for shard in open {
        let last = try await shards.command(shard, words("--resume")).run()
        #expect(last.status == status, "\(last.errorText)")
      }
      let begun = place.content("begun")
      let again = try await shards.command(0).run()
      #expect(again.status == status, "\(again.errorText)")
      #expect(place.content("begun") == begun, "the commands of a complete shard")
      let merged = try await weir("merge", "--plan", "set.plan", "parts", in: place.directory).run()
      #expect(
        merged.output == expected.output && merged.errors == expected.errors, "\(merged.errorText)")
      #expect(merged.status == status)
      if isRun { expectRuns(place, attempts, expected.outputText) }
      // An attempt that was killed after another one had ended may leave its file.
      for name in place.names(in: "parts") where !name.hasSuffix(".part") {
        #expect(name.split(separator: ".tmp").first.map { place.content("parts/\($0)") } != nil)
      }
    }
  }

  /// Makes a tree, a plan of it and the command of a verb.
  private func shards(_ verb: String, _ series: inout KillSeries) async throws -> Shards {
    let place = try KillPlace()
    let isRun = verb == "run"
    let files = killsInAll == nil ? 500 : isRun ? 600 : 3000
    let made = try place.directory.fill("t", files: files, using: &series.random) { $0.name() }
    let count = isRun ? 4 : 8
    let planned = try await weir(
      "plan", "--shards", "\(count)", "-o", "set.plan", "t", in: place.directory
    ).run()
    #expect(planned.status == 0, "\(planned.errorText)")
    switch verb {
    case "check":
      let hashed = try await weir("hash", "-o", "M", "t", in: place.directory).run()
      #expect(hashed.status == 0)
      // Every shard has a file that differs, so that all have the status of the whole.
      for name in made.enumerated() where name.offset % 3 == 0 {
        try place.directory.write(Array("changed".utf8), to: name.element)
      }
      return Shards(
        place: place, verb: verb, words: words("M"), count: count, whole: words("check", "M"))
    case "run":
      let command = words("--", "sh", "-c", "echo $1 >> begun; echo $1", "sh", "{#}")
      return Shards(
        place: place, verb: verb, words: command, count: count, whole: words("run", "t") + command)
    default:
      return Shards(place: place, verb: verb, words: [], count: count, whole: words(verb, "t"))
    }
  }

  /// Expects that each command ran, and that none ran twice in an attempt.
  private func expectRuns(_ place: KillPlace, _ attempts: Int, _ printed: String) {
    let begun = place.numbers("begun")
    let expected = Set(printed.split(separator: "\n").compactMap { Int($0) })
    #expect(Set(begun) == expected, "of \(expected.count) commands")
    let most = Dictionary(begun.map { ($0, 1) }, uniquingKeysWith: +).values.max() ?? 0
    #expect(most <= attempts, "\(most) times in \(attempts) attempts")
  }
}
