/// A rule by which files are assigned to shards.
package enum ShardStrategy: String, CaseIterable, Sendable {
  /// Equal bytes, and a fixed cost for each file.
  case size
  /// Equal numbers of files.
  case count
  /// The hash of the name: a file keeps its shard when other files come and go.
  case hash
  /// All files of one size in one shard, so that duplicates are never apart.
  case sizeClass = "size-class"
}
