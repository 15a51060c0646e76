// The digests of files, as GNU's checksum tools write them.
//
// cksum differs in one case: version 9.1 ignores a read error of the CRC, prints the checksum of
// the part before it, and succeeds. That looks like the checksum of the file, so it is an error.

internal import FileJobs
internal import WeirLibC
internal import SystemPackage
internal import Weir

struct DropInHash: Sendable {
  let options: DropInHashOptions
  let streams: DropInStreams

  func run(_ standard: StandardDescriptors) -> DropInOutcome {
    switch options.algorithm {
    case .digest(let algorithm):
      run(standard) { [options] () throws(Errno) in try DropInHashContent(algorithm, options) }
    case .sum(let sum):
      run(standard, debugMessage: options.isDebugging ? sum.debugMessage : nil) { [options] in
        DropInSumContent(
          sum, hasName: !options.operands.isEmpty, isZeroTerminated: options.isZeroTerminated)
      }
    }
  }

  private func run<Content: DropInContent>(
    _ standard: StandardDescriptors, debugMessage: String? = nil,
    make: @escaping @Sendable () throws(Errno) -> Content
  ) -> DropInOutcome {
    let files = DropInFiles(
      streams, standard, isSingle: options.operands.count == 1, make: make)
    let isSuccess = Locked(true)
    let debugMessage = debugMessage.map { Locked<String?>($0) }
    files.run(options.operands) { [streams] result in
      switch result {
      case .line(_, let line):
        if let message = debugMessage?.with({ $0.take() }) { streams.report("\(message)") }
        streams.write(line)
      case .failed(let name, _, let error):
        streams.report(name, error: error.rawValue)
        isSuccess.with { $0 = false }
      case .note:
        break
      }
    }
    let operands = options.operands
    return DropInOutcome(
      isSuccess: isSuccess.with { $0 },
      hasReadStandardInput: (0..<operands.count).contains { operands.isStandardInput(at: $0) })
  }
}

/// The digest of one file after the other, with the line `DIGEST  NAME`, or `TAG (NAME) = DIGEST`.
private final class DropInHashContent: DropInContent {
  private let digest: Digest
  private let line: ChecksumLine

  init(_ algorithm: DigestAlgorithm, _ options: DropInHashOptions) throws(Errno) {
    digest = try Digest(algorithm)
    line = ChecksumLine(
      algorithm, isTagged: options.isTagged, isBinary: options.mode == .binary,
      isZeroTerminated: options.isZeroTerminated)
  }

  func read(_ file: borrowing OpenFile) throws(Errno) {
    try digest.compute(file)
    let name = file.path
    try file.write(capacity: line.capacity(nameCount: name.count)) {
      line.write(name: name, digest: digest.bytes, to: $0)
    }
  }
}
