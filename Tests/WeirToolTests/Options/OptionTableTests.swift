// The promises of a table: each option parses in all its spellings and sets its property, and help,
// manual page, completions and docs/options.md have it.

import FileJobs
import Foundation
import TestSupport
import Testing

@testable import WeirTool

@Suite(.serialized, .timeLimit(.minutes(10)))
struct OptionTableTests {
  private static let verbs = Verbs.all.map { $0.name }
  /// docs/options.md, made once: by the tool, since the code of the tests is not optimized.
  private static let page = Task {
    try await Command(weirPath, words("--generate-reference")).run().outputText
  }

  /// The spellings of the entries of the page.
  private static let entries = Task {
    Set(try await page.value.matches(of: #/(?m)^- (`[^:]*`): /#).map(\.output.1))
  }

  private func options(_ verb: String) throws -> [OptionText] {
    try #require(Verbs.named(verb)).texts.flatMap(\.options)
  }

  private func isAnswer(_ option: OptionText) -> Bool {
    ["--help", "--version"].contains(option.name)
  }

  /// Returns all values after parsing, as text, and the words for the parts of shards.
  private func parsed(_ verb: any Verb.Type, _ words: [String]) throws -> (String, [[UInt8]]) {
    let (request, operands) = try verb.parse(words.map { RawArgument($0) })
    var text = ""
    dump(request, to: &text)
    dump(operands.inputs, to: &text)
    dump(operands.answer, to: &text)
    return (text, operands.given.map(\.word))
  }

  /// Returns a value of an option that is not its default.
  private func sample(_ option: OptionText, of verb: any Verb.Type) throws -> String {
    if case .words(let words) = option.completion { return try #require(words.last) }
    let values = ["1/2", "7", "1", "file", "a=b"]
    return try #require(
      values.first { (try? verb.parse([RawArgument("\(option.name)=\($0)")])) != nil })
  }

  @Test("an option sets its property, the same in all its spellings", arguments: verbs)
  func spellings(verb: String) throws {
    let type = try #require(Verbs.named(verb))
    let initial = try parsed(type, []).0
    var results: Set<String> = []
    let options = try options(verb)
    for option in options where !isAnswer(option) {
      let value = option.isFlag ? "" : try sample(option, of: type)
      var forms = [option.isFlag ? [option.name] : ["\(option.name)=\(value)"]]
      if !option.isFlag { forms.append([option.name, value]) }
      if option.letter != nil {
        let letter = option.spellings[0]
        forms.append(["\(letter)\(value)"])
        if !option.isFlag { forms.append([letter, value]) }
      }
      let answers = try forms.map { try parsed(type, $0) }
      for (form, answer) in zip(forms, answers) {
        #expect(answer.0 == answers[0].0 && answer.1 == answers[0].1, "\(form) of \(verb)")
      }
      #expect(answers[0].0 != initial, "\(option.name) of \(verb) sets nothing")
      #expect(results.insert(answers[0].0).inserted, "\(option.name) of \(verb) sets as another")
    }
    #expect(Set(options.map(\.name)).count == options.count)
    #expect(Set(options.compactMap(\.letter)).count == options.compactMap(\.letter).count)
  }

  @Test("letters share a dash, the last one with its value")
  func clusters() throws {
    let joined = try HashVerb.parse(["-za", "md5,sha1", "-zj4"].map { RawArgument($0) })
    #expect(joined.verb.zero && joined.verb.commonOptions.jobs == 4)
    #expect(joined.verb.given.map(\.name) == ["md5", "sha1"])
    let words = joined.operands.given.map { String(decoding: $0.word, as: UTF8.self) }
    #expect(words == ["--zero", "--algorithm=md5", "--algorithm=sha1", "--zero", "--jobs=4"])
    for answer in ["-zh", "-hz", "-h"] {
      #expect(try HashVerb.parse([RawArgument(answer)]).operands.answer == .briefHelp)
    }
  }

  @Test("lists and filters keep their order, and names their bytes")
  func order() throws {
    let odd = RawArgument(bytes: [0x61, 0xFF, 0x0A])
    let words = ["--include", "i", "p", "--files0-from=l", "--exclude=e", "--files-from"]
    let (verb, operands) = try HashVerb.parse(words.map { RawArgument($0) } + [odd, odd])
    #expect(
      operands.inputs == [
        .path(RawArgument("p")), .list(RawArgument("l"), separator: 0),
        .list(odd, separator: 0x0A), .path(odd),
      ])
    #expect(operands.filters.map(\.name) == ["include", "exclude"])
    #expect(verb.walkOptions.filters.count == 2)
    #expect(try HashVerb.parse([RawArgument("-o"), odd]).verb.outputOptions.output == odd)
  }

  @Test(
    "a text states no default of its own: the table takes it from the property", arguments: verbs)
  func defaults(verb: String) throws {
    for option in try options(verb) {
      #expect(!(option.line + option.details).contains("default"), "\(option.name)")
    }
    let type = try #require(Verbs.named(verb))
    let initial = try parsed(type, []).0
    for option in try options(verb) {
      guard let preset = option.preset(), option.name != "--max-gone", option.name != "--algorithm",
        (verb, option.name) != ("hash", "--format")
      else { continue }
      guard let again = try? parsed(type, ["\(option.name)=\(preset)"]).0 else {
        #expect(preset.contains(" ") || preset == "cores", "\(option.name) of \(verb)")
        continue
      }
      #expect(again == initial, "\(option.name) of \(verb)")
    }
  }

  @Test("-h has all options, in 80 columns and less than 24 lines", arguments: verbs)
  func shortHelp(verb: String) async throws {
    let directory = try TemporaryDirectory()
    let result = try await weir(verb, "-h", in: directory).run()
    result.expectSilence()
    let lines = result.outputText.split(separator: "\n")
    #expect(lines.count < 24 && lines.allSatisfy { $0.count <= 80 }, "\(result.outputText)")
    // The first line is the usage.
    let words = lines.dropFirst().flatMap { $0.split { " ,".contains($0) } }.map(String.init)
    for option in try options(verb) {
      for spelling in option.spellings {
        let count = words.count { $0 == spelling }
        #expect(isAnswer(option) ? count >= 1 : count == 1, "\(spelling) of \(verb)")
      }
    }
  }

  @Test("the help, the manual page and docs/options.md have them all", arguments: verbs)
  func pages(verb: String) async throws {
    let (page, entries) = (try await Self.page.value, try await Self.entries.value)
    let type = try #require(Verbs.named(verb))
    let help = HelpPage.whole(of: type)
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= 80 && !$0.hasSuffix(" ") }, "\(help)")
    let manual = ManualPage.text(of: type)
    let begin = try #require(page.range(of: "\n## weir \(verb)\n"))
    let rest = page[begin.upperBound...]
    let reference = rest[..<(rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex)]
    for option in try options(verb) {
      let line = (option.letter == nil ? "      " : "  ") + option.spelling + " "
      #expect(lines.contains { $0.hasPrefix(line) }, "\(option.name) of \(verb)")
      let escaped = option.name.replacing("-", with: "\\-")
      #expect(manual.contains("\n.TP\n") && manual.contains("\\fB\(escaped)\\fR"))
      #expect(reference.contains("`\(option.spelling)`"))
      #expect(entries.contains("`\(option.spelling)`"))
      if case .words(let words) = option.completion {
        for word in words where verb == "hash" || option.name != "--algorithm" {
          #expect(option.whole.contains(word), "the text of \(option.name) lacks \(word)")
        }
      }
    }
  }

  @Test("docs/options.md is what the tables say; make docs makes it")
  func reference() async throws {
    let page = try String(contentsOfFile: "\(repositoryRoot)/docs/options.md", encoding: .utf8)
    #expect(try await page == Self.page.value)
  }

  @Test("an option without its value is an error that says so", arguments: verbs)
  func missingValue(verb: String) throws {
    let type = try #require(Verbs.named(verb))
    for option in try options(verb) where !option.isFlag {
      for spelling in option.spellings {
        let error = #expect(throws: UsageError.self) {
          _ = try type.parse([RawArgument("nowhere"), RawArgument(spelling)])
        }
        let message = String(decoding: error?.text.bytes ?? [], as: UTF8.self)
        #expect(message == "option \(spelling) needs a value")
      }
    }
    for option in try options(verb) where option.isFlag {
      #expect(throws: UsageError.self) { _ = try type.parse([RawArgument("\(option.name)=x")]) }
    }
  }
}
