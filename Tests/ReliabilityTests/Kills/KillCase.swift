// The commands that are killed at each of their system calls.

import Glibc
import TestSupport
import Testing

/// A command that replaces files, or continues with those that it finds.
struct KillCase: CustomTestStringConvertible {
  let name: String
  /// The words of the command.
  let command: [[UInt8]]
  /// The words that a user types after the kill.
  let again: [[UInt8]]
  /// Exit status of both.
  var status: Int32 = 0
  /// The files that have the old content or the new one after the kill, and the new one in the end.
  let outputs: [String]
  /// The names beside the outputs that a killed run may leave, by their beginnings.
  var leftovers: [String] = []
  /// Makes the files before the command, in a directory that has the tree `t` of four files.
  var prepare: @Sendable (KillPlace) async throws -> Void = { _ in }

  var testDescription: String { name }

  /// Makes a case of commands whose words have no blanks.
  private init(
    _ name: String, _ command: String, again: String? = nil, status: Int32 = 0, outputs: [String],
    leftovers: [String] = [], prepare: @escaping @Sendable (KillPlace) async throws -> Void
  ) {
    let split = { (text: String) in text.split(separator: " ").map { Array($0.utf8) } }
    (self.name, self.command, self.again) = (name, split(command), split(again ?? command))
    (self.status, self.outputs, self.leftovers) = (status, outputs, leftovers)
    self.prepare = prepare
  }

  static let all = [
    KillCase(
      "hash -o", "hash --replace -o M t", again: "hash --replace --resume -o M t",
      outputs: ["M", "M.mtree"],
      prepare: { try await $0.run("hash -o M t", thenEdits: true) }),
    KillCase(
      "hash -o --resume", "hash --resume -o M t", outputs: ["M", "M.mtree"],
      prepare: { place in
        try await place.run("hash -o M t", thenEdits: false)
        let records = place.content("M.mtree") ?? []
        let lines = records.split(separator: 0x0A)
        let old = String(repeating: "0", count: 64) + "  old\n"
        try place.set("M", to: Array(old.utf8))
        try place.set("M.mtree", to: nil)
        // Two runs were interrupted, the second one earlier.
        for (name, left) in [("M.partial", 1), ("M.partial.next", 2)] {
          try place.set(name, to: lines.dropLast(left).joined(separator: [0x0A]) + [0x0A])
        }
      }),
    KillCase(
      "hash -o --update", "hash --update -o M t", again: "hash --resume --update -o M t",
      outputs: ["M", "M.mtree"],
      prepare: { try await $0.run("hash -o M t", thenEdits: true) }),
    KillCase(
      "hash -o --update, mtree", "hash --update -o M t", again: "hash --resume --update -o M t",
      outputs: ["M", "M.old"],
      prepare: { try await $0.run("hash --format mtree -o M t", thenEdits: true) }),
    KillCase(
      "hash -o --update, other", "hash --update -o M t", again: "hash --resume --update -o M t",
      outputs: ["M", "M.mtree", "M.old"],
      prepare: { place in
        try await place.run("hash -o M t", thenEdits: true)
        try place.set("M.mtree", to: nil)
      }),
    KillCase(
      "run --joblog --resume", "run -j1 --joblog L --resume t -- ./count {}",
      outputs: [], leftovers: ["L", "ran"],
      prepare: { place in
        try place.directory.write("#!/bin/sh\necho $1 >> ran\n", to: "count")
        try place.directory.setMode("count", 0o755)
      }),
    KillCase(
      "hash --shard", "hash --plan P --shard 0/1 --out parts",
      again: "hash --plan P --shard 0/1 --out parts --resume",
      outputs: ["parts/shard-00000-of-00001.part"],
      prepare: { try await $0.run("plan --shards 1 -o P t", thenEdits: false) }),
    KillCase(
      "merge -o", "merge --plan P --replace -o M parts", outputs: ["M"], leftovers: ["M.tmp."],
      prepare: { place in
        try await place.run("plan --shards 1 -o P t", thenEdits: false)
        try await place.run("hash --plan P --shard 0/1 --out parts", thenEdits: false)
        try place.set("M", to: Array("d41d8cd98f00b204e9800998ecf8427e  old\n".utf8))
      }),
    KillCase(
      "plan -o", "plan --shards 1 -o P t", outputs: ["P"], leftovers: ["P.tmp."],
      prepare: { try await $0.run("plan --shards 1 -o P t", thenEdits: true) }),
  ]
}

extension KillPlace {
  /// Runs weir, and then perhaps changes a file of the tree.
  fileprivate func run(_ text: String, thenEdits: Bool) async throws {
    let arguments = text.split(separator: " ").map { Array($0.utf8) }
    let made = try await weir(arguments, in: directory).run()
    try #require(made.status == 0, "\(made.errorText)")
    if thenEdits { try directory.write("edited and longer", to: "t/b") }
  }
}
