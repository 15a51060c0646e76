// A refusal of a request, with a sentence for the page.

/// A refusal: its status and a sentence.
struct Refusal: Error, Equatable {
  /// The status, as HTTP numbers it.
  enum Status: Int {
    case badRequest = 400
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case conflict = 409
    case lengthRequired = 411
    case payloadTooLarge = 413
    case misdirectedRequest = 421
    case tooManyRequests = 429
    case serviceUnavailable = 503
  }

  let status: Status
  let message: String
  /// True if the rest of the request is not read.
  var closes = false

  init(_ status: Status, _ message: String, closes: Bool = false) {
    (self.status, self.message, self.closes) = (status, message, closes)
  }
}
