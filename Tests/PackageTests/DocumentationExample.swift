// The examples of the documentation, each as a function for the compiler.
//
// The documentation needs no marks for that. A block with `await` becomes an async
// function, any other a synchronous one, so that a blocking call in async code is
// found. Each has a file of its own, with the line of the documentation as its
// source location: the compiler's diagnostics name that line.
//
// A block has the imports that it shows, and no others. Only the documentation of a
// module implies the import of that module. A block of the README or of docs is a whole
// file: what stands at its top level has to compile at the top level of a main.swift.

import Foundation

struct DocumentationExample: Sendable {
  /// The path of the file, from the repository's root.
  let path: String
  /// The number of the first line.
  let line: Int
  let lines: [String]

  /// True for a package's manifest or a line of one.
  var isManifest: Bool { isWholeManifest || lines.first?.hasPrefix(".package(") == true }

  private var isWholeManifest: Bool {
    lines.first?.hasPrefix("// swift-tools-version") == true
  }

  /// A manifest with the example.
  var manifest: String {
    isWholeManifest
      ? located(lines)
      : """
      import PackageDescription
      \(located(["let dependency: Package.Dependency = " + lines.joined(separator: "\n")]))
      """
  }

  /// True for a whole file, which a reader can paste.
  var isProgram: Bool { !path.hasPrefix("Sources/") }

  /// True for a program whose code is not at the top level.
  var hasMain: Bool { lines.contains { $0.hasPrefix("@main") } }

  /// The file of a program.
  var program: String { located(lines) }

  /// The import that the documentation of a module implies.
  private var implied: String {
    "import " + (path.split(separator: "/").dropFirst().first ?? "")
  }

  /// A source file with the example in a function.
  func source(number: Int) -> String {
    let imports = lines.filter { $0.hasPrefix("import ") }
    let body = lines.map { $0.hasPrefix("import ") ? "" : $0 }
    let effect = lines.contains { $0.contains(/\bawait\b/) } ? "async throws" : "throws"
    return """
      \(Set(imports + [implied]).sorted().joined(separator: "\n"))

      func example\(number)() \(effect) {
      \(located(body))
      }

      """
  }

  private func located(_ lines: [String]) -> String {
    """
    #sourceLocation(file: "\(path)", line: \(line))
    \(lines.joined(separator: "\n"))
    #sourceLocation()
    """
  }
}

extension DocumentationExample {
  /// Returns the indented blocks in the comments of a Swift file.
  static func inComments(of path: String) throws -> [DocumentationExample] {
    var found: [DocumentationExample] = []
    var block = Block()
    // Code begins after an empty line or at the beginning of a comment. Other
    // indented lines continue a paragraph or an item of a list.
    var mayBegin = true
    for (index, line) in try lines(of: path).enumerated() {
      let text = line.drop { $0 == " " }
      guard text.hasPrefix("///") else {
        found += block.end(in: path)
        mayBegin = true
        continue
      }
      let comment = text.dropFirst(3)
      if comment.allSatisfy({ $0 == " " }) {
        block.add("")
        mayBegin = true
      } else if comment.hasPrefix("     ") && (mayBegin || block.isOpen) {
        block.add(String(comment.dropFirst(5)), line: index + 1)
      } else {
        found += block.end(in: path)
        mayBegin = false
      }
    }
    return found + block.end(in: path)
  }

  /// Returns the fenced blocks of a Markdown file in a language.
  static func inFences(of path: String, language: String) throws -> [DocumentationExample] {
    var found: [DocumentationExample] = []
    var block = Block()
    var fence: Substring?
    for (index, line) in try lines(of: path).enumerated() {
      if line.hasPrefix("```") {
        found += block.end(in: path)
        fence = fence == nil ? line.dropFirst(3) : nil
      } else if fence == language[...] {
        block.add(line, line: index + 1)
      }
    }
    return found
  }

  private static func lines(of path: String) throws -> [String] {
    try Repository.text(of: path).split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  /// A block while it is read.
  private struct Block {
    private var lines: [String] = []
    private var first = 0

    var isOpen: Bool { !lines.isEmpty }

    mutating func add(_ text: String, line: Int = 0) {
      if !isOpen { first = line }
      if isOpen || !text.isEmpty { lines.append(text) }
    }

    mutating func end(in path: String) -> [DocumentationExample] {
      defer { lines = [] }
      while lines.last == "" { lines.removeLast() }
      return isOpen ? [DocumentationExample(path: path, line: first, lines: lines)] : []
    }
  }
}
