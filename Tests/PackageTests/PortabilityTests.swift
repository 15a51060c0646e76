// The committed files work on any machine.

import Foundation
import TestSupport
import Testing

@Suite("The committed files")
struct PortabilityTests {
  /// Folders of machines on which Weir was written, in pieces: this file is committed
  /// too.
  static let places = ["opt/" + "swift", "work" + "/", "farm" + "/", "root" + "/"]

  @Test("contain no path of one machine")
  func noPlaceOfOneMachine() async throws {
    let temporary = try TemporaryDirectory()
    let clone = try await Repository.clone(into: temporary.url)
    let pattern = try Regex(
      "(^|[^\\w.~}-])/(\(Self.places.joined(separator: "|")))|\\.\\./" + "shared")
    let files = try #require(
      FileManager.default.enumerator(at: clone, includingPropertiesForKeys: [.isRegularFileKey]))
    var looked = 0
    while let file = files.nextObject() as? URL {
      if file.lastPathComponent == ".git" {
        files.skipDescendants()
        continue
      }
      guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
        continue
      }
      looked += 1
      let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated() where line.contains(pattern)
      {
        Issue.record("\(file.path.dropFirst(clone.path.count)):\(number + 1): \(line)")
      }
    }
    #expect(looked > 40, "the clone has too few files")
  }
}
