// This repository, and copies of it.

import Foundation
import TestSupport

enum Repository {
  /// The root folder.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The directory of the test bundle and the built programs.
  static let products = Bundle.main.bundleURL

  /// The checkouts of the package's dependencies for this build.
  static let checkouts =
    products
    .deletingLastPathComponent().deletingLastPathComponent().appending(component: "checkouts")

  /// The search paths of a compiler for the modules of this build.
  static let modules = [
    products.appending(component: "Modules"), root.appending(path: "Sources/CWeir/include"),
    // SwiftPM made the map of this module, for a folder that has none.
    products.appending(component: "CFileKernels.build"),
    checkouts.appending(path: "swift-system/Sources/CSystem/include"),
  ].flatMap { ["-I", $0.path] }

  /// Returns the text of a file.
  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Returns the names of the manual pages of section 1.
  static func pagesOfTool() throws -> [String] {
    let reference = try text(of: "docs/options.md")
    return ["weir.1"] + reference.matches(of: /\n## weir ([a-z]+)\n/).map { "weir-\($0.1).1" }
  }

  /// Returns the version in `include/weir/base.h`.
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

  /// Clones the committed files, on the branch `trunk` and with the version as a tag.
  /// Outside a git checkout, makes a repository of all files.
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
      try await git("commit", "--quiet", "--message", "copy", in: clone)
      // Removes the ignored files.
      try await git("clean", "-ffdxq", in: clone)
    }
    try await git("checkout", "--quiet", "-B", "trunk", in: clone)
    try await git("tag", try version(), in: clone)
    return clone
  }
}
