// The file of weir merge -o, which appears when it is complete.

internal import FileJobs
internal import SystemPackage
internal import Weir
internal import WeirLibC

/// The file of `--output`, which takes the place of standard output for every verb.
struct RedirectedOutput {
  private let name: RawArgument
  private let file: ReplacingFile

  /// Creates the file under a temporary name in its directory.
  ///
  /// - Parameters:
  ///   - algorithms: The algorithms of a manifest, if a file that exists has to be one; `nil` for any file.
  init(_ name: RawArgument, manifestOf algorithms: [DigestAlgorithm]?, replaces: Bool) throws {
    self.name = name
    let path = try ReplacingFile.resolved(name.bytes)
    let previous = stat.of(path)
    if previous != nil && RedirectedOutput.isInput(path) {
      throw FileError("\(name): is a plan or a part, and --output would replace it")
    }
    if let algorithms {
      try RedirectedOutput.expectManifest(name, of: algorithms, replaces: replaces)
    }
    do throws(Errno) {
      file = try ReplacingFile(path)
      if let previous { file.descriptor.copyOwnership(of: previous) }
    } catch {
      throw FileError(name, error)
    }
    do throws(Errno) {
      try retryingOnInterrupt { dup2(file.descriptor.rawValue, STDOUT_FILENO) }
    } catch {
      discard()
      throw FileError(name, error)
    }
  }

  private static func expectManifest(
    _ name: RawArgument, of algorithms: [DigestAlgorithm], replaces: Bool
  ) throws {
    let output = try OutputFile(name.bytes)
    try output.expectManifest(of: algorithms)
    if let ledger = try FormerManifest.ledger(beside: output) {
      throw FileError(
        """
        \(ledger): is the ledger of \(output.path), which weir merge does not bring up to date; \
        name another FILE, or remove the ledger
        """)
    }
    if try output.isThere && !replaces {
      throw FileError(
        "\(output.path): is a manifest and is left unchanged; add --replace to forget what it says")
    }
  }

  /// Returns true if a file begins as a plan or a part.
  private static func isInput(_ path: [UInt8]) -> Bool {
    guard let file = try? openFile(path, O_RDONLY | O_NONBLOCK | O_NOCTTY) else { return false }
    defer { try? file.close() }
    var begin: [UInt8] = []
    let isRead = try? file.read(appendingTo: &begin, count: 18)
    return isRead == true && begin.starts(with: "{\"format\":\"weir p".utf8)
  }

  func replace() throws(FileError) {
    do throws(Errno) {
      try file.replace()
    } catch {
      throw FileError(name, error)
    }
  }

  func discard() { file.discard() }
}
