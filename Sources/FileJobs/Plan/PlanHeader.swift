// The first line of a plan: a JSON object with the totals of the plan.

/// The inputs of a plan that `weir count` would have read, as far as they decide the width
/// of its columns.
package struct PlanNamedInputs: Equatable, Sendable {
  /// The sum of the sizes of the regular files that are named.
  package var bytes: UInt64
  /// True if a name is not a regular file.
  package var hasOther: Bool
  /// True if the only input is one name, and no directory.
  package var isSingle: Bool

  package init(bytes: UInt64 = 0, hasOther: Bool = false, isSingle: Bool = false) {
    self.bytes = bytes
    self.hasOther = hasOther
    self.isSingle = isSingle
  }
}

/// The first line of a plan.
///
/// DESIGN. The line is written last, over blanks of the same length: its totals are known
/// only at the end. The SHA-256 in it covers all records and the line itself, with an empty
/// `plan`, so that a changed byte anywhere in the file is found.
package struct PlanHeader: Equatable, Sendable {
  package static let version: UInt64 = 1
  /// The largest number of shards: names of parts have five digits.
  package static let shardsMax = 99_999

  package var version = PlanHeader.version
  /// The SHA-256 of the plan as hexadecimal digits.
  package var id = ""
  package var shards: Int
  package var strategy: ShardStrategy
  /// The directory that relative names begin at, as an absolute path.
  package var root: [UInt8]
  /// The number of regular files.
  package var files: UInt64 = 0
  /// The sum of their sizes.
  package var bytes: UInt64 = 0
  /// The number of records.
  package var entries: UInt64 = 0
  /// The number of bytes of all records.
  package var length: UInt64 = 0
  /// The number of entries that the walk could not read.
  package var unreadable: UInt64 = 0
  /// The number of entries that filters have excluded.
  package var filtered: UInt64 = 0
  /// The number of files that were skipped because the program itself wrote them.
  package var excluded: UInt64 = 0
  package var named = PlanNamedInputs()
  /// The number of files of each shard.
  package var shardFiles: [UInt64]
  /// The sum of the sizes of each shard's files.
  package var shardBytes: [UInt64]

  package init(shards: Int, strategy: ShardStrategy, root: [UInt8]) {
    self.shards = shards
    self.strategy = strategy
    self.root = root
    shardFiles = Array(repeating: 0, count: shards)
    shardBytes = Array(repeating: 0, count: shards)
  }

  static let begin = "{\"format\":\"weir plan\",\"version\":"

  /// The JSON object, without blanks and newline.
  package var json: [UInt8] {
    var text = Array("\(PlanHeader.begin)\(version),\"plan\":\"\(id)\",\"shards\":\(shards)".utf8)
    text += ",\"by\":\"\(strategy.rawValue)\",\"root\":".utf8
    text += root.withUnsafeBytes { JSONName.plainBytes(of: $0) }
    text += ",\"files\":\(files),\"bytes\":\(bytes),\"entries\":\(entries)".utf8
    text += ",\"length\":\(length),\"unreadable\":\(unreadable)".utf8
    text += ",\"filtered\":\(filtered),\"excluded\":\(excluded)".utf8
    text += ",\"named\":{\"bytes\":\(named.bytes),\"other\":\(named.hasOther)".utf8
    text += ",\"single\":\(named.isSingle)}".utf8
    PlanHeader.append("shard_files", shardFiles, to: &text)
    PlanHeader.append("shard_bytes", shardBytes, to: &text)
    text.append(UInt8(ascii: "}"))
    return text
  }

  private static func append(_ key: String, _ numbers: [UInt64], to text: inout [UInt8]) {
    text += ",\"\(key)\":[".utf8
    for (index, number) in numbers.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text += String(number).utf8
    }
    text.append(UInt8(ascii: "]"))
  }

  /// The line: the object, blanks up to `width`, and a newline.
  func line(width: Int) -> [UInt8] {
    let json = json
    let blanks = max(0, width - json.count - 1)
    return json + Array(repeating: UInt8(ascii: " "), count: blanks) + [UInt8(ascii: "\n")]
  }

  /// The number of bytes that suffice for the line, whatever the shards get of the totals,
  /// and however long the records are.
  var width: Int {
    var widest = self
    widest.id = String(repeating: "0", count: 64)
    widest.length = .max
    widest.shardFiles = Array(repeating: files, count: shards)
    widest.shardBytes = Array(repeating: bytes, count: shards)
    return widest.json.count + 1
  }
}

extension JSONName {
  /// Returns a name as JSON: a string, or `{"bytes":"..."}` in base64 if it is not UTF-8.
  static func plainBytes(of name: UnsafeRawBufferPointer) -> [UInt8] {
    LineWriter.bytes(capacity: capacity(nameCount: name.count)) { line in
      guard isUTF8(name) else { return append(name, to: &line) }
      line.append(UInt8(ascii: "\""))
      appendText(name, to: &line)
      line.append(UInt8(ascii: "\""))
    }
  }
}
