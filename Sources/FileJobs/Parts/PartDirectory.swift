internal import WeirLibC
internal import SystemPackage

/// The parts of a plan in a directory, and the attempts at them.
package struct PartDirectory {
  package enum State: Equatable, Sendable {
    case done
    /// There are attempts, which may still run.
    case begun(attempts: [[UInt8]])
    case missing
  }

  package let path: [UInt8]
  package let shards: Int
  package private(set) var states: [State]
  /// The names that look like parts and belong to no shard of the plan.
  package private(set) var foreign: [String] = []

  /// Reads a directory. It opens none of the parts.
  package init(_ path: [UInt8], shards: Int) throws(Fault) {
    self.path = path
    self.shards = shards
    states = Array(repeating: .missing, count: shards)
    // The first shard makes the directory.
    let names = try Fault.of(path, try ifExists(try PartDirectory.names(in: path)))
    for name in (names ?? []).sorted() {
      let isPart = name.hasSuffix(".part")
      guard let file = PartFile(name: name, in: path), file.shards == shards else {
        if isPart { foreign.append(name) }
        continue
      }
      if isPart { states[file.shard] = .done } else { add(attempt: name, of: file.shard) }
    }
  }

  private mutating func add(attempt name: String, of shard: Int) {
    let path = path + Array("/\(name)".utf8)
    switch states[shard] {
    case .done: break
    case .begun(let others): states[shard] = .begun(attempts: others + [path])
    case .missing: states[shard] = .begun(attempts: [path])
    }
  }

  package var firstDone: PartFile? {
    states.firstIndex(of: .done).map { file($0) }
  }

  package var missing: [Int] { states.indices.filter { states[$0] != .done } }

  package func file(_ shard: Int) -> PartFile { PartFile(in: path, shard: shard, of: shards) }

  /// Returns the paths of the attempts at a shard.
  static func attempts(at file: PartFile) -> [[UInt8]] {
    let names = (try? names(in: file.directory)) ?? []
    return names.filter { $0.hasPrefix(file.attemptPrefix) }.sorted()
      .map { file.directory + Array("/\($0)".utf8) }
  }

  /// Returns the names in a directory, but for those that are no text.
  static func names(in path: [UInt8]) throws(Errno) -> [String] {
    try directoryNames(path).compactMap { String(validating: $0, as: UTF8.self) }
  }
}

extension PartFile {
  /// Removes all attempts at a shard with a part. One that still runs ends as late.
  package func removeAttempts() {
    for path in PartDirectory.attempts(at: self) { _ = withPath(path) { unlink($0) } }
  }
}
