// A line of a state file: the times of a line of a manifest.
//
//     2026-11-27T01:30:05Z -                    9f86d0...  photos/a.jpg
//     -                    2026-11-27T01:30:06Z 60303a...  photos/b.jpg
//
// The columns are the last time at which the file had its digest; the last time since then at
// which it had not, or could not be read; the digests, with commas; and the name, in which
// newlines, carriage returns and backslashes are escaped. The last two columns are the key. A time in
// the second column that ends in "z" is that of a file that was edited or missing, and not damaged.

/// The times of a line, in seconds since 1970; 0 for never.
struct ProofTimes: Equatable {
  /// The last time at which the file had its digest.
  var proved: UInt32 = 0
  /// The last time since then at which it did not, or could not be read.
  var failed: UInt32 = 0
  /// True if since then it was only edited or missing, which an update settles.
  var isEdited = false

  var read: UInt32 { max(proved, failed) }
}

enum ProofLine {
  private static let blank = UInt8(ascii: " ")
  private static let none = Array("-                   ".utf8)
  private static let editMark = UInt8(ascii: "z")
  private static let keyOffset = 2 * (UTCTime.count + 1)

  static func append(_ times: ProofTimes, key: [UInt8], to bytes: inout [UInt8]) {
    for time in [times.proved, times.failed] {
      bytes += time == 0 ? none : Array(UTCTime.text(time).utf8)
      bytes.append(blank)
    }
    if times.isEdited { bytes[bytes.count - 2] = editMark }
    bytes += key
    bytes.append(UInt8(ascii: "\n"))
  }

  static func key(_ digests: some Sequence<ExpectedDigest>, _ name: UnsafeRawBufferPointer)
    -> [UInt8]
  {
    var key: [UInt8] = []
    for digest in digests {
      if !key.isEmpty { key.append(UInt8(ascii: ",")) }
      key += LineWriter.bytes(capacity: 2 * digest.digest.count) {
        $0.append(hexadecimal: digest.digest)
      }
    }
    key += [blank, blank]
    key.append(escaping: name)
    return key
  }

  static func name(in key: UnsafeRawBufferPointer) -> [UInt8] {
    var name: [UInt8] = []
    var isEscaped = false
    for byte in key.drop(while: { $0 != blank }).dropFirst(2) {
      if byte == UInt8(ascii: "\\") && !isEscaped {
        isEscaped = true
      } else {
        name.append(isEscaped ? ManifestText.escaped(byte) ?? byte : byte)
        isEscaped = false
      }
    }
    return name
  }

  /// Reads a line; `nil` if it is malformed. A time in the future counts as never: the clock was
  /// wrong then, or is now.
  static func parse(
    _ line: UnsafeRawBufferPointer, now: UInt32
  ) -> (times: ProofTimes, key: UnsafeRawBufferPointer)? {
    guard line.count > keyOffset, let proved = time(line, 0),
      let failed = time(line, UTCTime.count + 1), !line.contains(0)
    else { return nil }
    let key = line[keyOffset...].rebased
    let digests = key.prefix { $0 != blank }
    guard digests.count >= 2, key.count > digests.count + 2, key[digests.count + 1] == blank else {
      return nil
    }
    let times = ProofTimes(
      proved: proved <= now ? proved : 0, failed: min(failed, now),
      isEdited: line[keyOffset - 2] == editMark)
    return (times, key)
  }

  /// Reads the time of a column; 0 for never.
  private static func time(_ line: UnsafeRawBufferPointer, _ offset: Int) -> UInt32? {
    let column = line[offset..<offset + UTCTime.count].rebased
    guard line[offset + UTCTime.count] == blank else { return nil }
    if column.elementsEqual(none) { return 0 }
    if column.last != editMark { return UTCTime.parse(column) }
    return (Array(column.dropLast()) + [UInt8(ascii: "Z")]).withUnsafeBytes { UTCTime.parse($0) }
  }
}
