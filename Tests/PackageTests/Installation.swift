// The C library as `make install-lib` puts it somewhere, and programs that are
// compiled against what is there and nothing else.

import Foundation
import TestSupport

/// How a program is linked, in pkg-config's words.
enum Linking: String, CaseIterable, CustomStringConvertible {
  /// With the shared libraries.
  case shared = "--libs"
  /// With nothing outside.
  case `static` = "--static --libs"
  /// With Weir and libdispatch within, and libc outside.
  case archives = "--variable=archives"

  var description: String { rawValue }
}

struct Installation {
  /// What was built, with what is committed in it.
  let sources: URL
  /// Where it was installed.
  let prefix: URL
  /// What `make lib` said.
  let report: String

  private let directory: TemporaryDirectory

  /// One for all tests, by clang, below a directory with a blank in its name.
  static let common = Task { try await Installation(compiler: "clang", below: "with a blank") }

  static func get() async throws -> Installation { try await common.value }

  init(compiler: String, below name: String) async throws {
    directory = try TemporaryDirectory()
    sources = try await Repository.clone(into: directory.url)
    prefix = directory.url.appending(path: name)
    report = try await Self.make("lib", "CC=\(compiler)", in: sources)
    _ = try await Self.make("install-lib", "PREFIX=\(prefix.path)", in: sources)
  }

  private init(sources: URL, prefix: URL, report: String, directory: TemporaryDirectory) {
    (self.sources, self.prefix, self.report, self.directory) = (sources, prefix, report, directory)
  }

  /// The same, somewhere else in the file system.
  func moved(to name: String) throws -> Installation {
    let other = directory.url.appending(path: name)
    try FileManager.default.moveItem(at: prefix, to: other)
    return Installation(sources: sources, prefix: other, report: report, directory: directory)
  }

  /// Runs make. It is not the one that may be running the tests.
  static func make(_ words: String..., in directory: URL) async throws -> String {
    try await Command(
      words: ["-u", "MAKEFLAGS", "-u", "MAKELEVEL", "-u", "CC", "-u", "CFLAGS", "make"] + words,
      directory: directory, timeLimit: 300
    ).text()
  }

  /// What pkg-config says of it.
  func pkgConfig(_ words: String) async throws -> String {
    try await shell("pkg-config \(words) weir").trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Compiles a program and returns where it is. pkg-config's words are for a
  /// shell to read: there may be blanks in them.
  func build(_ program: String, suffix: String = "c", with compiler: String, _ linking: Linking)
    async throws -> URL
  {
    let place = directory.url.appending(component: UUID().uuidString)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try program.write(
      to: place.appending(component: "program.\(suffix)"), atomically: false, encoding: .utf8)
    let warnings = "-Wall -Wextra -Werror"
    _ = try await shell(
      """
      eval \(compiler) \(warnings) program.\(suffix) -o program \
        "$(pkg-config --cflags weir) $(pkg-config \(linking) weir)"
      """, in: place)
    return place.appending(component: "program")
  }

  func shell(_ script: String, in place: URL? = nil) async throws -> String {
    let path = prefix.appending(path: "lib/pkgconfig").path
    return try await Command(
      words: ["PKG_CONFIG_PATH=\(path)", "LC_ALL=C", "sh", "-euc", script],
      directory: place ?? directory.url, timeLimit: 120
    ).text()
  }

  /// The names of what a shared library or a program needs where it runs.
  func needed(by program: URL) async throws -> [String] {
    try await shell("readelf -d '\(program.path)'")
      .matches(of: /NEEDED.*\[(.*)\]/).map { String($0.1) }
  }

  /// Everything in it that is no directory, from the prefix.
  static func files(below prefix: URL) throws -> [String] {
    guard let names = FileManager.default.enumerator(atPath: prefix.path) else { return [] }
    return names.compactMap { $0 as? String }.filter { name in
      var isDirectory: ObjCBool = false
      let path = prefix.appending(path: name).path
      return !FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        || !isDirectory.boolValue
    }.sorted()
  }
}

/// The system's own clang, which is not the toolchain's.
let systemClang: String? = (["clang"] + (11...30).reversed().map { "clang-\($0)" })
  .map { "/usr/bin/\($0)" }.first { path(ofProgram: $0) != nil }
