// The repository that these tests are part of, and copies of it.

import Foundation
import TestSupport

enum Repository {
  /// Where it is.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The directory of the test bundle, with the programs built beside it.
  static let products = Bundle.main.bundleURL

  /// Where SwiftPM has put the package's dependencies for this very build.
  static let checkouts =
    products
    .deletingLastPathComponent().deletingLastPathComponent().appending(component: "checkouts")

  /// The text of one of its files.
  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The manual pages of section 1, by their files' names.
  static func pagesOfTool() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "man").path)
      .filter { $0.hasSuffix(".1") }
  }

  /// The version that `include/weir/base.h` states.
  static func version() throws -> String {
    let header = try text(of: "include/weir/base.h")
    let numbers = try ["MAJOR", "MINOR", "PATCH"].map { part in
      let pattern = try Regex(
        "#define WEIR_VERSION_\(part) ([0-9]+)", as: (Substring, Substring).self)
      guard let match = header.firstMatch(of: pattern) else {
        throw CommandFailure(description: "no WEIR_VERSION_\(part) in include/weir/base.h")
      }
      return match.1
    }
    return numbers.joined(separator: ".")
  }

  /// Makes a clone: what is committed, as others get it, on the branch `trunk`
  /// and tagged with the version. Outside a git checkout it is made of the
  /// files that are there.
  static func clone(into parent: URL) async throws -> URL {
    let clone = parent.appending(component: "weir", directoryHint: .isDirectory)
    func git(_ arguments: String..., in directory: URL) async throws {
      let settings =
        ["user.name=test", "user.email=test@localhost", "commit.gpgSign=false"]
        + ["tag.gpgSign=false", "advice.detachedHead=false"]
      _ = try await Command(
        words: ["git"] + settings.flatMap { ["-c", $0] } + arguments, directory: directory
      ).text()
    }
    let isCheckout = FileManager.default.fileExists(atPath: root.appending(path: ".git").path)
    if isCheckout {
      try await git("clone", "--quiet", "--no-tags", root.path, clone.path, in: parent)
    } else {
      try FileManager.default.createDirectory(at: clone, withIntermediateDirectories: false)
      for name in try FileManager.default.contentsOfDirectory(atPath: root.path)
      where !name.hasPrefix(".build") {
        try FileManager.default.copyItem(
          at: root.appending(path: name), to: clone.appending(path: name))
      }
      try await git("init", "--quiet", in: clone)
      try await git("add", "--all", in: clone)
      try await git("commit", "--quiet", "--message", "as it is", in: clone)
      // What .gitignore names.
      try await git("clean", "-ffdxq", in: clone)
    }
    try await git("checkout", "--quiet", "-B", "trunk", in: clone)
    try await git("tag", try version(), in: clone)
    return clone
  }
}
