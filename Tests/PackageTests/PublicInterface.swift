// The public interface of the module Weir, from the compiler's own tools.

import Foundation
import TestSupport

struct PublicInterface: Sendable {
  /// A declaration, with the types that it names.
  struct Symbol: Decodable, Sendable {
    struct Kind: Decodable, Sendable {
      let identifier: String
    }
    struct Identifier: Decodable, Sendable {
      let precise: String
    }
    struct Fragment: Decodable, Sendable {
      let kind: String
      let spelling: String
      let preciseIdentifier: String?
    }

    let kind: Kind
    let identifier: Identifier
    let pathComponents: [String]
    let declarationFragments: [Fragment]

    var path: String { pathComponents.joined(separator: ".") }
    /// True for a function that suspends: not for one with a parameter that does,
    /// nor for a function with the name `async`.
    var suspends: Bool {
      var words = declarationFragments.map(\.spelling).joined()
      while words.contains(/\([^()]*\)/) { words.replace(/\([^()]*\)/, with: "") }
      return words.replacing("func async", with: "func").contains(/\basync\b/)
    }
    var isType: Bool {
      ["class", "struct", "enum", "protocol", "typealias", "actor"]
        .contains { kind.identifier == "swift.\($0)" }
    }
    /// False for a member from a protocol extension of another module.
    var isOwn: Bool { !identifier.precise.contains("::SYNTHESIZED::") }
  }

  /// A node of the API digester's tree.
  private struct Node: Decodable {
    let name: String?
    let children: [Node]?
    let hasStorage: Bool?
  }

  private let program: OverlayProgram
  private let directory: TemporaryDirectory

  private static let common = Task { try await PublicInterface() }
  private static let commonSymbols = Task { try await get().extractSymbols() }
  private static let commonBuild = Task { try await get().buildResilient() }

  /// Returns the interface. Its parts are made once for all tests.
  static func get() async throws -> PublicInterface { try await common.value }

  private init() async throws {
    program = try await OverlayProgram.get()
    directory = try TemporaryDirectory()
  }

  /// Returns the public symbols, also those in extensions of others' types.
  func symbols() async throws -> [Symbol] { try await Self.commonSymbols.value }

  /// Returns the module interface of a build with library evolution, and the
  /// compiler's diagnostics. Nothing is linked.
  func resilient() async throws -> (text: String, diagnostics: [Substring]) {
    try await Self.commonBuild.value
  }

  private func extractSymbols() async throws -> [Symbol] {
    struct Graph: Decodable {
      let symbols: [Symbol]
    }
    _ = try await run(
      ["swift", "symbolgraph-extract", "-module-name", "Weir", "-target", try await target()]
        + ["-minimum-access-level", "public", "-output-dir", directory.url.path]
        + program.searchPaths)
    return try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
      .filter { $0.hasSuffix(".symbols.json") }
      .flatMap { try JSONDecoder().decode(Graph.self, from: data(of: $0)).symbols }
      .filter(\.isOwn)
  }

  /// Returns the stored public properties, with their types' names.
  func storedProperties() async throws -> [String] {
    struct Root: Decodable {
      let ABIRoot: Node
    }
    _ = try await run(
      ["swift", "api-digester", "-dump-sdk", "-module", "Weir", "-target", try await target()]
        + ["-o", directory.url.appending(component: "api.json").path] + program.searchPaths)
    func stored(below node: Node, _ path: [String]) -> [String] {
      let own = node.hasStorage == true ? [path.joined(separator: ".")] : []
      return own
        + (node.children ?? []).flatMap { stored(below: $0, path + [$0.name ?? "?"]) }
    }
    let root = try JSONDecoder().decode(Root.self, from: data(of: "api.json"))
    return stored(below: root.ABIRoot, [])
  }

  private func buildResilient() async throws -> (text: String, diagnostics: [Substring]) {
    let files = try program.sources(in: "Sources/Weir").keys.sorted()
    let outcome = try await Command(
      words: ["swiftc", "-emit-sil", "-o", "/dev/null", "-wmo", "-enable-library-evolution"]
        + ["-module-name", "Weir", "-package-name", "weir"]
        + ["-emit-module-interface-path", resilientInterface.path]
        + ["-emit-module-path", directory.url.appending(component: "Weir.swiftmodule").path]
        + OverlayProgram.language + program.searchPaths + files,
      directory: program.weir.appending(path: "Sources/Weir"), timeLimit: 300
    ).run()
    let text = try? String(contentsOf: resilientInterface, encoding: .utf8)
    let diagnostics = outcome.errorText.split(separator: "\n")
      .filter { $0.contains(/^\S+:\d+: (?:error|warning):/) }
    return (text ?? "", diagnostics)
  }

  /// Compiles the interface of `resilient()` without the C library's module.
  func compileResilient() async throws {
    _ = try await run(
      ["swiftc", "-frontend", "-typecheck-module-from-interface", resilientInterface.path]
        + ["-module-name", "Weir", "-enable-library-evolution", "-swift-version", "6"]
        + program.searchPaths.filter { !$0.contains("CWeir") && $0 != "-I" }.map { "-I\($0)" })
  }

  private var resilientInterface: URL {
    directory.url.appending(component: "Weir.swiftinterface")
  }

  /// Returns the methods and functions that are unavailable in async code, with
  /// their types.
  func blocking() async throws -> Set<String> {
    var found: Set<String> = []
    var type = ""
    var isBlocking = false
    for line in try await resilient().text.split(separator: "\n") {
      if let match = line.firstMatch(of: /^(?:\S.* )?(?:class|struct|enum|extension) ([\w.]+)/) {
        type = String(match.1.split(separator: ".").last ?? "") + "."
      } else if line.hasPrefix("}") {
        type = ""
      }
      if line.contains("@available(*, noasync") { isBlocking = true }
      if isBlocking, let match = line.firstMatch(of: /func (\w+)/) {
        found.insert(type + match.1)
        isBlocking = false
      }
    }
    return found
  }

  private func target() async throws -> String {
    struct Info: Decodable {
      struct Target: Decodable {
        let triple: String
      }
      let target: Target
    }
    let text = try await run(["swiftc", "-print-target-info"])
    return try JSONDecoder().decode(Info.self, from: Data(text.utf8)).target.triple
  }

  private func run(_ words: [String]) async throws -> String {
    try await Command(words: words, directory: directory.url, timeLimit: 120).text()
  }

  private func data(of name: String) throws -> Data {
    try Data(contentsOf: directory.url.appending(component: name))
  }
}
