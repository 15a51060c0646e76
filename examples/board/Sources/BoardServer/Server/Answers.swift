// The answers: their headers and bodies.

import FlyingFox
import FlyingSocks
import Foundation

/// Builds responses, all with the headers that protect the page.
enum Answers {
  static let headers: [(String, String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("Cache-Control", "no-store"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]

  /// A response with a body.
  static func body(
    _ status: HTTPStatusCode = .ok, _ type: String, _ bytes: Data,
    _ more: [(String, String)] = [], progress: AnswerProgress
  ) -> HTTPResponse {
    let body = HTTPBodySequence(
      from: AnswerBody(bytes: bytes, progress: progress), count: bytes.count)
    var response = HTTPResponse(statusCode: status, body: body)
    response.headers[.contentType] = type
    for (name, value) in headers + more { response.headers[HTTPHeader(name)] = value }
    return response
  }

  /// A response that goes on, in chunks.
  static func stream(_ body: some AsyncBufferedSequence<UInt8>) -> HTTPResponse {
    var response = HTTPResponse(statusCode: .ok, body: HTTPBodySequence(from: body))
    response.headers[.contentType] = "text/event-stream"
    for (name, value) in headers { response.headers[HTTPHeader(name)] = value }
    return response
  }
}

/// The reports of a body on its way.
struct AnswerProgress: Sendable {
  /// Called when the head has been written.
  let began: @Sendable () -> Void
  /// Called when the last byte has been written.
  let sent: @Sendable () -> Void
}

/// The body of an answer in one piece.
struct AnswerBody: AsyncBufferedSequence {
  typealias Element = UInt8
  let bytes: Data
  let progress: AnswerProgress

  func makeAsyncIterator() -> Iterator { Iterator(rest: bytes, progress: progress) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    var rest: Data?
    let progress: AnswerProgress

    mutating func next() async throws -> UInt8? { nil }

    /// The server asks for the first piece after the head, and for more after each piece.
    mutating func nextBuffer(suggested count: Int) async throws -> Data? {
      if let piece = rest.take() {
        progress.began()
        if !piece.isEmpty { return piece }
      }
      progress.sent()
      return nil
    }
  }
}
