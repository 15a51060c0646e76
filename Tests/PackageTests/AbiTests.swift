// `make abi`: what it finds, in a clone in which something is changed.

import Foundation
import TestSupport
import Testing

@Suite("make abi", .timeLimit(.minutes(5)))
struct AbiTests {
  let temporary: TemporaryDirectory
  let clone: URL

  init() async throws {
    temporary = try TemporaryDirectory()
    clone = try await Repository.clone(into: temporary.url)
  }

  /// Its words, and whether it was content.
  private func abi() async throws -> (text: String, passed: Bool) {
    let text = try await Command(
      words: [
        "-u", "MAKEFLAGS", "CC=clang", "sh", "-c",
        "status=0; make -s abi 2>&1 || status=$?; echo status $status",
      ], directory: clone, timeLimit: 120
    ).text()
    return (text, text.hasSuffix("status 0\n"))
  }

  private func replace(_ old: String, with new: String, in path: String) throws {
    let file = clone.appending(path: path)
    let text = try String(contentsOf: file, encoding: .utf8)
    try #require(text.contains(old), "\(old) in \(path)")
    try text.replacing(old, with: new).write(to: file, atomically: false, encoding: .utf8)
  }

  @Test("finds nothing where nothing was changed")
  func same() async throws {
    let result = try await abi()
    #expect(result.passed && result.text.contains("the headers declare the same"))
    if !isInstalled("abidiff") { #expect(result.text.contains("abidiff (abigail-tools) is not")) }
  }

  @Test("says so where there is no tag")
  func untagged() async throws {
    _ = try await Command(
      words: ["git", "tag", "-d", Repository.version()], directory: clone, timeLimit: 60
    ).text()
    let result = try await abi()
    #expect(result.passed && result.text.contains("there is no tag"))
  }

  @Test("finds a function that is gone")
  func removed() async throws {
    try replace(
      "WEIR_EXPORT const char *weir_version(void);",
      with: "WEIR_EXPORT const char *weir_revision(void);", in: "include/weir/base.h")
    try replace(
      "weir_version(void)", with: "weir_revision(void)", in: "Sources/CWeir/base/version.c")
    let result = try await abi()
    #expect(!result.passed)
    #expect(result.text.contains("removed: function weir_version"))
    #expect(result.text.contains("added: function weir_revision"))
  }

  @Test("lets a function go under a new soname, and names it")
  func removedInMinor() async throws {
    try replace(
      "WEIR_EXPORT const char *weir_version(void);",
      with: "WEIR_EXPORT const char *weir_revision(void);", in: "include/weir/base.h")
    try replace(
      "weir_version(void)", with: "weir_revision(void)", in: "Sources/CWeir/base/version.c")
    let minor = try Repository.version().split(separator: ".")[1]
    try replace(
      "WEIR_VERSION_MINOR \(minor)\n", with: "WEIR_VERSION_MINOR 987\n", in: "include/weir/base.h")
    let result = try await abi()
    #expect(result.passed)
    #expect(result.text.contains("removed: function weir_version"))
    #expect(result.text.contains("would break, and keep libweir.so.0.\(minor)"))
  }

  @Test("finds what a function is called with, and not what that is called")
  func changed() async throws {
    try replace(
      "weir_walk_destroy(weir_walk_t walk)",
      with: "weir_walk_destroy(weir_walk_t ended)", in: "include/weir/walk.h")
    #expect(try await abi().passed)
    try replace(
      "weir_walk_destroy(weir_walk_t ended)",
      with: "weir_walk_destroy(weir_walk_t ended, int how)",
      in: "include/weir/walk.h")
    try replace(
      "weir_walk_destroy(weir_walk_t walk)",
      with: "weir_walk_destroy(weir_walk_t walk, int how)",
      in: "Sources/CWeir/walk/walk.c")
    let result = try await abi()
    #expect(!result.passed && result.text.contains("changed: function weir_walk_destroy"))
  }

  @Test("lets a struct of statistics grow at its end, and nowhere else")
  func grown() async throws {
    try replace(
      "    bool closed;\n} weir_gate_stats_t",
      with: "    bool closed;\n    size_t more;\n} weir_gate_stats_t", in: "include/weir/gate.h")
    let grown = try await abi()
    #expect(grown.passed && grown.text.contains("grown: type weir_gate_stats_t"))
    try replace(
      "    size_t permits;\n", with: "    size_t less;\n    size_t permits;\n",
      in: "include/weir/gate.h")
    let broken = try await abi()
    #expect(!broken.passed && broken.text.contains("changed: type weir_gate_stats_t"))
  }
}
