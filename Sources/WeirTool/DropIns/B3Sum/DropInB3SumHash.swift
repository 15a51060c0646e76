// The hashes of files, as b3sum writes them.

internal import SystemPackage
internal import Weir

/// Writes a line for each name of the command line.
struct DropInB3SumHash: Sendable {
  let options: DropInB3SumOptions
  let streams: DropInStreams

  /// Reads all files and writes all lines. Returns true if all could be read.
  func run(_ standard: StandardDescriptors) -> Bool {
    let line = DropInB3SumLine(options)
    let files = DropInFiles(
      line, streams, standard, isSingle: options.nameCount == 1, jobs: options.threads)
    let isSuccess = Locked(true)
    files.run(feed()) { [streams] result in
      switch result {
      case .line(let written):
        line.deliver(written, to: streams)
        return
      case .failed(let name, _, let error):
        streams.report("\(DropInB3SumText.shown(name)): \(DropInB3SumText.reason(error))")
      case .note:
        streams.report("-: Cannot open `-` in keyed mode")
      }
      isSuccess.with { $0 = false }
    }
    return isSuccess.with { $0 }
  }

  /// Returns the source of the items: the names in order, and a note in place of standard input
  /// if that held the key.
  private func feed() -> @Sendable () -> DropInItem? {
    let next = Locked(0)
    return { [options] in
      let index = next.with { next in
        defer { next += 1 }
        return next
      }
      guard index < options.nameCount else { return nil }
      // Standard input held the key.
      if options.isKeyed && options.isStandardInput(at: index) { return .note(.empty) }
      return .file(name: options.name(at: index), note: .empty)
    }
  }
}
