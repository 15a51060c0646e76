/// The format of a JSON object per file:
///
/// ```text
/// {"type":"file","path":{"text":"a.c"},"size":3,"digests":{"sha256":"..."}}
/// ```
///
/// Names are as ``JSONName`` writes them.
struct JSONLine: Sendable {
  /// `"sha256":"`, with a comma before each but the first.
  private let labels: [[UInt8]]
  private let digitCount: Int
  private let terminator: UInt8

  init(_ algorithms: [DigestAlgorithm], isZeroTerminated: Bool) {
    labels = algorithms.enumerated().map { index, algorithm in
      Array("\(index == 0 ? "" : ",")\"\(algorithm.name)\":\"".utf8)
    }
    digitCount = algorithms.reduce(0) { $0 + $1.byteCount * 2 + 32 }
    terminator = isZeroTerminated ? 0 : UInt8(ascii: "\n")
  }

  func capacity(nameCount: Int) -> Int {
    128 + digitCount + JSONName.capacity(nameCount: nameCount)
  }

  /// Writes a line. Returns the number of bytes.
  func write(
    name: UnsafeRawBufferPointer, size: UInt64, digests: [Digest],
    to out: UnsafeMutableRawBufferPointer
  ) -> Int {
    var line = LineWriter(out)
    line.append("{\"type\":\"file\",\"path\":")
    JSONName.append(name, to: &line)
    line.append(",\"size\":")
    line.append(size)
    line.append(",\"digests\":{")
    for (label, digest) in zip(labels, digests) {
      line.append(label)
      line.append(hexadecimal: digest.bytes)
      line.append(UInt8(ascii: "\""))
    }
    line.append("}}")
    line.append(terminator)
    return line.count
  }
}
