// The verification of manifests, as b3sum does it.

internal import FileJobs
internal import SystemPackage
internal import Weir

/// Verifies the manifests that the command line names.
struct DropInB3SumCheck {
  let options: DropInB3SumOptions
  let streams: DropInStreams

  /// Verifies all manifests. Returns true if every line is valid and every file matches.
  func run(_ standard: StandardDescriptors) -> Bool {
    let items = DropInB3SumCheckItems(options, standard)
    let files = DropInFiles(
      DropInB3SumMatchLine(options), streams, standard, isSingle: false, jobs: options.threads)
    let isSuccess = Locked(true)
    files.run({ items.next() }) { [streams] result in
      switch result {
      case .line(let line):
        streams.write(line)
        return
      case .failed(let name, let note, let error):
        streams.write(DropInB3SumExpectation(note, name).failure(error))
      case .note(let note):
        DropInB3SumCheckEvent(note).report(to: streams)
      }
      isSuccess.with { $0 = false }
    }
    return isSuccess.with { $0 }
  }
}

/// The line of a file that matches: `NAME: OK`, or nothing.
private struct DropInB3SumMatchLine: DropInLine {
  private let lanes: DropInB3SumLanes
  private let seek: UInt64
  private let isQuiet: Bool

  private static let verdict = Array(": OK\n".utf8)

  init(_ options: DropInB3SumOptions) {
    lanes = DropInB3SumLanes(options)
    (seek, isQuiet) = (options.seek, options.isQuiet)
  }

  func makeContent() throws(Errno) -> DropInB3SumContent { try lanes.makeContent() }

  func capacity(_ name: UnsafeRawBufferPointer) -> Int {
    DropInB3SumExpectation.capacity(name, DropInB3SumMatchLine.verdict)
  }

  func write(
    _ name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer, _ content: DropInB3SumContent,
    to memory: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    let expectation = DropInB3SumExpectation(note, name)
    guard expectation.isMet(by: content.output, from: seek) else { throw .mismatch }
    if isQuiet { return 0 }
    var line = LineWriter(memory)
    expectation.write(DropInB3SumMatchLine.verdict, to: &line)
    return line.count
  }
}
