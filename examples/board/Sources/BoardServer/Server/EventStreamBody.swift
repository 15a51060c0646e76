// The body of a response that goes on: the stream of a channel.

import FlyingSocks

/// The body of a response that is a stream.
struct EventStreamBody: AsyncBufferedSequence {
  typealias Element = UInt8
  let stream: EventStream
  let progress: AnswerProgress

  func makeAsyncIterator() -> Iterator { Iterator(stream: stream, progress: progress) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    let stream: EventStream
    let progress: AnswerProgress
    var hasBegun = false

    mutating func next() async throws -> UInt8? { nil }

    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
      if !hasBegun { progress.began() }
      hasBegun = true
      if let bytes = await stream.next() { return bytes }
      progress.sent()
      return nil
    }
  }
}
