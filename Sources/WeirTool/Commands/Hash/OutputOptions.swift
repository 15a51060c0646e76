// The options on the manifest file of weir hash: --output, --resume, --update,
// --accept-rot.

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

  /// The values if no option is given.
  static var defaults: OutputOptions {
    var options = OutputOptions()
    options.output = nil
    options.resume = false
    options.update = false
    options.acceptRot = false
    return options
  }

  static let table = OptionTable(
    values: ["--output": .name], flags: ["--resume", "--update", "--accept-rot"],
    letters: ["o": "--output"])

  /// The lines of the short help.
  static let brief = """
      -o, --output FILE      Write to FILE, which appears when it is complete
          --resume, --update  Continue a run; read only what is new or has changed
          --accept-rot       With --update, accept the new content of rotten files
    """

  /// The section of the help page.
  static let help = """
    Output file:
      -o, --output FILE      Write to FILE, which appears when it is complete; until
                             then the records are in FILE.partial
          --resume           Continue an interrupted run with the same arguments
          --update           Bring FILE up to date: read only files that are new or
                             have another size or time, and report the changes
          --accept-rot       With --update, read all files, and record the new
                             content of those that changed without a change of
                             size and time
    """
}
