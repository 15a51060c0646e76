// kill -9, and signals that ask to end, at random moments of every verb that keeps something: what
// was recorded is not lost and not done again. The other files of this folder have a verb each.
// `make test-kill` sets WEIR_TEST_KILLS=1000, the number of kills over all verbs.

import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60)))
struct KillTests {
  @Test("hash --output --resume: no record is lost or read twice, and the output is whole")
  func hash() async throws {
    var series = KillSeries("hash --output --resume", share: 250, sample: 7)
    let place = try KillPlace()
    let directory = place.directory
    try directory.fill("t", files: killsInAll == nil ? 1500 : 6000, using: &series.random)
    let expected = try await weir("hash", "t", in: directory).run().output
    _ = try await series.measure(weir("hash", "-o", "M", "t", in: directory))
    let records = place.content("M.mtree")
    while !series.isDone {
      place.remove(beginningWith: "M")
      let old = Bool.random(using: &series.random) ? Array("old".utf8) : nil
      try place.set("M", to: old)
      var recorded: Set<String> = []
      for link in series.beginChain() {
        let command = weir("hash", "-o", "M", "--resume", "t", in: directory)
        let run = try await series.stop(command, link: link)[0]
        let content = place.content("M")
        series.expectKept(content == old || content == expected, "M is neither old nor whole")
        guard run.isStopped else { break }
        // If the output exists, the records may have become M.mtree.
        guard content != expected else { continue }
        let now = place.recorded()
        series.expectKept(now.isSuperset(of: recorded), "of \(recorded.count), now \(now.count)")
        recorded = now
      }
      let isLeft = place.content("M.partial") != nil
      let known = place.recorded().count
      let result = try await weir(
        "hash", "-o", "M", "--resume", "--summary", "t", in: directory
      ).run()
      #expect(result.status == 0, "\(result.errorText)")
      series.expectKept(place.content("M") == expected && place.content("M.mtree") == records)
      #expect(place.names(beginningWith: "M") == ["M", "M.mtree"])
      guard isLeft else { continue }
      series.expectOnce(known == result.known, "\(known) were recorded: \(result.errorText)")
    }
    series.report()
  }
}
