// The first line of a plan: a JSON object with the totals of the plan.

/// The inputs of a plan as far as they decide the width of `weir count`'s columns.
package struct PlanNamedInputs: Equatable, Sendable {
  /// The sum of the sizes of the regular files that are named.
  package var bytes: UInt64
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
/// DESIGN. The line is written last, over blanks of the same length, when its totals are known. The
/// SHA-256 in it covers all records and the line itself, with an empty `plan`.
package struct PlanHeader: Equatable, Sendable {
  static let version: UInt64 = 1
  /// The largest number of shards: names of parts have five digits.
  package static let shardsMax = 99_999

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

  var text: [UInt8] {
    let begin: [JSONValue.Member] = [
      .init("format", "weir plan"), .init("version", .count(PlanHeader.version)),
      .init("plan", .text(id)), .init("shards", .count(shards)),
      .init("by", .text(strategy.rawValue)), .init("root", .name(root)),
    ]
    let end: [JSONValue.Member] = [
      .init("named", named.json), .init("shard_files", .array(shardFiles.map { .count($0) })),
      .init("shard_bytes", .array(shardBytes.map { .count($0) })),
    ]
    return JSONValue.object(begin + members + end).line
  }

  init?(_ object: JSONValue) {
    guard let id = object["plan"]?.text, let shards = object["shards"]?.count,
      (1...UInt64(PlanHeader.shardsMax)) ~= shards,
      let strategy = object["by"]?.text.flatMap({ ShardStrategy(rawValue: $0) }),
      let root = object["root"]?.name,
      let named = object["named"].flatMap({ PlanNamedInputs($0) }),
      let shardFiles = object["shard_files"]?.array?.compactMap(\.count),
      let shardBytes = object["shard_bytes"]?.array?.compactMap(\.count),
      shardFiles.count == Int(shards), shardBytes.count == Int(shards)
    else { return nil }
    self.init(shards: Int(shards), strategy: strategy, root: root)
    guard take(object) else { return nil }
    (self.id, self.named, self.shardFiles, self.shardBytes) = (id, named, shardFiles, shardBytes)
  }

  // MARK: Totals

  var withoutTotals: PlanHeader {
    var header = self
    (header.files, header.bytes, header.entries, header.unreadable) = (0, 0, 0, 0)
    header.shardFiles = Array(repeating: 0, count: shards)
    header.shardBytes = header.shardFiles
    return header
  }

  mutating func add(_ record: PlanEntry) {
    entries += 1
    if case .unreadable = record.kind { unreadable += 1 }
    guard record.kind == .file else { return }
    files += 1
    bytes = bytes.addingClamped(record.size)
    if let shard = record.shard {
      shardFiles[shard] += 1
      shardBytes[shard] = shardBytes[shard].addingClamped(record.size)
    }
  }

  // MARK: The line

  /// The line: the object, blanks up to `width`, and a newline.
  func line(width: Int) -> [UInt8] {
    let text = text
    let blanks = max(0, width - text.count - 1)
    return text + Array(repeating: UInt8(ascii: " "), count: blanks) + [UInt8(ascii: "\n")]
  }

  /// The number of bytes that suffice for the line, whatever the shards get of the totals,
  /// and however long the records are.
  var width: Int {
    var widest = self
    widest.id = String(repeating: "0", count: 64)
    widest.length = .max
    widest.shardFiles = Array(repeating: files, count: shards)
    widest.shardBytes = Array(repeating: bytes, count: shards)
    return widest.text.count + 1
  }
}

extension PlanHeader: JSONNumbers {
  static var recorded: [(String, WritableKeyPath<PlanHeader, UInt64>)] {
    [
      ("files", \.files), ("bytes", \.bytes), ("entries", \.entries), ("length", \.length),
      ("unreadable", \.unreadable), ("filtered", \.filtered), ("excluded", \.excluded),
    ]
  }
}

extension PlanNamedInputs {
  var json: JSONValue {
    .object(["bytes": .count(bytes), "other": .bool(hasOther), "single": .bool(isSingle)])
  }

  init?(_ object: JSONValue) {
    guard let bytes = object["bytes"]?.count, let hasOther = object["other"]?.bool,
      let isSingle = object["single"]?.bool
    else { return nil }
    self.init(bytes: bytes, hasOther: hasOther, isSingle: isSingle)
  }
}
