// AuditJob: keys of names, the set of names, moves, and the order of events.

import Glibc
import SystemPackage
import TestSupport
import Testing
import Weir

@testable import FileJobs

@Suite(.serialized, .timeLimit(.minutes(10)))
struct AuditTests {
  // MARK: Names

  /// Returns the key of a name, by a model of the rules.
  private func modelKey(_ name: [UInt8], roots: [String]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let parts = name.split(separator: slash).filter { Array($0) != Array(".".utf8) }
    let joined = Array(parts.joined(separator: [slash]))
    guard name.first == slash else { return joined }
    for root in roots {
      let rootParts = root.utf8.split(separator: slash).map(Array.init).filter { $0 != [0x2E] }
      if parts.map(Array.init).starts(with: rootParts) {
        return Array(parts.dropFirst(rootParts.count).joined(separator: [slash]))
      }
    }
    return [slash] + joined
  }

  @Test("all spellings of a name have one key")
  func keys() {
    var random = SeededGenerator(for: "audit keys")
    let roots = ["/srv/data", "/", "//r/.//s/"]
    for (name, expected) in [
      ("", ""), (".", ""), ("./", ""), ("a", "a"), ("./a", "a"), (".//a//b/", "a/b"),
      ("a/./b", "a/b"), ("../a", "../a"), ("a/../b", "a/../b"), ("/srv/data/x", "x"),
      ("/srv/data", ""), ("/srv//./data//x/y", "x/y"), ("/srv/database", "/srv/database"),
      (".a", ".a"), ("a.", "a."), ("a/.", "a"), ("...", "..."), ("/", "/"), ("./-", "-"),
    ] {
      let paths = AuditKeys(roots: [Array("/srv/data/".utf8)])
      #expect(paths.key(of: name.utf8) == Array(expected.utf8), "\(name)")
    }
    let pieces = ["a", "b", ".", "..", "", "srv", "data", "r", "s", ".x", "data2"]
    for round in 0..<20_000 {
      let count = Int.random(in: 0...7, using: &random)
      var name = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }
        .joined(separator: "/")
      if Bool.random(using: &random) { name = "/" + name }
      // One root in every second round, two in the others.
      let some = round % 2 == 0 ? Array(roots[0...0]) : [roots[0], roots[2]]
      let paths = AuditKeys(roots: some.map { Array($0.utf8) })
      let got = paths.key(of: name.utf8)
      #expect(got == modelKey(Array(name.utf8), roots: some), "\(name) of \(some)")
    }
    let all = AuditKeys(roots: [[UInt8(ascii: "/")]])
    #expect(all.key(of: "/a/b".utf8) == Array("a/b".utf8))
  }

  // MARK: Moves

  private struct Item: Equatable {
    let content: Int
    let name: String

    var base: Substring { name.split(separator: "/").last ?? "" }
  }

  /// Returns the new name of each missing file, by a model of the rules.
  private func modelMoves(_ missing: [Item], _ found: [Item]) -> [Int?] {
    var moved = [Int?](repeating: nil, count: missing.count)
    for (index, item) in found.enumerated() {
      let fits = missing.indices.first {
        moved[$0] == nil && missing[$0].content == item.content && missing[$0].base == item.base
      }
      if let fits { moved[fits] = index }
    }
    for index in missing.indices where moved[index] == nil && missing[index].content > 0 {
      moved[index] = found.indices.first {
        found[$0].content == missing[index].content && !moved.contains($0)
      }
    }
    return moved
  }

  @Test("a missing file becomes a new file with its content, by preference its base name")
  func moves() throws {
    var random = SeededGenerator(for: "audit moves")
    let algorithm = try #require(DigestAlgorithm("xxh64"))
    for _ in 0..<1500 {
      func items(_ begin: String) -> [Item] {
        (0..<Int.random(in: 0...12, using: &random)).map { number in
          Item(
            content: Int.random(in: 0...3, using: &random),
            name: "\(begin)\(number)/\("abc".randomElement(using: &random) ?? "a")")
        }
      }
      let (missing, found) = (items("m"), items("n"))
      let index = MissingFiles()
      for (line, item) in missing.enumerated() {
        Array(item.name.utf8).withUnsafeBytes { name in
          withUnsafeBytes(of: UInt64(item.content)) { digest in
            let line = CheckedLine(manifest: 0, number: line, name: Array(name), outcome: .missing)
            var content = RecordedContent()
            content.append(digest, algorithm)
            index.add(line, key: Array(name), content: content)
          }
        }
      }
      let moves = AuditMoves(index)
      var news: [String] = []
      for item in found {
        let groups = withUnsafeBytes(of: UInt64(item.content)) { digest in
          index.groups(size: 0) { _ in digest }
        }
        #expect(groups.count == (missing.contains { $0.content == item.content } ? 1 : 0))
        let name = Array(item.name.utf8)
        if !moves.offer(name, groups: groups, isEmpty: item.content == 0) { news.append(item.name) }
      }
      moves.assignRemaining()
      news += moves.unused.map { String(decoding: $0, as: UTF8.self) }
      let expected = modelMoves(missing, found)
      for file in missing.indices {
        let got = moves.newName(of: index.lines[file]).map { String(decoding: $0, as: UTF8.self) }
        #expect(got == expected[file].map { found[$0].name }, "\(missing) \(found)")
      }
      let unused = found.indices.filter { !expected.contains($0) }.map { found[$0].name }
      #expect(news.sorted() == unused.sorted())
    }
  }

  @Test("lines with one name belong to one missing file, and the longest digest counts")
  func severalLines() throws {
    let missing = MissingFiles()
    let algorithms = try ["xxh64", "md5"].map { try #require(DigestAlgorithm($0)) }
    func add(_ name: String, _ line: Int, _ algorithm: Int, _ byte: UInt8) {
      Array(name.utf8).withUnsafeBytes { name in
        [UInt8](repeating: byte, count: algorithms[algorithm].byteCount).withUnsafeBytes {
          let line = CheckedLine(manifest: 0, number: line, name: Array(name), outcome: .missing)
          var content = RecordedContent()
          content.append($0, algorithms[algorithm])
          missing.add(line, key: AuditKeys().key(of: name), content: content)
        }
      }
    }
    for (line, name) in ["a", "b", "./a", "there", "c", "b", "./there"].enumerated() {
      add(name, line, line < 3 ? 0 : 1, UInt8(ascii: "x") &+ UInt8(name.utf8.last ?? 0))
    }
    #expect(missing.files.count == 4)
    #expect(missing.lines.map(\.file) == [0, 1, 0, 2, 3, 1, 2])
    #expect(missing.algorithms.map(\.name).sorted() == ["md5", "xxh64"])
    let read = missing.files.map { String(decoding: $0.name, as: UTF8.self) }
    #expect(read == ["a", "b", "there", "c"])
    let byte = UInt8(ascii: "x") &+ UInt8(ascii: "b")
    let isDeciding = algorithms.map { algorithm in
      [UInt8](repeating: byte, count: algorithm.byteCount).withUnsafeBytes { digest in
        let none = UnsafeRawBufferPointer(rebasing: digest[..<0])
        return missing.groups(size: 0) { $0 == algorithm ? digest : none }
          .contains { $0 == missing.files[1].group }
      }
    }
    #expect(isDeciding == [false, true])
  }

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
        "1 a matched", "3  malformed", "4 /b mismatched", "d/z new", "e/new new", "f new", "g fifo",
        "2 gone/y -> d/y", "5 gone/void -> e/void", "6 gone/q -> d/w", "7 gone/void2 missing",
        "8 ./gone -> e/k", "d/x new", "end 8: 1 1 1 4",
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
      try Trace.writeSnapshot(to: file)
      try file.close()
      let bytes = directory.content("snapshot") ?? []
      snapshot = String(decoding: bytes, as: UTF8.self)
    } while snapshot.contains(options.label)
  }
}
