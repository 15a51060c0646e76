// The version is stated in several places, for compilers, linkers and people.
// (What `weir_version()` says is looked at where a C program is built on it.)

import Foundation
import TestSupport
import Testing

@Suite("The version of the headers is that of")
struct VersionTests {
  @Test("the newest entry of the changelog")
  func changelog() throws {
    let entries = try Repository.text(of: "CHANGELOG.md").matches(of: /(?m)^## (\S+)/)
    #expect(try entries.first?.1 == Repository.version()[...])
  }

  @Test("the tool")
  func tool() async throws {
    let tool = Repository.products.appending(component: "weir")
    let text = try await Command(
      words: [tool.path, "--version"], directory: Repository.root, timeLimit: 60
    ).text()
    #expect(try text == "weir \(Repository.version())\n")
  }
}
