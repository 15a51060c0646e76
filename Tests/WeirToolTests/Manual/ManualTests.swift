// The manual in docs/: each command is run, what it prints is compared, and the messages of the table
// "It said this: type that" are those of the sources.

import Foundation
import TestSupport
import Testing

@Suite("The manual", .timeLimit(.minutes(10)))
struct ManualTests {
  private static let firstPage = DocumentPage("cli")
  private static let pages = [
    DocumentPage("README"), firstPage, DocumentPage("reference"), DocumentPage("formats"),
  ]

  // MARK: - Commands

  /// The changes of the files before the commands of a section, or after a line of text.
  private static let scenes: [(beginning: String, script: String)] = [
    (
      "A year later:",
      "echo more >>srv/docs/letter.txt; weir_rot srv/photos/2.jpg"
    ),
    ("At the terminal", "touch mnt/backup/photos/2.jpg; rm mnt/backup/photos/copy.jpg"),
    ("2.", "weir hash -o var/srv.sums -C srv .; weir_rot srv/photos/2.jpg"),
    (
      "3.",
      "weir hash -o srv.sums -C srv .; rm srv/docs/draft.txt; echo more >> srv/docs/letter.txt"
    ),
    (
      "4.",
      """
      echo 'Photo 2' > mnt/backup/photos/2.jpg; rm mnt/backup/photos/copy.jpg
      echo new > mnt/backup/photos/new.jpg
      """
    ),
    ("5.", "weir hash -o srv.sums -C srv ."),
    (
      "6.",
      """
      printf 'one\\n' > mnt/theirs/one.txt; printf '; a list\\none.txt f817a89f\\n' > mnt/theirs/theirs.sfv
      weir hash -C mnt/theirs one.txt > mnt/theirs/SHA256SUMS; echo x > mnt/theirs/extra.txt
      """
    ),
    ("7.", "mkdir records; echo words > records/report.txt"),
    ("8.", "weir hash -o srv.sums -C srv ."),
    ("weir compare", "mkdir copy; cp -p srv/docs/* copy; echo old > copy/old"),
    ("weir run", "mkdir src; echo 'interface{}' > src/a.go"),
  ]

  private static let beginning = """
    W=$0
    weir() { "$W" "$@"; }
    weir_rot() { touch -r "$1" time; tr a-z A-Z <"$1" >content; cat content >"$1"; touch -r time "$1"; }
    less() { cat >content; }; jq() { cat >content; }; mail() { cat >content; }; ssh() { shift; "$@"; }
    git() { find srv -type f -print0; }; hostname() { echo host; }
    rsync() { tr '\\0' '\\n' | while read -r name; do mkdir -p copy/docs copy/photos; cp -p "srv/$name" "copy/$name"; done; }
    mkdir -p srv/docs srv/photos mnt/theirs media/card var
    for i in 1 2; do echo "photo $i" >srv/photos/$i.jpg; done; cp srv/photos/1.jpg srv/photos/copy.jpg
    echo letter >srv/docs/letter.txt; echo draft >srv/docs/draft.txt
    cp srv/photos/1.jpg media/card; echo new >media/card/new.jpg
    find srv media -type f -exec touch -d '2020-02-02 02:02:02.5' {} +
    cp -Rp srv mnt/backup

    """

