// weir limits: what this machine allows, and what weir would use.

internal import ArgumentParser
internal import Glibc
internal import SystemPackage
internal import Weir

struct LimitsCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "What this machine allows, and what weir would use.")

  static let optionTable = OptionTable.common

  @Argument(
    help: ArgumentHelp("What is asked about; . if none.", valueName: "path"),
    completion: .file())
  var paths: [RawArgument] = []

  static let helpPage = """
    usage: weir limits [PATH ...]

    What this machine allows, and what weir would use: cores, lanes and file
    descriptors; and what each PATH (if there is none, the working directory) lies
    on, by what that is known, and by how many readers it would be read.

      -h, --help             this text
          --version          the version
    """

  func run(_ operands: Operands) throws {
    let console = Console()
    let names =
      operands.names.isEmpty ? [RawArgument(bytes: Array(".".utf8))] : operands.names
    let online = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    let hard = LimitsCommand.hardLimit()
    let plan = StoragePlan(names, includesHere: false, jobs: nil)
    let lanes = plan.lanes ?? Lanes.defaultWidth
    let lines = """
      cores online          \(online)
      cores usable          \(Lanes.defaultWidth)  (affinity and container quota)
      lanes                 \(lanes)  (as the storage wants; --jobs N, at most \(Lanes.widthMax))
      descriptors allowed   \(DescriptorBudget.limit)  (getdtablesize; hard limit \(hard))
      descriptors to spend  \(DescriptorBudget.total)  \
      (half of it, less those open; --descriptors N for fewer)

      """
    var isComplete = true
    do {
      try console.write(Array(lines.utf8))
      for name in names {
        let storage: Storage
        do throws(Errno) {
          storage = try Storage(bytes: name.bytes)
        } catch {
          console.say(FileError(name, error).message)
          isComplete = false
          continue
        }
        try console.write(LimitsCommand.text(for: name, storage))
      }
      try console.closeOutput()
    } catch {
      console.say("\(error)")
      throw ExitStatus.usage
    }
    if !isComplete { throw ExitStatus.unreadable }
  }

  /// What is said of a PATH.
  private static func text(for name: RawArgument, _ storage: Storage) -> [UInt8] {
    let on = storage.disk.map { " on \($0)" } ?? ""
    let text = """
        file system         \(storage.fileSystem)\(on)
        storage             \(storage.kind.word)  (\(storage.evidence))
        readers             \(storage.choice)  (--jobs N)

      """
    return QuotedName.bytes(of: name.bytes) + Array("\n\(text)".utf8)
  }

  private static func hardLimit() -> String {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return "unknown"
    }
    return limit.rlim_max == rlim_t.max ? "none" : String(limit.rlim_max)
  }
}
