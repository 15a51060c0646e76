// A refusal of a request, with a sentence for the page.

import FlyingFox

/// A refusal: its status and a sentence.
struct Refusal: Error, Equatable {
  let status: HTTPStatusCode
  let message: String

  init(_ status: HTTPStatusCode, _ message: String) {
    (self.status, self.message) = (status, message)
  }
}
