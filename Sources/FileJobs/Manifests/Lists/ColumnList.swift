internal import Weir

/// A parser of lists whose lines have a size, digests and a name in an order that the list says.
///
/// ```text
/// %%%% HASHDEEP-1.0                        Checksums-Sha256:
/// %%%% size,md5,sha256,filename             ba7816bf... 3 a.orig.tar.gz
/// ## a comment                             Files:
/// 3,900150983cd24fb0...,ba7816bf...,a.c     90015098... 3 devel optional a.deb
///
/// DIST a.tar.gz 3 BLAKE2B 0b3c... SHA512 ddaf...
/// ```
///
/// Columns without a meaning to Weir are skipped. A digest of an algorithm that it does not compute
/// is ``MtreeEntry/otherDigest``.
final class ColumnList: EntryParser {
  /// The program that writes the list, and with it what decides the columns.
  enum Dialect {
    /// hashdeep: a line before the entries. The name comes last and may contain commas.
    case hashdeep
    /// Control files of Debian (.dsc, .changes, Release): the field above the entries.
    case control
    /// Manifests of Gentoo: words before each digest.
    case gentoo
    /// md5deep -z and its siblings: a size, a digest, two blanks and a name that may contain blanks.
    case sized
  }

  private enum Column {
    case size, name, skipped
    case digest(DigestAlgorithm)
    case other(String)
  }

  private let dialect: Dialect
  /// The columns of the lines that follow; `nil` before the line that names them, and for fields of a
  /// control file that have no digests.
  private var columns: [Column]?
  private let digests = DigestBuffer()
  private let path = ByteBuffer()

  private static let (comma, blank) = (UInt8(ascii: ","), UInt8(ascii: " "))
  private static let mark = Array("%%%% ".utf8)

  init(_ dialect: Dialect) { self.dialect = dialect }

  // MARK: Beginnings

  static func isHashdeep(_ line: UnsafeMutableRawBufferPointer) -> Bool {
    let version = line.dropFirst(ColumnList.begin.count)
    return line.starts(with: ColumnList.begin) && version.count < 8
  }

  private static let begin = Array("%%%% HASHDEEP-".utf8)

  static func isGentoo(_ line: UnsafeMutableRawBufferPointer) -> Bool {
    let words = words(of: line, upTo: 6)
    guard let kind = words.first else { return false }
    return kinds.contains(kind) && words.count > 4 && UInt64(words[2]) != nil
      || kindsWithoutDigest.contains(kind) && words.count == 2
  }

  static func isSized(_ line: UnsafeMutableRawBufferPointer) -> Bool {
    let words = words(of: line, upTo: 3)
    return words.count > 2 && UInt64(words[0]) != nil && sizedColumns(words) != nil
  }

  static func isControl(_ line: UnsafeMutableRawBufferPointer) -> Bool {
    words(of: line, upTo: 1).first.map { fieldsFirst.contains($0.lowercased()) } == true
  }

  func parse(_ whole: UnsafeMutableRawBufferPointer) -> MtreeContent {
    let line = whole.withoutReturn
    if line.allSatisfy({ $0 == ColumnList.blank }) { return .ignored }
    return switch dialect {
    case .hashdeep: hashdeep(line)
    case .control: control(line)
    case .gentoo: gentoo(line)
    case .sized:
      entry(
        line, ColumnList.sizedColumns(ColumnList.words(of: line, upTo: 2)) ?? [],
        separator: ColumnList.blank, isRest: true)
    }
  }

  // MARK: Dialects

  private func hashdeep(_ line: UnsafeMutableRawBufferPointer) -> MtreeContent {
    if ColumnList.isHashdeep(line) { return .ignored }
    if line[0] == UInt8(ascii: "#") { return hidesEntry(line) ? .malformed : .ignored }
    if line.starts(with: ColumnList.mark) {
      let text = String(decoding: line.dropFirst(ColumnList.mark.count), as: UTF8.self)
      let words = text.split(separator: ",").map(String.init)
      let isValid = words.last == "filename" && words.count <= DigestAlgorithm.countMax
      columns = isValid ? words.map { ColumnList.column($0) } : nil
      return isValid ? .ignored : .malformed
    }
    return entry(line, columns ?? [], separator: ColumnList.comma, isRest: true)
  }

  /// Returns true if an entry follows in a comment, which has lost its end.
  private func hidesEntry(_ comment: UnsafeMutableRawBufferPointer) -> Bool {
    comment.indices.contains { comma in
      if comment[comma] != ColumnList.comma { return false }
      let size = comment[..<comma].suffix(20).reversed().prefix(while: \.isDigit)
      let rest = comment[(comma - size.count)...].rebased
      let hidden = entry(rest, columns ?? [], separator: ColumnList.comma, isRest: true)
      return if case .entry = hidden { true } else { false }
    }
  }

  private static func column(_ word: String) -> Column {
    switch word {
    case "size": .size
    case "filename": .name
    default: DigestAlgorithm(word).map { .digest($0) } ?? .other(word)
    }
  }

