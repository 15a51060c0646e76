// weir hash --output --update, killed.

import TestSupport
import Testing

extension KillTests {
  @Test("hash --update: the output is the old or the new one, and no record is lost or read twice")
  func update() async throws {
    var series = KillSeries("hash --output --update", share: 250, sample: 6)
    let place = try KillPlace()
    let directory = place.directory
    var files = try directory.fill(
      "t", files: killsInAll == nil ? 900 : 4000, using: &series.random
    ).map { String(decoding: $0, as: UTF8.self) }
    _ = try await weir("hash", "-o", "M", "t", in: directory).run()
    let (oldOutput, oldRecords) = (place.content("M"), place.content("M.mtree"))
    // One file in three is edited, one in six is gone, touched or added.
    files.shuffle(using: &series.random)
    let part = files.count / 6
    for name in files[..<(2 * part)] { try directory.write("edited \(name)", to: name) }
    for name in files[(2 * part)..<(3 * part)] { try place.set(name, to: nil) }
    for (second, name) in files[(3 * part)..<(4 * part)].enumerated() {
      place.setTime(name, 1_000_000 + second)
    }
    let added = (0..<part).map { "t/new\($0)" }
    for name in added { try directory.write("of \(name)", to: name) }
    let changed = Set(files[..<(2 * part)] + files[(3 * part)..<(4 * part)] + added)
    let update = words("hash", "-o", "M", "--update", "--summary", "t")
    let whole = try await series.measure(weir(update, in: directory))
    #expect(whole.status == 0 && whole.filesRead == changed.count, "\(whole.errorText)")
    let (newOutput, newRecords) = (place.content("M"), place.content("M.mtree"))
    #expect(newOutput == (try await weir("hash", "t", in: directory).run().output))
    while !series.isDone {
      place.remove(beginningWith: "M")
      try place.set("M", to: oldOutput)
      try place.set("M.mtree", to: oldRecords)
      var recorded: Set<String> = []
      for link in series.beginChain() {
        let command = weir(update + (link == 0 ? [] : words("--resume")), in: directory)
        let run = try await series.stop(command, link: link)[0]
        let content = place.content("M")
        series.expectKept(content == oldOutput || content == newOutput, "M is neither")
        guard run.isStopped, content == oldOutput else { break }
        let now = place.recorded()
        series.expectKept(now.isSuperset(of: recorded), "of \(recorded.count), now \(now.count)")
        recorded = now
      }
      let isOld = place.content("M") == oldOutput
      let known = place.recorded().intersection(changed).count
      let result = try await weir(update + words("--resume"), in: directory).run()
      #expect(result.status == 0, "\(result.errorText)")
      series.expectKept(
        place.content("M") == newOutput && place.content("M.mtree") == newRecords,
        "the output or its records")
      #expect(place.names(beginningWith: "M") == ["M", "M.mtree", "M.old", "M.old.mtree"])
      guard isOld else { continue }
      series.expectOnce(
        result.filesRead == changed.count - known,
        "\(known) of \(changed.count) were recorded: \(result.errorText)")
      // The last line counts the files that this run has read.
      series.expectKept(
        result.outputText.split(separator: "\n").dropLast()
          == whole.outputText.split(separator: "\n").dropLast(), "a line of the report")
    }
    series.report()
  }
}
