// The entry point of the program: from the arguments to the exit status.

internal import ArgumentParser
internal import CFileKernels
internal import WeirLibC
internal import SystemPackage
internal import Weir

/// The root command of the parser. Each verb is a command of its own.
struct WeirTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weir",
    abstract: "Reads file trees on all cores, with a bounded number of descriptors.",
    version: "weir \(WeirVersion.description)",
    subcommands: Verbs.all.map { $0 as any ParsableCommand.Type })
}

@main
struct Main {
  static func main() {
    kernel_share_arena()
    DropIn.takeOver()  // if the program was called as sha256sum or another drop-in name
    DemoProgram.takeOver()  // if the first argument is demo
    // A write beyond the limit on file sizes is an error. Children get the default action.
    signal(SIGXFSZ, SIG_IGN)
    Signals.holdInquiries()  // before there is a second thread
    kernel_take_locale(true)  // decides which bytes of a name are printable characters
    _ = StandardDescriptors()  // before the first file is opened
    let words = RawArgument.commandLine()
    do {
      try run(words)
    } catch {
      end(with: error, of: words.first.flatMap { Verbs.named($0.text) })
    }
  }

  /// Runs the command line.
  private static func run(_ words: [RawArgument]) throws {
    guard let first = words.first else { return try print(HelpPage.overview) }
    switch first.text {
    case "help":
      try print(HelpPage.text(for: words.dropFirst()))
    // Later words do not matter, except for the verb whose help is requested.
    case "--help":
      try print((try? HelpPage.text(for: words.dropFirst().prefix(1))) ?? HelpPage.overview)
    case "-h":
      let text = try? HelpPage.text(for: words.dropFirst().prefix(1), isBrief: true)
      try print(text ?? HelpPage.brief)
    case "--version":
      try print(WeirTool.configuration.version)
    case let word where CompletionScript.isRequest(word):
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
        isOption ? "unknown option " : "unknown command ", name, HelpPage.hint(for: name.text))
    }
    let operands = try Operands(
      in: words, table: verb.optionTable, takesCommand: verb.takesCommand)
    if operands.requestsHelp {
      return try print(operands.isHelpBrief ? verb.brief : verb.helpPage)
    }
    if operands.requestsVersion { return try print(WeirTool.configuration.version) }
    try verb.request(from: operands.rest).run(operands)
  }

  /// Reports an error and ends the program.
  static func end(with error: any Error, of verb: (any Verb.Type)?) -> Never {
    let console = Console()
    switch error {
    case let status as ExitStatus:
      exit(status.rawValue)
    case let usage as UsageError:
      console.report(
        paragraph: usage.message + Array("; see \(HelpPage.command(for: verb))".utf8))
      exit(ExitStatus.usage.rawValue)
    case is FileError, is WriteFailure:
      console.report(error)
      exit(ExitStatus.usage.rawValue)
    default:
      end(withParserError: error, of: verb)
    }
  }

  /// Prints the answer of the parser to a request, or reports an error of the parser.
  private static func end(withParserError error: any Error, of verb: (any Verb.Type)?) -> Never {
    guard WeirTool.exitCode(for: error).isSuccess else {
      end(with: UsageError(parsed: WeirTool.message(for: error)), of: verb)
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
    try Array("\(text)\n".utf8).withUnsafeBytes { try console.write(raw: $0) }
    try console.closeOutput()
  }
}