  /// Returns a text whose directories of a whole machine are below the working directory, and whose
  /// dates are all alike.
  private static func local(_ text: String) -> String {
    text.replacing("/var/lib/weir", with: "var")
      .replacing(/(^|[ '"])\/(srv|mnt|media)\b/) { "\($0.output.1)\($0.output.2)" }
      .replacing(/\d{4}-\d\d-\d\d/, with: "DATE")
  }

  private static let sections = pages.flatMap(\.sections).filter { !$0.steps.isEmpty }

  @Test("has commands that print what it shows", arguments: sections)
  func commands(section: DocumentPage.Section) async throws {
    let steps = section.steps
    let scene = { (text: String) in
      (Self.scenes.first { text.hasPrefix($0.beginning) }?.script ?? "") + "\n"
    }
    let commands = steps.enumerated().map { number, step in
      (number == 0 || steps[number - 1].text != step.text ? scene(step.text) : "")
        + Self.local(step.command)
    }
    let directory = try TemporaryDirectory()
    let (results, rest) = try await runInOneShell(
      commands, after: Self.beginning + scene(section.title), in: directory, isMerged: true)
    try #require(results.count == steps.count, "\(rest.outputText)")
    for (step, results) in zip(steps, results) {
      let printed = Self.local(String(decoding: results.output, as: UTF8.self))
        .split(separator: "\n").map(String.init)
      if let output = step.output {
        #expect(printed == output.map(Self.local), "\(step.command)")
      } else {
        #expect([0, 1].contains(results.status), "\(step.command): \(printed)")
      }
    }
  }

  @Test("names commands and options that exist")
  func options() async throws {
    let directory = try TemporaryDirectory()
    var help: [Substring: String] = [:]
    for page in Self.pages {
      for span in DocumentPage.spans(of: page.text) {
        guard let words = span.wholeMatch(of: /weir (\w+)\b(.*)/)?.output, words.1 != "help" else {
          continue
        }
        if help[words.1] == nil {
          help[words.1] = try await weir(String(words.1), "--help", in: directory).run().outputText
        }
        #expect(help[words.1]?.isEmpty == false, "\(span)")
        for option in words.2.split(separator: " -- ")[0...].prefix(1).flatMap({
          $0.matches(of: /(?:^| )(--[a-z][a-z0-9-]+)/).map(\.output.1)
        }) {
          #expect(help[words.1]?.contains(option) == true, "\(span)")
        }
      }
    }
    #expect(help.count >= 6)
  }

  @Test("has on its first page, and on that on fixity, no option that -h only names")
  func usualOptions() async throws {
    let directory = try TemporaryDirectory()
    let commands = [Self.firstPage, DocumentPage("fixity")].flatMap(\.sections).flatMap(\.steps)
      .flatMap { $0.command.split(separator: /[|;&>]/) }
    var help: [Substring: Substring] = [:]
    for command in commands {
      guard let words = command.firstMatch(of: /\bweir ([a-z]+) (.*)/)?.output else { continue }
      if help[words.1] == nil {
        let text = try await weir(String(words.1), "-h", in: directory).run().outputText
        help[words.1] = text.split(separator: "  Also:")[0]
      }
      let options = words.2.split(separator: " -- ")[0].split(separator: " ")
        .filter { $0.contains(/^--?[a-zA-Z]/) }
      for option in options {
        let isListed = help[words.1]?.split { " ,\n".contains($0) }.contains(option) == true
        #expect(isListed, "\(command)")
      }
    }
    #expect(help.count >= 6)
  }

  @Test("has links to headings that exist")
  func anchors() throws {
    for page in Self.pages {
      for link in page.text.matches(of: /\]\(([\w\/.]*?)([\w-]*)(?:\.md)?#([\w-]+)\)/)
      where link.output.1.isEmpty {
        let target = link.output.2.isEmpty ? page : DocumentPage(String(link.output.2))
        let anchors = target.text.split(separator: "\n").filter { $0.hasPrefix("#") }
          .map { heading in
            heading.drop { $0 == "#" }.dropFirst().lowercased().filter {
              $0.isLetter || $0.isNumber || $0 == " " || $0 == "-"
            }.replacing(" ", with: "-")
          }
        #expect(anchors.contains(String(link.output.3)), "\(page.name): \(link.output.0)")
      }
    }
  }

  // MARK: - Messages

  /// The lines of the sources of the tool and its jobs, with literals of several lines joined.
  private static let sources = Task {
    let script = #"""
      cd "$0" && find Sources/WeirTool Sources/FileJobs -name '*.swift' -exec perl -0777 -pe \
        's/\\\n *//g; s/"\n *\+ "//g' {} +
      """#
    let command = Command("sh", "-c", script, repositoryRoot)
    return try await command.run().outputText.split(separator: "\n")
  }

  /// The parts of a message between the words that stand for anything.
  private static func parts(of message: String) -> [String] {
    let words = "NAME|FILE|DIR|OLD|NEW|LIST|LOG|STATE|DATE|OPTION|N(?: files| names| lines)?"
    guard let words = try? Regex("\\b(?:\(words))\\b|FAILED|\\.\\.\\.") else { return [] }
    return message.split(separator: words)
      .map { $0.trimmingCharacters(in: [" ", ":", ";", ",", "(", ")"]) }.filter { !$0.isEmpty }
  }

  private static let messages: [[String]] =
    (firstPage.sections.last?.rows ?? []).flatMap { DocumentPage.spans(of: $0[0]).map(parts) }

  /// Returns true if a line of the sources is that of a message. A short message is a word in quotes.
  private static func isLine(_ line: Substring, of message: [String]) -> Bool {
    let isShort = message.allSatisfy { $0.count < 8 }
    return !message.isEmpty && message.allSatisfy { line.contains(isShort ? "\"\($0)" : $0) }
  }

  @Test("has a row for each format of lists")
  func formats() async throws {
    let names = try await Self.sources.value.flatMap { line in
      line.matches(of: /Format\(name: "([^"]*)"/).map(\.output.1)
    }
    #expect(names.count >= 5)
    let page = DocumentPage("formats").text
    for name in names { #expect(page.contains("\n| \(name) |"), "\(name)") }
  }

  @Test("has a table of messages that are those of the sources")
  func messages() async throws {
    #expect(Self.messages.count >= 40)
    let lines = try await Self.sources.value
    for message in Self.messages {
      #expect(lines.contains { Self.isLine($0, of: message) }, "\(message)")
    }
  }

  @Test(
    "has an answer to each message on something that is left as it was",
    arguments: ["left unchanged", "to continue", "nothing was updated", "completes the bag"])
  func answers(phrase: String) async throws {
    let messages = Self.messages.filter {
      $0.contains { $0.contains(phrase) } && $0 != ["is \(phrase)"]
    }
    let lines = try await Self.sources.value.filter { $0.contains(phrase) && !$0.contains("//") }
    #expect(!lines.isEmpty)
    for line in lines {
      #expect(messages.contains { Self.isLine(line, of: $0) }, "\(line)")
    }
  }
}
