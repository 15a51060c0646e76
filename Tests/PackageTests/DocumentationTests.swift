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

  @Test("has examples that compile with the imports that they show, without a warning")
  func examplesCompile() async throws {
    let examples = try Self.examples().filter { !$0.isManifest && !$0.isProgram }
    let sources = examples.enumerated().map { $1.source(number: $0) }
    let diagnostics = try await Self.diagnostics(
      of: [examplePrelude] + sources, by: Self.compiler + ["-parse-as-library"])
    #expect(diagnostics.isEmpty, "\(diagnostics.joined(separator: "\n"))")
  }

  @Test("has programs that compile as they stand, at the top level of a main.swift too")
  func programsCompile() async throws {
    let programs = try Self.examples().filter { !$0.isManifest && $0.isProgram }
    #expect(programs.count >= 2)
    for program in programs {
      let diagnostics = try await Self.diagnostics(
        of: [program.program],
        by: Self.compiler + (program.hasMain ? ["-parse-as-library"] : []))
      #expect(diagnostics.isEmpty, "\(diagnostics.joined(separator: "\n"))")
    }
  }

  @Test("does not compile an example that lacks an import")
  func missingImports() async throws {
    let lines = ["let now = DispatchTime.now() + .seconds(1)", "print(now)"]
    for (imports, isComplete) in [([], false), (["import Dispatch"], true)] {
      let example = DocumentationExample(
        path: "Sources/Weir/Example.swift", line: 1, lines: imports + lines)
      let diagnostics = try await Self.diagnostics(
        of: [examplePrelude, example.source(number: 0)],
        by: Self.compiler + ["-parse-as-library"])
      #expect(diagnostics.isEmpty == isComplete, "\(diagnostics.joined(separator: "\n"))")
    }
  }

  /// The command that compiles examples to the stage that checks ownership and sending. An
  /// import of one file must not help another: each file sees the members of its own imports.
  private static let compiler =
    ["swiftc", "-emit-sil", "-o", "/dev/null", "-wmo", "-swift-version", "6"]
    + ["-enable-upcoming-feature", "MemberImportVisibility", "-module-name", "Examples"] + modules

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

  @Test("promises no version without a tag")
  func manifestExamples() throws {
    let examples = try Self.examples().filter(\.isManifest)
    for example in examples {
      #expect(example.lines.contains { $0.contains(#"branch: "main""#) })
    }
    #expect(examples.count >= 2)
  }

  @Test("has examples in its comments and in its pages")
  func exampleCount() throws {
    let examples = try Self.examples()
    let inComments = examples.count { $0.path.hasSuffix(".swift") }
    #expect(inComments >= 50)
    #expect(examples.count - inComments >= 30)
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
    let comments = try ["Sources/Weir", "Sources/FileJobs"].flatMap {
      try files(in: $0, suffix: ".swift")
    }.flatMap { try DocumentationExample.inComments(of: $0) }
    let articles = try (articles() + files(in: "docs", suffix: ".md") + ["README.md"])
      .flatMap { try DocumentationExample.inFences(of: $0, language: "swift") }
    return comments + articles
  }

  /// The search paths of a compiler for the modules of this build.
  private static let modules = [
    Repository.products.appending(component: "Modules"),
    Repository.root.appending(path: "Sources/CWeir/include"),
    // SwiftPM made the map of this module, for a folder that has none.
    Repository.products.appending(component: "CFileKernels.build"),
    Repository.checkouts.appending(path: "swift-system/Sources/CSystem/include"),
  ].flatMap { ["-I", $0.path] }

  /// Compiles source files together, and returns the compiler's diagnostics.
  private static func diagnostics(of sources: [String], by words: [String]) async throws
    -> [Substring]
  {
    let directory = try TemporaryDirectory()
    var files: [String] = []
    for (number, source) in sources.enumerated() {
      // The first file is the main one, unless there is none.
      let file = directory.url.appending(
        component: number == 0 ? "main.swift" : "Example\(number).swift")
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
