// Manifests, verified as GNU's checksum tools do.

internal import FileJobs
internal import SystemPackage
internal import Weir

/// Verifies the manifests that are named.
struct DropInCheck {
  private let tool: DropIn
  private let options: DropInOptions
  private let streams: DropInStreams

  init(_ tool: DropIn, _ options: DropInOptions, _ streams: DropInStreams) {
    self.tool = tool
    self.options = options
    self.streams = streams
  }

  /// Verifies all.
  func run(_ standard: StandardDescriptors) -> DropInOutcome {
    guard let algorithm = DigestAlgorithm(tool.algorithm) else {
      streams.endWithoutMeans(.notSupported)
    }
    let manifests = DropInManifests(options, algorithm, standard)
    let verdict = Locked(DropInVerdict(tool, options, streams))
    let line = CheckLine(algorithm: tool.algorithm, isSilent: options.isQuiet || options.isSilent)
    let files = DropInFiles(line, streams, standard, isSingle: false)
    files.run({ manifests.next() }) { [streams] result in
      verdict.with { verdict in
        switch result {
        case .line(let line):
          streams.write(line)
          verdict.matched()
        case .failed(let name, .isMismatch): verdict.mismatched(name)
        case .failed(let name, let error): verdict.unreadable(name, error)
        case .note(let note): verdict.take(ManifestEvent(note: note))
        }
      }
    }
    return DropInOutcome(
      isWell: verdict.with { $0.isWell }, hasReadStandardInput: manifests.hasReadStandardInput)
  }
}

extension Errno {
  /// Stands for a file that is another one than it should be; no error of the
  /// system's.
  fileprivate static let isMismatch = Errno(rawValue: 0x7F01)
}

/// `NAME: OK`, where the digest is that of the note.
private struct CheckLine: DropInLine {
  let algorithm: String
  let isSilent: Bool

  private static let text: StaticString = ": OK\n"

  func makeContent() throws(Errno) -> DropInDigest { try DropInDigest(algorithm) }

  func capacity(_ name: UnsafeRawBufferPointer) -> Int {
    isSilent ? 1 : 1 + 2 * name.count + CheckLine.text.utf8CodeUnitCount
  }

  func write(
    _ name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer, _ digest: DropInDigest,
    to memory: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    guard digest.bytes.elementsEqual(note) else { throw .isMismatch }
    return isSilent ? 0 : DropInName(name, .newlines).write(CheckLine.text, to: memory)
  }
}
