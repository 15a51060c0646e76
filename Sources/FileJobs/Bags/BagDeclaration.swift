// The two short files of a bag: bagit.txt, which declares it, and bag-info.txt.

/// A fault of a bag: the name it concerns, relative to the bag, and the reason.
struct BagFinding: Error {
  let name: [UInt8]
  let reason: String
  /// True if the bag may be valid, but cannot be judged.
  var isUnsupported = false
}

/// The declaration of a bag: the version and the encoding of its tag files.
struct BagDeclaration {
  /// True before version 1.0. Then each file needs to be in one manifest only, and a percent sign
  /// in a name means itself.
  let isOld: Bool
  let encoding: BagEncoding

  static let text = Array("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n".utf8)
  private static let version = "BagIt-Version: "
  private static let encoding = "Tag-File-Character-Encoding: "

  init(_ text: [UInt8]) throws(BagFinding) {
    let lines = BagLines.split(text)
    guard let first = lines.first, first.starts(with: BagDeclaration.version.utf8) else {
      throw BagDeclaration.fault("has no first line BagIt-Version: M.N")
    }
    let numbers = first.dropFirst(BagDeclaration.version.utf8.count)
      .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .map { UInt64(decimal: $0) }
    guard numbers.count == 2, let major = numbers[0], let minor = numbers[1] else {
      throw BagDeclaration.fault("has a version that is not two numbers")
    }
    if major > 1 || major == 1 && minor > 0 {
      throw BagDeclaration.fault("BagIt \(major).\(minor)", isUnsupported: true)
    }
    guard lines.count == 2, lines[1].starts(with: BagDeclaration.encoding.utf8) else {
      throw BagDeclaration.fault("has no second and last line Tag-File-Character-Encoding: NAME")
    }
    let name = lines[1].dropFirst(BagDeclaration.encoding.utf8.count)
    guard let encoding = BagEncoding(name) else {
      throw BagDeclaration.fault("the encoding of its tag files", isUnsupported: true)
    }
    (isOld, self.encoding) = (major == 0, encoding)
  }

  private static func fault(_ reason: String, isUnsupported: Bool = false) -> BagFinding {
    BagFinding(name: BagDirectory.declaration, reason: reason, isUnsupported: isUnsupported)
  }
}

/// The lines of a tag file, which end in LF, CR or both.
enum BagLines {
  static func split(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
    text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
  }
}

/// The content of bag-info.txt: lines `Label: value`, which lines with a blank continue.
struct BagInfo {
  private var entries: [(label: String, text: [UInt8])] = []
  /// True if a line is neither.
  private(set) var isMalformed = false

  init(_ text: [UInt8]) {
    for line in BagLines.split(text) {
      let isContinuation = line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t")
      if isContinuation && !entries.isEmpty {
        entries[entries.count - 1].text += [UInt8(ascii: "\n")] + line
      } else {
        let end = line.firstIndex(of: UInt8(ascii: ":"))
        isMalformed = isMalformed || end == nil || end == line.startIndex
        var label = line[..<(end ?? line.endIndex)]
        while label.last == UInt8(ascii: " ") || label.last == UInt8(ascii: "\t") {
          label.removeLast()
        }
        entries.append((String(decoding: label, as: UTF8.self).lowercased(), Array(line)))
      }
    }
  }

  /// The values of a label, whose case does not matter.
  func values(_ label: String) -> [String] {
    entries.filter { $0.label == label.lowercased() }.map { entry in
      let value = entry.text.drop { $0 != UInt8(ascii: ":") }.dropFirst()
      return String(decoding: value, as: UTF8.self).filter { !$0.isWhitespace }
    }
  }

  /// Replaces the line of a label, and drops further ones; appends it if there is none.
  mutating func set(_ label: String, _ value: String) {
    let key = label.lowercased()
    let place = entries.firstIndex { $0.label == key } ?? entries.count
    entries.removeAll { $0.label == key }
    entries.insert((key, Array("\(label): \(value)".utf8)), at: place)
  }

  var text: [UInt8] { entries.flatMap { $0.text + [UInt8(ascii: "\n")] } }
}

/// The number of bytes and files of a payload, as bag-info.txt has it: `BYTES.FILES`.
struct PayloadOxum: Equatable, CustomStringConvertible {
  var bytes: UInt64 = 0
  var files: UInt64 = 0

  static let label = "Payload-Oxum"

  init() {}

  init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .map { UInt64(decimal: $0) }
    guard parts.count == 2, let bytes = parts[0], let files = parts[1] else { return nil }
    (self.bytes, self.files) = (bytes, files)
  }

  mutating func add(_ size: UInt64) {
    bytes &+= size
    files += 1
  }

  var description: String { "\(bytes).\(files)" }
}
