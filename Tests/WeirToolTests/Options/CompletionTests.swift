// The completions of shells, compared with the options of the verbs: in bash by running it, in
// zsh and fish by their scripts.

import Foundation
import TestSupport
import Testing

@testable import WeirTool

@Suite(.serialized, .timeLimit(.minutes(10)))
struct CompletionTests {
  private func script(_ shell: String, in directory: TemporaryDirectory) async throws -> String {
    let result = try await weir("--generate-completion-script", shell, in: directory).run()
    result.expectSilence()
    return result.outputText
  }

  /// Returns the completions of bash for the last words of command lines.
  private func offers(_ lines: [[String]]) async throws -> [[String]] {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "Manifest")
    try directory.makeDirectory("Mdir")
    try directory.write(try await script("bash", in: directory), to: "script")
    var calls = ". ./script\n"
    for line in lines {
      let words = (["weir"] + line).map { "'\($0)'" }
      calls += """
        COMP_WORDS=(\(words.joined(separator: " "))); COMP_CWORD=\(line.count); COMPREPLY=()
        COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
        _weir weir "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        echo "${COMPREPLY[*]}"

        """
    }
    try directory.write(calls, to: "calls")
    let result = try await other("bash", words("calls"), in: directory).run()
    #expect(result.status == 0 && result.errorText.isEmpty, "\(result.errorText)")
    let answers = result.outputText.split(separator: "\n", omittingEmptySubsequences: false)
    return answers.dropLast().map { $0.split(separator: " ").map(String.init) }
  }

  @Test("bash offers exactly the values of each option", .enabled(if: isInstalled("bash")))
  func values() async throws {
    var lines: [[String]] = []
    var expected: [Set<String>] = []
    for verb in Verbs.all {
      for option in verb.texts.flatMap(\.options) where !option.isFlag {
        let (word, offer): (String, Set<String>) =
          switch option.completion {
          case .none: ("M", [])
          case .file: ("M", ["Manifest", "Mdir"])
          case .directory: ("M", ["Mdir"])
          case .words(let words): ("", Set(words))
          }
        lines += [[verb.name, option.name, word], [verb.name, option.name, "=", word]]
        expected += [offer, offer]
      }
    }
    #expect(lines.count > 80)
    let offers = try await offers(lines)
    try #require(offers.count == lines.count)
    for (index, line) in lines.enumerated() {
      #expect(Set(offers[index]) == expected[index], "\(line)")
    }
  }

  @Test("bash offers files if a verb takes files", .enabled(if: isInstalled("bash")))
  func operands() async throws {
    let verbs = ["hash", "check", "count", "duplicates", "run", "plan", "limits"]
    let offers = try await offers(
      verbs.map { [$0, "M"] } + verbs.map { [$0, "first", "M"] })
    for index in 0..<14 { #expect(Set(offers[index]) == ["Manifest", "Mdir"], "\(index)") }
    let after = try await self.offers([["merge", "M"], ["hash", "--", "M"], ["hash", "--", "-"]])
    #expect(after.map(Set.init) == [["Mdir"], ["Manifest", "Mdir"], []])
  }

  @Test("bash offers commands after help and after run --", .enabled(if: isInstalled("bash")))
  func commands() async throws {
    let offers = try await offers([
      ["help", ""], ["help", "c"], ["help", "hash", ""], ["run", "a", "--", "bas"],
      ["run", "a", "--", "bash", "M"], ["run", "a", "--", "bash", "-c", "M"],
    ])
    #expect(Set(offers[0]) == Set(Verbs.all.map { $0.name }))
    #expect(offers[1] == ["check", "compare", "count"] && offers[2].isEmpty)
    #expect(offers[3].contains("bash"))
    #expect(Set(offers[4]) == ["Manifest", "Mdir"] && Set(offers[5]) == ["Manifest", "Mdir"])
  }

  @Test("bash offers the options of each verb", .enabled(if: isInstalled("bash")))
  func options() async throws {
    let offers = try await offers([["-"]] + Verbs.all.map { [$0.name, "first", "-"] })
    #expect(Set(offers[0]).isSuperset(of: ["-h", "--help", "--version"]))
    for (verb, offer) in zip(Verbs.all, offers.dropFirst()) {
      #expect(Set(offer) == Set(verb.texts.flatMap(\.options).flatMap(\.spellings)), "\(verb.name)")
    }
  }

  @Test("zsh and fish have the same options, words and files")
  func otherShells() async throws {
    let directory = try TemporaryDirectory()
    let fish = try await script("fish", in: directory).split(separator: "\n")
    let zsh = try await script("zsh", in: directory)
    for verb in Verbs.all {
      let begin = try #require(zsh.range(of: "\n_weir_\(verb.name)() {"))
      let rest = zsh[begin.upperBound...]
      let function = rest[..<(rest.range(of: "\n}")?.lowerBound ?? rest.endIndex)]
      for option in verb.texts.flatMap(\.options) {
        let own = try #require(
          fish.first {
            $0.contains("from \(verb.name)'")
              && $0.contains("-l \(option.name.dropFirst(2)) ")
          })
        let inZsh = try #require(
          function.split(separator: "\n").first {
            $0.contains("*\(option.name)[") || $0.contains("*\(option.name)=[")
              || $0.contains(",\(option.name)}") || $0.contains(",\(option.name)=}")
          }, "\(option.name) of \(verb.name)")
        switch option.completion {
        case .none: #expect(own.contains(" -x") != option.isFlag)
        case .file: #expect(own.contains(" -r -F") && inZsh.contains(":_files'"))
        case .directory: #expect(own.contains("directories") && inZsh.contains("_files -/"))
        case .words(let words):
          let list = words.joined(separator: " ")
          #expect(own.contains(" -x -a '\(list)'") && inZsh.contains(":(\(list))'"))
        }
      }
    }
  }

  @Test("each shell reads its script", arguments: ["bash", "zsh", "fish"].filter(isInstalled))
  func syntax(shell: String) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(try await script(shell, in: directory), to: "script")
    let result = try await other(shell, words("-n", "script"), in: directory).run()
    #expect(result.status == 0 && result.errorText.isEmpty, "\(result.errorText)")
  }
}
