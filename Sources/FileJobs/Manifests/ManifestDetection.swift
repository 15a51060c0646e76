// The form of a manifest, by its first line that is neither empty nor a comment.
//
// Lists of entries are rows of one table: a new one is a row, and a parser of its lines.
//
// DESIGN. A line of SFV has its checksum at the end, so any text that ends in eight digits could be
// one. The lines are taken for SFV only if the first begins with a semicolon, as comments of SFV
// do, or if a look through the whole file finds no line of another form. In either case a line that a checksum tool
// could have written is still read as that. A pipe cannot be looked through.

internal import SystemPackage

enum ManifestDetection {
  enum Form {
    /// The line decides nothing.
    case undecided
    /// Lines of checksum tools, or of SFV among them.
    case lines(areOfSFV: Bool)
    case entries(any EntryParser)
    /// No list, but a file of a known kind.
    case foreign(ForeignFile)
  }

  /// A format whose lines are entries.
  struct Format: Sendable {
    /// The name of the format, as docs/formats.md has it.
    let name: String
    /// Returns true if a list of the format can begin with a line. The line is not modified.
    let begins: @Sendable (_ line: UnsafeMutableRawBufferPointer) -> Bool
    let makeParser: @Sendable () -> any EntryParser
  }

  /// The formats that a line shows wherever it is, in the order in which they are tried.
  static let formats = [
    Format(name: "hashdeep", begins: ColumnList.isHashdeep) { ColumnList(.hashdeep) },
    Format(name: "Gentoo: Manifest", begins: ColumnList.isGentoo) { ColumnList(.gentoo) },
    Format(name: "md5deep -z", begins: ColumnList.isSized) { ColumnList(.sized) },
    Format(name: "Debian: .dsc, .changes, Release", begins: ColumnList.isControl) {
      ColumnList(.control)
    },
    Format(name: "gpg --print-md, --print-mds", begins: PrintedDigests.isBeginning) {
      PrintedDigests()
    },
  ]

  /// Returns the form of a manifest by a line, which does not change. `file` is the manifest
  /// if that is a regular file.
  static func form(
    of line: UnsafeMutableRawBufferPointer, isFirst: Bool, in file: FileDescriptor?
  ) -> Form {
    if let format = formats.first(where: { $0.begins(line) }) {
      return .entries(format.makeParser())
    }
    if let foreign = ForeignFile(beginningWith: line) { return .foreign(foreign) }
    if line.first == UInt8(ascii: ";") { return .lines(areOfSFV: true) }
    // A name of SFV, and no comment.
    if line.first == UInt8(ascii: "#"), ManifestParser.isOfSFV(line), file.map(isSFV) == true {
      return .lines(areOfSFV: true)
    }
    guard let isMtree = MtreeDetection.isMtree(line, isFirst: isFirst) else { return .undecided }
    if isMtree { return .entries(MtreeParser()) }
    let isOfSFV = ManifestParser.isOfSFV(line, digitsMin: digitsMin)
    return .lines(areOfSFV: isOfSFV && file.map(isSFV) == true)
  }

  /// The least number of digits of a checksum of SFV: some programs write no leading zeros.
  private static let digitsMin = 4

  /// Returns true if each line of a file is one of SFV, a comment of SFV or empty, and one that can be
  /// nothing else has all eight digits.
  private static func isSFV(_ file: FileDescriptor) -> Bool {
    let reader = ManifestReader(file, from: 0)
    var parser = ManifestParser()
    var hasWhole = false
    while let line = try? reader.next() {
      if line.first == UInt8(ascii: ";") || line.allSatisfy({ $0 <= 0x20 }) { continue }
      let (isWhole, isPlain) = (
        ManifestParser.isOfSFV(line), ManifestParser.isOfSFV(line, isPlain: true)
      )
      if !ManifestParser.isOfSFV(line, digitsMin: digitsMin) { return false }
      if case .malformed = parser.parse(line) {
        hasWhole = hasWhole || isWhole
      } else if !isPlain {
        return false
      }
    }
    return hasWhole
  }
}
