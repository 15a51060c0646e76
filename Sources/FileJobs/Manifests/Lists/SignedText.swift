/// The distinction between a list and the armour around it, line by line.
///
/// ```text
/// -----BEGIN PGP SIGNED MESSAGE-----       untrusted comment: verify with a.pub
/// Hash: SHA256                             RWQ...
///
/// DIGEST  NAME                             SHA256 (NAME) = DIGEST
/// -----BEGIN PGP SIGNATURE-----
/// iQEz...
/// -----END PGP SIGNATURE-----
/// ```
///
/// A signature is not verified.
struct SignedText {
  private enum Part {
    case text
    /// The lines up to an empty one.
    case header
    /// The lines up to the end of the signature.
    case signature
    /// One line, the signature of signify or minisign.
    case next
  }

  private var part = Part.text
  /// True within a message or signature of OpenPGP: a list that ends there was cut.
  private var isOpen = false

  private static let comments = ["untrusted comment:", "trusted comment:"].map { Array($0.utf8) }
  private static let headers = ["Hash:", "Charset:", "Comment:", "NotDashEscaped:", "Version:"]
    .map { Array($0.utf8) }

  /// Returns true if a line belongs to the armour. A line that cannot stands for itself, wherever it
  /// is: nothing of a list is hidden by the beginning of an armour.
  mutating func takes(_ line: UnsafeMutableRawBufferPointer) -> Bool {
    switch part {
    case .text: break
    case .header:
      if line.allSatisfy({ $0 <= 0x20 }) {
        part = .text
        return true
      }
      if SignedText.isHeader(line) { return true }
    case .signature:
      if SignedText.isHeader(line) || SignedText.isBase64(line) { return true }
      if SignedText.trimmed(line).elementsEqual("-----END PGP SIGNATURE-----".utf8) {
        part = .text
        isOpen = false
        return true
      }
    case .next:
      part = .text
      // Signatures of Ed25519 begin with these letters.
      if line.starts(with: "RW".utf8) && SignedText.isBase64(line) { return true }
    }
    guard let begin = SignedText.part(after: line) else {
      part = .text
      return false
    }
    part = begin
    if part != .next { isOpen = true }
    return true
  }

  /// Returns true, once, if the list ends within the armour.
  mutating func takeCut() -> Bool {
    defer { isOpen = false }
    return isOpen
  }

  /// Returns the part that a line begins; `nil` for a line of the list.
  private static func part(after line: UnsafeMutableRawBufferPointer) -> Part? {
    guard let first = line.first, "-ut".utf8.contains(first) else { return nil }
    if trimmed(line).elementsEqual("-----BEGIN PGP SIGNED MESSAGE-----".utf8) { return .header }
    if trimmed(line).elementsEqual("-----BEGIN PGP SIGNATURE-----".utf8) { return .signature }
    let isComment = comments.contains { line.starts(with: $0) }
    return isComment && ManifestText(line)?.hasDigest == false ? .next : nil
  }

  private static func trimmed(
    _ line: UnsafeMutableRawBufferPointer
  ) -> Slice<UnsafeMutableRawBufferPointer> {
    line[..<((line.lastIndex { $0 > 0x20 } ?? -1) + 1)]
  }

  private static func isHeader(_ line: UnsafeMutableRawBufferPointer) -> Bool {
    headers.contains { line.starts(with: $0) } && ManifestText(line)?.hasDigest == false
  }

  private static func isBase64(_ line: UnsafeMutableRawBufferPointer) -> Bool {
    guard let text = ManifestText(line) else { return true }
    let count = text.count - (text[text.count - 1] == UInt8(ascii: "\r") ? 1 : 0)
    return text.isBase64(0..<count)
  }
}
