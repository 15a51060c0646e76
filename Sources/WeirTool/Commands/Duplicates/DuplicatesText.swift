internal import FileJobs

/// Groups of duplicates as lines, names or JSON.
///
/// Small groups are collected and written whole. A group larger than a piece, and it may hold all
/// names of a run, is written in pieces while it is made.
struct DuplicatesText {
  enum Form {
    case lines
    /// Names only, each ended by NUL, as is each group.
    case names
    /// A JSON object, ended by a newline or by NUL.
    case json(isZeroTerminated: Bool)
  }

  /// The beginning of the line of another name of the file above it.
  static let linkMark = "= "
  static let pieceSize = 1 << 16

  private let form: Form
  private var bytes: [UInt8] = []
  /// The end of the last complete group.
  private var completeEnd = 0

  init(_ form: Form) {
    self.form = form
  }

  /// - Parameter write: Writes the pieces of a large group.
  mutating func append(
    _ group: some DuplicatesNames, write: ([UInt8]) throws -> Void
  ) throws {
    begin(group)
    try group.forEachName { name, index, number in
      append(name, index, of: number)
      if bytes.count >= DuplicatesText.pieceSize { try writePiece(write) }
    }
    end()
    completeEnd = bytes.count
  }

  var isFull: Bool { bytes.count >= DuplicatesText.pieceSize }

  mutating func take() -> [UInt8] {
    defer { (bytes, completeEnd) = ([], 0) }
    return bytes
  }

  /// Writes the complete groups, if there are any, since the current group may still be
  /// small. Otherwise writes the beginning of the current group.
  private mutating func writePiece(_ write: ([UInt8]) throws -> Void) throws {
    let rest = completeEnd > 0 ? Array(bytes[completeEnd...]) : []
    bytes.removeLast(rest.count)
    try write(take())
    bytes = rest
  }

  // MARK: Parts of a group

  private mutating func begin(_ group: some DuplicatesNames) {
    switch form {
    case .lines:
      bytes += "# \(DuplicatesText.heading(group))\n".utf8
    case .names:
      break
    case .json:
      var json = JSONText("group")
      json.append("size", group.size)
      json.append("saving", group.saving)
      if group.shared > 0 { json.append("shared", group.shared) }
      if !group.digest.isEmpty {
        json.append("xxh128", group.digest.withUnsafeBytes { hexadecimal($0) })
      }
      bytes += json.bytes.dropLast() + Array(",\"files\":[".utf8)
    }
  }

  private mutating func append(_ name: [UInt8], _ index: Int, of file: Int) {
    switch form {
    case .lines:
      bytes.append(nameLine: name, mark: index > 0 ? DuplicatesText.linkMark : "")
    case .names:
      bytes += name
      bytes.append(0)
    case .json:
      let comma = UInt8(ascii: ",")
      if index == 0 {
        if file > 0 { bytes += "]},".utf8 }
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
    case .json(let isZeroTerminated): bytes += (isZeroTerminated ? "]}]}\0" : "]}]}\n").utf8
    }
  }

  static func heading(_ group: some DuplicatesNames) -> String {
    heading(group, saving: group.saving, shared: group.shared)
  }

  static func heading(_ group: some DuplicatesNames, saving: UInt64, shared: UInt64) -> String {
    let files = Quantities.count(group.fileCount, "file", "files")
    let size = Quantities.count(group.size, "byte", "bytes")
    if group.fileCount > 1 {
      let saving = Quantities.count(saving, "byte", "bytes")
      let shared =
        shared > 0 ? ", \(Quantities.count(shared, "byte", "bytes")) are shared already" : ""
      return "\(files) of \(size): \(saving) could be saved\(shared)"
    }
    return "\(files) of \(size) with \(Quantities.count(group.firstNameCount)) names"
  }

  mutating func append(_ group: DuplicateDirectories) {
    switch form {
    case .lines:
      let directories = Quantities.count(group.paths.count, "directory", "directories")
      let files = Quantities.count(group.files, "file", "files")
      let size = Quantities.count(group.size, "byte", "bytes")
      let saving = Quantities.count(group.saving, "byte", "bytes")
      bytes += "# \(directories) of \(size) in \(files): \(saving) could be saved\n".utf8
      for path in group.paths { bytes.append(nameLine: path) }
      bytes.append(UInt8(ascii: "\n"))
    case .names:
      for path in group.paths { bytes += path + [0] }
      bytes.append(0)
    case .json(let isZeroTerminated):
      bytes += JSONText.object("directories", isZeroTerminated: isZeroTerminated) { json in
        json.append("size", group.size)
        json.append("saving", group.saving)
        json.append("files", group.files)
        json.append("paths", elements: group.paths.map { $0.withUnsafeBytes(JSONName.bytes) })
      }
    }
    completeEnd = bytes.count
  }
}

extension [UInt8] {
  /// Appends the line of a name after a mark. A name that would be read back as another line is
  /// escaped as in GNU tools, with a backslash at its beginning.
  mutating func append(nameLine name: [UInt8], mark: String = "") {
    self += mark.utf8
    let isAmbiguous =
      name.starts(with: "# ".utf8) || name.starts(with: DuplicatesText.linkMark.utf8)
    if isAmbiguous || name.contains(where: LineWriter.isEscaped) {
      append(LineWriter.backslash)
      name.withUnsafeBytes { append(escaping: $0) }
    } else {
      self += name
    }
    append(UInt8(ascii: "\n"))
  }
}
