// The Swift overlay as a program outside sees it: all of it is of use to one,
// and it shows nothing of what is below.

import Foundation
import Testing

@Suite("The overlay, from outside", .timeLimit(.minutes(10)))
struct OverlayTests {
  @Test("resolves swift-system and nothing else")
  func dependencies() async throws {
    let program = try await OverlayProgram.get()
    #expect(try await program.package.dependencies() == ["swift-system", "weir"])
  }

  @Test("a program with every warning an error uses it, and runs")
  func runs() async throws {
    let program = try await OverlayProgram.common.value
    let lines = try await program.package.run(
      OverlayProgram.name, program.weir.appending(path: "docs").path)
    let expected = ["Weir \(try Repository.version())", "done"]
    #expect(lines == expected)
  }

  @Test("that program imports what Weir's signatures name and nothing else")
  func imports() async throws {
    let allowed: Set = ["Weir", "Dispatch", "SystemPackage", "Synchronization"]
    for (name, text) in try await OverlayProgram.get().sources(in: OverlayProgram.sources) {
      for line in text.matches(of: /(?m)^\s*(?:\w+ )?import (\w+)/) {
        #expect(allowed.contains(String(line.1)), "\(name)")
      }
    }
  }

  /// Its sources, without comments and without the arguments of generic types.
  private func code() async throws -> String {
    var text = try await OverlayProgram.get().sources(in: OverlayProgram.sources).values.joined()
    text.replace(/\/\/.*/, with: "")
    while text.contains(/<[\w .,:\[\]?]*>/) { text.replace(/<[\w .,:\[\]?]*>/, with: "") }
    return text
  }

  /// A name and no longer one; `.` ends a word, as it does in code.
  private func word(_ name: String, after pattern: String = "") throws -> Regex<AnyRegexOutput> {
    try Regex("\(pattern)\\b\(name)\\b").wordBoundaryKind(.simple)
  }

  @Test("that program names every public type")
  func everyType() async throws {
    let code = try await code()
    let types = try await PublicInterface().symbols().filter(\.isType)
    #expect(types.count > 40, "types have been found")
    for type in types {
      let name = try word(type.path.replacing(".", with: "\\."))
      let isNamed = code.contains(name)
      #expect(isNamed, "Fixtures/OverlayClient makes no use of \(type.path)")
    }
  }

  @Test("that program calls everything that suspends")
  func everyAsyncForm() async throws {
    let code = try await code()
    let suspending = try await PublicInterface().symbols().filter(\.suspends)
    #expect(suspending.count > 20, "functions have been found")
    for symbol in suspending {
      let name = try #require(symbol.pathComponents.last?.prefix { $0 != "(" })
      let call = try word(String(name), after: "await [^\\n]*")
      let isCalled = code.contains(call)
      #expect(isCalled, "Fixtures/OverlayClient does not await \(symbol.path)")
    }
  }

  @Test("its signatures name types of Swift, Dispatch and SystemPackage")
  func foreignTypes() async throws {
    // How the compiler writes types of these modules; S and s are Swift's own.
    let modules = ["s:4Weir", "s:8Dispatch", "s:13SystemPackage", "s:12_Concurrency", "s:S", "s:s"]
    var looked = 0
    for symbol in try await PublicInterface().symbols() {
      for type in symbol.declarationFragments where type.kind == "typeIdentifier" {
        guard let identifier = type.preciseIdentifier else { continue }
        looked += 1
        let isKnown = modules.contains { identifier.hasPrefix($0) }
        #expect(isKnown, "\(symbol.path) names \(type.spelling), \(identifier)")
        let isPointer = ["OpaquePointer", "Unmanaged"].contains(type.spelling)
        #expect(!isPointer, "\(symbol.path) shows a \(type.spelling)")
      }
    }
    #expect(looked > 300, "signatures have been looked at")
  }

  @Test("its types show no stored state, but for options that are set before use")
  func storedState() async throws {
    let stored = try await PublicInterface().storedProperties()
    #expect(stored.contains("FileProcessorOptions.label"), "stored properties are found")
    let plain = [
      "BusyFile", "ChildProcess.Options", "FileProcessorOptions", "FileStatistics", "FileStatus",
      "FileTime", "FileWalk.Options.rawValue", "Storage",
    ]
    for property in stored {
      let isPlain = plain.contains { "\(property).".hasPrefix("\($0).") }
      #expect(isPlain, "\(property) is stored")
    }
  }

  @Test("it builds with library evolution, and imports little in public")
  func libraryEvolution() async throws {
    let interface = try await PublicInterface()
    let (text, diagnostics) = try await interface.resilient()
    // What others did not build so is not Weir's affair.
    let own = diagnostics.filter {
      !$0.contains(/module '(Dispatch|SystemPackage)' was not compiled with library evolution/)
    }
    #expect(own.isEmpty)
    let imports = text.matches(of: /(?m)^public import (\w+)/).map { String($0.1) }
    let named = imports.filter { !$0.hasPrefix("_") }
    #expect(named.sorted() == ["Dispatch", "Swift", "SystemPackage"])
    let names = text.matches(of: /OpaquePointer|weir_\w+|dispatch_\w+|Foundation/).map(\.output)
    #expect(names.isEmpty)
    try await interface.compileResilient()
  }
}
