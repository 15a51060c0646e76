// The first line of a worker's list.

internal import SystemPackage

/// The first line of a list: a JSON object.
///
/// The records of a list are those of a plan, with the index of the PATH in the place of the
/// shard. As in a plan, the SHA-256 covers the records and then this object with an empty
/// `list`.
package struct PlanListHeader: Equatable, Sendable {
  static let version: UInt64 = 1
  private static let format = "weir plan list"
  static let begin = Array("{\"format\":\"\(format)\",".utf8)

  /// The SHA-256 of the list as hexadecimal digits.
  var id = ""
  package let file: PlanListFile
  /// The depth of the directories that go to workers.
  package let splitDepth: Int
  /// The directory that relative names begin at.
  package let root: [UInt8]
  /// The SHA-256 of the PATHs and the options of the walk.
  package let arguments: String
  package let named: PlanNamedInputs
  /// The number of records.
  var entries: UInt64 = 0
  /// The number of bytes of all records.
  var length: UInt64 = 0
  /// The number of entries that filters have excluded, and the part of them that all workers
  /// have found.
  var filtered: UInt64 = 0
  var filteredByAll: UInt64 = 0
  /// True if something could not be read.
  var isIncomplete = false

  /// - Parameter words: The PATHs and the options of the walk.
  package init(
    _ file: PlanListFile, splitDepth: Int, root: [UInt8], words: [[UInt8]],
    named: PlanNamedInputs
  ) {
    self.file = file
    self.splitDepth = splitDepth
    self.root = root
    self.named = named
    arguments = PlanListHeader.digest(of: words)
  }

  private static func digest(of words: [[UInt8]]) -> String {
    guard let digest = try? Digest(.sha256) else { return "" }
    return Array(words.joined(separator: [0])).withUnsafeBytes { bytes in
      try? digest.begin()
      try? digest.update(bytes)
      try? digest.finish()
      return digest.hexadecimal
    }
  }

  var json: [UInt8] {
    let object: JSONValue = .object([
      "format": .text(PlanListHeader.format), "version": .count(PlanListHeader.version),
      "list": .text(id), "worker": .count(file.worker), "workers": .count(file.workers),
      "split_depth": .count(splitDepth), "root": .name(root), "arguments": .text(arguments),
      "named": named.json, "entries": .count(entries), "length": .count(length),
      "filtered": .count(filtered), "filtered_by_all": .count(filteredByAll),
      "incomplete": .bool(isIncomplete),
    ])
    return object.line
  }

  /// Reads an object; `nil` if it is malformed.
  init?(_ object: JSONValue) {
    guard object["format"]?.text == PlanListHeader.format,
      object["version"]?.count == PlanListHeader.version, let id = object["list"]?.text,
      let worker = object["worker"]?.count, let workers = object["workers"]?.count,
      workers <= PlanListFile.workersMax, worker < workers,
      let splitDepth = object["split_depth"]?.count, splitDepth < 1 << 16,
      let root = object["root"]?.name, let arguments = object["arguments"]?.text,
      let named = object["named"].flatMap({ PlanNamedInputs($0) }),
      let entries = object["entries"]?.count, let length = object["length"]?.count,
      let filtered = object["filtered"]?.count,
      let filteredByAll = object["filtered_by_all"]?.count,
      let isIncomplete = object["incomplete"]?.bool
    else { return nil }
    (self.id, self.arguments) = (id, arguments)
    file = PlanListFile(worker: Int(worker), of: Int(workers))
    (self.splitDepth, self.root, self.named) = (Int(splitDepth), root, named)
    (self.entries, self.length, self.isIncomplete) = (entries, length, isIncomplete)
    (self.filtered, self.filteredByAll) = (filtered, filteredByAll)
  }

  /// The line: the object, blanks up to `width`, and a newline.
  func line(width: Int) -> [UInt8] {
    let json = json
    let blanks = max(0, width - json.count - 1)
    return json + Array(repeating: UInt8(ascii: " "), count: blanks) + [UInt8(ascii: "\n")]
  }

  /// The number of bytes that suffice for the line.
  var width: Int {
    var widest = self
    widest.id = String(repeating: "0", count: 64)
    (widest.entries, widest.length) = (.max, .max)
    (widest.filtered, widest.filteredByAll) = (.max, .max)
    return widest.json.count + 1
  }

  /// Returns the SHA-256 of a list whose records a digest has taken in.
  func id(after records: Digest) throws(Errno) -> String {
    var header = self
    header.id = ""
    return try records.finish(after: header.json)
  }

  /// Returns the words on the first difference to the list of another worker; `nil` if both
  /// are of one walk.
  package func difference(from other: PlanListHeader) -> String? {
    if splitDepth != other.splitDepth {
      return "was made with --split-depth \(splitDepth), not \(other.splitDepth)"
    }
    if root != other.root { return "was made in another directory" }
    return arguments == other.arguments ? nil : "was made with other PATHs or options"
  }
}
