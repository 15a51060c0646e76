// The entry point of the program: from the arguments to the exit status.

internal import CFileKernels
internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

@main
struct Main {
  static let version = "weir \(WeirVersion.description)"

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

  private static func run(_ words: [RawArgument]) throws {
    guard let first = words.first else { return try print(HelpPage.overview) }
    let rest = Array(words.dropFirst())
    if first.text == "help" { return try print(HelpPage.text(for: rest[...])) }
    if let verb = Verbs.named(first.text) { return try run(verb, rest) }
    let isOption = first.bytes.first == UInt8(ascii: "-")
    guard isOption, Root.option(first) != nil else {
      let names = isOption ? Root.options.map(\.text.name) : Verbs.all.map { $0.name } + ["help"]
      let unknown: Message = "unknown \(isOption ? "option" : "command") \(first)"
      let isWord = ForeignWords.answer(to: first.text, of: ForeignWords.command) != nil
      if !isOption && !isWord && withPath(first.bytes, { access($0, F_OK) }) == 0 {
        throw UsageError(
          unknown + " (for a file or a directory of this name: weir hash \(first))")
      }
      let hint = UsageError.suggestion(
        for: first.text, of: isOption ? "" : ForeignWords.command, among: names)
      throw UsageError(unknown + "\(hint)")
    }
    try answer(Root.parse(words, takesCommand: false) { Root.options }.1)
  }

  private static func run<V: Verb>(_ verb: V.Type, _ words: [RawArgument]) throws {
    let (request, operands) = try V.parse(commandLine: words)
    switch operands.answer {
    case nil: try request.run(operands)
    case .briefHelp: try print(HelpPage.brief(of: verb))
    case .help: try print(HelpPage.whole(of: verb))
    default: try print(version)
    }
  }

  private static func answer(_ operands: Operands) throws {
    let next = operands.rest.prefix(1)
    switch operands.answer {
    // Later words do not matter, except for the verb whose help is requested.
    case .briefHelp:
      return try print((try? HelpPage.text(for: next, isBrief: true)) ?? HelpPage.brief)
    case .help: return try print((try? HelpPage.text(for: next)) ?? HelpPage.overview)
    case .version: return try print(version)
    default: break
    }
    if let extra = next.first { throw UsageError("unexpected operand \(extra)") }
    switch operands.answer {
    case .completionScript(let shell): try print(CompletionScript.text(for: shell))
    case .manualPage(let name):
      guard let verb = Verbs.named(name.text) else { throw UsageError("no manual page of \(name)") }
      try print(ManualPage.text(of: verb))
    default: try print(Reference.text)
    }
  }

  static func end(with error: any Error, of verb: (any Verb.Type)?) -> Never {
    let console = Console()
    let status = (error as? ExitStatus ?? .usage).rawValue
    let failure = RunReport.write(RunReport.End(status: status, message: Message(error)))
    if let failure { console.report(failure) }
    switch error {
    case is ExitStatus:
      exit(status)
    case let usage as UsageError:
      console.report(paragraph: "\(usage.text); see \(HelpPage.command(for: verb))")
    case let error as Errno:
      console.report("cannot start: \(error)")
    default:
      console.report(error)
    }
    exit(ExitStatus.usage.rawValue)
  }

  private static func print(_ text: String) throws {
    let console = Console()
    try Array("\(text)\n".utf8).withUnsafeBytes { try console.write(raw: $0) }
    try console.closeOutput()
  }
}
