// The documentation: its examples compile, its pages build without a warning, and
// it covers every public symbol.

import Foundation
import TestSupport
import Testing

private let hasDocC = isInstalled("docc")
private let noDocC: Comment = "docc, which comes with the toolchain, is not in PATH"

@Suite("The documentation", .timeLimit(.minutes(5)))
struct DocumentationTests {
  // MARK: Examples

  @Test("has examples that compile, without a warning")
  func examplesCompile() async throws {
    let examples = try Self.examples().filter { !$0.isManifest }
    let sources = examples.enumerated().map { $1.source(number: $0) }
    let diagnostics = try await Self.diagnostics(
      of: [examplePrelude] + sources,
      // To the stage that checks ownership and sending.
      by: ["swiftc", "-emit-sil", "-o", "/dev/null", "-wmo", "-parse-as-library"]
        + ["-swift-version", "6", "-module-name", "Examples"] + Self.modules)
    #expect(diagnostics.isEmpty, "\(diagnostics.joined(separator: "\n"))")
  }

  @Test("has manifests that compile")
  func manifestsCompile() async throws {
    for example in try Self.examples().filter(\.isManifest) {
      let diagnostics = try await Self.diagnostics(
        of: [example.manifest],
        by: ["swiftc", "-typecheck", "-package-description-version", "6.2"]
          + ["-I", Self.resources() + "/pm/ManifestAPI"])
      #expect(diagnostics.isEmpty, "\(diagnostics.joined(separator: "\n"))")
    }
  }

  @Test("promises no version without a tag, and fetches without the tool's packages")
  func manifestExamples() throws {
    let examples = try Self.examples().filter(\.isManifest)
    for example in examples {
      #expect(example.lines.contains { $0.contains(#"branch: "main", traits: []"#) })
    }
    #expect(examples.count >= 2)
  }

  @Test("has as many examples as before, and few that are not compiled")
  func exampleCount() throws {
    let examples = try Self.examples()
    let inComments = examples.count { $0.path.hasSuffix(".swift") }
    #expect(inComments >= 82)
    #expect(examples.count - inComments >= 45)
    // Code for other packages, which are not fetched here.
    let others = try Self.articles().flatMap {
      try DocumentationExample.inFences(of: $0, language: "")
    }
    #expect(others.count == 3)
  }

  // MARK: Symbols

  @Test("builds without a warning, and covers every symbol", .enabled(if: hasDocC, noDocC))
  func pages() async throws {
    let symbols = try await Self.symbols.value
    #expect(symbols.count > 300)
    for symbol in symbols where symbol.documentation.isEmpty && symbol.needsDocumentation {
      Issue.record("\(symbol) is not documented")
    }
  }

  @Test(
    "names the C function of each symbol, or states that there is none",
    .enabled(if: hasDocC, noDocC))
  func functionsOfC() async throws {
    let symbols = try await Self.symbols.value
    let types = Dictionary(
      symbols.map { ($0.pathComponents, $0) }, uniquingKeysWith: { first, _ in first })
    for symbol in symbols where symbol.needsDocumentation && !symbol.namesC {
      // The comment of the type covers its properties and cases.
      let outer = types[symbol.pathComponents.dropLast()]
      if symbol.isPart && outer?.namesC == true { continue }
      Issue.record("\(symbol) names no C symbol")
    }
  }

  @Test("lists every type and function on its first page", .enabled(if: hasDocC, noDocC))
  func overview() async throws {
    let page = try Repository.text(of: "Sources/Weir/Weir.docc/Weir.md")
    for symbol in try await Self.symbols.value where symbol.isOutermost {
      let name = symbol.pathComponents.joined(separator: "/")
      #expect(page.contains("/\(name)") || page.contains("``\(name)"), "\(name)")
    }
  }
}

extension DocumentationTests {
  /// Returns the paths of the catalogue's articles.
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

  /// The search paths of a compiler for the modules of this build.
  private static let modules = [
    Repository.products.appending(component: "Modules"),
    Repository.root.appending(path: "Sources/CWeir/include"),
    Repository.checkouts.appending(path: "swift-system/Sources/CSystem/include"),
  ].flatMap { ["-I", $0.path] }

  /// Compiles source files together, and returns the compiler's diagnostics.
  private static func diagnostics(of sources: [String], by words: [String]) async throws
    -> [Substring]
  {
    let directory = try TemporaryDirectory()
    var files: [String] = []
    for (number, source) in sources.enumerated() {
      let file = directory.url.appending(component: "Example\(number).swift")
      try source.write(to: file, atomically: false, encoding: .utf8)
      files.append(file.path)
    }
    let text = try await Command(
      words: ["sh", "-c", #""$@" 2>&1 || echo "error: ended with $?""#, "sh"] + words
        + ["-diagnostic-style=llvm"] + files,
      directory: directory.url, timeLimit: 240
    ).text()
    return text.split(separator: "\n").filter { $0.contains(/(error|warning):\s/) }
      // An example need not use its results.
      .filter { !$0.contains(/was never used; consider/) }
  }

  /// Returns the toolchain's folder of libraries and modules.
  private static func resources() async throws -> String {
    struct Information: Decodable {
      struct Paths: Decodable { let runtimeResourcePath: String }
      let paths: Paths
    }
    let text = try await Command(
      words: ["swiftc", "-print-target-info"], directory: Repository.root, timeLimit: 60
    ).text()
    return try JSONDecoder().decode(Information.self, from: Data(text.utf8))
      .paths.runtimeResourcePath
  }

  /// Builds the pages with support/docs.sh, once for all tests, and returns their
  /// symbols.
  private static let symbols = Task {
    let directory = try TemporaryDirectory()
    let modules = Repository.products.appending(component: "Modules").path
    _ = try await Command(
      words: ["MODULES=\(modules)", "sh", "support/docs.sh", directory.url.path],
      directory: Repository.root, timeLimit: 240
    ).text()
    let symbols = directory.url.appending(component: "symbols")
    return try Installation.files(below: symbols).flatMap {
      try DocumentedSymbol.all(in: symbols.appending(path: $0))
    }
  }
}
