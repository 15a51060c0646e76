// The command line's entrance: arguments in, exit status out.

internal import ArgumentParser
internal import CFileKernels
internal import Glibc
internal import SystemPackage
internal import Weir

/// The tool as a whole, for the parser. Its verbs are commands of their own.
struct WeirTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weir",
    abstract: "Puts a million files through a hundred descriptors.",
    version: "weir \(WeirVersion.description)",
    subcommands: Verbs.all.map { $0 as any ParsableCommand.Type })
}

@main
struct Main {
  static func main() {
    DropIn.takeOver()  // where it was called as sha256sum and its like
    Signals.holdInquiries()  // before there is a second thread
    kernel_take_locale()  // which bytes of a name are characters
    occupyStandardDescriptors()
    let words = RawArgument.commandLine()
    do {
      try run(words)
    } catch {
      end(with: error, of: words.first.flatMap { Verbs.named($0.text) })
    }
  }

  /// Puts something in the place of standard descriptors that are closed, which
  /// fails like them. Else the first file that is opened would get that place,
  /// and be read as standard input.
  private static func occupyStandardDescriptors() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Does what the words say.
  private static func run(_ words: [RawArgument]) throws {
    guard let first = words.first else { return try print(HelpPage.overview) }
    switch first.text {
    case "help":
      try print(HelpPage.text(for: words.dropFirst()))
    // What stands behind these is not looked at, as behind those of a verb, but for
    // the verb that is asked about.
    case "--help", "-h":
      try print((try? HelpPage.text(for: words.dropFirst().prefix(1))) ?? HelpPage.overview)
    case "--version":
      try print(WeirTool.configuration.version)
    case let word where CompletionScript.isAsked(for: word):
      try print(CompletionScript.text(for: words))
    case "--experimental-dump-help", "---completion":
      var command = try WeirTool.parseAsRoot(words.map(\.text))
      try command.run()
    default:
      try run(first, Array(words.dropFirst()))
    }
  }

  /// Runs a verb.
  private static func run(_ name: RawArgument, _ words: [RawArgument]) throws {
    guard let verb = Verbs.named(name.text) else {
      let isOption = name.bytes.first == UInt8(ascii: "-")
      throw UsageError(
        isOption ? "unknown option " : "unknown command ", name,
        UsageError.suggestion(for: name.text, among: Verbs.all.map { $0.name } + ["help"]))
    }
    let operands = try Operands(
      in: words, table: verb.optionTable, takesCommand: verb.takesCommand)
    if operands.asksForHelp { return try print(verb.helpPage) }
    if operands.asksForVersion { return try print(WeirTool.configuration.version) }
    // Not as a command of the whole: the parser would look through all of them.
    let command: any Verb = try verb.parse(operands.rest)
    try command.run(operands)
  }

  /// Says what is to be said of an error, and ends.
  private static func end(with error: any Error, of verb: (any Verb.Type)?) -> Never {
    let console = Console()
    switch error {
    case let status as ExitStatus:
      exit(status.rawValue)
    case let usage as UsageError:
      console.say(usage.message + Array("; see \(HelpPage.command(for: verb))".utf8))
      exit(ExitStatus.usage.rawValue)
    case let failure as WriteFailure:
      console.say("\(failure)")
      exit(ExitStatus.usage.rawValue)
    default:
      end(withParsed: error, of: verb)
    }
  }

  /// What the parser has to say: what was asked of it, or what is wrong with a
  /// value.
  private static func end(withParsed error: any Error, of verb: (any Verb.Type)?) -> Never {
    guard WeirTool.exitCode(for: error).isSuccess else {
      let sentence = UsageError(parsed: WeirTool.message(for: error))
      end(with: sentence, of: verb)
    }
    do {
      try print(WeirTool.fullMessage(for: error))
      exit(0)
    } catch {
      end(with: error, of: nil)
    }
  }

  private static func print(_ text: String) throws {
    let console = Console()
    try console.write(Array("\(text)\n".utf8))
    try console.closeOutput()
  }
}

/// How a verb can end, other than well.
enum ExitStatus: Int32, Error {
  /// Something differed.
  case difference = 1
  /// Usage, or nothing could be started or written.
  case usage = 2
  /// Something that is there could not be read.
  case unreadable = 3
  /// Nothing differed, but an audit has found something new, or moved.
  case newOrMoved = 4
}
