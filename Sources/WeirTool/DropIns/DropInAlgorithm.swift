// The algorithms of the checksum tools: digests, and the checksums of cksum.

internal import CFileKernels
internal import FileJobs
internal import SystemPackage
internal import Weir

enum DropInAlgorithm: Sendable {
  case digest(DigestAlgorithm)
  case sum(DropInSum)

  /// The algorithms of cksum by name, in the order of its messages.
  static let cksum: [(name: String, algorithm: DropInAlgorithm)] =
    [("bsd", .sum(.bsd)), ("sysv", .sum(.sysv)), ("crc", .sum(.crc))]
    + ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "sm3"].compactMap {
      name in DigestAlgorithm(name).map { (name, .digest($0)) }
    }

  static var cksumDigests: [DigestAlgorithm] { cksum.compactMap(\.algorithm.digest) }

  var digest: DigestAlgorithm? {
    if case .digest(let digest) = self { digest } else { nil }
  }

  /// The name in messages about lines.
  var tag: String {
    switch self {
    case .digest(let digest): digest.tag
    case .sum(let sum): sum.tag
    }
  }
}

/// A checksum of cksum.
enum DropInSum: Sendable {
  case bsd, sysv, crc

  var kind: kernel_sum_kind_t {
    switch self {
    case .bsd: KERNEL_SUM_BSD
    case .sysv: KERNEL_SUM_SYSV
    case .crc: KERNEL_SUM_CRC
    }
  }

  var tag: String {
    switch self {
    case .bsd: "BSD"
    case .sysv: "SYSV"
    case .crc: "CRC"
    }
  }

  /// The message of --debug; `nil` if there is none.
  var debugMessage: String? {
    switch self {
    case .bsd, .sysv: nil
    case .crc:
      kernel_sum_has_clmul() ? "using pclmul hardware support" : "pclmul support not detected"
    }
  }

  /// Appends the beginning of a line: the checksum, and the number of bytes or blocks.
  func append(_ value: UInt32, of length: UInt64, to line: inout LineWriter) {
    switch self {
    case .crc:
      line.append(UInt64(value))
      line.append(" ")
      line.append(length)
    case .sysv:
      line.append(UInt64(value))
      line.append(" ")
      line.append(DropInSum.blocks(of: 512, length))
    case .bsd:
      DropInSum.append(UInt64(value), filler: "0", to: &line)
      line.append(" ")
      DropInSum.append(DropInSum.blocks(of: 1024, length), filler: " ", to: &line)
    }
  }

  private static func blocks(of size: UInt64, _ length: UInt64) -> UInt64 {
    length / size + (length % size == 0 ? 0 : 1)
  }

  /// Appends a number with at least five characters.
  private static func append(_ number: UInt64, filler: StaticString, to line: inout LineWriter) {
    var least: UInt64 = 10_000
    while least > max(number, 1) {
      line.append(filler)
      least /= 10
    }
    line.append(number)
  }
}

/// The checksum of one file after the other, with the line `CHECKSUM LENGTH NAME`, without the name if
/// the command line has none.
final class DropInSumContent: DropInContent {
  private let algorithm: DropInSum
  private let (hasName, isZeroTerminated): (Bool, Bool)
  private var sum = kernel_sum_t()

  private static let textMax = 48

  init(_ algorithm: DropInSum, hasName: Bool, isZeroTerminated: Bool) {
    self.algorithm = algorithm
    (self.hasName, self.isZeroTerminated) = (hasName, isZeroTerminated)
  }

  func read(_ file: borrowing OpenFile) throws(Errno) {
    sum = kernel_sum_t()
    while let piece = try file.readPiece() {
      kernel_sum_add(&sum, algorithm.kind, piece.baseAddress, piece.count)
    }
    let name = file.path
    try file.write(capacity: DropInSumContent.textMax + name.count) { memory in
      var line = LineWriter(memory)
      algorithm.append(kernel_sum_value(&sum, algorithm.kind), of: sum.length, to: &line)
      if hasName {
        line.append(UInt8(ascii: " "))
        line.append(name)
      }
      line.append(isZeroTerminated ? 0 : UInt8(ascii: "\n"))
      return line.count
    }
  }
}
