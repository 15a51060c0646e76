// Several files state the version, for compilers, linkers and people.
// (DependencyTests compare the result of `weir_version()`.)

import Foundation
import TestSupport
import Testing

@Suite("The version of the headers equals that of")
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
