// The time limits of a server that tests change.

/// The times that clients, streams and runs have.
struct BoardTimes: Sendable {
  /// The time in which a request comes.
  var request = Duration.seconds(15)
  /// The time in which a client takes a piece of an answer.
  var write = Duration.seconds(30)
  /// The time in which the rest of a request is dropped that was refused unread.
  var reject = Duration.seconds(5)
  /// The time without a message after which a comment in a stream finds a dead connection.
  var comment = Duration.seconds(5)
  /// The time after which a run of a demo is ended.
  var run = Duration.seconds(300)
  /// The time in which a worker that is stopped reports what had happened.
  var stop = Duration.seconds(2)
}
