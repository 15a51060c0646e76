// The output of workers, in pieces of any size.

import Foundation
import Testing

@testable import BoardServer

@Suite struct OutputTests {
  private func parts(_ bytes: [UInt8], seed: UInt64) -> ([WorkerOutput.Part], Bool) {
    var numbers = SeededNumbers(seed)
    var output = WorkerOutput()
    var parts: [WorkerOutput.Part] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Int.random(in: 1...9, using: &numbers))
      piece.withUnsafeBytes { output.take($0) { parts.append($0) } }
      rest = rest.dropFirst(piece.count)
    }
    return (parts, output.isBroken)
  }

  @Test(arguments: 0..<50)
  func linesAndFiles(_ round: UInt64) {
    let file = Array("a\n{\"kind\":\"event\"}\n\n".utf8)
    let bytes =
      Array("{\"kind\":\"event\",\"t\":1}\nnoise\n".utf8)
      + Array("{\"kind\":\"file\",\"name\":\"run.json\",\"bytes\":\(file.count)}\n".utf8) + file
      + Array("{\"kind\":\"file\",\"name\":\"trace.json\",\"bytes\":1}\n".utf8) + [7]
      + Array("{\"kind\":\"end\"}\n".utf8)
    let (parts, isBroken) = parts(bytes, seed: testSeed + round)
    #expect(!isBroken)
    #expect(
      parts == [
        .message(Array("{\"kind\":\"event\",\"t\":1}".utf8)), .file("run.json", Data(file)),
        .file("trace.json", Data([7])), .message(Array("{\"kind\":\"end\"}".utf8)),
      ], "seed \(testSeed + round)")
  }

  @Test func brokenOutput() {
    for line in [
      "{\"kind\":\"file\",\"name\":\"../x\",\"bytes\":1}", "{\"kind\":\"file\"}",
      "{\"kind\":\"file\",\"name\":\"run.json\",\"bytes\":-1}",
      "{\"kind\":\"file\",\"name\":\"run.json\",\"bytes\":99999999999}",
      String(repeating: "x", count: WorkerOutput.lineLimit + 1),
    ] {
      var output = WorkerOutput()
      Array("\(line)\n".utf8).withUnsafeBytes { output.take($0.prefixed(line.utf8.count)) { _ in } }
      Array("\n".utf8).withUnsafeBytes { output.take($0) { _ in } }
      #expect(output.isBroken, "\(line.prefix(60))")
    }
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

extension UnsafeRawBufferPointer {
  fileprivate func prefixed(_ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[..<count])
  }
}
