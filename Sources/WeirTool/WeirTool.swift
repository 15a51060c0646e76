// The command line's entrance: arguments in, exit status out.

#if Tool
  internal import ArgumentParser
  internal import Glibc
  internal import SystemPackage
  internal import Weir

  /// The tool as a whole. Its verbs are commands of their own.
  struct WeirTool: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "weir",
      abstract: "Puts a million files through a hundred descriptors.",
      discussion: """
        Reads files and whole trees with several lanes at once, within the \
        descriptors the process may have open, and writes in a fixed order.

        Exit status: 0 all well; 2 usage, or nothing could be started; 3 \
        something that is there could not be read.

        Examples:
          weir hash /srv > /tmp/manifest      digests of a tree
          sha256sum -c --quiet /tmp/manifest  and their verification
          weir limits                         what this machine allows
        """,
      version: "weir \(WeirVersion.description)",
      subcommands: [HashCommand.self, LimitsCommand.self])
  }

  @main
  struct Main {
    static func main() {
      DropIn.takeOver()  // where it was called as sha256sum and its like
      setlocale(LC_CTYPE, "")  // which bytes of a name are characters
      occupyStandardDescriptors()
      do {
        var command = try parse(RawArgument.commandLine())
        try command.run()
      } catch {
        end(with: error)
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

    /// The verb that is asked for, with all it was given.
    private static func parse(_ words: [RawArgument]) throws -> any ParsableCommand {
      let verbs: [any TakesOperands.Type] = [HashCommand.self]
      guard let name = words.first?.text,
        let verb = verbs.first(where: { $0.configuration.commandName == name })
      else {
        return try WeirTool.parseAsRoot(words.map(\.text))
      }
      let operands = Operands(in: Array(words.dropFirst()), valueOptions: verb.valueOptions)
      let parsed = try WeirTool.parseAsRoot([name] + operands.rest.map(\.text))
      guard var command = parsed as? any TakesOperands else { return parsed }
      command.files.paths = operands.names
      return command
    }

    /// Says what is to be said of an error, and ends.
    private static func end(with error: any Error) -> Never {
      if let status = error as? ExitStatus {
        exit(status.rawValue)
      }
      var message = WeirTool.fullMessage(for: error)
      let isSuccess = WeirTool.exitCode(for: error).isSuccess
      let parserPrefix = "Error: "
      if message.hasPrefix(parserPrefix) {
        message = "weir: \(message.dropFirst(parserPrefix.count))"
      }
      if !message.isEmpty {
        say(message, on: isSuccess ? .standardOutput : .standardError)
      }
      exit(isSuccess ? 0 : ExitStatus.usage.rawValue)
    }

    private static func say(_ message: String, on out: FileDescriptor) {
      do {
        try out.writeAll("\(message)\n".utf8)
      } catch {
        Console().say("write error: \(error)")
        exit(ExitStatus.usage.rawValue)
      }
    }
  }

  /// How a verb can end, other than well.
  enum ExitStatus: Int32, Error {
    /// Usage, or nothing could be started.
    case usage = 2
    /// Something that is there could not be read.
    case unreadable = 3
  }
#else
  @main
  struct Main {
    static func main() {
      fatalError("weir was built without its trait Tool, and can do nothing")
    }
  }
#endif
