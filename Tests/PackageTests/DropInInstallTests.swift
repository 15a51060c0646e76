// `make install-dropins`: links with the names of other tools; no other file is
// replaced.

import Foundation
import TestSupport
import Testing

@Suite("The drop-in names, installed", .timeLimit(.minutes(10)))
struct DropInInstallTests {
  private static let names = [
    "b2sum", "cksum", "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum",
    "wc",
  ]

  private let place: TemporaryDirectory
  /// The directory of the links, which does not exist at first.
  private var directory: URL { place.url.appending(path: "a place/links") }

  init() throws {
    place = try TemporaryDirectory()
    let bin = place.url.appending(path: "usr/bin")
    try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
    let tool = bin.appending(component: "weir")
    try "#!/bin/sh\necho weir as ${0##*/}\n".write(to: tool, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool.path)
  }

  private func make(_ words: String...) async throws -> Outcome {
    try await Command(
      words: ["-u", "MAKEFLAGS", "-u", "MAKELEVEL", "make"] + words, directory: Repository.root
    ).run()
  }

  private func install(_ target: String = "install-dropins") async throws -> Outcome {
    try await make(target, "PREFIX=\(place.url.path)/usr", "DIR=\(directory.path)")
  }

  private func contents() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
  }

  @Test("are links that run the tool, and are removed again")
  func links() async throws {
    for _ in 0..<2 {
      let outcome = try await install()
      #expect(outcome.status == 0 && outcome.errorText.isEmpty, "\(outcome)")
      #expect(contents() == DropInInstallTests.names)
      for name in DropInInstallTests.names {
        let said = try await Command(
          words: [directory.appending(path: name).path], directory: place.url
        ).text()
        #expect(said == "weir as \(name)\n")
      }
    }
    try "mine\n".write(
      to: directory.appending(component: "sum"), atomically: false, encoding: .utf8)
    #expect(try await install("uninstall-dropins").status == 0)
    #expect(contents() == ["sum"])
    #expect(try await install("uninstall-dropins").status == 0)
  }

  @Test("replace no file and no other link")
  func refusal() async throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let file = directory.appending(component: "sha256sum")
    for isLink in [false, true] {
      if isLink {
        try FileManager.default.createSymbolicLink(
          atPath: file.path, withDestinationPath: "/nowhere/sha256sum")
      } else {
        try "mine\n".write(to: file, atomically: false, encoding: .utf8)
      }
      let outcome = try await install()
      #expect(outcome.status != 0 && outcome.errorText.contains("is no link to weir"), "\(outcome)")
      #expect(contents() == ["sha256sum"])
      #expect(try await install("uninstall-dropins").status == 0)
      #expect(contents() == ["sha256sum"])
      try FileManager.default.removeItem(at: file)
    }
  }

  @Test("are made in DESTDIR, with the final path of the tool")
  func destination() async throws {
    let outcome = try await make(
      "install-dropins", "PREFIX=/usr", "DESTDIR=\(place.url.path)", "DIR=/opt/links")
    #expect(outcome.status == 0, "\(outcome)")
    let link = place.url.appending(path: "opt/links/md5sum").path
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/usr/bin/weir")
  }
}
