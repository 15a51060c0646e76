// The template of a command: placeholders are replaced by items.

import FileJobs
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CommandTemplateTests {
  private func expand(
    _ words: [String], _ items: [String], isWalked: Bool = false
  ) -> [String] {
    let items = items.map { CommandItem(Array($0.utf8), isWalked: isWalked) }
    return CommandTemplate(words.map { Array($0.utf8) }).arguments(for: items, number: 7)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  // {}, {/}, {//}, {.}, {/.}
  static let names: [(String, [String])] = [
    ("a/b.c", ["a/b.c", "b.c", "a", "a/b", "b"]),
    ("b", ["b", "b", ".", "b", "b"]),
    ("/b.tar.gz", ["/b.tar.gz", "b.tar.gz", "/", "/b.tar", "b.tar"]),
    ("/", ["/", "/", "/", "/", "/"]),
    ("a/.rc", ["a/.rc", ".rc", "a", "a/.rc", ".rc"]),
    (".rc", [".rc", ".rc", ".", ".rc", ".rc"]),
    ("a.d/b", ["a.d/b", "b", "a.d", "a.d/b", "b"]),
    ("a//b.x/", ["a//b.x/", "b.x", "a", "a//b.x/", "b"]),
    ("a b\n.c d", ["a b\n.c d", "a b\n.c d", ".", "a b\n", "a b\n"]),
    ("b.", ["b.", "b.", ".", "b", "b"]),
    ("", ["", "", ".", "", ""]),
  ]

  @Test("each placeholder, alone and within a word", arguments: names)
  func placeholders(name: String, expected: [String]) {
    let places = ["{}", "{/}", "{//}", "{.}", "{/.}"]
    #expect(expand(["c"] + places, [name]) == ["c"] + expected)
    let within = expand(["c"] + places.map { "<\($0)>" }, [name])
    #expect(within == ["c"] + expected.map { "<\($0)>" })
  }

  @Test("components agree with basename(1) and dirname(1)", arguments: ["basename", "dirname"])
  func oracles(program: String) async throws {
    var random = SeededGenerator(for: "components")
    let letters = Array("ab./".utf8)
    let names = (0..<300).map { _ in
      (0..<Int.random(in: 1...8, using: &random)).map { _ in
        letters[Int.random(in: 0..<letters.count, using: &random)]
      }
    }
    let options = program == "basename" ? ["-az", "--"] : ["-z", "--"]
    let command = Command(Array(program.utf8), options.map { Array($0.utf8) } + names)
    let lines = try await command.run().output.split(
      separator: 0, omittingEmptySubsequences: false
    ).dropLast()
    #expect(lines.count == names.count)
    for (name, expected) in zip(names, lines) {
      let item = String(decoding: name, as: UTF8.self)
      let ours = expand(["c", program == "basename" ? "{/}" : "{//}"], [item])[1]
      #expect(ours.utf8.elementsEqual(expected), "\(program) of \(item)")
    }
  }

  @Test("without a placeholder the item is appended; a number is a placeholder")
  func appended() {
    #expect(expand(["echo"], ["a"]) == ["echo", "a"])
    #expect(expand(["echo", "x"], ["a", "b"]) == ["echo", "x", "a", "b"])
    #expect(expand(["echo", "{#}"], ["a"]) == ["echo", "7"])
    #expect(expand(["echo", "{#}-{}"], ["a"]) == ["echo", "7-a"])
    #expect(expand(["echo", "{{}}"], ["a"]) == ["echo", "{a}"])
    #expect(expand(["echo", "{", "{x}"], ["a"]) == ["echo", "{", "{x}", "a"])
    #expect(expand(["", ""], ["a"]) == ["", "", "a"])
  }

  @Test("with several items a word with a placeholder is repeated")
  func batches() {
    #expect(expand(["c", "{}", "-o"], ["a", "b"]) == ["c", "a", "b", "-o"])
    #expect(
      expand(["c", "-f={/}", "{#}", "{}:{.}"], ["x/a.b", "y"])
        == ["c", "-f=a.b", "-f=y", "7", "x/a.b:x/a", "y:y"])
    #expect(CommandTemplate([Array("{}".utf8)]).programDependsOnItems)
    #expect(!CommandTemplate([Array("c{#}".utf8)]).programDependsOnItems)
  }

  /// A file with the name -rf must not become an option.
  @Test("an item of a walk is never an option; an item of the user is unchanged")
  func dashes() {
    let all = ["c", "{}", "{/}", "{.}", "{/.}", "x{/}", "{//}"]
    #expect(
      expand(all, ["-d/-f.c"], isWalked: true)
        == ["c", "./-d/-f.c", "./-f.c", "./-d/-f", "./-f", "x-f.c", "./-d"])
    #expect(expand(all, ["-d/-f.c"]) == ["c", "-d/-f.c", "-f.c", "-d/-f", "-f", "x-f.c", "-d"])
  }
}
