// weir limits: what this machine allows, and what weir would use.

#if Tool
  internal import ArgumentParser
  internal import Glibc
  internal import SystemPackage
  internal import Weir

  struct LimitsCommand: Verb {
    static let configuration = CommandConfiguration(
      commandName: "limits",
      abstract: "What this machine allows, and what weir would use.")

    static let optionTable = OptionTable.common

    static let helpPage = """
      usage: weir limits

      What this machine allows, and what weir would use: cores, lanes and file
      descriptors.

        -h, --help             this text
            --version          the version
      """

    func run(_ operands: Operands) throws {
      if let name = operands.names.first {
        throw UsageError("unexpected operand ", name)
      }
      let console = Console()
      let online = sysconf(Int32(_SC_NPROCESSORS_ONLN))
      let hard = LimitsCommand.hardLimit()
      let lines = """
        cores online          \(online)
        cores usable          \(Lanes.defaultWidth)  (affinity and container quota)
        lanes                 \(Lanes.defaultWidth)  (one a core; --jobs N, at most \(Lanes.widthMax))
        descriptors allowed   \(DescriptorBudget.limit)  (getdtablesize; hard limit \(hard))
        descriptors to spend  \(DescriptorBudget.total)  \
        (half of it, less those open; --descriptors N for fewer)

        """
      do {
        try console.write(Array(lines.utf8))
        try console.closeOutput()
      } catch {
        console.say("\(error)")
        throw ExitStatus.usage
      }
    }

    private static func hardLimit() -> String {
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
        return "unknown"
      }
      return limit.rlim_max == rlim_t.max ? "none" : String(limit.rlim_max)
    }
  }
#endif
