// The options on the manifest file of weir hash: --output, --resume, --update,
// --accept-rot, --max-gone.

internal import ArgumentParser

/// The options on the manifest file, and on the use of an earlier one.
struct OutputOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write the manifest to FILE when it is complete.", valueName: "file"),
    completion: .file())
  var output: RawArgument?

  @Flag(help: "Continue an interrupted run with the same arguments.")
  var resume = false

  @Flag(help: "Read only files that are new or have changed.")
  var update = false

  @Flag(help: "Accept the new content of rotten files.")
  var acceptRot = false

  @Option(
    help: ArgumentHelp("Refuse an update that drops more than N files, or N%.", valueName: "n"))
  var maxGone: GoneLimit?

  /// The values if no option is given.
  static var defaults: OutputOptions {
    var options = OutputOptions()
    options.output = nil
    options.resume = false
    options.update = false
    options.acceptRot = false
    options.maxGone = nil
    return options
  }

  static let table = OptionTable(
    values: ["--output": .name, "--max-gone": .share],
    flags: ["--resume", "--update", "--accept-rot"],
    letters: ["o": "--output"])

  /// The lines of the short help.
  static let brief = """
      -o, --output FILE      Write to FILE, which appears when it is complete
          --resume, --update  Continue a run; read only what is new or has changed
          --accept-rot, --max-gone N  Accept rot; permit N or N% gone [default: 50%]
    """

  /// The section of the help page.
  static let help = """
    Output file:
      -o, --output FILE      Write to FILE, which appears when it is complete; until
                             then the records are in FILE.partial
          --resume           Continue an interrupted run with the same arguments
          --update           Bring FILE up to date: read only files that are new or
                             have another size or time, and report the changes
          --accept-rot       With --update, read all files, record the new content
                             of those that changed without a change of size and
                             time, and drop lines that cannot be compared
          --max-gone N       With --update, leave FILE unchanged if more than N of
                             its files, or N% of them, would be gone [default: 50%]
    """
}

/// The number or percentage of files that an update may drop.
struct GoneLimit: ExpressibleByArgument, CustomStringConvertible {
  private let number: UInt64
  private let isPercentage: Bool

  static let usual = GoneLimit(number: 50, isPercentage: true)

  private init(number: UInt64, isPercentage: Bool) {
    self.number = number
    self.isPercentage = isPercentage
  }

  init?(argument: String) {
    let digits = argument.hasSuffix("%") ? argument.dropLast() : argument[...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(digits)
    else { return nil }
    self.init(number: number, isPercentage: argument.hasSuffix("%"))
    if isPercentage && number > 100 { return nil }
  }

  func isExceeded(by count: UInt64, of total: UInt64) -> Bool {
    isPercentage ? count * 100 > total * number : count > number
  }

  var description: String { isPercentage ? "\(number)%" : "\(number)" }
}
