// In which order results come.

/// The order in which results of concurrent work come out.
///
///     let sizes = try await urls.mapConcurrently(limit: 8, order: .completion) { url in
///       try await size(of: url)
///     }
///
/// The corresponding C constant is `WEIR_FILES_UNORDERED`, for files; the maps
/// have no form in C.
public enum ResultOrder: Sendable {
  /// In the order of the input: the same for every run and any number of lanes.
  case input
  /// As they are completed.
  case completion
}
