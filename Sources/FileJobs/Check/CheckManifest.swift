// The manifests that a check reads.

internal import WeirLibC
public import SystemPackage
internal import Weir

/// A manifest to verify.
public struct CheckManifest: Sendable {
  enum Source: Sendable {
    /// A path below a directory, as in openat(2).
    case path([UInt8], from: Int32)
    case descriptor(FileDescriptor)
  }

  let source: Source

  /// A file, which the check opens when it comes to it. The check accepts regular files and
  /// block devices only: the open of a FIFO could wait for its other side without end.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the path, without a NUL.
  ///   - directory: An open directory in which a relative path begins, and which has to stay
  ///     open; `nil` for the working directory.
  public static func path(
    bytes: some Sequence<UInt8>, from directory: FileDescriptor? = nil
  ) -> CheckManifest {
    CheckManifest(source: .path(Array(bytes), from: directory?.rawValue ?? AT_FDCWD))
  }

  /// The contents of a descriptor, which is not closed. Its lines cannot name the same
  /// descriptor.
  public static func descriptor(_ descriptor: FileDescriptor) -> CheckManifest {
    CheckManifest(source: .descriptor(descriptor))
  }
}

/// The reason for which a manifest was not read, or not to its end.
public enum CheckManifestFailure: Sendable, Equatable {
  /// An open or a read failed.
  case failed(Errno)
  /// The manifest is a FIFO, a socket or a character device.
  case special
}

extension CheckManifest {
  static func open(_ path: [UInt8], from directory: Int32) throws(Errno) -> FileDescriptor {
    if path.contains(0) { throw .invalidArgument }
    let flags = O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC
    return try withPath(path) { (path) throws(Errno) in
      FileDescriptor(rawValue: try retryingOnInterrupt { openat(directory, path, flags) })
    }
  }

  /// Returns a manifest's first line without the byte order mark that some editors add.
  static func withoutByteOrderMark(
    _ line: UnsafeMutableRawBufferPointer
  ) -> UnsafeMutableRawBufferPointer {
    line.starts(with: [0xEF, 0xBB, 0xBF])
      ? UnsafeMutableRawBufferPointer(rebasing: line.dropFirst(3)) : line
  }
}

// MARK: - Sizes

extension CheckManifest {
  /// Returns the number of bytes that a check of some manifests will read, by the sizes that
  /// they record; `nil` if the sizes are unknown, as with lines of checksum tools or
  /// manifests that are not regular files.
  ///
  /// Reads the manifests from end to end.
  ///
  /// - Parameters:
  ///   - manifests: The manifests.
  ///   - isOver: Asked now and then; true ends the reading with `nil`.
  ///
  /// Blocks: as reading files does.
  public static func bytesRecorded(
    in manifests: [CheckManifest], until isOver: () -> Bool
  ) -> UInt64? {
    var sum: UInt64 = 0
    for manifest in manifests {
      guard let bytes = manifest.bytesRecorded(until: isOver) else { return nil }
      sum &+= bytes
    }
    return sum
  }

  private func bytesRecorded(until isOver: () -> Bool) -> UInt64? {
    guard case .path(let path, let directory) = source,
      let descriptor = try? CheckManifest.open(path, from: directory)
    else { return nil }
    defer { try? descriptor.close() }
    guard (try? stat(of: descriptor))?.isRegularFile == true else { return nil }
    let reader = ManifestReader(descriptor)
    let parser = MtreeParser()
    var isKnown = false
    var sum: UInt64 = 0
    while let line = try? reader.next() {
      if reader.lineNumber & 0xFFF == 0 && isOver() { return nil }
      let isFirst = reader.lineNumber == 1
      let text = isFirst ? CheckManifest.withoutByteOrderMark(line) : line
      if !isKnown {
        guard let isMtree = MtreeDetection.isMtree(text, isFirst: isFirst) else { continue }
        if !isMtree { return nil }
        isKnown = true
      }
      if case .entry(let entry) = parser.parse(text), !entry.digests.isEmpty, !entry.isIgnored {
        sum &+= entry.size ?? 0
      }
    }
    return sum
  }
}
