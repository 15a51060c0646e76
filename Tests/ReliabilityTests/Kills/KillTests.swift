// kill -9, and signals that ask to end, at random moments of every verb that keeps something: what
// was recorded is not lost and not done again. The other files of this folder have a verb each.
// `make test-kill` sets WEIR_TEST_KILLS=1000, the number of kills over all verbs.

import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(60)))
struct KillTests {
  @Test(
    "hash --output [--update]: the output is the old or the new one, no record is lost or read twice",
    arguments: [false, true])
  func hash(isUpdate: Bool) async throws {
    var series = KillSeries("hash, update \(isUpdate)", share: 250, sample: 6)
    let place = try KillPlace()
    let directory = place.directory
    let files = try directory.fill(
      "t", files: killsInAll == nil ? 1000 : 5000, using: &series.random
    ).map { String(decoding: $0, as: UTF8.self) }
    var unread = Set(files)
    if isUpdate {
      _ = try await weir("hash", "-o", "M", "t", in: directory).run()
      unread = try edit(files.shuffled(using: &series.random), of: place)
    }
    let (oldOutput, oldRecords) = (place.content("M"), place.content("M.mtree"))
    let command =
      words("hash", "-o", "M", "--summary", "t")
      + (isUpdate ? words("--update", "--accept-gone") : [])
    let whole = try await series.measure(weir(command, in: directory))
    #expect(whole.status == 0 && whole.filesRead == unread.count, "\(whole.errorText)")
    let (newOutput, newRecords) = (place.content("M"), place.content("M.mtree"))
    #expect(newOutput == (try await weir("hash", "t", in: directory).run().output))
    let names = place.names(beginningWith: "M")
    while !series.isDone {
      place.remove(beginningWith: "M")
      try place.set("M", to: oldOutput)
      try place.set("M.mtree", to: oldRecords)
      var recorded: Set<String> = []
      for link in series.beginChain() {
        let words = command + (link == 0 ? [] : words("--resume"))
        let run = try await series.stop(weir(words, in: directory))[0]
        let content = place.content("M")
        #expect(content == oldOutput || content == newOutput, "M is neither old nor whole")
        guard run.isStopped, content == oldOutput else { break }
        let now = place.recorded()
        #expect(now.isSuperset(of: recorded), "of \(recorded.count) records, now \(now.count)")
        recorded = now
      }
      let isOld = place.content("M") == oldOutput
      // A complete manifest is not made again.
      if !isUpdate && !isOld && place.content("M.partial") == nil {
        #expect(place.content("M.mtree") == newRecords)
        continue
      }
      let known = place.recorded().intersection(unread).count
      let result = try await weir(command + words("--resume"), in: directory).run()
      #expect(result.status == 0, "\(result.errorText)")
      #expect(place.content("M") == newOutput && place.content("M.mtree") == newRecords)
      #expect(place.names(beginningWith: "M") == names)
      guard isOld else { continue }
      #expect(result.filesRead == unread.count - known, "\(known): \(result.errorText)")
      // The last line counts the files that this run has read.
      #expect(
        result.outputText.split(separator: "\n").dropLast()
          == whole.outputText.split(separator: "\n").dropLast())
    }
  }

  /// Edits one file in three; one in six is gone, touched or added. Returns those to read.
  private func edit(_ files: [String], of place: KillPlace) throws -> Set<String> {
    let part = files.count / 6
    for name in files[..<(2 * part)] { try place.directory.write("edited \(name)", to: name) }
    for name in files[(2 * part)..<(3 * part)] { try place.set(name, to: nil) }
    for (second, name) in files[(3 * part)..<(4 * part)].enumerated() {
      place.setTime(name, 1_000_000 + second)
    }
    let added = (0..<part).map { "t/new\($0)" }
    for name in added { try place.directory.write("of \(name)", to: name) }
    return Set(files[..<(2 * part)] + files[(3 * part)..<(4 * part)] + added)
  }
}
