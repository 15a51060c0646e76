// A picture, made up here: no file and no other machine is needed.

/// An identicon: a pattern that looks the same for the same number.
struct Picture: Sendable, Equatable {
  /// The number that it is the picture of.
  let id: Int
  /// The drawing.
  let svg: String

  /// The picture of a number.
  ///
  /// - Parameter size: How many bytes it has at least.
  init(id: Int, size: Int = 0) {
    // The high bits of a product with an odd number without a pattern of its own.
    let bits = (UInt64(bitPattern: Int64(id)) &+ 1) &* 0x9E37_79B9_7F4A_7C15
    let hue = bits >> 32 % 360
    var squares = ""
    for y in 0..<5 {
      for x in 0..<3 where bits >> (40 + 3 * y + x) & 1 == 1 {
        // The left half is the right half's mirror image.
        for x in Set([x, 4 - x]).sorted() {
          squares += "<rect x=\"\(x)\" y=\"\(y)\" width=\"1\" height=\"1\"/>"
        }
      }
    }
    let head = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 5 5\" id=\"p\(id)\""
    let text = "\(head) fill=\"hsl(\(hue) 60% 45%)\">\(squares)</svg>"
    let filling = max(0, size - text.utf8.count)
    self.id = id
    svg = text + String(repeating: " ", count: filling)
  }

  /// The picture that these bytes are; `nil` where they are none.
  init?(bytes: some Sequence<UInt8>) {
    let text = String(decoding: Array(bytes), as: UTF8.self)
    guard text.hasPrefix("<svg "), text.contains("</svg>"),
      let name = text.firstRange(of: " id=\"p"),
      let id = Int(text[name.upperBound...].prefix { $0 != "\"" })
    else { return nil }
    self.id = id
    svg = text
  }
}

/// Why there is no picture.
enum PictureError: Error, Equatable {
  /// The server answered with this status.
  case status(Int)
  /// The address is not one.
  case badURL
  /// The bytes are no picture.
  case undecodable
}

/// A source of pictures, for callers that block and for those that suspend.
struct PictureSource: Sendable {
  /// Blocks the thread until the picture is there.
  let blocking: @Sendable (Int) throws -> Picture
  /// Suspends the task until the picture is there.
  let suspending: @Sendable (Int) async throws -> Picture

  /// A source that asks these two.
  init(
    blocking: @escaping @Sendable (Int) throws -> Picture,
    suspending: @escaping @Sendable (Int) async throws -> Picture
  ) {
    self.blocking = blocking
    self.suspending = suspending
  }
}
