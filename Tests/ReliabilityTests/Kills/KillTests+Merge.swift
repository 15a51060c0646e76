// weir merge -o and weir plan -o, killed: FILE is the old or the new one.

import Glibc
import TestSupport
import Testing

extension KillTests {
  @Test("merge -o: the file is the old or the new one, and the parts stay as they are")
  func merge() async throws {
    var series = KillSeries("merge -o", share: 80, sample: 4)
    let place = try await plannedPlace(&series)
    for shard in 0..<4 {
      let made = try await weir(
        "hash", "--plan", "set.plan", "--shard", "\(shard)/4", "--out", "parts",
        in: place.directory
      ).run()
      #expect(made.status == 0)
    }
    let parts = place.names(in: "parts").map { place.content("parts/\($0)") }
    let command = weir("merge", "--plan", "set.plan", "-o", "M", "parts", in: place.directory)
    try await expectReplaced(&series, place, command, "M", old: Array("old".utf8))
    series.expectKept(
      place.names(in: "parts").map { place.content("parts/\($0)") } == parts, "a part")
    let expected = try await weir("hash", "t", in: place.directory).run().output
    series.expectKept(place.content("M") == expected, "a line")
    series.report()
  }

  @Test("plan -o: the file is the old plan or the new one")
  func plan() async throws {
    var series = KillSeries("plan -o", share: 20, sample: 2)
    let place = try await plannedPlace(&series)
    let old = place.content("set.plan")
    try place.directory.write("more", to: "t/zzz")
    let command = weir("plan", "--shards", "4", "-o", "set.plan", "t", in: place.directory)
    try await expectReplaced(&series, place, command, "set.plan", old: old)
    series.report()
  }

  /// Makes a tree and a plan of four shards.
  private func plannedPlace(_ series: inout KillSeries) async throws -> KillPlace {
    let place = try KillPlace()
    let files = killsInAll == nil ? 800 : 4000
    try place.directory.fill("t", files: files, using: &series.random)
    let made = try await weir(
      "plan", "--shards", "4", "-o", "set.plan", "t", in: place.directory
    ).run()
    #expect(made.status == 0, "\(made.errorText)")
    return place
  }

  /// Kills a command that replaces a file.
  private func expectReplaced(
    _ series: inout KillSeries, _ place: KillPlace, _ command: Command, _ name: String,
    old: [UInt8]?
  ) async throws {
    #expect(try await series.measure(command).status == 0)
    let new = place.content(name)
    let names = place.names()
    while !series.isDone {
      try place.set(name, to: old)
      for link in series.beginChain() {
        let run = try await series.stop(command, link: link)[0]
        let content = place.content(name)
        series.expectKept(content == old || content == new, "\(name) is neither old nor whole")
        // Only a killed run leaves its file.
        let left = place.names().filter { !names.contains($0) }
        #expect(left.count <= (run.isStopped && run.signal == SIGKILL ? 1 : 0), "\(left)")
        for name in left { try place.set(name, to: nil) }
        guard run.isStopped else { break }
      }
      let result = try await command.run()
      #expect(result.status == 0, "\(result.errorText)")
      series.expectKept(place.content(name) == new, "\(name)")
    }
  }
}
