// What a file processor is to read.

internal import CWeir
public import SystemPackage

/// Something for a ``FileProcessor`` to read: a file, a tree, or what comes out
/// of a descriptor.
///
/// A path is kept as the bytes it was given as. They come out again in
/// ``OpenFile/path`` and ``FileResult/path``, followed by the way from there
/// where a tree was walked.
///
/// The corresponding C type is `weir_files_source_t`.
public struct FileSource: Sendable {
  enum Kind: Sendable {
    case path
    case descriptor(Int32)
  }

  let kind: Kind
  /// Ends in NUL.
  let name: [UInt8]

  /// A file, or a directory that is walked.
  ///
  /// The corresponding C constant is `WEIR_SOURCE_PATH`.
  public static func path(_ path: FilePath) -> FileSource {
    FileSource(kind: .path, name: terminated(path))
  }

  /// A file or directory, by the very bytes of its path: `FilePath` writes
  /// `a//b/` as `a/b`.
  ///
  /// - Parameter bytes: Any bytes but NUL, at which the path ends.
  ///
  /// The corresponding C constant is `WEIR_SOURCE_PATH`.
  public static func path(bytes: some Sequence<UInt8>) -> FileSource {
    FileSource(kind: .path, name: terminated(bytes))
  }

  /// A tree: the same as a path, for reading aloud.
  ///
  /// The corresponding C constant is `WEIR_SOURCE_PATH`.
  public static func tree(_ path: FilePath) -> FileSource {
    .path(path)
  }

  /// What comes out of a descriptor of any kind, from where it stands to its
  /// end. It is not closed.
  ///
  /// - Parameters:
  ///   - descriptor: Has to stay open during the run.
  ///   - name: The name to show for it, as bytes.
  ///
  /// The corresponding C constant is `WEIR_SOURCE_DESCRIPTOR`.
  public static func descriptor(
    _ descriptor: FileDescriptor, name: some Sequence<UInt8>
  ) -> FileSource {
    FileSource(kind: .descriptor(descriptor.rawValue), name: terminated(name))
  }
}

extension Array where Element == FileSource {
  /// Calls `body` with the sources as C has them.
  func withCSources<R>(
    _ body: (UnsafePointer<weir_files_source_t>, Int) -> R
  ) -> R {
    // All names in one buffer, so that one pointer keeps them all alive.
    var names: [UInt8] = []
    var offsets: [Int] = []
    for source in self {
      offsets.append(names.count)
      names.append(contentsOf: source.name)
    }
    names.append(0)  // so that there is a first one
    return names.withUnsafeBytes { names in
      let sources = zip(self, offsets).map { source, offset in
        source.cSource(at: names, offset: offset)
      }
      return sources.withUnsafeBufferPointer { sources in
        guard let base = sources.baseAddress else {
          return body([FileSource(kind: .path, name: []).cSource(at: names, offset: 0)], 0)
        }
        return body(base, sources.count)
      }
    }
  }
}

extension FileSource {
  fileprivate func cSource(
    at names: UnsafeRawBufferPointer, offset: Int
  ) -> weir_files_source_t {
    guard let start = names.baseAddress else { fatalError("the names of the sources are gone") }
    let path = (start + offset).assumingMemoryBound(to: CChar.self)
    let (kind, descriptor): (weir_source_kind_t, Int32) =
      switch self.kind {
      case .path: (WEIR_SOURCE_PATH, -1)
      case .descriptor(let descriptor): (WEIR_SOURCE_DESCRIPTOR, descriptor)
      }
    return weir_files_source_t(
      kind: kind, descriptor: descriptor, path: path, reserved: (0, 0, 0, 0))
  }
}
