// The two programs of the README: they equal the README's text, they agree, and they are
// correct.

import Foundation
import Testing

private let package = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// Creates a tree of files with known line counts.
private func makeTree() throws -> URL {
  let tree = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
  for directory in ["a", "a/b", "c"] {
    let url = tree.appending(path: directory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for lines in [0, 1, 17, 4000] {
      let text = String(repeating: "line\n", count: lines) + "no newline at the end"
      try Data(text.utf8).write(to: url.appending(component: "lines-\(lines)"))
    }
  }
  return tree
}

@Test("Both count the lines of a tree, in order", arguments: ["lines", "lines-in-c"])
func countLines(program: String) async throws {
  let tree = try makeTree()
  defer { try? FileManager.default.removeItem(at: tree) }
  let expected = ["a/b", "a", "c"].flatMap { directory in
    [0, 1, 17, 4000].map { "\($0)\t\(tree.path)/\(directory)/lines-\($0)" }
  }
  let printed = try await output(of: program, tree.path)
  #expect(printed.split(separator: "\n").map(String.init) == expected)
}

@Test("Both report an unreadable path", arguments: ["lines", "lines-in-c"])
func nameFailures(program: String) async throws {
  let printed = try await output(of: program, "/nonexistent", andErrors: true, status: 1)
  let name = program == "lines-in-c" ? "lines: " : ""
  #expect(printed == "\(name)/nonexistent: No such file or directory\n")
}

@Test("docs/programmers.md shows the exact program")
func document() throws {
  let code = try String(
    contentsOf: package.appending(path: "Sources/lines/main.swift"), encoding: .utf8)
  let page = try String(
    contentsOf: package.appending(path: "../../docs/programmers.md"), encoding: .utf8)
  let body = code.drop { $0 != "\n" }  // without the comment of the first line
  #expect(page.contains("```swift\(body)```"))
}
