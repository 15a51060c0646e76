// What a check reads its lines from.

internal import Glibc
public import SystemPackage

/// A manifest to verify.
public struct CheckManifest: Sendable {
  enum Source: Sendable {
    /// From a directory, as openat has it.
    case path([UInt8], from: Int32)
    case descriptor(FileDescriptor)
  }

  let source: Source

  /// A file, which is opened when its turn has come. Anything but a regular
  /// file or a block device is refused: nobody knows when a FIFO would be opened
  /// from its other side.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of its path, without a NUL.
  ///   - directory: An open directory that a relative path begins at, which has to
  ///     stay open; `nil` for the working directory.
  public static func path(
    bytes: some Sequence<UInt8>, from directory: FileDescriptor? = nil
  ) -> CheckManifest {
    CheckManifest(source: .path(Array(bytes), from: directory?.rawValue ?? AT_FDCWD))
  }

  /// What comes out of a descriptor, which is not closed. No line in it can have
  /// the same descriptor verified.
  public static func descriptor(_ descriptor: FileDescriptor) -> CheckManifest {
    CheckManifest(source: .descriptor(descriptor))
  }
}

/// Why a manifest was not read, or not to its end.
public enum CheckManifestFailure: Sendable, Equatable {
  /// It could not be opened or read.
  case failed(Errno)
  /// It is a FIFO, a socket or a character device.
  case special
}
