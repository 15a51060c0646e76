// The names and the layout of part files.
//
// DESIGN. A part is a line of JSON, blocks and an end:
//
//     {"format":"weir part",...}\n
//     WBLK length:4 xxh3:8 records      (a block for each delivery)
//     WEND length:4 xxh3:8 totals       (JSON, with the SHA-256 of all bytes before)
//     length:4 WPRT                     (of the end, so that it is found from behind)
//
// with numbers in little-endian order. A record is length:4, items:4, name:4, verdict:1, three
// zeros and the payload: `items` is the number of items of the plan that it answers, `name` the
// lower half of the NameHash of the first of them. A block is valid or not as a whole, so an
// attempt that continues another one's work knows which results are whole, also after the crash
// of a machine. Rejected: text lines, since payloads have any bytes; a database, since a part
// is written once, by one process.
//
// The payload is the processor's result of a file, not a line of output. A merge makes batches
// of the results and gives them to the output of the verb, so that text, JSON, totals, messages
// and the exit status are those of one process without a second version of any of them.

package import Weir

/// The names of the part of a shard, and of the attempts at it.
package struct PartFile: Sendable {
  package let directory: [UInt8]
  package let shard: Int
  package let shards: Int

  package init(in directory: [UInt8], shard: Int, of shards: Int) {
    self.directory = directory
    self.shard = shard
    self.shards = shards
  }

  /// The name within the directory: `shard-00003-of-00064.part`.
  package var name: String {
    "shard-\(PartFile.padded(shard))-of-\(PartFile.padded(shards)).part"
  }

  package var path: [UInt8] { directory + Array("/\(name)".utf8) }

  var attemptPrefix: String { "\(name).tmp." }

  static let digits = 5

  private static func padded(_ number: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// Reads the name of a part or of an attempt; `nil` if it is another name.
  package init?(name: String, in directory: [UInt8]) {
    let words = name.split(separator: "-", maxSplits: 3, omittingEmptySubsequences: false)
    guard words.count == 4, words[0] == "shard", words[2] == "of",
      let shard = PartFile.number(words[1]), let dot = words[3].firstIndex(of: "."),
      let shards = PartFile.number(words[3][..<dot]), shard < shards
    else { return nil }
    self.init(in: directory, shard: shard, of: shards)
    guard name == self.name || name.hasPrefix(attemptPrefix) else { return nil }
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.count == digits ? Int(text) : nil
  }
}

/// The marks and sizes in a part.
enum PartLayout {
  static let block = Array("WBLK".utf8)
  static let end = Array("WEND".utf8)
  static let last = Array("WPRT".utf8)
  /// The bytes before the content of a block: its mark, length and checksum.
  static let blockHead = 16
  /// The bytes before the payload of a record.
  static let recordHead = 16
  /// The bytes after the end.
  static let tail = 8
  /// The largest content of a block: one record of the largest kind.
  static let blockMax = 64 << 20
}

/// The answer of a record, for the exit status of its shard.
package enum PartVerdict: UInt8, Sendable {
  case success = 0
  /// Something differs, or a command failed.
  case difference = 1
  /// Something could not be read, or has changed.
  case unreadable = 3
}

package struct PartTotals: Equatable, Sendable {
  package private(set) var records: UInt64 = 0
  /// The items of the plan that the records answer.
  package private(set) var items: UInt64 = 0
  package private(set) var differences: UInt64 = 0
  package private(set) var unreadable: UInt64 = 0

  package init() {}

  mutating func add(items: UInt32, _ verdict: PartVerdict) {
    records += 1
    self.items += UInt64(items)
    if verdict == .difference { differences += 1 }
    if verdict == .unreadable { unreadable += 1 }
  }

  func line(sha256: String) -> [UInt8] {
    JSONValue.object(members + [.init("sha256", .text(sha256))]).line
  }

  init?(_ object: JSONValue) {
    // More than any file system holds; sums of them stay numbers.
    let most: UInt64 = 1 << 44
    guard take(object), max(records, items, differences, unreadable) < most else { return nil }
  }
}

extension PartTotals: JSONNumbers {
  static var recorded: [(String, WritableKeyPath<PartTotals, UInt64>)] {
    [
      ("records", \.records), ("items", \.items), ("differences", \.differences),
      ("unreadable", \.unreadable),
    ]
  }
}

extension PartVerdict {
  /// The verdict on a result: whether its file could be read.
  package init(_ result: FileResult) {
    self =
      switch result.outcome {
      case .failed, .changed: .unreadable
      case .special: result.isNamed ? .unreadable : .success
      case .done, .noted, .directory, .link: .success
      }
  }
}
