// kill -9, and signals that ask to end, at random moments: while a bag is made or brought up to
// date, and over many nights of checks (KillTests+Proofs). CallKillTests has the other verbs, at
// every call. `make test-kill` sets WEIR_TEST_KILLS=1000, the number of kills over all verbs.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60)))
struct KillTests {
  @Test(
    "hash --bagit: no content is lost, a check says what is unfinished, the same command completes",
    arguments: [false, true])
  func bag(isUpdate: Bool) async throws {
    var series = KillSeries("hash --bagit, update \(isUpdate)", share: 200, sample: 4)
    let command = words("hash", "--bagit", "b", "-a", "md5,sha256")
    var round = 0
    while !series.isDone {
      round += 1
      let place = try KillPlace()
      try place.directory.fill("b", files: 300, using: &series.random)
      for name in ["data", "data/data"] { try place.directory.makeDirectory("b/\(name)") }
      try place.directory.write("x", to: "b/data/data/x")
      if isUpdate {
        let old = words("hash", "--bagit", "b", "-a", "md5")
        #expect(try await weir(old, in: place.directory).run().status == 0)
        try place.directory.write("new", to: "b/data/new")
        try place.directory.write("edited", to: "b/data/data/data/x")
      }
      let root = isUpdate ? "b/data" : "b"
      let before = try await payload(root, of: place)
      if round == 1 {
        let copied = try await shell("cp -r b c", in: place.directory).run()
        #expect(copied.status == 0)
        let whole = words("hash", "--bagit", "c", "-a", "md5,sha256")
        #expect(try await series.measure(weir(whole, in: place.directory)).status == 0)
      }
      for _ in series.beginChain() {
        let run = try await series.stop(weir(command, in: place.directory))
        let now = try await payload("b", of: place)
        #expect(counts(before.values, areIn: counts(now.values)), "a content is lost")
        let check = try await weir("check", "--quiet", "b", in: place.directory).run()
        let isBag = place.content("b/bagit.txt") != nil
        #expect(isBag || check.status == 2, "\(check.errorText)")
        // The first manifests of a new bag are enough for a valid one.
        if !run.isStopped { #expect(check.status == 0, "\(check.outputText)") }
      }
      let result = try await weir(command, in: place.directory).run()
      #expect(result.status == 0, "\(result.errorText)")
      #expect(try await payload("b/data", of: place) == before)
      #expect(try await weir("check", "--quiet", "b", in: place.directory).run().status == 0)
      #expect(place.names(in: "b").count == 7, "\(place.names(in: "b"))")
    }
  }

  /// Returns the relative names of the files of a directory, and their digests.
  private func payload(
    _ root: String, of place: KillPlace
  ) async throws -> [ArraySlice<UInt8>: ArraySlice<UInt8>] {
    let script = "cd \"$1\" && find . -type f -print0 | xargs -0 -r sha256sum -z"
    let result = try await shell(script, root, in: place.directory).run()
    #expect(result.status == 0, "\(result.errorText)")
    return Dictionary(
      uniqueKeysWithValues: result.output.split(separator: 0).map {
        ($0[($0.startIndex + 66)...], $0.prefix(64))
      })
  }

  private func counts(_ values: some Sequence<ArraySlice<UInt8>>) -> [ArraySlice<UInt8>: Int] {
    values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  private func counts(
    _ values: some Sequence<ArraySlice<UInt8>>, areIn all: [ArraySlice<UInt8>: Int]
  ) -> Bool {
    counts(values).allSatisfy { all[$0.key, default: 0] >= $0.value }
  }
}
