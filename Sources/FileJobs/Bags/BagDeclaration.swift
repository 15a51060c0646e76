// The two short files of a bag: bagit.txt, which declares it, and bag-info.txt.

internal import SystemPackage

/// A fault of a bag: the name it concerns, relative to the bag, and the reason.
struct BagFinding: Error {
  let name: [UInt8]
  let reason: String
  /// True if the bag may be valid, but cannot be judged.
  let isUnsupported: Bool
  /// The error of a file or directory that could not be read.
  let error: Errno?

  init(_ name: [UInt8], _ reason: String, isUnsupported: Bool = false, error: Errno? = nil) {
    (self.name, self.reason, self.isUnsupported, self.error) = (name, reason, isUnsupported, error)
  }
}

/// The declaration of a bag: the version and the encoding of its tag files.
struct BagDeclaration {
  /// True before version 1.0. Then each file needs to be in one manifest only, and a percent sign
  /// in a name means itself.
  let isOld: Bool
  let encoding: BagEncoding

  static let text = Array("BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n".utf8)

  init(_ text: [UInt8]) throws(BagFinding) {
    let (file, lines) = (BagDirectory.declaration, BagLines.split(text))
    guard let version = BagDeclaration.value("BagIt-Version: ", lines.first) else {
      throw BagFinding(file, "has no first line BagIt-Version: M.N")
    }
    guard let numbers = BagLines.numbers(version) else {
      throw BagFinding(file, "has a version that is not two numbers")
    }
    if numbers > (1, 0) {
      throw BagFinding(file, "BagIt \(numbers.0).\(numbers.1)", isUnsupported: true)
    }
    let encoding = BagDeclaration.value("Tag-File-Character-Encoding: ", lines.last)
    guard lines.count == 2, let encoding else {
      throw BagFinding(file, "has no second and last line Tag-File-Character-Encoding: NAME")
    }
    guard let encoding = BagEncoding(encoding) else {
      throw BagFinding(file, "the encoding of its tag files", isUnsupported: true)
    }
    (isOld, self.encoding) = (numbers.0 == 0, encoding)
  }

  private static func value(_ label: String, _ line: ArraySlice<UInt8>?) -> ArraySlice<UInt8>? {
    guard let line, line.starts(with: label.utf8) else { return nil }
    return line.dropFirst(label.utf8.count)
  }
}

/// The lines of a tag file, which end in LF, CR or both.
enum BagLines {
  static func isEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  static func split(_ text: [UInt8]) -> [ArraySlice<UInt8>] { text.split(whereSeparator: isEnd) }

  /// Reads two numbers with a dot between them.
  static func numbers(_ text: some Collection<UInt8>) -> (UInt64, UInt64)? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2, let one = UInt64(decimal: parts[0]),
      let other = UInt64(decimal: parts[1])
    else { return nil }
    return (one, other)
  }
}

/// A line of bag-info.txt that the user gives.
package struct BagField: Sendable {
  let label: String
  /// Empty to remove the lines of the label.
  let value: String

  package struct Refusal: Error {
    package let expected: String
  }

  /// Reads `FIELD=VALUE`.
  package init(_ word: [UInt8]) throws(Refusal) {
    let parts = word.split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let label = String(validating: parts[0], as: UTF8.self),
      let value = String(validating: parts[1], as: UTF8.self), !label.isEmpty,
      !label.contains(":"), label.first?.isWhitespace == false, label.last?.isWhitespace == false,
      !word.contains(where: { $0 < 0x20 || $0 == 0x7F })
    else {
      throw Refusal(expected: "FIELD=VALUE in one line of UTF-8, with a FIELD without a colon")
    }
    if label.lowercased() == BagInfo.oxum.lowercased() {
      throw Refusal(expected: "each FIELD but \(BagInfo.oxum), which weir counts")
    }
    (self.label, self.value) = (label, value)
  }
}

/// The content of bag-info.txt: lines `Label: value`, which lines with a blank continue.
struct BagInfo {
  private var entries: [(label: String, text: [UInt8])] = []
  /// True if a line is neither.
  private(set) var isMalformed = false

  /// The label of the number of bytes and files of the payload: `BYTES.FILES`.
  static let oxum = "Payload-Oxum"

  init(_ text: [UInt8]) {
    for line in BagLines.split(text) {
      if line.first?.isBlank == true && !entries.isEmpty {
        entries[entries.count - 1].text += [UInt8(ascii: "\n")] + line
      } else {
        let label = line.prefix { $0 != UInt8(ascii: ":") }
        isMalformed = isMalformed || label.isEmpty || label.count == line.count
        let trimmed = label.reversed().drop(while: \.isBlank).reversed()
        entries.append((String(decoding: trimmed, as: UTF8.self).lowercased(), Array(line)))
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

  /// Replaces the lines of a label; appends them if there are none.
  mutating func set(_ label: String, _ values: [String]) {
    let key = label.lowercased()
    let place = entries.firstIndex { $0.label == key } ?? entries.count
    entries.removeAll { $0.label == key }
    entries.insert(contentsOf: values.map { (key, Array("\(label): \($0)".utf8)) }, at: place)
  }

  /// Replaces the lines of all labels of fields; a field without a value removes them.
  mutating func set(_ fields: [BagField]) {
    for field in fields {
      let same = fields.filter { $0.label.lowercased() == field.label.lowercased() }
      set(field.label, same.map(\.value).filter { !$0.isEmpty })
    }
  }

  var text: [UInt8] { entries.flatMap { $0.text + [UInt8(ascii: "\n")] } }
}
