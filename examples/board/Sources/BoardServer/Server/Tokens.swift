// The token of the presenter and the code of a class: whoever knows one may use the board.
//
// DESIGN. A file keeps the token, so that a page that is open survives a restart of the server. It
// is created with the mode it needs, in a folder that nobody else can enter: at no time can another
// user read it. The code is short, since people type it; so it is made anew at each start, is valid
// only while the class is open, and CodeGuard limits guesses.

import Foundation
import Glibc

/// The presenter's token of 128 random bits, and the code of a class.
public struct Tokens: Sendable, Equatable {
  /// The token that allows everything.
  public let presenter: String
  /// The code that allows to follow and to answer: six letters.
  public let follower: String

  /// Creates a new token and a new code.
  public init() { self.init(presenter: Tokens.random()) }

  private init(presenter: String) {
    self.presenter = presenter
    // Without I and O, which look like digits.
    let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ")
    follower = String((0..<6).map { _ in letters[.random(in: letters.indices)] })
  }

  private static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return hexadecimal(generator.next()) + hexadecimal(generator.next())
  }

  static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  // MARK: - The file

  /// The file if no other is named: `weir-board/tokens` in `$XDG_STATE_HOME` or `~/.local/state`.
  public static var defaultPath: String {
    let environment = ProcessInfo.processInfo.environment
    if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
      return folder + "/weir-board/tokens"
    }
    return (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state/weir-board/tokens"
  }

  /// Reads the token of a file. Creates the file if there is none.
  ///
  /// - Parameter isRenewed: True to replace the token of the file.
  /// - Throws: `TokenFileError`.
  public static func stored(at path: String, isRenewed: Bool = false) throws -> Tokens {
    if !isRenewed, let text = try read(path) {
      let lines = text.split(separator: "\n").map(String.init)
      // Until 0.11 a second line held the token of the class.
      guard (1...2).contains(lines.count), lines.allSatisfy(isToken) else {
        throw TokenFileError(path, "it is not a file of tokens; use --new-tokens to replace it")
      }
      return Tokens(presenter: lines[0])
    }
    let tokens = Tokens()
    try tokens.write(path)
    return tokens
  }

  private static func isToken(_ text: String) -> Bool {
    text.utf8.count == 32
      && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }

  /// Returns the text of a file; `nil` if there is none.
  private static func read(_ path: String) throws -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw TokenFileError(path)
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw TokenFileError(path) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_mode & 0o077 == 0
    else {
      throw TokenFileError(
        path, "others can read it; use chmod 600, or --new-tokens to replace it")
    }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(file, &bytes, bytes.count)
    guard count >= 0 else { throw TokenFileError(path) }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// Writes a file beside the old one and puts it in its place.
  private func write(_ path: String) throws {
    let folder = (path as NSString).deletingLastPathComponent
    do {
      try FileManager.default.createDirectory(
        atPath: folder.isEmpty ? "." : folder, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw TokenFileError(folder, "the folder cannot be made")
    }
    let draft = "\(path).\(getpid())"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw TokenFileError(path) }
    defer { close(file) }
    let bytes = Array("\(presenter)\n".utf8)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0,
      rename(draft, path) == 0
    else {
      let error = TokenFileError(path)
      unlink(draft)
      throw error
    }
  }
}

/// The reason why a file of tokens cannot be used.
public struct TokenFileError: Error, CustomStringConvertible {
  /// The sentence for a person.
  public let description: String

  init(_ path: String, _ reason: String = String(cString: strerror(errno))) {
    description = "\(path): \(reason)"
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
