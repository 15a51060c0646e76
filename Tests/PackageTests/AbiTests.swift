// `make abi` in a clone of the repository with a change.

import Foundation
import TestSupport
import Testing

@Suite("make abi", .timeLimit(.minutes(10)))
struct AbiTests {
  let temporary: TemporaryDirectory
  let clone: URL

  init() async throws {
    temporary = try TemporaryDirectory()
    clone = try await Repository.clone(into: temporary.url)
  }

  /// The output, and true if the status is 0.
  private func abi() async throws -> (text: String, passed: Bool) {
    let text = try await Command(
      words: [
        "-u", "MAKEFLAGS", "CC=clang", "sh", "-c",
        "status=0; make -s abi 2>&1 || status=$?; echo status $status",
      ], directory: clone
    ).text()
    return (text, text.hasSuffix("status 0\n"))
  }

  /// Replaces text in every file of the C library that contains it.
  private func replace(_ old: String, with new: String) throws {
    var count = 0
    for folder in ["include/weir", "Sources/CWeir"].map({ clone.appending(path: $0) }) {
      for name in try Installation.files(below: folder) {
        let file = folder.appending(path: name)
        let text = try String(contentsOf: file, encoding: .utf8)
        guard text.contains(old) else { continue }
        try text.replacing(old, with: new).write(to: file, atomically: false, encoding: .utf8)
        count += 1
      }
    }
    try #require(count > 0, "no file contains \(old)")
  }

  private func removeVersion() throws {
    try replace("weir_version(void)", with: "weir_revision(void)")
  }

  @Test(
    """
    finds a removed function, a new parameter, a field in the middle of a struct, and \
    options that grow beyond their reserved fields
    """)
  func incompatible() async throws {
    try removeVersion()
    try replace(
      "weir_group_error(weir_group_t group)",
      with: "weir_group_error(weir_group_t group, int how)")
    try replace(
      "    bool closed;\n} weir_gate_stats_t",
      with: "    size_t less;\n    bool closed;\n} weir_gate_stats_t")
    try replace(
      "    uintptr_t reserved[8];\n", with: "    size_t more;\n    uintptr_t reserved[8];\n")
    let result = try await abi()
    #expect(!result.passed && result.text.contains("FAILED"))
    for name in ["weir_version", "weir_group_error", "weir_gate_stats_t", "type size changed"] {
      #expect(result.text.contains(name), "\(result.text)")
    }
  }

  @Test("passes under a new soname, and names the old one")
  func minor() async throws {
    try removeVersion()
    let minor = try Repository.version().split(separator: ".")[1]
    try replace(
      "WEIR_VERSION_MINOR \(minor)\n", with: "WEIR_VERSION_MINOR 987\n")
    let result = try await abi()
    #expect(result.passed)
    #expect(result.text.contains("would break, and keep libweir.so.0.\(minor)"))
  }
}
