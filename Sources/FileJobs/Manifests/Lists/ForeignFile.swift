/// A file of a known kind that is no list of Weir's formats.
public struct ForeignFile: Sendable, Equatable {
  /// The place in the table.
  let index: Int

  private struct Kind: Sendable {
    let name: String
    /// The command that makes a list of it, or another way out.
    let way: String
    /// The bytes at the beginning, or at `offset`; any of them.
    let marks: [[UInt8]]
    var offset = 0
  }

  private static func archive(_ name: String, _ mark: [UInt8], offset: Int = 0) -> Kind {
    Kind(
      name: "an archive (\(name))", way: "extract it, and check the list or the bag in it",
      marks: [mark], offset: offset)
  }

  private static func compressed(_ name: String, _ command: String, _ mark: [UInt8]) -> Kind {
    Kind(
      name: "compressed (\(name))", way: "use: \(command) -dc FILE | weir check -", marks: [mark])
  }

  private static func text(_ name: String, _ way: String, _ marks: String...) -> Kind {
    Kind(name: name, way: way, marks: marks.map { Array($0.utf8) })
  }

  private static let kinds = [
    Kind(
      name: "UTF-16", way: "convert it with iconv -f UTF-16 -t UTF-8",
      marks: [[0xFF, 0xFE], [0xFE, 0xFF]]),
    compressed("gzip", "gzip", [0x1F, 0x8B]),
    compressed("xz", "xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A]),
    compressed("bzip2", "bzip2", Array("BZh".utf8)),
    compressed("zstd", "zstd", [0x28, 0xB5, 0x2F, 0xFD]),
    archive("zip", [0x50, 0x4B, 3, 4]),
    archive("7z", [0x37, 0x7A, 0xBC, 0xAF]),
    archive("tar", Array("ustar".utf8), offset: 257),
    text(
      "XML, perhaps a media hash list (MHL)", "use the program that has written it",
      "<?xml", "<hashlist"),
    text(
      "a table of Get-FileHash in CSV",
      #"use: sed -n 's/^"\([^"]*\)","\([^"]*\)","\([^"]*\)".*/\1 (\3) = \2/p' FILE | weir check -"#,
      "\"Algorithm\",\"Hash\"", "#TYPE Microsoft.PowerShell"),
    text(
      "a table of Get-FileHash",
      #"use: sed -n 's/^\([A-Z0-9]*\)  *\([0-9A-F]*\)  *\(.*[^ ]\) *$/\1 (\3) = \2/p' FILE | weir check -"#,
      "Algorithm  "),
    text(
      "the output of certutil", "write its digest and the name of the file in one line",
      "MD5 hash of ", "SHA1 hash of ", "SHA256 hash of ", "SHA384 hash of ", "SHA512 hash of "),
    text("a list whose lines end in a newline", "omit --zero"),
  ]

  /// A list that is read as one whose lines end in NUL.
  static let linesOfText = ForeignFile(index: kinds.count - 1)

  init?(index: Int) {
    guard ForeignFile.kinds.indices.contains(index) else { return nil }
    self.index = index
  }

  /// Recognises a file by a line before its first entry; `nil` if it may be a list.
  init?(beginningWith line: UnsafeMutableRawBufferPointer) {
    let found = ForeignFile.kinds.firstIndex { kind in
      kind.marks.contains { line.dropFirst(kind.offset).starts(with: $0) }
    }
    guard let found else { return nil }
    index = found
  }

  /// Returns the kind and the way out with the name of a file, as in "is KIND; WAY". A name with
  /// other characters than those of ASCII stays FILE.
  package func reason(of file: [UInt8]) -> String {
    let kind = ForeignFile.kinds[index]
    let isPrinted = file.allSatisfy { (0x20..<0x7F).contains($0) }
    let path = file.first == UInt8(ascii: "-") && file.count > 1 ? "./".utf8 + file : file
    let word = isPrinted ? String(decoding: ShellWords.word(path), as: UTF8.self) : "FILE"
    return "is \(kind.name); \(kind.way.replacing("FILE", with: word))"
  }
}
