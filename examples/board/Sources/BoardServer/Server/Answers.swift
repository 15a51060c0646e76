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

  /// A response with a body; `sent` is called after its last byte was written.
  static func body(
    _ status: HTTPStatusCode = .ok, _ type: String, _ bytes: Data,
    _ more: [(String, String)] = [], sent: @escaping @Sendable () -> Void
  ) -> HTTPResponse {
    let body = HTTPBodySequence(from: AnswerBody(bytes: bytes, sent: sent), count: bytes.count)
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

/// The body of an answer in one piece, which reports when it has been written.
struct AnswerBody: AsyncBufferedSequence {
  typealias Element = UInt8
  let bytes: Data
  let sent: @Sendable () -> Void

  func makeAsyncIterator() -> Iterator { Iterator(rest: bytes, sent: sent) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    var rest: Data?
    let sent: @Sendable () -> Void

    mutating func next() async throws -> UInt8? { nil }

    /// The server asks for more after it has written the piece before.
    mutating func nextBuffer(suggested count: Int) async throws -> Data? {
      if let piece = rest, !piece.isEmpty {
        rest = nil
        return piece
      }
      sent()
      return nil
    }
  }
}
