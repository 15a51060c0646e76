// The manual pages of the verbs, and docs/options.md.

internal import Weir

enum ManualPage {
  /// Returns the page, without a newline at the end. The date stands in it as `@DATE@`.
  static func text(of verb: any Verb.Type) -> String {
    let page = verb.page
    var lines = [
      ".TH WEIR\\-\(page.name.uppercased()) 1 @DATE@ \"Weir \(WeirVersion.description)\" \"Weir\"",
      ".nh", ".ad l", ".SH NAME",
      "weir\\-\(page.name) \\- \(escaped(page.abstract.prefix(1).lowercased() + page.abstract.dropFirst()))",
      ".SH SYNOPSIS", ".nf", "\\fBweir \(page.name)\\fR \(marked(page.usage))", ".fi",
      ".SH DESCRIPTION",
    ]
    for (index, paragraph) in HelpPage.paragraphs(page.description).enumerated() {
      if index > 0 { lines.append(".PP") }
      lines += paragraph.isVerbatim ? verbatim(paragraph.text) : [marked(paragraph.text)]
    }
    lines.append(".SH OPTIONS")
    for section in verb.texts {
      lines.append(".SS \(escaped(section.title))")
      for (word, text) in section.words {
        lines += [".TP", "\\fB\(escaped(word))\\fR", marked(text)]
      }
      for option in section.options {
        let value = option.valueName.map { " \\fI\(escaped($0))\\fR" } ?? ""
        lines += [".TP", "\(marked(option.names))\(value)", "\(marked(option.whole))."]
      }
      if !section.note.isEmpty { lines += [".PP", marked(section.note)] }
    }
    lines.append(".SH EXIT STATUS")
    if page.statusTitle.contains("(") { lines.append("\(marked(page.statusTitle)).") }
    for line in page.statusLines {
      lines += [".TP", ".B \(line.prefix(1))", "\(marked(line.dropFirst(3)))."]
    }
    // Without their purposes, which would not fit.
    let commands = page.examples.split(separator: "\n").map { line in
      line[..<(line.indices.first { line[$0...].hasPrefix("   ") } ?? line.endIndex)]
    }
    lines += [".SH EXAMPLES"] + verbatim(commands.joined(separator: "\n"))
    lines += [".SH SEE ALSO", ".BR weir (1),"]
    let others = Verbs.all.filter { $0.name != page.name }.map { ".BR weir\\-\($0.name) (1)" }
    lines.append(others.joined(separator: ",\n"))
    return lines.joined(separator: "\n")
  }

  private static func verbatim(_ text: String) -> [String] {
    [".EX"] + text.split(separator: "\n").map { escaped($0) } + [".EE"]
  }

  /// The characters that groff would show as others.
  private static let escapes: [Character: String] = [
    "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti",
  ]

  private static func escaped(_ text: some StringProtocol) -> String {
    let plain = text.map { escapes[$0] ?? String($0) }.joined()
    return plain.hasPrefix(".") ? "\\&\(plain)" : plain
  }

  /// Returns a text with its options in bold type.
  private static func marked(_ text: some StringProtocol) -> String {
    let words = HelpPage.joined(String(text)).split(
      separator: " ", omittingEmptySubsequences: false)
    return words.map { word in
      guard word.hasPrefix("-"), word.count > 1 else { return escaped(word) }
      let name = word.prefix { $0 == "-" || $0.isLetter || $0.isNumber }
      return "\\fB\(escaped(name))\\fR\(escaped(word.dropFirst(name.count)))"
    }.joined(separator: " ")
  }
}

/// docs/options.md.
enum Reference {
  /// The page, without a newline at the end.
  static var text: String {
    """
    # The options of weir

    Made by `make docs` from the tables of the verbs, which `weir help COMMAND` prints too. [cli.md](cli.md) has the
    commands for eight jobs, [reference.md](reference.md) the rules, [formats.md](formats.md) the formats.

    \(Verbs.all.map(section).joined(separator: "\n\n"))

    ## \(sharedTitle)

    \(shared.joined(separator: "\n"))
    """
  }

  private static let sharedTitle = "Options of several verbs"

  /// The lines of options that three verbs or more have, in the order of the verbs.
  private static let shared: [String] = {
    let all = Verbs.all.flatMap { $0.texts.flatMap(\.options) }.map(line)
    let counts = Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +)
    var seen: Set<String> = []
    return all.filter { counts[$0, default: 0] >= 3 && seen.insert($0).inserted }
  }()

  private static func line(_ option: OptionText) -> String {
    "- `\(option.spelling)`: \(marked(option.whole))"
  }

  private static func section(of verb: any Verb.Type) -> String {
    let page = verb.page
    var parts = [
      "## weir \(page.name)", "    weir \(page.name) \(page.usage)", "\(page.abstract).",
    ]
    for section in verb.texts {
      parts.append("**\(marked(section.title))**")
      parts.append(
        (section.words.map { "- `\($0.0)`: \(marked($0.1))" }
          + lines(section.options)).joined(separator: "\n"))
      if !section.note.isEmpty { parts.append(marked(section.note)) }
    }
    let statuses = page.statusLines.map { "- \($0.prefix(1)): \(marked($0.dropFirst(3)))" }
    return (parts + ["**\(page.statusTitle)**", statuses.joined(separator: "\n")])
      .joined(separator: "\n\n")
  }

  private static func lines(_ options: [OptionText]) -> [String] {
    let lines = Set(shared)
    let names = options.filter { lines.contains(line($0)) }.map { "`\($0.spelling)`" }
    let own = options.map(line).filter { !lines.contains($0) }
    let link = "#" + sharedTitle.lowercased().replacing(" ", with: "-")
    return names.isEmpty
      ? own : own + ["- \(names.joined(separator: ", ")): [as elsewhere](\(link))"]
  }

  /// Returns a text with its options and placeholders as code.
  private static func marked(_ text: some StringProtocol) -> String {
    HelpPage.joined(String(text)).split(separator: " ", omittingEmptySubsequences: false).map {
      word in
      let end =
        word.lastIndex { !",;:.)".contains($0) }.map { word.index(after: $0) } ?? word.startIndex
      let isCode =
        word.count > 1 && (word.hasPrefix("-") || word.contains("*") || word.contains("{"))
      return isCode ? "`\(word[..<end])`\(word[end...])" : String(word)
    }.joined(separator: " ")
  }
}
