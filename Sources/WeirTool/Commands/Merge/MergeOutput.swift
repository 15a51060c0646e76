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
    temporary = path + Array(".merge.\(getpid())".utf8)
    do throws(Errno) {
      descriptor = try openFile(temporary, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o666)
      if dup2(descriptor.rawValue, STDOUT_FILENO) < 0 { throw Errno(rawValue: errno) }
    } catch {
      throw FileError(name, error)
    }
  }

  /// Gives the file its name.
  func replace() throws(FileError) {
    let (from, to) = (FilePath(bytes: temporary), FilePath(bytes: path))
    if fsync(descriptor.rawValue) != 0 { throw FileError(name, Errno(rawValue: errno)) }
    let status = from.withPlatformString { from in to.withPlatformString { rename(from, $0) } }
    if status != 0 { throw FileError(name, Errno(rawValue: errno)) }
  }

  /// Removes the file.
  func discard() { _ = FilePath(bytes: temporary).withPlatformString { unlink($0) } }
}
