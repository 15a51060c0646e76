// The output of workers, in pieces of any size.

import Foundation
import Testing

@testable import BoardServer

@Suite struct OutputTests {
  @Test(arguments: 0..<50)
  func linesOfAnyPieces(_ round: UInt64) {
    var numbers = SeededNumbers(testSeed + round)
    let lines = (0..<20).map { _ in
      String(repeating: "x", count: .random(in: 0...30, using: &numbers))
    }
    var splitter = LineSplitter()
    var found: [String] = []
    var rest = Array(lines.map { $0 + "\n" }.joined().utf8)[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(.random(in: 1...40, using: &numbers)))
      piece.withUnsafeBytes { bytes in
        splitter.take(bytes) { found.append(String(decoding: $0, as: UTF8.self)) }
      }
      rest = rest.dropFirst(piece.count)
    }
    #expect(found == lines, "seed \(testSeed + round)")
  }

  @Test func aFileIsAMessage() {
    let exports = Exports()
    exports.add(
      Message.encode("file", Exports.FileMessage(name: "run.json", text: "a\n\"b\"\n")), run: 1)
    #expect(exports.file("run.json", run: 1) == Data("a\n\"b\"\n".utf8))
  }

  @Test func exportsOfFiveRuns() {
    let exports = Exports()
    for run in 1...7 {
      for name in Exports.names { exports.add(name, Data("\(run)".utf8), run: run) }
    }
    #expect(exports.file("run.json", run: 2) == nil)
    #expect(exports.file("run.json", run: 3) == Data("3".utf8))
    #expect(exports.file("report.html", run: 7) == Data("7".utf8))
    #expect(exports.size == 15 && exports.oldest == 3)
  }
}
