// The token of the presenter and the code of a class: whoever knows one may use the board.
//
// DESIGN. Both are new at each start, so no file has to keep them. The code is short, since people
// type it. Eight of 24 letters are 110 billion codes, and a guess takes a second: on all 1,024
// connections together, three hours find the code with a chance of 1 in 10,000. Guesses are not
// counted, since a guesser could then lock out the class.

/// The presenter's token of 128 random bits, and the code of a class.
public struct Tokens: Sendable, Equatable {
  /// The token that allows everything.
  public let presenter: String
  /// The code that allows to follow and to answer: eight letters.
  public let follower: String

  /// The time that a wrong code takes.
  static let guessTime = Duration.seconds(1)

  /// Creates a new token and a new code.
  public init() {
    var generator = SystemRandomNumberGenerator()
    presenter = Tokens.hexadecimal(generator.next()) + Tokens.hexadecimal(generator.next())
    // Without I and O, which look like digits.
    let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ")
    follower = String((0..<8).map { _ in letters[.random(in: letters.indices)] })
  }

  static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension String {
  /// True if two texts are equal. The time does not depend on the place of a difference.
  func isEqualInConstantTime(to other: String) -> Bool {
    let (left, right) = (Array(utf8), Array(other.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
