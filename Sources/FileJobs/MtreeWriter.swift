// A manifest of mtree(5), result after result.

#if Tool
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

    /// Puts a result into its form. One that failed is no part of a manifest.
    public mutating func append(_ result: FileResult, to lines: inout [UInt8]) {
      switch result.outcome {
      case .done:
        frame.append(before: result.path, to: &lines)
        lines.append(contentsOf: result.output)
      default: break
      }
    }
  }
#endif
