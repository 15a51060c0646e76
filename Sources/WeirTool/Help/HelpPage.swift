// The help pages: a short one for -h, which fits a screen, and a long one for --help. Both are
// laid out here, in 80 columns, from the table of the verb.

internal import FileJobs

enum HelpPage {
  private static let columns = 80
  private static let textColumn = 25

  // MARK: - The tool

  /// The verbs, one per line.
  private static var list: String {
    let width = (Verbs.all.map { $0.name.count }.max() ?? 0) + 2
    return Verbs.all.map { "  \(padded($0.name, width))\($0.page.abstract)" }
      .joined(separator: "\n")
  }

  static var brief: String {
    """
    usage: weir COMMAND [OPTION ...] [PATH ...]
    \(list)
    \(Root.answers.map { row($0.text.leading, $0.text.brief) }.joined(separator: "\n"))
    weir COMMAND -h lists the options of a command; weir help COMMAND explains them.
    """
  }

  static var overview: String {
    """
    usage: weir COMMAND [OPTION ...] [PATH ...]

    Read files and whole trees on all cores, without running out of descriptors, and
    write the results in a fixed order.

    Commands:
    \(list)

    Run weir COMMAND -h for a list of the options of a command, weir help COMMAND for
    all about them.\(DemoProgram.isInstalled ? " weir demo runs weir-demo, which teaches concurrency." : "")

    Exit status:
      0  Success
      1  Something differs, or a command failed
      2  Usage error, or nothing could be started or written
      3  A file could not be read, or changed while it was read
      4  check --audit found new or moved files, and nothing else

    Examples:
      weir hash /srv > /tmp/manifest        Hash a tree
      weir check --quiet /tmp/manifest      Verify it
      weir count -l src                     Count lines, like wc -l
      weir duplicates /srv                  Find duplicate files
      weir run src -- gzip -k {}            Run a command for each file
      weir limits /srv                      Show limits, and the storage of /srv
    """
  }

  static func text(
    for words: ArraySlice<RawArgument>, isBrief: Bool = false
  ) throws(UsageError) -> String {
    guard let word = words.first, word.text != "help", Root.option(word) == nil else {
      return isBrief ? brief : overview
    }
    guard let verb = Verbs.named(word.text) else {
      let hint = UsageError.suggestion(
        for: word.text, of: ForeignWords.command, among: Verbs.all.map { $0.name })
      throw UsageError("no help on \(word)\(hint)")
    }
    if let extra = words.dropFirst().first {
      throw UsageError("unexpected operand \(extra)")
    }
    return isBrief ? brief(of: verb) : whole(of: verb)
  }

  static func command(for verb: (any Verb.Type)?) -> String {
    verb.map { "weir \($0.name) --help" } ?? "weir --help"
  }

  // MARK: - A verb

  /// Returns the usage line, a line for each option, and the names of the other options.
  static func brief(of verb: any Verb.Type) -> String {
    let options = verb.texts.flatMap(\.options)
    let others = options.filter { !$0.isBrief }.map(\.names).joined(separator: ", ")
    let lines =
      ["usage: weir \(verb.name) \(verb.page.usage)"]
      + options.filter(\.isBrief).map { row($0.leading, $0.brief) }
      + (others.isEmpty ? [] : wrapped("  Also: \(others)", indent: 8))
    return lines.joined(separator: "\n")
  }

  /// Returns the whole help, without a newline at the end.
  static func whole(of verb: any Verb.Type) -> String {
    let page = verb.page
    var parts = ["usage: weir \(page.name) \(page.usage)"]
    parts += paragraphs(page.description).map { $0.isVerbatim ? $0.text : filled($0.text) }
    for section in verb.texts {
      let rows =
        section.words.map { row("  \($0.0)", $0.1) }
        + section.options.map { row($0.leading, $0.whole) }
      parts.append(([section.title + ":"] + rows).joined(separator: "\n"))
      if !section.note.isEmpty { parts.append(filled(section.note)) }
    }
    let statuses = page.statusLines.flatMap { wrapped("  \($0)", indent: 5) }
    parts.append(([page.statusTitle + ":"] + statuses).joined(separator: "\n"))
    let examples = page.examples.split(separator: "\n").map { "  \($0)" }
    parts.append((["Examples:"] + examples).joined(separator: "\n"))
    return parts.joined(separator: "\n\n")
  }

  static func paragraphs(_ text: String) -> [(text: String, isVerbatim: Bool)] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.split(whereSeparator: \.isEmpty).map { lines in
      (lines.joined(separator: "\n"), lines.first?.first == " ")
    }
  }

  static func joined(_ text: String) -> String { String(text.map { $0 == "\n" ? " " : $0 }) }

  private static func filled(_ text: String) -> String {
    wrapped(joined(text), indent: 0).joined(separator: "\n")
  }

  private static func wrapped(_ text: String, indent: Int) -> [String] {
    TextWidth.lines(of: text, columns: columns, indent: indent)
  }

  private static func row(_ leading: String, _ text: String) -> String {
    wrapped(padded(leading, textColumn) + joined(text), indent: textColumn)
      .joined(separator: "\n")
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}

extension OptionText {
  fileprivate var leading: String { (letter == nil ? "      " : "  ") + spelling }
}
