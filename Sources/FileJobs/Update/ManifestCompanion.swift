// The records beside a manifest of text, for a check of the manifest.

internal import WeirLibC
package import SystemPackage

/// The search for the records that `weir hash --output M` keeps beside M, as `M.mtree`.
package enum ManifestCompanion {
  /// The result for a manifest.
  package enum Finding: Equatable {
    /// There are none, or the manifest has no lines of a checksum tool.
    case none
    /// They record the files of the manifest: the path.
    case agreeing([UInt8])
    /// There is a file of that name that cannot be read, or has no records of the manifest: the path.
    case unusable([UInt8])
    /// From this line of the manifest on, they record other files or digests: the path.
    case differing([UInt8], line: Int)
  }

  /// Reads a manifest and its records from end to end.
  ///
  /// - Parameters:
  ///   - manifest: The path of the manifest.
  ///   - directory: The directory that the path is relative to.
  ///   - isZeroTerminated: True if the lines of the manifest end in NUL.
  package static func find(
    _ manifest: [UInt8], from directory: FileDescriptor, isZeroTerminated: Bool
  ) -> Finding {
    // A run that writes the manifest follows a link of its name.
    let own = try? ReplacingFile.withoutLinks(manifest, from: directory.rawValue)
    let path = (own ?? manifest) + ".mtree".utf8
    guard withPath(path, { faccessat(directory.rawValue, $0, F_OK, 0) }) == 0,
      let text = open(manifest, directory)
    else { return .none }
    defer { WeirLibC.close(text.rawValue) }
    guard let isMtree = try? FormerManifest.isMtree(text, manifest), !isMtree else {
      return .none
    }
    guard let records = open(path, directory) else { return .unusable(path) }
    defer { WeirLibC.close(records.rawValue) }
    guard let begin = try? OutputFile.beginning(records, of: path),
      RecordHeader.begins(with: begin),
      let header = try? RecordHeader(of: records, path),
      header.isZeroTerminated == isZeroTerminated
    else { return .unusable(path) }
    let names = header.words.first { $0.keyword == "algorithms" }?.value ?? []
    let algorithms = names.split(separator: UInt8(ascii: ","))
      .compactMap { DigestAlgorithm(String(decoding: $0, as: UTF8.self)) }
    var comparison = ManifestComparison(text, algorithms, isZeroTerminated: isZeroTerminated)
    let reader = RecordReader(records, unreadable: .nothing)
    do throws(Errno) {
      let line = try comparison.firstDifference(from: reader)
      return line.map { .differing(path, line: $0) } ?? .agreeing(path)
    } catch {
      return .unusable(path)
    }
  }

  private static func open(_ path: [UInt8], _ directory: FileDescriptor) -> FileDescriptor? {
    guard let file = try? CheckManifest.open(path, from: directory.rawValue) else { return nil }
    if (try? stat(of: file))?.isRegularFile == true { return file }
    WeirLibC.close(file.rawValue)
    return nil
  }
}
