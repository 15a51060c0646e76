// AuditJob: the order of events, and names without a verdict.

import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@testable import FileJobs

@Suite(.serialized, .timeLimit(.minutes(10)))
struct AuditTests {
  // MARK: Jobs

  /// Runs an audit and returns its events as text.
  private func audit(
    _ manifest: String, in directory: TemporaryDirectory, jobs: Int = 2,
    excluding excluded: Set<FileIdentity> = []
  ) async throws -> [String] {
    var options = FileProcessorOptions()
    options.jobs = jobs
    let job = try AuditJob(of: directory.path("t"), excluding: excluded, options: options)
    try directory.write(manifest, to: "M")
    let path = directory.path("M")
    let said = Locked<[String]>([])
    let prefix = directory.text + "/t/"
    return try await onThread {
      try job.run([.path(bytes: path)]) { event in
        func text(_ name: [UInt8]) -> String {
          let all = String(decoding: name, as: UTF8.self)
          return all.hasPrefix(prefix) ? String(all.dropFirst(prefix.count)) : all
        }
        let line: String?
        switch event {
        case .line(let its): line = "\(its.number) \(text(its.name)) \(its.outcome)"
        case .moved(let its, let to): line = "\(its.number) \(text(its.name)) -> \(text(to))"
        case .new(let file):
          line = "\(text(file.name)) new\(file.failure == nil ? "" : " unreadable")"
        case .unreadable(let file): line = "\(text(file.name)) unreadable"
        case .special(let name, let type): line = "\(text(name)) \(type)"
        case .end(let its):
          line = "end \(its.lines): \(its.matched) \(its.mismatched) \(its.missing) \(its.moved)"
        case .pause: line = nil
        }
        if let line { said.with { $0.append(line) } }
      }
      return said.with { $0 }
    }
  }

  @Test("events have their order, with any number of jobs", arguments: [1, 4])
  func order(jobs: Int) async throws {
    let directory = try TemporaryDirectory()
    for place in ["t", "t/d", "t/e"] { try directory.makeDirectory(place) }
    let sums = [
      "one": "f97c5d29941bfb1b2fdab0874906ab82", "two": "b8a9f715dbb64fd5c56e7783c6820a61",
    ]
    let empty = "d41d8cd98f00b204e9800998ecf8427e"
    for (name, content) in [
      ("a", "one"), ("b", "other"), ("d/w", "two"), ("d/x", "two"), ("d/y", "two"), ("d/z", "two"),
      ("e/k", "one"),
      ("e/new", ""), ("e/void", ""), ("f", "fresh"),
    ] { try directory.write(content, to: "t/\(name)") }
    try directory.makeFIFO("t/g")
    let t = directory.text + "/t"
    let (one, two) = (sums["one"] ?? "", sums["two"] ?? "")
    let manifest = """
      \(one)  \(t)/a
      \(two)  \(t)/gone/y
      nonsense
      \(one)  \(t)//b
      \(empty)  \(t)/gone/void
      \(two)  \(t)/gone/q
      \(empty)  \(t)/gone/void2
      \(one)  \(t)/./gone

      """
    let said = try await audit(manifest, in: directory, jobs: jobs)
    #expect(
      said == [
        "1 a matched", "3  malformed", "4 /b mismatched", "d/x new", "d/z new", "e/new new",
        "f new",
        "g fifo", "8 ./gone -> e/k", "6 gone/q -> d/w", "5 gone/void -> e/void",
        "7 gone/void2 missing", "2 gone/y -> d/y", "end 8: 1 1 1 4",
      ])
    // Excluded files are skipped by identity, whatever their name.
    var status = stat()
    try #require(stat(directory.text + "/t/f", &status) == 0)
    let identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    let less = try await audit(manifest, in: directory, jobs: jobs, excluding: [identity])
    #expect(less == said.filter { $0 != "f new" })
  }

  @Test("entries of mtree(5) that are ignored or unsupported are not new")
  func ignored() async throws {
    let directory = try TemporaryDirectory()
    for place in ["t", "t/i", "t/i/j"] { try directory.makeDirectory(place) }
    for name in ["t/a", "t/b", "t/i/x", "t/i/j/y", "t/ix"] { try directory.write("x", to: name) }
    let t = directory.text + "/t"
    let manifest = """
      #mtree
      \(t)/a type=file size=1
      \(t)/b type=file rmd160=00
      \(t)/i type=dir ignore
      \(t)/gone type=file size=1 md5=9dd4e461268c8034f5c8564e155c67a6
      \(t)/none type=dir

      """
    let said = try await audit(manifest, in: directory)
    #expect(
      said == [
        "2 a matched", "3  unsupported(\"rmd160\")", "5 gone -> ix", "6 none missing",
        "end 6: 1 0 1 1",
      ])
  }

  @Test("the end of a job frees its walk")
  func freed() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("\(String(repeating: "0", count: 32))  missing\n", to: "M")
    var options = FileProcessorOptions()
    options.label = "an audit of AuditTests"
    let (root, manifest) = (directory.path, directory.path("M"))
    _ = try await onThread { [options] in
      try AuditJob(of: root, options: options).run([.path(bytes: manifest)]) { _ in }
    }
    // The queues of lanes free them in their own time; the time limit ends this loop.
    var snapshot: String
    repeat {
      let file = try FileDescriptor.open(
        FilePath(directory.text + "/snapshot"), .writeOnly, options: [.create, .truncate],
        permissions: .ownerReadWrite)
      try WeirTrace.writeSnapshot(to: file)
      try file.close()
      let bytes = directory.content("snapshot") ?? []
      snapshot = String(decoding: bytes, as: UTF8.self)
    } while snapshot.contains(options.label)
  }
}
