// The completions of shells, compared with the options of the verbs: in bash by running it, in
// zsh and fish by their scripts.

import Foundation
import TestSupport
import Testing

@testable import WeirTool

@Suite(.serialized, .timeLimit(.minutes(5)))
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

  /// The options whose values are names of files.
  private static let files: Set = [
    "--files-from", "--files0-from", "--output", "--trace", "--joblog", "--html", "--plan",
  ]
  private static let directories: Set = ["--directory", "--audit", "--out"]

  /// Returns the words that an option takes; `nil` if it takes no words.
  private static func choices(_ value: OptionValue) -> [String]? {
    switch value {
    case .word(let words), .words(let words, _): words
    default: nil
    }
  }

  @Test("bash offers exactly the values of each option", .enabled(if: isInstalled("bash")))
  func values() async throws {
    var lines: [[String]] = []
    var expected: [Set<String>] = []
    for verb in Verbs.all {
      for (name, value) in verb.optionTable.values.sorted(by: { $0.key < $1.key }) {
        let choices = Self.choices(value)
        lines.append([verb.name, name, choices == nil ? "M" : ""])
        expected.append(
          Self.files.contains(name)
            ? ["Manifest", "Mdir"]
            : Self.directories.contains(name) ? ["Mdir"] : Set(choices ?? []))
      }
    }
    #expect(lines.count > 40)
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
  }

  @Test("bash offers commands after help and after run --", .enabled(if: isInstalled("bash")))
  func commands() async throws {
    let offers = try await offers([
      ["help", ""], ["help", "c"], ["help", "hash", ""], ["run", "a", "--", "bas"],
      ["run", "a", "--", "bash", "M"], ["run", "a", "--", "bash", "-c", "M"],
    ])
    #expect(Set(offers[0]) == Set(Verbs.all.map { $0.name }))
    #expect(offers[1] == ["check", "count"] && offers[2].isEmpty)
    #expect(offers[3].contains("bash"))
    #expect(Set(offers[4]) == ["Manifest", "Mdir"] && Set(offers[5]) == ["Manifest", "Mdir"])
  }

  @Test("zsh and fish have the same words and files")
  func otherShells() async throws {
    let directory = try TemporaryDirectory()
    let fish = try await script("fish", in: directory).split(separator: "\n")
    let zsh = try await script("zsh", in: directory)
    for verb in Verbs.all {
      let begin = try #require(zsh.range(of: "\n_weir_\(verb.name)() {"))
      let rest = zsh[begin.upperBound...]
      let function = rest[..<(rest.range(of: "\n}")?.lowerBound ?? rest.endIndex)]
      let takesFiles = !verb.optionTable.values.isEmpty
      if takesFiles { #expect(function.contains("_files'\n"), "\(verb.name)") }
      for (name, value) in verb.optionTable.values {
        let long = String(name.dropFirst(2))
        let line = fish.first {
          $0.contains("\"weir \(verb.name)") && $0.contains(" -l '\(long)' ")
        }
        let own = try #require(line, "fish knows no \(name) of \(verb.name)")
        let inZsh =
          function.split(separator: "\n").first {
            $0.contains("\(name)[") || $0.contains("\(name)}")
          } ?? ""
        if let choices = Self.choices(value) {
          #expect(
            own.hasSuffix("-rfka '\(choices.joined(separator: " "))'"))
          let variable = "___\(long.replacing("-", with: "_"))=("
          let list = choices.map { "'\($0)'" }.joined(separator: " ")
          #expect(function.contains("\(variable)\(list))"), "zsh: \(name) of \(verb.name)")
        } else if Self.files.contains(name) {
          #expect(own.hasSuffix("-rF") && inZsh.contains(":_files"), "\(own) \(inZsh)")
        } else if Self.directories.contains(name) {
          #expect(own.contains("directories") && inZsh.contains("_files -/"), "\(own) \(inZsh)")
        }
      }
    }
  }

  @Test("the script is the same with a blank and with = before the shell")
  func forms() async throws {
    let directory = try TemporaryDirectory()
    for shell in ["bash", "zsh", "fish"] {
      let joined = try await weir("--generate-completion-script=\(shell)", in: directory).run()
      joined.expectSilence()
      #expect(joined.outputText == (try await script(shell, in: directory)))
      #expect(joined.output.count > 1000)
    }
  }
}
