// What a verb of the command line is.

struct VerbPage: Sendable {
  let name: String
  /// A sentence without a period.
  let abstract: String
  /// The words after the name.
  var usage = "[OPTION ...] [PATH ...]"
  /// True if the words after `--` are a command, and not more PATHs.
  var takesCommand = false
  var operand = OptionCompletion.file
  /// True if an operand is a manifest, unless it is a directory.
  var takesManifests = false
  /// Paragraphs, with empty lines between them. A line that begins with blanks stays as it is.
  let description: String
  var statusTitle = "Exit status"
  /// A paragraph for each, which begins with the number. Other lines begin with blanks.
  let statuses: String
  /// A line for each, with its purpose after three blanks or more, or with none.
  let examples: String

  /// The exit statuses, each in one line.
  var statusLines: [String] {
    statuses.split(separator: "\n").reduce(into: []) { lines, line in
      if line.first == " " {
        lines[lines.count - 1] += " \(line.drop { $0 == " " })"
      } else {
        lines.append(String(line))
      }
    }
  }
}

extension OptionGroup {
  static var answers: [Option<Self>] {
    [
      Option(
        answer: "-h, --help", "Print this list (-h), or the whole help (--help)"
      ) { word in word.text == "-h" ? .briefHelp : .help },
      Option(answer: "--version", "Print the version", isBrief: false) { _ in .version },
    ]
  }
}

/// A verb of the command line: the values of its options, and its run.
protocol Verb: OptionGroup {
  static var page: VerbPage { get }
  /// The table of the options, without those that every verb has.
  static var sections: [OptionSection<Self>] { get }
  func run(_ operands: Operands) throws
}

extension Verb {
  static var name: String { page.name }

  static var options: [Option<Self>] { sections.flatMap(\.options) + answers }

  /// The sections as the reader sees them. The last one has the options on help.
  static var texts: [SectionText] {
    let last = sections.last?.with(answers) ?? OptionSection("Options", answers)
    return (sections.dropLast() + [last]).map(\.text)
  }

  static func parse(_ words: [RawArgument]) throws(UsageError) -> (verb: Self, operands: Operands) {
    try parse(
      words, of: page.name, takesCommand: page.takesCommand, takesManifests: page.takesManifests
    ) {
      options
    }
  }

  /// Parses a command line. With `-C`, which may stand anywhere, it is parsed again for the names of
  /// the files that stay where they are.
  static func parse(
    commandLine words: [RawArgument]
  ) throws(UsageError) -> (verb: Self, operands: Operands) {
    let parsed = try parse(words)
    let directory = parsed.operands.value(of: CommonOptions.directoryName)
    guard let directory, parsed.operands.answer == nil else { return parsed }
    StartDirectory.declare(directory)
    return try parse(words)
  }
}
