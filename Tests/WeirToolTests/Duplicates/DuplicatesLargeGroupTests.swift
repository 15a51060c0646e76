// weir duplicates: a group of very many names is complete in every format, in little memory.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct DuplicatesLargeGroupTests {
  /// Long enough that an array of whole names would show in the memory.
  private static let place = String(repeating: "d", count: 200)
  private static let names = 20_000

  private static func name(_ number: Int) -> String {
    let digits = "\(100_000 + number)".dropFirst()
    return "\(place)/\(digits)"
  }

  /// Makes files of equal content with many names each, between two small groups: one that
  /// takes more room and one that takes less.
  private func plant(_ directory: TemporaryDirectory, namesPerFile: Int) throws {
    try directory.makeDirectory(DuplicatesLargeGroupTests.place)
    var first = ""
    for number in 0..<DuplicatesLargeGroupTests.names {
      let name = DuplicatesLargeGroupTests.name(number)
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

  /// Parses groups: files with their names, and the heading.
  private func expected(namesPerFile: Int) -> [(heading: String, size: Int, files: [[String]])] {
    let files = stride(from: 0, to: DuplicatesLargeGroupTests.names, by: namesPerFile).map {
      first in
      (first..<first + namesPerFile).map(DuplicatesLargeGroupTests.name)
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

  @Test(
    "a group of many names is complete in every format, in little memory", arguments: [1, 5000])
  func group(namesPerFile: Int) async throws {
    let directory = try TemporaryDirectory()
    try plant(directory, namesPerFile: namesPerFile)
    try await expectForms(namesPerFile, directory)
    try await expectMemory(namesPerFile == 1 ? "--verify" : "--zero", directory)
    try await expectMemory("--format=json", directory)
  }

  private func expectForms(_ namesPerFile: Int, _ directory: TemporaryDirectory) async throws {
    let groups = expected(namesPerFile: namesPerFile)
    let asked = ["duplicates", DuplicatesLargeGroupTests.place, "b1", "b2", "c1", "c2"]
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

  /// A group takes at most 200 bytes per name while it is written.
  private func expectMemory(_ form: String, _ directory: TemporaryDirectory) async throws {
    let empty = try await peak(["--files-from", "-"], output: 0, in: directory)
    // By then most of the group is written, and the pipe does not take all of the rest.
    let most =
      (DuplicatesLargeGroupTests.names - 4000) * (DuplicatesLargeGroupTests.place.count + 6)
    let full = try await peak([form, DuplicatesLargeGroupTests.place], output: most, in: directory)
    #expect(empty > 0 && full > 0)
    // The buffers for reading come on top; they do not depend on the number.
    let each = ((full - empty) * 1024 - (4 << 20)) / DuplicatesLargeGroupTests.names
    #expect(each <= 200, "\(form): \(each) bytes a name, \(empty) KiB for none")
  }

  /// Returns the peak memory of a run after a number of bytes of output, in KiB.
  private func peak(
    _ words: [String], output: Int, in directory: TemporaryDirectory
  ) async throws -> Int {
    var command = weir((["duplicates"] + words).map { Array($0.utf8) }, in: directory)
    command.input = .bytes(Array("none\n".utf8))
    let asked = command
    return try await onThread {
      let child = try Child(asked, holdsInput: true)
      defer { _ = try? child.finish(limit: 40) }
      // Without output, the run reports one error, and waits for a list that does not end.
      let isThere =
        output == 0
        ? child.collect(limit: 40) { _, errors in errors.contains(0x0A) }
        : child.collect(limit: 40) { written, _ in written.count >= output }
      return isThere ? residentPeak(of: child.pid) : -1
    }
  }
}
