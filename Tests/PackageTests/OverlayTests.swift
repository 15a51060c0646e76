// The Swift overlay from the view of a program outside the repository: the program
// can use all of it, and it hides the C library.

import Foundation
import Testing

@Suite("The overlay, from outside", .timeLimit(.minutes(10)))
struct OverlayTests {
  @Test("a program with warnings as errors uses it, and runs")
  func runs() async throws {
    let program = try await OverlayProgram.common.value
    let lines = try await program.package.run(
      OverlayProgram.name, program.weir.appending(path: "docs").path)
    let expected = ["Weir \(try Repository.version())", "done"]
    #expect(lines == expected)
  }

  @Test("that program imports only the modules of Weir's signatures")
  func imports() async throws {
    let allowed: Set = ["Weir", "Dispatch", "SystemPackage", "Synchronization"]
    for (name, text) in try await OverlayProgram.get().sources(in: OverlayProgram.sources) {
      for line in text.matches(of: /(?m)^\s*(?:\w+ )?import (\w+)/) {
        #expect(allowed.contains(String(line.1)), "\(name)")
      }
    }
  }

  /// The program's sources, without comments and without generic arguments.
  private func code() async throws -> String {
    var text = try await OverlayProgram.get().sources(in: OverlayProgram.sources).values.joined()
    text.replace(/\/\/.*/, with: "")
    while text.contains(/<[\w .,:\[\]?]*>/) { text.replace(/<[\w .,:\[\]?]*>/, with: "") }
    return text
  }

  /// A regular expression for a whole name; `.` ends a word, as in code.
  private func word(_ name: String, after pattern: String = "") throws -> Regex<AnyRegexOutput> {
    try Regex("\(pattern)\\b\(name)\\b").wordBoundaryKind(.simple)
  }

  @Test("that program names every public type")
  func everyType() async throws {
    let code = try await code()
    let types = try await PublicInterface.get().symbols().filter(\.isType)
    #expect(types.count > 40, "the symbol graph has too few types")
    for type in types {
      let name = try word(type.path.replacing(".", with: "\\."))
      let isNamed = code.contains(name)
      #expect(isNamed, "Fixtures/OverlayClient does not use \(type.path)")
    }
  }

  @Test("that program awaits every async function")
  func everyAsyncForm() async throws {
    let code = try await code()
    let suspending = try await PublicInterface.get().symbols().filter(\.suspends)
    #expect(suspending.count > 20, "the symbol graph has too few functions")
    for symbol in suspending {
      let name = try #require(symbol.pathComponents.last?.prefix { $0 != "(" })
      let call = try word(String(name), after: "await [^\\n]*")
      let isCalled = code.contains(call)
      #expect(isCalled, "Fixtures/OverlayClient does not await \(symbol.path)")
    }
  }

  @Test("its signatures name types of Swift, Dispatch and SystemPackage")
  func foreignTypes() async throws {
    // The mangled prefixes of these modules; S and s are Swift's own.
    let modules = ["s:4Weir", "s:8Dispatch", "s:13SystemPackage", "s:12_Concurrency", "s:S", "s:s"]
    var looked = 0
    for symbol in try await PublicInterface.get().symbols() {
      for type in symbol.declarationFragments where type.kind == "typeIdentifier" {
        guard let identifier = type.preciseIdentifier else { continue }
        looked += 1
        let isKnown = modules.contains { identifier.hasPrefix($0) }
        #expect(isKnown, "\(symbol.path) names \(type.spelling), \(identifier)")
        let isPointer = ["OpaquePointer", "Unmanaged"].contains(type.spelling)
        #expect(!isPointer, "\(symbol.path) shows a \(type.spelling)")
      }
    }
    #expect(looked > 300, "the symbol graph has too few signatures")
  }

  @Test("its types have no public stored state, except options")
  func storedState() async throws {
    let stored = try await PublicInterface.get().storedProperties()
    #expect(
      stored.contains("FileProcessorOptions.label"), "the API digester found no stored property")
    let plain = [
      "BusyFile", "ChildProcess.Options", "FileProcessorOptions", "FileStatistics", "FileStatus",
      "FileTime", "FileWalk.Entry", "FileWalk.Options.rawValue", "Storage", "TraceEvent",
    ]
    for property in stored {
      let isPlain = plain.contains { "\(property).".hasPrefix("\($0).") }
      #expect(isPlain, "\(property) is stored")
    }
  }

  @Test("it builds with library evolution, and has few public imports")
  func libraryEvolution() async throws {
    let interface = try await PublicInterface.get()
    let (text, diagnostics) = try await interface.resilient()
    // These modules of others are built without library evolution.
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
