// The verbs of the tool as programs of forty lines: their results equal those of well-known tools.

import Foundation
import Testing

/// A tree of small text files, some of them equal, with a manifest beside it.
private struct Tree {
  let place = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
  var top: URL { place.appending(component: "tree") }
  var manifest: URL { place.appending(component: "SHA256SUMS") }

  init() throws {
    var random = SystemRandomNumberGenerator()
    for directory in ["a", "a/b", "c"] {
      let url = top.appending(path: directory)
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      for number in 0..<30 {
        // Few different texts, some of them different with equal length.
        let kind = Int.random(in: 0..<12, using: &random)
        let text = String(
          repeating: "a  line \(kind)\tof \(kind)\r\n", count: kind < 2 ? kind : kind / 2)
        let end = kind % 3 == 0 ? "" : "no newline at the end"
        try Data((text + end).utf8).write(to: url.appending(component: "file-\(number)"))
      }
    }
  }

  func remove() { try? FileManager.default.removeItem(at: place) }

  /// The files of the tree, in the order of a walk.
  var files: [String] {
    get async throws {
      let found = try await output(
        of: "/usr/bin/find", top.path, "-type", "f", "-print"
      ).split(separator: "\n")
      return found.map(String.init).sorted { left, right in
        left.split(separator: "/").lexicographicallyPrecedes(right.split(separator: "/")) {
          $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
      }
    }
  }
}

@Test("hash writes the same as sha256sum, which verifies it")
func hashes() async throws {
  let tree = try Tree()
  defer { tree.remove() }
  let printed = try await output(of: "hash", tree.top.path)
  let theirs = try await output(of: "/usr/bin/sha256sum", files: tree.files)
  #expect(printed == theirs)
  let missing = try await output(of: "hash", "/nonexistent", andErrors: true, status: 3)
  #expect(missing == "/nonexistent: No such file or directory\n")
}

@Test("check verifies the output of sha256sum, and reports differences")
func checks() async throws {
  let tree = try Tree()
  defer { tree.remove() }
  let files = try await tree.files
  let digests = try await output(of: "hash", tree.top.path)
  try Data(digests.utf8).write(to: tree.manifest)
  let good = try await output(of: "check", input: tree.manifest)
  #expect(good == files.map { "\($0): OK\n" }.joined())
  try Data("other".utf8).write(to: URL(filePath: files[3]))
  try FileManager.default.removeItem(atPath: files[7])
  let bad = try await output(of: "check", input: tree.manifest, status: 1)
  let theirs = try await output(
    of: "/usr/bin/sha256sum", "-c", tree.manifest.path, status: 1)
  #expect(bad == theirs)
}

@Test("count equals wc")
func counts() async throws {
  let tree = try Tree()
  defer { tree.remove() }
  let files = try await tree.files
  func table(_ text: String) -> [[Substring]] {
    text.split(separator: "\n").map { $0.split { $0 == " " || $0 == "\t" } }
  }
  let theirs = table(try await output(of: "/usr/bin/wc", files: files))
  let ours = table(try await output(of: "count", tree.top.path))
  #expect(ours.count == files.count + 1 && ours == theirs)
  let missing = try await output(of: "count", "/nonexistent")
  #expect(missing.hasPrefix("/nonexistent: failed(No such file or directory)\n"))
}

@Test("duplicates finds the same groups as a comparison of all pairs")
func groups() async throws {
  let tree = try Tree()
  defer { tree.remove() }
  let files = try await tree.files
  let linked = tree.top.appending(component: "a/linked").path
  try FileManager.default.linkItem(atPath: files[0], toPath: linked)
  var contents: [Data: Set<String>] = [:]
  for file in files {
    contents[try Data(contentsOf: URL(filePath: file)), default: []].insert(file)
  }
  contents[Data()] = nil
  let expected = Set(contents.values.filter { $0.count > 1 })
  let printed = try await output(of: "duplicates", tree.top.path)
  let found = printed.components(separatedBy: "\n\n").filter { !$0.isEmpty }.map { group in
    group.split(separator: "\n").map(String.init)
  }
  #expect(Set(found.map { Set($0) }) == expected && found.count == expected.count)
}

@Test("run runs a command for each line, and prints the output in order")
func runs() async throws {
  let list = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
  defer { try? FileManager.default.removeItem(at: list) }
  let lines = (1...40).map { "line \($0) 'and\" more" }
  try Data(lines.map { "\($0)\n" }.joined().utf8).write(to: list)
  let script = #"echo "$1"; echo "and $1""#
  let printed = try await output(of: "run", "sh", "-c", script, "sh", "{}", input: list)
  #expect(printed == lines.map { "\($0)\nand \($0)\n" }.joined())
  let failed = try await output(
    of: "run", "test", "{}", "=", lines[6], input: list, status: 1)
  #expect(failed.isEmpty)
}

@Test("limits prints the values of the system")
func limits() async throws {
  let printed = try await output(of: "limits")
  let lines = printed.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
  try #require(lines.count == 3)
  let allowed = try await output(of: "/bin/sh", "-c", "ulimit -n")
  #expect(
    lines[1] == ["descriptors allowed", allowed.trimmingCharacters(in: .whitespacesAndNewlines)])
  let cores = try #require(Int(lines[0][1])), spare = try #require(Int(lines[2][1]))
  #expect((1...ProcessInfo.processInfo.activeProcessorCount).contains(cores))
  #expect(spare >= 1 && spare < (Int(lines[1][1]) ?? 0))
}
