// The form of a manifest, by its first line that is neither empty nor a comment.
//
// DESIGN. A line of SFV has its checksum at the end, so any text that ends in eight digits could be
// one. The lines are taken for SFV only if the first begins with a semicolon, as comments of SFV
// do, or if a look through the whole file finds no line of another form. In either case a line that a checksum tool
// could have written is still read as that. A pipe cannot be looked through.

internal import SystemPackage

/// The distinction between the forms of manifests.
enum ManifestDetection {
  enum Form {
    /// The line decides nothing.
    case undecided
    /// Lines of checksum tools, or of SFV among them.
    case lines(areOfSFV: Bool)
    /// Entries with types and sizes.
    case entries(any EntryParser)
  }

  /// Returns the form of a manifest by a line, which does not change.
  ///
  /// - Parameter file: The manifest, if that is a regular file.
  static func form(
    of line: UnsafeMutableRawBufferPointer, isFirst: Bool, in file: FileDescriptor?
  ) -> Form {
    if isFirst && HashdeepParser.isHeader(line) { return .entries(HashdeepParser()) }
    if line.first == UInt8(ascii: ";") { return .lines(areOfSFV: true) }
    guard let isMtree = MtreeDetection.isMtree(line, isFirst: isFirst) else { return .undecided }
    if isMtree { return .entries(MtreeParser()) }
    return .lines(areOfSFV: ManifestParser.isOfSFV(line) && file.map(isSFV) == true)
  }

  /// Returns true if each line of a file is one of SFV, a comment of SFV or empty.
  private static func isSFV(_ file: FileDescriptor) -> Bool {
    let reader = ManifestReader(file, from: 0)
    var parser = ManifestParser()
    while let line = try? reader.next() {
      if line.first == UInt8(ascii: ";") || line.allSatisfy({ $0 <= 0x20 }) { continue }
      let isOfSFV = ManifestParser.isOfSFV(line)
      guard isOfSFV, case .malformed = parser.parse(line) else { return false }
    }
    return true
  }
}
