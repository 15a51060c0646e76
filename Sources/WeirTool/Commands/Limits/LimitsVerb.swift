// The verb `limits`: the limits of this machine, and the numbers that weir would use.

internal import CFileKernels
internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

struct LimitsVerb: Verb {
  static let page = VerbPage(
    name: "limits", abstract: "Show the limits of this machine, and what weir would use",
    usage: "[PATH ...]",
    description: """
      Show the cores, lanes and file descriptors that this machine allows and weir would use; and
      for each PATH [default: the working directory] the storage it lies on, the evidence for that,
      and the number of readers it would get.
      """,
    statuses: """
      0  Success
      2  Usage error, or the output could not be written
      3  A PATH does not exist, or its storage could not be determined
      """,
    examples: """
      weir limits
      weir limits /srv /net/backup
      """)

  static let sections: [OptionSection<LimitsVerb>] = []

  func run(_ operands: Operands) throws {
    let console = Console()
    let names =
      operands.names.isEmpty ? [RawArgument(".")] : operands.names
    let online = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    let lanes = StoragePlan(names, includesHere: false, jobs: nil).lanes ?? Lanes.defaultWidth
    let lines = """
      cores online          \(online)
      cores usable          \(Lanes.defaultWidth)  (by affinity and container quota)
      lanes                 \(lanes)  (by storage type; --jobs N, at most \(Lanes.widthMax))
      descriptors allowed   \(DescriptorBudget.limit)  \
      (getdtablesize; hard limit \(LimitsVerb.hardLimit()))
      descriptors to spend  \(DescriptorBudget.total)  \
      (half, less those that are open; --descriptors N)

      """
    try console.write(Array(LimitsVerb.fitting(lines).utf8))
    var isComplete = true
    for name in names {
      let storage: Storage
      do throws(Errno) {
        storage = try Storage(bytes: name.bytes)
      } catch {
        console.report("\(name): \(error)")
        isComplete = false
        continue
      }
      try console.write(LimitsVerb.text(for: name, storage))
    }
    try console.closeOutput()
    if !isComplete { throw ExitStatus.unreadable }
  }

  private static let valueColumn = 22

  private static func text(for name: RawArgument, _ storage: Storage) -> [UInt8] {
    let text = """
        file system         \(storage.place)
        storage             \(storage.kind.word)  (\(storage.evidence))
        readers             \(storage.choice)  (--jobs N)

      """
    return QuotedName.bytes(of: name.bytes) + Array("\n\(fitting(text))".utf8)
  }

  private static func fitting(_ text: String) -> String {
    guard TerminalStream.output.isTerminal else { return text }
    let columns = TerminalStream.output.columns
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      TextWidth.lines(of: String(line), columns: columns, indent: valueColumn)
        .joined(separator: "\n")
    }.joined(separator: "\n")
  }

  private static func hardLimit() -> String {
    switch kernel_descriptors_max() {
    case 0: "unknown"
    case .max: "none"
    case let most: String(most)
    }
  }
}
