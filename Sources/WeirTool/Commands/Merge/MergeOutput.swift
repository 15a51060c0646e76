// The file of weir merge -o, which appears when it is complete.

internal import FileJobs
internal import SystemPackage
internal import Weir
internal import WeirLibC

/// The file of `--output`. It takes the place of standard output, so that the output of every
/// verb goes there; it gets its name when all is written.
struct MergeOutput {
  private let name: RawArgument
  private let path: [UInt8]
  private let temporary: [UInt8]
  private let descriptor: FileDescriptor

  /// Creates the file under a temporary name in the directory of its own, in the place of
  /// standard output.
  init(_ name: RawArgument) throws(FileError) {
    self.name = name
    let output: OutputFile
    do throws(OutputError) {
      output = try OutputFile(name.bytes)
    } catch {
      throw FileError(error)
    }
    path = output.path
    let previous = stat.of(path)
    if previous != nil && MergeOutput.isInput(path) {
      throw FileError(name, Refusal("is a plan or a part, and --output would replace it"))
    }
    do throws(Errno) {
      (temporary, descriptor) = try MergeOutput.create(beside: path)
      if let previous {
        // As far as the process may: the owner first, since a change of it drops bits of the mode.
        fchown(descriptor.rawValue, previous.st_uid, previous.st_gid)
        fchmod(descriptor.rawValue, previous.st_mode & 0o7777)
      }
    } catch {
      throw FileError(name, error)
    }
    do throws(Errno) {
      try retryingOnInterrupt { dup2(descriptor.rawValue, STDOUT_FILENO) }
    } catch {
      discard()
      throw FileError(name, error)
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

  /// Creates a file that no other process has: containers may share the name of a host and the
  /// numbers of processes.
  private static func create(beside path: [UInt8]) throws(Errno) -> ([UInt8], FileDescriptor) {
    for number in 1...1000 {
      let name = path + Array(".merge.\(Launcher.hostName()).\(getpid()).\(number)".utf8)
      do throws(Errno) {
        return (name, try openFile(name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o666))
      } catch {
        if error != .fileExists { throw error }
      }
    }
    throw .fileExists
  }

  /// Gives the file its name.
  func replace() throws(FileError) {
    let (from, to) = (FilePath(bytes: temporary), FilePath(bytes: path))
    do throws(Errno) {
      try retryingOnInterrupt { fsync(descriptor.rawValue) }
    } catch {
      throw FileError(name, error)
    }
    let status = from.withPlatformString { from in to.withPlatformString { rename(from, $0) } }
    if status != 0 { throw FileError(name, Errno(rawValue: errno)) }
  }

  /// Removes the file.
  func discard() { _ = FilePath(bytes: temporary).withPlatformString { unlink($0) } }
}
