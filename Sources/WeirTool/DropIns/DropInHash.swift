// The digests of files, as GNU's checksum tools write them.

internal import FileJobs
internal import Glibc
internal import SystemPackage
internal import Weir

/// Writes a line for each name of the command line.
struct DropInHash: Sendable {
  let tool: DropIn
  let options: DropInHashOptions
  let streams: DropInStreams

  /// Reads all files and writes all lines.
  func run(_ standard: StandardDescriptors) -> DropInOutcome {
    guard let algorithm = DigestAlgorithm(tool.algorithm) else {
      streams.end(after: .notSupported)
    }
    let files = DropInFiles(
      DropInHashLine(algorithm, options), streams, standard, isSingle: options.nameCount == 1)
    let isSuccess = Locked(true)
    let next = Locked(0)
    let feed: @Sendable () -> DropInItem? = { [options] in
      let index = next.with { next in
        defer { next += 1 }
        return next
      }
      guard index < options.nameCount else { return nil }
      return .file(name: options.name(at: index), note: .empty)
    }
    files.run(feed) { [streams] result in
      switch result {
      case .line(let line):
        streams.write(line)
      case .failed(let name, let error):
        streams.report(name, error: error.rawValue)
        isSuccess.with { $0 = false }
      case .note:
        break
      }
    }
    return DropInOutcome(
      isSuccess: isSuccess.with { $0 }, hasReadStandardInput: options.namesStandardInput)
  }
}

/// The line of a file: `DIGEST  NAME`, or `TAG (NAME) = DIGEST`.
private struct DropInHashLine: DropInLine {
  private let algorithm: DigestAlgorithm
  private let line: ChecksumLine

  init(_ algorithm: DigestAlgorithm, _ options: DropInHashOptions) {
    self.algorithm = algorithm
    line = ChecksumLine(
      algorithm, isTagged: options.isTagged, isBinary: options.mode == .binary,
      isZeroTerminated: options.isZeroTerminated)
  }

  func makeContent() throws(Errno) -> Digest { try Digest(algorithm) }

  func capacity(_ name: UnsafeRawBufferPointer) -> Int { line.capacity(nameCount: name.count) }

  func write(
    _ name: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer, _ digest: Digest,
    to memory: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    line.write(name: name, digest: digest.bytes, to: memory)
  }
}

extension Digest: DropInContent {
  func compute(_ descriptor: FileDescriptor) throws(Errno) {
    try begin()
    try withUnsafeTemporaryAllocation(byteCount: 1 << 15, alignment: 16) {
      (memory) throws(Errno) in
      while true {
        let count = try retryingOnInterrupt {
          read(descriptor.rawValue, memory.baseAddress, memory.count)
        }
        if count == 0 { return }
        try update(UnsafeRawBufferPointer(rebasing: memory[..<count]))
      }
    }
    try finish()
  }
}
