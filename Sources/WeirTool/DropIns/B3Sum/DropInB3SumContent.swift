// The state of a lane that hashes with BLAKE3 and the key of a command line.

internal import CFileKernels
internal import FileJobs
internal import SystemPackage
internal import Weir

/// Makes the states of the lanes.
struct DropInB3SumLanes: Sendable {
  private let key: kernel_blake3_key_t
  private let helpers: HelperLanes

  init(_ options: DropInB3SumOptions) {
    key = options.key
    helpers = HelperLanes(threads: ThreadSupply.sufficesForDropIn ? options.threads : 1)
  }

  func makeContent() throws(Errno) -> DropInB3SumContent { try DropInB3SumContent(key, helpers) }
}

/// The output of BLAKE3 for one file after the other.
final class DropInB3SumContent: DropInContent {
  private let digest: Digest
  private let helpers: HelperLanes

  init(_ key: kernel_blake3_key_t, _ helpers: HelperLanes) throws(Errno) {
    digest = try Digest(blake3: key)
    self.helpers = helpers
  }

  func compute(_ file: borrowing OpenFile) throws(Errno) {
    try digest.compute(file, with: helpers)
  }

  func compute(_ descriptor: FileDescriptor, _ note: UnsafeRawBufferPointer) throws(Errno) {
    try digest.compute(descriptor)
  }

  /// The output for the file that was read last.
  var output: BLAKE3Output {
    guard let output = digest.extendedOutput else { fatalError("the digest is not BLAKE3") }
    return output
  }
}
