// The documentation's examples: each compiles as a reader would copy it.

import Foundation
import TestSupport
import Testing

@Suite("The documentation's examples", .timeLimit(.minutes(10)))
struct DocumentationTests {
  @Test("compile with the imports that they show, without a warning")
  func examplesCompile() async throws {
    let examples = try Self.examples().filter { !$0.isManifest && !$0.isProgram }
    #expect(examples.count >= 80)
    let sources = examples.enumerated().map { $1.source(number: $0) }
    let diagnostics = try await Self.diagnostics(
      of: [examplePrelude] + sources, by: Self.compiler + ["-parse-as-library"])
    #expect(diagnostics.isEmpty, "\(diagnostics.joined(separator: "\n"))")
  }

  @Test("of README and docs compile as they stand, at the top level of a main.swift too")
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

  @Test("are on pages whose links all lead somewhere")
  func pages() async throws {
    let directory = try TemporaryDirectory()
    _ = try await Command(
      words: ["PRODUCTS=\(Repository.products.path)", "sh", "support/docs.sh", directory.text],
      directory: Repository.root
    ).text()
    let script = directory.url.appending(component: "pages.js")
    let pages = try String(contentsOf: script, encoding: .utf8)
    #expect(pages.contains("pages[\"/documentation/weir/gate\"] = {"))
    #expect(pages.contains("pages[\"/documentation/filejobs/hashjob\"] = {"))
  }

  @Test("of manifests compile")
  func manifestsCompile() async throws {
    for example in try Self.examples().filter(\.isManifest) {
      let diagnostics = try await Self.diagnostics(
        of: [example.manifest],
        by: ["swiftc", "-typecheck", "-package-description-version", "6.2"]
          + ["-I", Self.resources() + "/pm/ManifestAPI"])
      #expect(diagnostics.isEmpty, "\(diagnostics.joined(separator: "\n"))")
    }
  }

  /// The command that compiles examples to the stage that checks ownership and sending. An
  /// import of one file must not help another: each file sees the members of its own imports.
  private static let compiler =
    ["swiftc", "-emit-sil", "-o", "/dev/null", "-wmo", "-swift-version", "6"]
    + ["-enable-upcoming-feature", "MemberImportVisibility", "-module-name", "Examples"]
    + Repository.modules
}

extension DocumentationTests {
  private static func files(in directory: String, suffix: String) throws -> [String] {
    try Installation.files(below: Repository.root.appending(path: directory))
      .filter { $0.hasSuffix(suffix) }.map { "\(directory)/\($0)" }
  }

  private static func examples() throws -> [DocumentationExample] {
    let comments = try ["Sources/Weir", "Sources/FileJobs"].flatMap {
      try files(in: $0, suffix: ".swift")
    }.flatMap { try DocumentationExample.inComments(of: $0) }
    let articles = try ["Sources/Weir/Weir.docc", "docs"].flatMap {
      try files(in: $0, suffix: ".md")
    }
    let fences = try (articles + ["README.md"]).flatMap {
      try DocumentationExample.inFences(of: $0, language: "swift")
    }
    return comments + fences
  }

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
      directory: directory.url
    ).text()
    return text.split(separator: "\n").filter { $0.contains(/(error|warning):\s/) }
      // An example need not use its results. A permit without a use would be released at once: the
      // fix-it of that warning is no way to keep one.
      .filter { !$0.contains(/was never used; consider/) || $0.contains(/'(permit|membership)'/) }
  }

  /// Returns the toolchain's folder of libraries and modules.
  private static func resources() async throws -> String {
    struct Information: Decodable {
      struct Paths: Decodable { let runtimeResourcePath: String }
      let paths: Paths
    }
    let text = try await Command(
      words: ["swiftc", "-print-target-info"], directory: Repository.root
    ).text()
    return try JSONDecoder().decode(Information.self, from: Data(text.utf8))
      .paths.runtimeResourcePath
  }
}
