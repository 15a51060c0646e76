// Each option has the same name, letter and values everywhere: in the parser, the option
// table, the help page, the man page and the completion scripts.

import Foundation
import TestSupport
import Testing

@testable import WeirTool

@Suite(.serialized, .timeLimit(.minutes(5)))
struct OptionDeclarationTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The names of an option and, if the source says so, whether it takes a value.
  private struct Option: Hashable, CustomStringConvertible {
    let name: String
    let letter: String?
    let takesValue: Bool

    var description: String {
      (letter.map { "-\($0), " } ?? "") + name + (takesValue ? " VALUE" : "")
    }
  }

  private static let verbs = Verbs.all.map { $0.name }

  private func table(_ verb: String) throws -> OptionTable {
    try #require(Verbs.named(verb)).optionTable
  }

  /// The options of the table, which all other sources must have.
  private func expected(_ verb: String) throws -> Set<Option> {
    let table = try table(verb)
    return Set(
      table.names.map { name in
        Option(
          name: name, letter: table.letters.first { $0.value == name }.map { String($0.key) },
          takesValue: table.values[name] != nil)
      })
  }

  private func expectSame(_ found: Set<Option>, _ verb: String, in place: String) throws {
    let expected = try expected(verb)
    #expect(expected.subtracting(found).isEmpty, "\(place) of \(verb) lacks these")
    #expect(found.subtracting(expected).isEmpty, "only \(place) of \(verb) has these")
  }

  /// Expects each word that an option takes in the text on that option.
  private func expectWords(_ texts: [String: String], _ verb: String, in place: String) throws {
    for (name, value) in try table(verb).values {
      guard case .word(let words) = value else { continue }
      for word in words {
        let isFound =
          texts[name]?.split { !$0.isLetter && $0 != "-" }.contains { $0 == word } ?? false
        #expect(isFound, "\(place) of \(verb) lacks \(word) for \(name)")
      }
    }
  }

  @Test("a verb without options has the values that the parser gives it", arguments: verbs)
  func defaults(verb: String) throws {
    let type = try #require(Verbs.named(verb))
    guard let request = type.withoutOptions else { return }
    #expect(text(of: request) == text(of: try type.request(from: ["--"])))
  }

  /// Returns all properties of a request, with those of its groups.
  private func text(of request: any VerbRequest) -> String {
    var text = ""
    dump(request, to: &text)
    return text
  }

  @Test("the parser has the options of the table", arguments: verbs)
  func parser(verb: String) async throws {
    let directory = try TemporaryDirectory()
    let dump = try await weir("--experimental-dump-help", in: directory).run()
    let json = try JSONSerialization.jsonObject(with: Data(dump.output)) as? [String: Any]
    let root = try #require(json?["command"] as? [String: Any])
    let commands = try #require(root["subcommands"] as? [[String: Any]])
    let command = try #require(commands.first { $0["commandName"] as? String == verb })
    var found: Set<Option> = []
    for argument in command["arguments"] as? [[String: Any]] ?? [] {
      let names = argument["names"] as? [[String: String]] ?? []
      guard let long = names.first(where: { $0["kind"] == "long" })?["name"] else { continue }
      let letter = names.first { $0["kind"] == "short" }?["name"]
      found.insert(
        Option(
          name: "--\(long)", letter: letter, takesValue: argument["kind"] as? String == "option"))
      if let words = argument["allValues"] as? [String],
        case .word(let expected)? = try table(verb).values["--\(long)"], verb != "hash"
      {
        // A verb that writes text and JSON shares the type of the formats with hash.
        #expect(Set(expected).isSubset(of: words), "\(verb) --\(long)")
      }
    }
    try expectSame(found, verb, in: "the parser")
  }

  @Test("the help page has them, in 80 columns", arguments: verbs)
  func help(verb: String) throws {
    let page = try #require(Verbs.named(verb)).helpPage
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= 80 })
    var found: Set<Option> = []
    var texts: [String: String] = [:]
    var current: String?
    for line in lines {
      let form = #/^  (?:-(\w), |    )(--[a-z0-9-]+)(?: ([A-Z][A-Z=,/]*)(?: |$))?/#
      if let match = line.firstMatch(of: form) {
        let name = String(match.2)
        current = name
        found.insert(
          Option(name: name, letter: match.1.map(String.init), takesValue: match.3 != nil))
      } else if !line.hasPrefix("        ") {
        current = nil
      }
      if let current { texts[current, default: ""] += " " + line }
    }
    try expectSame(found, verb, in: "the help page")
    try expectWords(texts, verb, in: "the help page")
  }

  @Test("-h has them, a line each, in 80 columns and less than 24 lines", arguments: verbs)
  func shortHelp(verb: String) async throws {
    let directory = try TemporaryDirectory()
    let result = try await weir(verb, "-h", in: directory).run()
    result.expectSilence()
    let lines = result.outputText.split(separator: "\n")
    #expect(lines.count < 24 && lines.allSatisfy { $0.count <= 80 })
    let table = try table(verb)
    var spellings: Set<String> = []
    for line in lines where line.hasPrefix("  ") {
      // The options come before two blanks, or before the first word of their text.
      let names = line.drop { $0 == " " }.prefix { $0 != "\t" }
      for match in names.matches(of: #/(?:^|, )(--?[A-Za-z0-9][a-z0-9-]*)/#) {
        spellings.insert(String(match.1))
      }
    }
    let expected = table.names.union(table.letters.keys.map { "-\($0)" })
    #expect(spellings == expected)
    let long = try await weir(verb, "--help", in: directory).run()
    #expect(long.outputText != result.outputText && long.lines.count > lines.count)
  }

  @Test("the man page has them, and docs/cli.md names them", arguments: verbs)
  func manual(verb: String) throws {
    let page = try String(
      contentsOf: Self.root.appending(path: "man/weir-\(verb).1"), encoding: .utf8)
    let reference = try String(
      contentsOf: Self.root.appending(path: "docs/cli.md"), encoding: .utf8)
    let section = try #require(page.firstMatch(of: #/(?s)\n\.SH OPTIONS\n(.*?)\n\.SH /#)).1
    let plain = section.replacing(#/\\f[BIR]/#, with: "").replacing("\\-", with: "-")
      .replacing(#/\n\.(?:B|I|BR|IR|BI|RB|RI) /#, with: "\n")
    var found: Set<Option> = []
    var texts: [String: String] = [:]
    for entry in "\n\(plain)".split(separator: "\n.TP\n") {
      let lines = entry.split(separator: "\n", maxSplits: 1)
      for match in lines[0].matches(of: #/(?:-(\w), )?(--[a-z0-9-]+)(?: ([A-Z][A-Z=,]*))?/#) {
        let name = String(match.2)
        found.insert(
          Option(name: name, letter: match.1.map(String.init), takesValue: match.3 != nil))
        texts[name] = String(lines.last ?? "")
        #expect(reference.contains(name), "docs/cli.md lacks \(name) of \(verb)")
      }
    }
    try expectSame(found, verb, in: "the man page")
    try expectWords(texts, verb, in: "the man page")
  }

  @Test("the completion scripts have them", arguments: ["bash", "zsh", "fish"])
  func completion(shell: String) async throws {
    let directory = try TemporaryDirectory()
    let script = try await weir("--generate-completion-script", shell, in: directory).run()
      .outputText
    for verb in Self.verbs {
      var spellings: Set<String> = []
      if shell == "fish" {
        for line in script.split(separator: "\n") where line.contains("\"weir \(verb)\"") {
          spellings.formUnion(line.matches(of: #/ -l '([a-z0-9-]+)'/#).map { "--\($0.1)" })
          spellings.formUnion(line.matches(of: #/ -s '(\w)'/#).map { "-\($0.1)" })
        }
      } else {
        let begin = try #require(script.range(of: "\n_weir_\(verb)() {"))
        let rest = script[begin.upperBound...]
        let function = rest[..<(rest.range(of: "\n}")?.lowerBound ?? rest.endIndex)]
        for line in function.split(separator: "\n") {
          if shell == "bash" && !line.contains("repeating_") { continue }
          let spelling = #/(?:^|[ ('{,*])(--?[A-Za-z][a-z0-9-]*)(?=[\[ ,})']|$)/#
          spellings.formUnion(line.matches(of: spelling).map { String($0.1) })
        }
      }
      let table = try table(verb)
      let expected = table.names.union(table.letters.keys.map { "-\($0)" })
      let lacking = expected.subtracting(spellings)
      #expect(lacking.isEmpty, "\(shell) lacks \(lacking) of \(verb)")
      let more = spellings.filter { $0.hasPrefix("--") }.subtracting(expected)
      #expect(more.isEmpty, "only \(shell) has \(more) of \(verb)")
    }
  }

  @Test("an option without its value is an error that says so", arguments: verbs)
  func missingValue(verb: String) async throws {
    let directory = try TemporaryDirectory()
    for option in try expected(verb) where option.name != "--help" && option.name != "--version" {
      for spelling in [option.name, option.letter.map { "-\($0)" }].compactMap({ $0 }) {
        let result = try await weir(verb, "nowhere", spelling, in: directory).run()
        let needs = "weir: option \(spelling) needs a value; see weir \(verb) --help\n"
        #expect(
          (result.errorText == needs) == option.takesValue,
          "\(verb) \(spelling): \(result.errorText)")
        #expect(!result.errorText.contains("unknown option"))
      }
    }
  }
}
