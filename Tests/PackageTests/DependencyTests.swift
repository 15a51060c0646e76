// Weir as a dependency of a package outside: it builds in every way in which
// SwiftPM can be asked for it, and brings swift-system and nothing else.
//
// By version, C and Swift are built; by path and by branch C alone, to save
// time.

import Foundation
import TestSupport
import Testing

@Suite("Weir as a dependency")
struct DependencyTests {
  let temporary: TemporaryDirectory

  init() throws {
    temporary = try TemporaryDirectory()
  }

  @Test("by version, from C and from Swift")
  func byVersion() async throws {
    let weir = try await Repository.clone(into: temporary.url)
    let version = try Repository.version()
    let consumer = try await Consumer(
      in: temporary.url,
      dependency: #".package(url: "\#(weir)", from: "\#(version)", traits: [])"#)
    #expect(try await consumer.dependencies() == ["swift-system", "weir"])
    #expect(try await consumer.run(Consumer.programInC) == [version])
    #expect(try await consumer.run(Consumer.programInSwift).sorted() == ["1", "16", "4", "9"])
  }

  @Test("by path")
  func byPath() async throws {
    let weir = try await Repository.clone(into: temporary.url)
    let consumer = try await Consumer(
      in: temporary.url, dependency: #".package(path: "\#(weir.path)", traits: [])"#)
    #expect(try await consumer.dependencies() == ["swift-system", "weir"])
    #expect(try await consumer.run(Consumer.programInC) == [Repository.version()])
  }

  @Test("by branch")
  func byBranch() async throws {
    let weir = try await Repository.clone(into: temporary.url)
    let consumer = try await Consumer(
      in: temporary.url, dependency: #".package(url: "\#(weir)", branch: "trunk", traits: [])"#)
    #expect(try await consumer.dependencies() == ["swift-system", "weir"])
    #expect(try await consumer.run(Consumer.programInC) == [Repository.version()])
  }

  @Test("without unsafe flags, which versions of SwiftPM refuse in a dependency")
  func noUnsafeFlags() throws {
    #expect(try !Repository.text(of: "Package.swift").contains("unsafeFlags"))
  }
}
