// Groups as they are written, handed on piece by piece.

internal import FileJobs

/// Groups as text, as names, or as JSON.
///
/// Small ones are collected, there may be many, and are handed on whole. One
/// that is larger than a piece, and it may have all the names of a run, is handed on
/// name by name as it is made.
struct DuplicatesText {
  /// How groups are written.
  enum Form {
    case lines
    /// Names alone, each ended by a NUL, as is each group.
    case names
    /// An object a line, or ended by a NUL.
    case json(isZeroTerminated: Bool)
  }

  /// What is handed on at once, a little more or less.
  static let most = 1 << 16

  private let form: Form
  private var bytes: [UInt8] = []
  /// Up to where groups are whole.
  private var whole = 0

  init(_ form: Form) {
    self.form = form
  }

  /// Adds a group.
  ///
  /// - Parameter write: Called with what becomes too much to be kept.
  mutating func append(_ group: DuplicatesGroup, write: ([UInt8]) throws -> Void) throws {
    begin(group)
    for (number, file) in group.files.enumerated() {
      for (index, name) in file.names.enumerated() {
        append(name, index, of: number)
        if bytes.count >= DuplicatesText.most { try handOn(write) }
      }
      if case .json = form { bytes += "]}".utf8 }
    }
    end()
    whole = bytes.count
  }

  /// Whether there is as much as is handed on at once.
  var isEnough: Bool { bytes.count >= DuplicatesText.most }

  /// Returns what there is, and has nothing any more.
  mutating func take() -> [UInt8] {
    defer { (bytes, whole) = ([], 0) }
    return bytes
  }

  /// The groups before the one that is being made, where there are any: it may still
  /// be small, and is whole then. Else what there is of it.
  private mutating func handOn(_ write: ([UInt8]) throws -> Void) throws {
    let rest = whole > 0 ? Array(bytes[whole...]) : []
    bytes.removeLast(rest.count)
    try write(take())
    bytes = rest
  }

  // MARK: Its parts

  private mutating func begin(_ group: DuplicatesGroup) {
    switch form {
    case .lines:
      bytes += "# \(DuplicatesText.heading(group))\n".utf8
    case .names:
      break
    case .json:
      var json = JSONText()
      json.begin("group")
      json.append("size", group.size)
      json.append("saving", group.saving)
      if !group.digest.isEmpty {
        json.append("xxh128", DuplicatesText.hexadecimal(group.digest))
      }
      bytes += json.bytes
      bytes += ",\"files\":[".utf8
    }
  }

  /// Adds a name of a file.
  private mutating func append(_ name: [UInt8], _ index: Int, of file: Int) {
    switch form {
    case .lines:
      if index > 0 { bytes += "= ".utf8 }
      appendLine(name)
    case .names:
      bytes += name
      bytes.append(0)
    case .json:
      let comma = UInt8(ascii: ",")
      if index == 0 {
        if file > 0 { bytes.append(comma) }
        bytes += "{\"paths\":[".utf8
      } else {
        bytes.append(comma)
      }
      bytes += name.withUnsafeBytes { JSONName.bytes(of: $0) }
    }
  }

  private mutating func end() {
    switch form {
    case .lines: bytes.append(UInt8(ascii: "\n"))
    case .names: bytes.append(0)
    case .json(let isZeroTerminated): bytes += (isZeroTerminated ? "]}\0" : "]}\n").utf8
    }
  }

  private static func heading(_ group: DuplicatesGroup) -> String {
    let files = Quantities.count(group.files.count, "file", "files")
    let size = Quantities.count(group.size, "byte", "bytes")
    if group.files.count > 1 {
      let saving = Quantities.count(group.saving, "byte", "bytes")
      return "\(files) of \(size): \(saving) could be saved"
    }
    return "\(files) of \(size) with \(Quantities.count(group.files[0].names.count)) names"
  }

  /// A name that would be read back as another line is escaped, as GNU escapes names:
  /// a backslash before it says so.
  private mutating func appendLine(_ name: [UInt8]) {
    let backslash = UInt8(ascii: "\\")
    let isAmbiguous = name.starts(with: "# ".utf8) || name.starts(with: "= ".utf8)
    if isAmbiguous || name.contains(where: { DuplicatesText.letter(for: $0) != nil }) {
      bytes.append(backslash)
    }
    for byte in name {
      if let letter = DuplicatesText.letter(for: byte) {
        bytes.append(backslash)
        bytes.append(letter)
      } else {
        bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// What stands behind a backslash for a byte; `nil` where it stands for itself.
  private static func letter(for byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\\"): byte
    case UInt8(ascii: "\n"): UInt8(ascii: "n")
    case UInt8(ascii: "\r"): UInt8(ascii: "r")
    default: nil
    }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count < 2 ? "0\(digits)" : digits
    }.joined()
  }
}
