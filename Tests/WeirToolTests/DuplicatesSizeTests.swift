// weir duplicates: a group of very many names, whole in every form and in little memory.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct DuplicatesSizeTests {
  /// Long enough that arrays of whole names would show.
  private static let place = String(repeating: "d", count: 200)
  private static let names = 20_000

  private static func name(_ number: Int) -> String {
    let digits = "\(100_000 + number)".dropFirst()
    return "\(place)/\(digits)"
  }

  /// Files of equal content, the names of each one after the other, between two small
  /// groups: one that takes more room and one that takes less.
  private func plant(_ directory: TemporaryDirectory, namesPerFile: Int) throws {
    try directory.makeDirectory(DuplicatesSizeTests.place)
    var first = ""
    for number in 0..<DuplicatesSizeTests.names {
      let name = DuplicatesSizeTests.name(number)
      if number % namesPerFile == 0 {
        first = name
        try directory.write("abc", to: name)
      } else {
        #expect(link(directory.text + "/" + first, directory.text + "/" + name) == 0)
      }
    }
    for name in ["b1", "b2"] {
      try directory.write(String(repeating: "b", count: 900_000), to: name)
    }
    for name in ["c1", "c2"] { try directory.write("c", to: name) }
  }

  /// Each group as its files, each as its names, and what is said of it.
  private func expected(namesPerFile: Int) -> [(heading: String, size: Int, files: [[String]])] {
    let files = stride(from: 0, to: DuplicatesSizeTests.names, by: namesPerFile).map { first in
      (first..<first + namesPerFile).map(DuplicatesSizeTests.name)
    }
    let (many, saving) = (grouped(files.count), grouped(3 * (files.count - 1)))
    return [
      ("2 files of 900,000 bytes: 900,000 bytes could be saved", 900_000, [["b1"], ["b2"]]),
      ("\(many) files of 3 bytes: \(saving) bytes could be saved", 3, files),
      ("2 files of 1 byte: 1 byte could be saved", 1, [["c1"], ["c2"]]),
    ]
  }

  private func grouped(_ count: Int) -> String {
    count < 1000 ? "\(count)" : "\(count / 1000),\("\(1000 + count % 1000)".dropFirst())"
  }

  @Test("a group of many names is whole in every form, in little memory", arguments: [1, 5000])
  func group(namesPerFile: Int) async throws {
    let directory = try TemporaryDirectory()
    try plant(directory, namesPerFile: namesPerFile)
    try await expectForms(namesPerFile, directory)
    try await expectMemory(namesPerFile == 1 ? "--verify" : "--zero", directory)
    try await expectMemory("--format=json", directory)
  }

  private func expectForms(_ namesPerFile: Int, _ directory: TemporaryDirectory) async throws {
    let groups = expected(namesPerFile: namesPerFile)
    let asked = ["duplicates", DuplicatesSizeTests.place, "b1", "b2", "c1", "c2"]
    func run(_ more: String...) async throws -> String {
      let result = try await weir((asked + more).map { Array($0.utf8) }, in: directory).run()
      result.expectSilence()
      return result.outputText
    }
    let text = groups.map { group in
      let names = group.files.map { $0.joined(separator: "\n= ") }.joined(separator: "\n")
      return "# \(group.heading)\n\(names)\n\n"
    }.joined()
    #expect(try await run() == text)
    let zero = groups.map { $0.files.joined().joined(separator: "\0") + "\0\0" }.joined()
    #expect(try await run("--zero") == zero)
    let json = groups.map { group in
      let files = group.files.map { names in
        let paths = names.map { "{\"text\":\"\($0)\"}" }.joined(separator: ",")
        return "{\"paths\":[\(paths)]}"
      }
      return "\"files\":[\(files.joined(separator: ","))]}"
    }
    let lines = try await run("--format=json").split(separator: "\n")
    #expect(lines.count == 4)
    for (line, (group, files)) in zip(lines, zip(groups, json)) {
      let saving = group.size * (group.files.count - 1)
      #expect(
        line.hasPrefix(
          "{\"type\":\"group\",\"size\":\(group.size),\"saving\":\(saving),\"xxh128\""))
      #expect(line.hasSuffix(",\(files)"))
    }
  }

  /// While it is written a group takes at most 200 bytes a name.
  private func expectMemory(_ form: String, _ directory: TemporaryDirectory) async throws {
    let empty = try await peak(["--files-from", "-"], output: 0, in: directory)
    // By then most of the group is written, and the pipe takes not all of the rest.
    let most = (DuplicatesSizeTests.names - 4000) * (DuplicatesSizeTests.place.count + 6)
    let full = try await peak([form, DuplicatesSizeTests.place], output: most, in: directory)
    #expect(empty > 0 && full > 0)
    // Beside that there is what is read at once, which is the same for any number.
    let each = ((full - empty) * 1024 - (4 << 20)) / DuplicatesSizeTests.names
    #expect(each <= 200, "\(form): \(each) bytes a name, \(empty) KiB for none")
  }

  /// The most memory that a run has had when it has written so much, in KiB.
  private func peak(
    _ words: [String], output: Int, in directory: TemporaryDirectory
  ) async throws -> Int {
    var command = weir((["duplicates"] + words).map { Array($0.utf8) }, in: directory)
    command.input = .bytes(Array("none\n".utf8))
    let asked = command
    return try await onThread {
      let child = try Child(asked, holdsInput: true)
      defer { _ = try? child.finish(limit: 40) }
      // Without any it says so of one, and waits for a list that does not end.
      let isThere =
        output == 0
        ? child.collect(limit: 40) { _, errors in errors.contains(0x0A) }
        : child.collect(limit: 40) { written, _ in written.count >= output }
      return isThere ? residentPeak(of: child.pid) : -1
    }
  }
}
