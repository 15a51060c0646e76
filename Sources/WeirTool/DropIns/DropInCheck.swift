// The verification of manifests, as GNU's checksum tools do it.

internal import FileJobs
internal import SystemPackage
internal import Weir

struct DropInCheck {
  let tool: DropIn
  let options: DropInHashOptions
  let streams: DropInStreams

  func run(_ standard: StandardDescriptors) -> DropInOutcome {
    let operands = options.operands
    let manifests = DropInManifests(operands, options.makeParser(for: tool), standard)
    let output = CheckOutput(
      streams,
      CheckRules(
        isQuiet: options.isQuiet, isSilent: options.isSilent, warns: options.warns,
        isLenient: !options.isStrict, ignoresMissing: options.ignoresMissing),
      manifests: (0..<operands.count).map { RawArgument(bytes: Array(operands[$0])) })
    let index = Locked(0)
    // cksum without -a has a digest only with the first line.
    let first = options.algorithm.digest ?? .md5
    let files = DropInFiles(streams, standard, isSingle: false) { () throws(Errno) in
      try DropInDigests(first)
    }
    files.run({ manifests.next() }) { [options] result in
      index.with { index in
        switch result {
        case .line(let name, _): output.write(index, name, .matched)
        case .failed(let name, _, .mismatch): output.write(index, name, .mismatched)
        case .failed(let name, _, .noSuchFileOrDirectory): output.write(index, name, .missing)
        case .failed(let name, _, let error): output.write(index, name, .unreadable(error))
        case .note(let note):
          switch note.loadUnaligned(as: DropInManifestEvent.self) {
          case .malformed(let number, let algorithm):
            let tag = algorithm.map { DigestAlgorithm(index: $0).tag } ?? options.algorithm.tag
            output.write(index, .empty, .malformed, number: number, tag: tag)
          case .end(let error):
            output.end(index, error)
            index += 1
          }
        }
      }
    }
    return DropInOutcome(
      isSuccess: output.status == nil, hasReadStandardInput: manifests.hasReadStandardInput)
  }
}

// The streams take all errors.
extension CheckOutput {
  fileprivate func write(
    _ manifest: Int, _ name: UnsafeRawBufferPointer, _ outcome: CheckedLine.Outcome,
    number: Int = 0, tag: String? = nil
  ) {
    state.with { state in
      let line = CheckedLine(manifest: manifest, number: number, lent: name, outcome)
      try? write(line, tag: tag, &state)
      try? flush(&state)
    }
  }

  fileprivate func end(_ index: Int, _ error: Int32) {
    state.with { state in
      var manifest = error == 0 ? state.open : CheckedManifest()
      manifest.index = index
      if error != 0 { manifest.failure = .failed(Errno(rawValue: error)) }
      try? end(manifest, &state)
    }
  }
}

/// The note of a file that is verified: the index of the algorithm, and the digest.
enum DropInExpectedDigest {
  private static let headerSize = 1
  static let sizeMax = headerSize + 64

  /// Writes a note. Returns it.
  static func write(
    _ line: ManifestLine, to memory: UnsafeMutableRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    memory[0] = UInt8(line.algorithm.index)
    UnsafeMutableRawBufferPointer(rebasing: memory[headerSize...]).copyMemory(from: line.digest)
    return UnsafeRawBufferPointer(rebasing: memory[..<(headerSize + line.digest.count)])
  }

  static func algorithm(of note: UnsafeRawBufferPointer) -> DigestAlgorithm {
    DigestAlgorithm(index: Int(note[0]))
  }

  static func bytes(of note: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: note[headerSize...])
  }
}

extension Errno {
  /// The error of a file whose digest differs; not an error of the system.
  static let mismatch = Errno(rawValue: 0x7F01)
}

/// The digests of a lane that verifies, and writes nothing: each file needs that of its note.
final class DropInDigests: DropInContent {
  private var made: [DigestAlgorithm: Digest] = [:]
  private var last: (algorithm: DigestAlgorithm, digest: Digest)?

  init(_ first: DigestAlgorithm) throws(Errno) {
    _ = try digest(first)
  }

  func read(_ file: borrowing OpenFile) throws(Errno) {
    let note = file.lentNote
    let digest = try digest(DropInExpectedDigest.algorithm(of: note))
    try digest.compute(file)
    // A line for cksum may have the beginning of a digest.
    if !digest.bytes.starts(with: DropInExpectedDigest.bytes(of: note)) { throw .mismatch }
  }

  private func digest(_ algorithm: DigestAlgorithm) throws(Errno) -> Digest {
    if let last, last.algorithm == algorithm { return last.digest }
    let digest = if let known = made[algorithm] { known } else { try Digest(algorithm) }
    made[algorithm] = digest
    last = (algorithm, digest)
    return digest
  }
}
