// --output, --resume, --update, --accept-rot.

internal import ArgumentParser

/// Options on where the manifest goes, and what of former runs is used.
struct OutputOptions: ParsableArguments {
  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write the manifest to a file, when it is whole.", valueName: "file"),
    completion: .file())
  var output: RawArgument?

  @Flag(help: "Go on where a run with the same arguments was ended.")
  var resume = false

  @Flag(help: "Read only what has changed since the manifest was made.")
  var update = false

  @Flag(help: "Take over what has rotted.")
  var acceptRot = false

  static let table = OptionTable(
    values: ["--output": .name], flags: ["--resume", "--update", "--accept-rot"],
    letters: ["o": "--output"])

  /// As it stands in --help.
  static let help = """
    Where it goes
      -o, --output FILE      to FILE, which appears when it is whole; until then
                             FILE.partial has what was recorded
          --resume           go on where a run with the same arguments was ended
          --update           bring FILE up to date: read what is new, and what has
                             another size or time, and say what has changed
          --accept-rot       with --update: take over files whose content is other
                             though their size and time are not
    """
}
