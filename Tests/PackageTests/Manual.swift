// The manual pages as support/man.sh makes them.

import Foundation
import TestSupport

enum Manual {
  /// The pages, made once for all tests.
  private static let made = Task {
    let directory = try TemporaryDirectory()
    _ = try await Command(
      words: ["sh", "support/man.sh", directory.url.path], directory: Repository.root,
      timeLimit: 60
    ).text()
    return directory
  }

  /// The directory with `man1`, `man3` and `man7`.
  static func directory() async throws -> URL { try await made.value.url }

  /// Returns the text of a page such as `weir.7`.
  static func text(of page: String) async throws -> String {
    let section = page.last.map(String.init) ?? ""
    let file = try await directory().appending(path: "man\(section)/\(page)")
    return try String(contentsOf: file, encoding: .utf8)
  }

  /// Returns the pages that are no link to another page.
  static func wholePages() async throws -> [URL] {
    let directory = try await directory()
    let files = try Installation.files(below: directory).map { directory.appending(path: $0) }
    return try files.filter { !(try String(contentsOf: $0, encoding: .utf8)).hasPrefix(".so") }
  }

  /// Returns a page as man(1) shows it, with the warnings.
  static func shown(_ page: URL) async throws -> String {
    try await Command(
      words: [
        "MANWIDTH=80", "LC_ALL=C.UTF-8", "sh", "-c",
        "man --warnings -E UTF-8 -l \"$0\" 2>&1 | col -bx", page.path,
      ], directory: Repository.root, timeLimit: 60
    ).text()
  }

  /// Returns the C programs of a page, or a part of one.
  static func programs(in page: String) -> [String] {
    page.matches(of: /(?s)\n\.EX\n(.*?)\n\.EE\n/).map { plain($0.1) + "\n" }
      .filter { $0.contains("#include") }
  }

  /// Returns the programs of all pages.
  static func programs() async throws -> [String] {
    try await wholePages().flatMap { programs(in: try String(contentsOf: $0, encoding: .utf8)) }
  }

  /// Returns the program of the page `name`(3), or one of weir(7) by the name in its first comment.
  static func program(_ name: String) async throws -> String {
    let isOfHeader = name.hasPrefix("weir_")
    let programs = programs(in: try await text(of: isOfHeader ? "\(name).3" : "weir.7"))
    guard let program = programs.first(where: { isOfHeader || $0.hasPrefix("/* \(name)") }) else {
      throw CommandFailure(description: "no page has the program \(name)")
    }
    return program
  }

  /// Resolves the escapes of a manual page.
  private static func plain(_ text: Substring) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let escapes = [
        "\\-": "-", "\\(aq": "'", "\\(ga": "`", "\\(ha": "^", "\\(ti": "~",
      ]
      var line = line.hasPrefix("\\&") ? String(line.dropFirst(2)) : String(line)
      for (escape, character) in escapes { line = line.replacing(escape, with: character) }
      return line.replacing("\\e", with: "\\")
    }
    return lines.joined(separator: "\n")
  }
}
