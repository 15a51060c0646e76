// The missing files of an audit's manifests.

internal import Weir

/// The content of a file as a line records it: its digests and its size.
struct RecordedContent {
  /// The kind of the recorded facts.
  struct Shape: Hashable {
    fileprivate var algorithms: [DigestAlgorithm] = []
    /// True if the line has one digest, which may be of any of the algorithms.
    fileprivate var isEither = false
    fileprivate var hasSize = false
  }

  fileprivate var shape = Shape()
  fileprivate var bytes: [UInt8] = []

  mutating func append(
    _ digest: UnsafeRawBufferPointer, _ algorithm: DigestAlgorithm,
    or alternative: DigestAlgorithm? = nil
  ) {
    let all = [algorithm, alternative].compactMap(\.self).sorted { $0.index < $1.index }
    shape.algorithms += all
    shape.isEither = all.count > 1
    bytes.append(contentsOf: digest)
  }

  mutating func append(size: UInt64) {
    shape.hasSize = true
    withUnsafeBytes(of: size) { bytes.append(contentsOf: $0) }
  }
}

/// The files that manifests list and that do not exist, and their lines with the recorded
/// content, by which the walk may find them under another name.
///
/// Lines that record the same content form a group.
///
/// @unchecked Sendable: one thread at a time fills it; many threads read it afterwards.
final class MissingFiles: @unchecked Sendable {
  /// A line that names a missing file.
  struct Line {
    let file: Int
    let manifest: Int
    let number: Int
    let kind: CheckedLine.Kind
    let known: KnownFailure?
    /// The group of the content; `nil` if the line has no digest.
    let group: Int?
  }

  struct File {
    /// The name as the first line has it, and the last component of its key.
    let name: [UInt8]
    let base: [UInt8]
    /// The group of the line that records most of the content, and how many bytes that are.
    fileprivate(set) var group: Int?
    fileprivate var recordedCount = 0
  }

  private struct Group: Hashable {
    /// The number of the shape.
    let shape: Int
    let content: [UInt8]
  }

  private(set) var files: [File] = []
  private(set) var lines: [Line] = []
  /// The files by their keys.
  private var numbers: [[UInt8]: Int] = [:]
  private var shapes: [RecordedContent.Shape: Int] = [:]
  private var groups: [Group: Int] = [:]

  func add(_ line: CheckedLine, key: [UInt8], content: RecordedContent?) {
    let index = numbers[key] ?? files.count
    if index == files.count {
      files.append(File(name: line.name, base: Array(key.lastComponent)))
      numbers[key] = index
    }
    let group = content.map { content in
      let shape = shapes[content.shape, default: shapes.count]
      shapes[content.shape] = shape
      let group = Group(shape: shape, content: content.bytes)
      let number = groups[group, default: groups.count]
      groups[group] = number
      return number
    }
    lines.append(
      Line(
        file: index, manifest: line.manifest, number: line.number, kind: line.kind,
        known: line.known, group: group))
    // Of several lines, the one that records most decides.
    if let content, content.bytes.count > files[index].recordedCount {
      files[index].group = group
      files[index].recordedCount = content.bytes.count
    }
  }

  var algorithms: [DigestAlgorithm] {
    let used = Set(shapes.keys.flatMap(\.algorithms))
    return DigestAlgorithm.allCases.filter(used.contains)
  }

  /// Returns the groups of the lines whose recorded content is that of a file.
  ///
  /// - Parameters:
  ///   - digest: Returns the digest of the file by one of ``algorithms``.
  func groups(
    size: UInt64, _ digest: (DigestAlgorithm) -> UnsafeRawBufferPointer
  ) -> [Int] {
    shapes.flatMap { shape, number in
      (shape.isEither ? shape.algorithms.map { [$0] } : [shape.algorithms]).compactMap { some in
        var content = RecordedContent()
        for algorithm in some { content.append(digest(algorithm), algorithm) }
        if shape.hasSize { content.append(size: size) }
        return groups[Group(shape: number, content: content.bytes)]
      }
    }.sorted()
  }
}
