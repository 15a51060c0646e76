// The future output of a run, or its future ledger.

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A new file that bytes are appended to in pieces of 64 KiB.
///
/// The descriptor stays open, unless the process may have very few: a run that resumes an
/// update has three more for its records, and its files need two.
final class OutputManifest {
  private let name: [UInt8]
  private let identity: FileIdentity
  private let keepsDescriptor: Bool
  private var descriptor: FileDescriptor?
  private var rest: [UInt8] = []

  private static let pieceSize = 1 << 16
  /// With fewer descriptors than this, each piece opens the file.
  private static let descriptorsMin = 16

  /// The descriptor is that of an empty file, which the manifest closes.
  init(_ descriptor: FileDescriptor, name: [UInt8]) throws(Errno) {
    self.name = name
    do throws(Errno) {
      identity = FileIdentity(try stat(of: descriptor))
    } catch {
      WeirLibC.close(descriptor.rawValue)
      throw error
    }
    keepsDescriptor = getdtablesize() >= OutputManifest.descriptorsMin
    self.descriptor = descriptor
    if !keepsDescriptor { close() }
  }

  deinit { close() }

  /// True if the name leads to the file.
  var isInPlace: Bool {
    (try? stat(of: name, followsLinks: false)).map { FileIdentity($0) == identity } ?? false
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
    rest.append(contentsOf: bytes)
    if rest.count >= OutputManifest.pieceSize { try flush() }
  }

  /// Writes all bytes to the file, and the file to the disk.
  func writeBack() throws(Errno) {
    try flush()
    try withDescriptor { (descriptor) throws(Errno) in
      try retryingOnInterrupt { fsync(descriptor.rawValue) }
    }
  }

  func close() {
    if let descriptor { WeirLibC.close(descriptor.rawValue) }
    descriptor = nil
  }

  func flush() throws(Errno) {
    if rest.isEmpty { return }
    try withDescriptor { (descriptor) throws(Errno) in try descriptor.write(all: rest) }
    rest.removeAll(keepingCapacity: true)
  }

  /// Calls `body` with the file, opened again if it is closed.
  func withDescriptor(_ body: (FileDescriptor) throws(Errno) -> Void) throws(Errno) {
    let opened: FileDescriptor
    if let descriptor {
      opened = descriptor
    } else {
      opened = try reopen()
      descriptor = opened
    }
    defer { if !keepsDescriptor { close() } }
    try body(opened)
  }

  private func reopen() throws(Errno) -> FileDescriptor {
    let opened = try DescriptorBudget.retrying { () throws(Errno) in
      try openFile(name, O_WRONLY | O_APPEND | O_NOFOLLOW)
    }
    guard let status = try? stat(of: opened), FileIdentity(status) == identity else {
      WeirLibC.close(opened.rawValue)
      throw .noSuchFileOrDirectory
    }
    return opened
  }
}
