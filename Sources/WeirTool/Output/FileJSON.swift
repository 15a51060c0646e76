// What verbs that read files say of them in JSON, in the same words.

internal import Weir

extension JSONText {
  /// An object for a file of which there is nothing else to write: `error`, or
  /// `skipped`.
  mutating func append(_ finding: FileReport.Finding, path: UnsafeRawBufferPointer) {
    begin(finding.isSkip ? "skipped" : "error")
    append("path", name: path)
    append("kind", finding.kind)
    append("message", finding.reason)
    end()
  }

  /// The members of a summary that tell how much was read, and what was not.
  mutating func append(_ statistics: FileStatistics) {
    append("bytes", statistics.bytes)
    append("unreadable", statistics.failed)
    append("changed", statistics.changed)
    append("special", statistics.special)
    append("links", statistics.links)
    append("filtered", statistics.filtered)
    append("excluded", statistics.excluded)
  }
}
