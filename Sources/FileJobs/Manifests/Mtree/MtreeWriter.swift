// A manifest of mtree(5), result after result.

public import Weir

/// Puts what a ``HashJob`` of the format ``ManifestFormat/mtree`` delivers into
/// the form of a manifest of mtree(5): its first line, the directories that
/// names go through, and the lines.
public struct MtreeWriter: Sendable {
  private var frame = MtreeFrame()

  /// A writer at the beginning of a manifest.
  ///
  /// - Parameters:
  ///   - version: The version of the program, for the first line.
  ///   - lines: Where the first line is put, at the end.
  public init(version: String, to lines: inout [UInt8]) {
    lines += MtreeFrame.header(version: version)
  }

  private func append(
    link name: UnsafeRawBufferPointer, to target: UnsafeRawBufferPointer,
    _ lines: inout [UInt8]
  ) {
    let capacity = MtreeLine.capacity(linkName: name.count, targetCount: target.count)
    lines += [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
      count = MtreeLine.write(
        link: name, target: target, to: UnsafeMutableRawBufferPointer(memory))
    }
  }

  /// Puts a result into its form. One that failed is no part of a manifest.
  public mutating func append(_ result: FileResult, to lines: inout [UInt8]) {
    switch result.outcome {
    case .done:
      frame.append(before: result.path, to: &lines)
      lines.append(contentsOf: result.output)
    case .directory:
      frame.append(before: result.path, isDirectory: true, to: &lines)
    case .link:
      frame.append(before: result.path, to: &lines)
      append(link: result.path, to: result.output, &lines)
    default: break
    }
  }
}
