// Counts in JSON: of plans, of parts, and of what shards have found.

/// Counts that a file has as JSON, and a merge adds up.
protocol JSONNumbers {
  static var recorded: [(String, WritableKeyPath<Self, UInt64>)] { get }
}

extension JSONNumbers {
  var members: [JSONValue.Member] {
    Self.recorded.map { .init($0.0, .count(self[keyPath: $0.1])) }
  }

  var json: JSONValue { .object(members) }

  /// Takes the numbers of an object. Returns false if one is malformed or missing.
  mutating func take(_ object: JSONValue) -> Bool {
    for (name, path) in Self.recorded {
      guard let count = object[name]?.count else { return false }
      self[keyPath: path] = count
    }
    return true
  }

  /// Adds numbers that ``json`` has made. Returns false if they are malformed. A number that the
  /// version of the shard does not have is 0.
  mutating func add(_ json: JSONValue) -> Bool {
    for (name, path) in Self.recorded {
      guard let value = json[name] else { continue }
      guard let count = value.count else { return false }
      self[keyPath: path] = self[keyPath: path].addingClamped(count)
    }
    return true
  }
}

extension UInt64 {
  /// Returns the sum, or the largest number of JSON if the sum is larger: sparse files can
  /// have sizes of exabytes.
  func addingClamped(_ other: UInt64) -> UInt64 {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? UInt64(Int64.max) : Swift.min(sum, UInt64(Int64.max))
  }
}
