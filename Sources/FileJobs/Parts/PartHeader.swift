/// The first line of a part, a JSON object.
package struct PartHeader: Equatable, Sendable {
  static let version: UInt64 = 1

  package let plan: String
  /// The shard, counted from 0.
  package var shard: Int
  package let shards: Int
  package let verb: String
  /// The words of the command line that decide on the output, in their order.
  package let words: [[UInt8]]
  /// The engine that started the shard, and its number of the attempt, for people.
  package let engine: String
  package let attempt: Int

  package init(
    plan: String, shard: Int, shards: Int, verb: String, words: [[UInt8]],
    engine: String = "", attempt: Int = 1
  ) {
    self.plan = plan
    self.shard = shard
    self.shards = shards
    self.verb = verb
    self.words = words
    self.engine = engine
    self.attempt = attempt
  }

  var line: [UInt8] {
    let object: JSONValue = .object([
      "format": "weir part", "version": .count(PartHeader.version),
      "plan": .text(plan), "shard": .count(shard), "shards": .count(shards),
      "verb": .text(verb), "words": .array(words.map { .name($0) }),
      "engine": .text(engine), "attempt": .count(attempt),
    ])
    return object.line + [UInt8(ascii: "\n")]
  }

  /// Reads the object of a first line; `nil` if it is malformed.
  init?(_ object: JSONValue) {
    guard let plan = object["plan"]?.text, let shard = object["shard"]?.count,
      let shards = object["shards"]?.count, let verb = object["verb"]?.text,
      let words = object["words"]?.array, let engine = object["engine"]?.text,
      let attempt = object["attempt"]?.count
    else { return nil }
    let names = words.compactMap(\.name)
    let isPrintable = [plan, verb, engine].allSatisfy { text in
      text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }
    guard names.count == words.count, isPrintable else { return nil }
    self.init(
      plan: plan, shard: Int(clamping: shard), shards: Int(clamping: shards), verb: verb,
      words: names, engine: engine, attempt: Int(clamping: attempt))
  }

  /// Throws an error unless the part of this header may stand for another one's.
  package func expect(_ other: PartHeader, of name: [UInt8]) throws(Fault) {
    if plan != other.plan {
      throw Fault(
        name, .other("belongs to another plan (\(plan.prefix(12)), not \(other.plan.prefix(12)))"))
    }
    if shard != other.shard || shards != other.shards {
      throw Fault(
        name,
        .other("is the part of shard \(shard)/\(shards), not of \(other.shard)/\(other.shards)"))
    }
    if verb == other.verb && words == other.words { return }
    let (own, wanted) = (command(without: other), other.command(without: self))
    throw Fault(
      name, .other("was made by another command (\(command: own), not \(command: wanted))"))
  }

  /// The verb, and the words that another command of the same verb does not have.
  private func command(without other: PartHeader) -> [[UInt8]] {
    let own = verb == other.verb ? words.filter { !other.words.contains($0) } : []
    return [Array("weir".utf8), Array(verb.utf8)] + own
  }

  /// The words of the command, for messages.
  package var command: [[UInt8]] { [Array("weir".utf8), Array(verb.utf8)] + words }
}
