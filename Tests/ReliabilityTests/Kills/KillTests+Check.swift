// weir check --names0, killed: its lists are what it keeps. KillTests+Shard has its parts.

import Glibc
import TestSupport
import Testing

extension KillTests {
  @Test("check --names0: each list is the old or the new one")
  func check() async throws {
    var series = KillSeries("check --names0", share: 100, sample: 4)
    let place = try KillPlace()
    let directory = place.directory
    let files = try directory.fill(
      "t", files: killsInAll == nil ? 500 : 2000, using: &series.random)
    let hashed = try await weir("hash", "-o", "M", "t", in: directory).run()
    #expect(hashed.status == 0)
    for (index, file) in files.enumerated() {
      let name = String(decoding: file, as: UTF8.self)
      if index % 3 == 0 { try directory.write("changed \(name)", to: name) }
      if index % 5 == 0 { try place.set(name, to: nil) }
    }
    let command = weir(
      "check", "--status", "--names0", "changed=L1", "--names0", "missing=L2", "M", in: directory)
    let whole = try await series.measure(command)
    #expect(whole.status == 1)
    let lists = ["L1", "L2"]
    let expected = lists.map { place.content($0) }
    #expect(expected.allSatisfy { $0?.isEmpty == false })
    while !series.isDone {
      let old = Bool.random(using: &series.random) ? Array("old\0".utf8) : nil
      for name in lists { try place.set(name, to: old) }
      for link in series.beginChain() {
        let run = try await series.stop(command, link: link)[0]
        for (name, expected) in zip(lists, expected) {
          let content = place.content(name)
          series.expectKept(content == old || content == expected, "\(name) is neither")
        }
        // Only a killed run leaves its lists.
        if run.signal != SIGKILL || !run.isStopped {
          #expect(place.names(beginningWith: ".weir-names0-").isEmpty, "\(run.signal)")
        }
        place.remove(beginningWith: ".weir-names0-")
        guard run.isStopped else { break }
      }
      #expect(try await command.run().status == 1)
      series.expectKept(lists.map { place.content($0) } == expected, "a list")
    }
    series.report()
  }
}