  /// Fields of control files by which such a file begins.
  private static let fieldsFirst: Set<String> = [
    "format:", "origin:", "suite:", "codename:", "label:", "archive:", "checksums-sha1:",
    "checksums-sha256:", "md5sum:", "sha256:", "date:", "version:", "architectures:",
  ]
  private static let fields = [
    "files": "md5", "md5sum": "md5", "sha1": "sha1", "sha256": "sha256", "sha512": "sha512",
    "checksums-md5": "md5", "checksums-sha1": "sha1", "checksums-sha256": "sha256",
    "checksums-sha512": "sha512",
  ]

  private func control(_ line: UnsafeMutableRawBufferPointer) -> MtreeContent {
    if line[0].isBlank {
      guard let columns else {
        // A digest below a field that is damaged, or of an unknown algorithm.
        return ManifestText(line)?.hasDigest == true ? .malformed : .ignored
      }
      let rest = line.dropFirst().rebased
      let words = ColumnList.words(of: rest, upTo: 6).count
      guard words > 2 else { return .malformed }
      let skipped = Array(repeating: Column.skipped, count: words - 3)
      return entry(rest, columns + skipped + [.name], separator: ColumnList.blank)
    }
    guard let end = line.firstIndex(of: UInt8(ascii: ":")), !line[..<end].contains(ColumnList.blank)
    else { return .malformed }
    let field = String(decoding: line[..<end], as: UTF8.self).lowercased()
    let algorithm = ColumnList.fields[field].flatMap { DigestAlgorithm($0) }
    columns = algorithm.map { [.digest($0), .size] }
    // A digest on the line of its field, as in a list of packages, has its name in another field.
    let hasValue = line[(end + 1)...].contains { $0 != ColumnList.blank }
    return algorithm != nil && hasValue ? .malformed : .ignored
  }

  /// Kinds of Gentoo's entries, with a name, a size and digests.
  private static let kinds: Set<String> = ["DIST", "EBUILD", "MISC", "AUX", "DATA", "MANIFEST"]
  private static let kindsWithoutDigest: Set<String> = ["IGNORE", "TIMESTAMP"]
  private static let gentooNames = [
    "sha3_256": "sha3-256", "sha3_512": "sha3-512", "blake2b": "blake2b",
  ]

  private func gentoo(_ line: UnsafeMutableRawBufferPointer) -> MtreeContent {
    let words = ColumnList.words(of: line, upTo: 2 * DigestAlgorithm.countMax)
    guard let kind = words.first, ColumnList.kinds.contains(kind), words.count > 4 else {
      return ColumnList.kindsWithoutDigest.contains(words.first ?? "") ? .ignored : .malformed
    }
    var columns: [Column] = [.skipped, .name, .size]
    for word in stride(from: 3, to: words.count, by: 2) {
      let name = words[word].lowercased()
      columns += [.skipped, ColumnList.column(ColumnList.gentooNames[name] ?? name)]
    }
    let record = entry(line, columns, separator: ColumnList.blank)
    guard kind == "AUX", case .entry(var entry) = record else { return record }
    entry.name = path.hold(Array("files/".utf8) + Array(entry.name))
    return .entry(entry)
  }

  private static let sizedAlgorithms: [Int: DigestAlgorithm] = [
    32: .md5, 40: .sha1, 64: .sha256,
  ]

  private static func sizedColumns(_ words: [String]) -> [Column]? {
    guard words.count > 1, words[1].allSatisfy(\.isHexDigit) else { return nil }
    return sizedAlgorithms[words[1].utf8.count].map { [.size, .digest($0), .name] }
  }

  // MARK: Entries

  private static func words(
    of line: UnsafeMutableRawBufferPointer, upTo count: Int
  ) -> [String] {
    line.prefix(4096).split(separator: blank, maxSplits: count)
      .prefix(count).map { String(decoding: $0, as: UTF8.self) }
  }

  /// - Parameter isRest: True if the last column, a name, is all that remains.
  private func entry(
    _ line: UnsafeMutableRawBufferPointer, _ columns: [Column], separator: UInt8,
    isRest: Bool = false
  ) -> MtreeContent {
    guard !columns.isEmpty, let text = ManifestText(line) else { return .malformed }
    var entry = MtreeEntry()
    entry.type = .file
    var begin = 0
    digests.removeAll()
    for (place, column) in columns.enumerated() {
      let isLast = place == columns.count - 1
      var blanks = separator != ColumnList.blank ? 0 : isLast && isRest ? 1 : Int.max
      while blanks > 0 && text[begin] == ColumnList.blank {
        (begin, blanks) = (begin + 1, blanks - 1)
      }
      let end =
        isLast && isRest
        ? line.count : line[min(begin, line.count)...].firstIndex(of: separator) ?? line.count
      if begin >= end || !isLast && end == line.count { return .malformed }
      switch column {
      case .skipped: break
      case .size:
        guard let size = UInt64(decimal: line[begin..<end]) else { return .malformed }
        entry.size = size
      case .name: entry.name = text.part(begin..<end)
      case .other(let word): entry.otherDigest = word
      case .digest(let algorithm):
        let digits = line[begin..<end].rebased
        if !digests.append(algorithm, digits: digits) { return .malformed }
      }
      begin = end + 1
    }
    if begin <= line.count || entry.name.isEmpty || entry.name.contains(0) { return .malformed }
    entry.digests = digests.all
    return .entry(entry)
  }
}
