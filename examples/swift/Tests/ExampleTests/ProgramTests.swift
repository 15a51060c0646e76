// The programs of an adopter: their limits hold, and their output is right.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ProgramTests {
  @Test(
    "crawler visits every page once, within both limits, however long a request takes",
    arguments: [1, 50])
  func crawler(milliseconds: Int) async throws {
    let printed = try await output(of: "crawler", "\(milliseconds)", "2000")
    #expect(printed.hasPrefix("186 pages seen, failed: [13]\nat most "))
    #expect(printed.hasSuffix(" of 8 requests at once\n"))
  }

  @Test("thumbnailer keeps its three limits, however long a request takes", arguments: [1, 50])
  func thumbnailer(milliseconds: Int) async throws {
    let printed = try await output(of: "thumbnailer", "\(milliseconds)", "2000")
    #expect(
      printed.hasPrefix(
        """
        299 thumbnails, 2687 bytes
        picture 13: the work did not end within 2.0 seconds
        at most 
        """))
    #expect(printed.hasSuffix(" of 8 requests at once\nat most 64 MB\n"))
  }

  @Test("pool gives a connection to one caller, and replaces a broken one")
  func pool() async throws {
    let printed = try await output(of: "pool")
    #expect(printed == "490 answers, sum 245000\nat most 4 at once, 10 replaced\n")
  }

  @Test("reduce computes what a plain loop computes")
  func reduce() async throws {
    let squares = (0..<1_000_000).map { $0 * $0 }
    var digits = [Int](repeating: 0, count: 10)
    for square in squares { digits[square % 10] += 1 }
    #expect(
      try await output(of: "reduce") == """
        last square \(squares.last ?? 0)
        sum of squares \(squares.reduce(0, +))
        last digits \(digits)

        """)
  }

  @Test("words counts the files of each word, as grep does")
  func words() async throws {
    let tree = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
    try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: tree) }
    for (name, text) in [
      ("a", "the weir"), ("b", "The lock, the sluice"), ("c", "weir\nthe\nweir"),
    ] {
      try Data(text.utf8).write(to: tree.appending(component: name))
    }
    #expect(try await output(of: "words", tree.path) == "3 the\n2 weir\n1 lock\n1 sluice\n")
  }

  @Test("children ends every child")
  func children() async throws {
    let printed = try await output(of: "children")
    #expect(
      printed.hasPrefix("500 children, sum 125750\na\nb\n\"sh\" did not end within 0.1 seconds\n"))
    #expect(printed.hasSuffix("failure(Swift.CancellationError())\n"))
  }

  @Test("deadlock names both tasks, as holders and as waiters")
  func deadlock() async throws {
    let printed = try await output(of: "deadlock")
    for name in ["deposit", "withdrawal"] {
      #expect(printed.components(separatedBy: "\"\(name)\"").count == 3)
    }
  }

  @Test("digests writes the lines of sha256sum, and counts equal files")
  func digests() async throws {
    let tree = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
    try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: tree) }
    let files = (0..<20).map { tree.appending(component: "file-\($0 + 10)") }
    for (number, file) in files.enumerated() { try Data("\(number % 15)\n".utf8).write(to: file) }
    let theirs = try await output(of: "/usr/bin/sha256sum", files: files.map(\.path))
    let printed = try await output(of: "digests", tree.path)
    #expect(printed == theirs + "5 duplicates, 10 bytes\n")
  }

  @Test(
    "misuse ends with a sentence that names the object",
    arguments: [
      ("nested-task", "gate \"connections\""), ("nested-thread", "gate \"connections\""),
      ("nested-job", "gate \"connections\""), ("wait-on-own-lane", "lanes \"jobs\""),
      ("negative", "gate \"negative\""),
    ])
  func misuse(name: String, object: String) async throws {
    let printed = try await output(of: "misuse", name, andErrors: true, status: SIGILL)
    #expect(printed.hasPrefix("weir: misuse: the \(object) "))
  }
}
