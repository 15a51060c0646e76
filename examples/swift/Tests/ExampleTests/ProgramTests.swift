// The programs written from the documentation: their limits hold, nothing outlives a
// cancellation, and every failure is reported in its place.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ProgramTests {
  @Test("downloads keeps the limit, retries, and gives up in time")
  func downloads() async throws {
    let printed = try await output(
      of: "downloads", "a,flaky-b,slow-c,slow-d,gone-e", "slow-f,slow-g,h,slow-i,flaky-j",
      status: 1)
    #expect(
      printed == """
        a: 8 bytes
        flaky-b: 14 bytes
        slow-c: no answer in time
        slow-d: no answer in time
        gone-e: refused
        slow-f: no answer in time
        slow-g: no answer in time
        h: 8 bytes
        slow-i: no answer in time
        flaky-j: 14 bytes
        4 requests at once, 0 left

        """)
    let good = try await output(of: "downloads", "a,b")
    #expect(good.hasPrefix("a: 8 bytes\nb: 8 bytes\n") && good.hasSuffix(" at once, 0 left\n"))
  }

  @Test("a cancellation ends every download, and waits for it")
  func cancellation() async throws {
    let pages = (1...50).map { "slow-\($0)" }.joined(separator: ",")
    let printed = try await output(of: "downloads", "stop,\(pages)", pages, status: 2)
    #expect(printed.hasPrefix("cancelled\n") && printed.hasSuffix(" at once, 0 left\n"))
  }

  @Test("accounts finds the accounts that getent finds")
  func accounts() async throws {
    let names = ["root", "nobody", "daemon"]
    let entries = try await output(of: "/usr/bin/getent", files: ["passwd"] + names)
    let theirs = entries.split(separator: "\n").map { line in
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      return "\(fields[0])\t\(fields[2])\t\(fields[5])\n"
    }
    #expect(theirs.count == 3)
    #expect(try await output(of: "accounts", files: names) == theirs.joined())
    let missing = try await output(of: "accounts", "no such", "root", status: 1)
    #expect(missing == "no such\tNoSuchAccount()\n" + theirs[0])
  }

  @Test("inspect reports the errors of the job and of the system, in order")
  func inspect() async throws {
    let tree = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
    try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: tree) }
    for (name, bytes) in [
      ("a", "good\n"), ("b", "good\nbad \n"), ("c", ""), ("d", "1\n2\n\u{E9}"), ("e", "\n\n"),
    ] {
      // "d" is in ISO 8859-1.
      let data = bytes.data(using: .isoLatin1)
      try #require(data).write(to: tree.appending(component: name))
    }
    #expect(mkfifo(tree.appending(component: "f").path, 0o600) == 0)
    let printed = try await output(of: "inspect", tree.path, "/nonexistent", status: 1)
    #expect(
      printed == """
        \(tree.path)/b:2: blank at the end
        \(tree.path)/d:3: not UTF-8
        /nonexistent: No such file or directory
        6 lines, 3 faults

        """)
    try FileManager.default.removeItem(at: tree.appending(component: "b"))
    try FileManager.default.removeItem(at: tree.appending(component: "d"))
    #expect(try await output(of: "inspect", tree.path) == "6 lines, 0 faults\n")
  }
}
