// How a run is spoken of.

internal import Weir

/// Words for figures, which are of files, unless a verb says else.
struct Wording: Sendable {
  /// What the lanes do.
  var work = "reading"
  /// What becomes at a signal of what they are at.
  var ending = "what is open is finished"
  /// How far a run came.
  let counts: @Sendable (FileStatistics) -> String
  /// How far it is, after so many seconds; `nil` for files and bytes.
  let parts: (@Sendable (FileStatistics, Double) -> [Progress.Part])?

  /// Of files that are read.
  static let files = Wording(counts: { FileReport.counts($0) }, parts: nil)
}
