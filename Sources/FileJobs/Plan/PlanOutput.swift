// The file of a plan, which appears complete or not at all.

internal import WeirLibC
package import SystemPackage
internal import Weir

/// The file that a plan is written to.
///
/// DESIGN. Until the walk has ended, there is no file but the spool, which has no name: a
/// walk of the output's directory finds nothing that a later one would not. An earlier plan
/// of the same name is in no walk of its successor.
package final class PlanOutput: Sendable {
  /// The name after symbolic links.
  package let path: [UInt8]
  /// The file that is going to be replaced; `nil` if there is none.
  package let previous: FileDescriptor?
  private let directory: [UInt8]
  private let file = Locked<ReplacingFile?>(nil)

  /// Checks that the file can be written.
  package init(_ name: [UInt8]) throws(PlanError) {
    do throws(OutputError) {
      path = try OutputFile.resolved(name)
      directory = OutputFile.directory(of: path)
    } catch {
      throw PlanError(error)
    }
    previous = try PlanOutput.openPrevious(path)
  }

  deinit {
    discard()
    if let previous { close(previous.rawValue) }
  }

  /// Opens an earlier plan.
  ///
  /// - Throws: `refused` if the file is no plan.
  private static func openPrevious(_ path: [UInt8]) throws(PlanError) -> FileDescriptor? {
    let descriptor: FileDescriptor
    do throws(Errno) {
      descriptor = try openFile(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    } catch {
      if error == .noSuchFileOrDirectory { return nil }
      throw PlanError(path, .system(error))
    }
    let begin = PlanHeader.begin
    let found = try? descriptor.bytes(at: 0, count: begin.count)
    guard found == begin || found == [] else {
      close(descriptor.rawValue)
      throw PlanError(
        path, .refused("was not written by weir and is left unchanged; choose another name"))
    }
    return descriptor
  }

  /// True if a name leads to the file that is going to be replaced.
  package func isOwn(_ name: [UInt8]) -> Bool {
    guard let previous, let own = try? stat(of: previous), let other = try? stat(of: name) else {
      return false
    }
    return FileIdentity(own) == FileIdentity(other)
  }

  /// Makes a file without a name in the directory of the output. The caller closes it.
  func makeSpool() throws(PlanError) -> FileDescriptor {
    // O_TMPFILE, which Glibc does not export to Swift.
    let unnamed: Int32 = 0o20_000_000 | O_DIRECTORY
    if let descriptor = try? openFile(directory, unnamed | O_RDWR, mode: 0o600) {
      return descriptor
    }
    return try PlanError.attributing(to: path) { () throws(Errno) in
      let base = path + Array(".tmp.\(HostName.current).\(getpid())".utf8)
      let (name, descriptor) = try ReplacingFile.create(base)
      _ = withPath(name) { unlink($0) }
      return descriptor
    }
  }

  /// Creates the file under its temporary name.
  func create() throws(PlanError) -> FileDescriptor {
    let made = try PlanError.attributing(to: path) { () throws(Errno) in
      try ReplacingFile(path)
    }
    file.with { $0 = made }
    return made.descriptor
  }

  /// Gives the file its name.
  func commit() throws(PlanError) {
    guard let file = file.with({ $0 }) else {
      fatalError("a plan is committed after it was created")
    }
    try PlanError.attributing(to: path) { () throws(Errno) in try file.replace() }
    self.file.with { $0 = nil }
  }

  /// Removes the temporary file, if there is one. A process that ends without waiting for its
  /// threads calls it too.
  package func discard() {
    file.with { file in
      file?.discard()
      file = nil
    }
  }
}

extension PlanError {
  init(_ error: OutputError) {
    let reason: Reason =
      switch error.reason {
      case .system(let error): .system(error)
      case .isDirectory: .system(.isDirectory)
      case .isSpecial: .refused("is not a regular file and cannot be replaced")
      default: .refused("cannot be written")
      }
    self.init(error.name, reason)
  }
}
