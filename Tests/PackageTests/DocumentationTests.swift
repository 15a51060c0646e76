// The documentation: its examples compile, its pages are built without a
// warning, and nothing that is public is without it.

import Foundation
import Testing

@Suite("The documentation", .timeLimit(.minutes(5)))
struct DocumentationTests {
  /// The articles of the catalogue, from the repository's root.
  private static func articles() throws -> [String] {
    try files(in: "Sources/Weir/Weir.docc", suffix: ".md")
  }

  private static func files(in directory: String, suffix: String) throws -> [String] {
    try Installation.files(below: Repository.root.appending(path: directory))
      .filter { $0.hasSuffix(suffix) }.map { "\(directory)/\($0)" }
  }

  private static func examples() throws -> [DocumentationExample] {
    let comments = try files(in: "Sources/Weir", suffix: ".swift")
      .flatMap { try DocumentationExample.inComments(of: $0) }
    let articles = try (articles() + ["README.md"])
      .flatMap { try DocumentationExample.inFences(of: $0, language: "swift") }
    return comments + articles
  }

  /// What can be read of public modules of this very build.
  private static let modules = [
    Repository.products.appending(component: "Modules"),
    Repository.root.appending(path: "Sources/CWeir/include"),
    Repository.checkouts.appending(path: "swift-system/Sources/CSystem/include"),
  ].flatMap { ["-I", $0.path] }

  /// Compiles source files as one module, down to where it is known what is
  /// consumed and what may be sent, and returns what the compiler had to say.
  private static func diagnostics(of sources: [String]) async throws -> [Substring] {
    let directory = try TemporaryDirectory()
    var files: [String] = []
    for (number, source) in sources.enumerated() {
      let file = directory.url.appending(component: "Example\(number).swift")
      try source.write(to: file, atomically: false, encoding: .utf8)
      files.append(file.path)
    }
    let text = try await Command(
      words: [
        "sh", "-c", #"swiftc "$@" 2>&1 || echo "error: ended with $?""#, "sh",
        "-emit-sil", "-o", "/dev/null", "-wmo", "-parse-as-library", "-swift-version", "6",
        "-diagnostic-style=llvm", "-module-name", "Examples",
      ] + modules + files,
      directory: directory.url, timeLimit: 240
    ).run()
    return text.split(separator: "\n").filter { $0.contains(/(error|warning):\s/) }
      // An example ends where its reader goes on.
      .filter { !$0.contains(/was never used; consider|will never be executed/) }
  }

  @Test("has examples that compile")
  func examplesCompile() async throws {
    let examples = try Self.examples().filter { !$0.isManifest }
    let sources = examples.enumerated().map { $1.source(number: $0) }
    let diagnostics = try await Self.diagnostics(of: [examplePrelude] + sources)
    #expect(diagnostics.isEmpty, "\(diagnostics.joined(separator: "\n"))")
  }
}
