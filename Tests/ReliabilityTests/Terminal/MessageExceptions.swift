// The messages that no row reaches, each with the reason.

enum MessageExceptions {
  /// The reasons by the longest literal of the message.
  static let all: [String: String] = [:]
}
