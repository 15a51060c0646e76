// The C library as `make install-lib` installs it, and programs that are compiled
// against the installed files.

import Foundation
import TestSupport

/// The arguments of pkg-config for each kind of linking.
enum Linking: String, CaseIterable, CustomStringConvertible {
  /// With shared libraries.
  case shared = "--libs"
  /// Static: without any shared library.
  case `static` = "--static --libs"
  /// With static Weir and libdispatch, and a shared libc.
  case archives = "--variable=archives"

  var description: String { rawValue }
}

struct Installation {
  /// The clone of the repository with the built library.
  let sources: URL
  /// The prefix of the installation.
  let prefix: URL
  /// The output of `make lib`.
  let report: String

  private let directory: TemporaryDirectory

  /// The installation for all tests: built by clang, in a directory with a blank in
  /// its name.
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

  /// Moves the installation to another directory.
  func moved(to name: String) throws -> Installation {
    let other = directory.url.appending(path: name)
    try FileManager.default.moveItem(at: prefix, to: other)
    return Installation(sources: sources, prefix: other, report: report, directory: directory)
  }

  /// Runs make, without the variables of a make that runs the tests.
  static func make(_ words: String..., in directory: URL) async throws -> String {
    try await Command(
      words: ["-u", "MAKEFLAGS", "-u", "MAKELEVEL", "-u", "CC", "-u", "CFLAGS", "make"] + words,
      directory: directory
    ).text()
  }

  /// Returns the output of pkg-config for it.
  func pkgConfig(_ words: String) async throws -> String {
    try await shell("pkg-config \(words) weir").trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Compiles a program and returns its path. pkg-config's output is quoted for a
  /// shell: there may be blanks in it.
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
      directory: place ?? directory.url
    ).text()
  }

  /// Returns the names that a library defines.
  func names(_ kind: String, in library: String) async throws -> Set<String> {
    let text = try await shell("nm \(kind) --defined-only '\(prefix.path)/lib/\(library)'")
    return Set(text.matches(of: /(?m) [A-Z] (\S+)$/).map { String($0.1) })
  }

  /// Returns the names of the shared libraries that a program needs.
  func needed(by program: URL) async throws -> [String] {
    try await shell("readelf -d '\(program.path)'")
      .matches(of: /NEEDED.*\[(.*)\]/).map { String($0.1) }
  }

  /// Returns the relative paths of all files below a directory.
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

/// The system's clang, as opposed to the toolchain's.
let systemClang: String? = (["clang"] + (11...30).reversed().map { "clang-\($0)" })
  .map { "/usr/bin/\($0)" }.first { path(ofProgram: $0) != nil }
