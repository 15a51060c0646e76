// In which order results come.

/// The order in which results of concurrent work come out.
public enum ResultOrder: Sendable {
  /// In the order of the input: the same for every run and any number of lanes.
  case input
  /// As they are completed.
  case completion
}
