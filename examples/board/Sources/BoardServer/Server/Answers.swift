// The answers: their headers and bodies.

import FlyingFox
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

  /// Returns a response with these headers, more of them, and a body.
  static func response(
    _ status: HTTPStatusCode, _ type: String, _ more: [(String, String)],
    _ body: HTTPBodySequence
  ) -> HTTPResponse {
    var response = HTTPResponse(statusCode: status, body: body)
    response.headers[.contentType] = type
    for (name, value) in headers + more { response.headers[HTTPHeader(name)] = value }
    return response
  }

  static func body(
    _ status: HTTPStatusCode = .ok, _ type: String, _ bytes: Data,
    _ more: [(String, String)] = []
  ) -> HTTPResponse {
    response(status, type, more, HTTPBodySequence(data: bytes))
  }

  static func refusal(_ refusal: Refusal, hasBody: Bool = true) -> HTTPResponse {
    body(
      refusal.status, "text/plain; charset=utf-8", Data((hasBody ? refusal.message : "").utf8))
  }
}
