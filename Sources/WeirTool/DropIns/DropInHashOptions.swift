internal import CFileKernels
internal import FileJobs
internal import WeirLibC
internal import SystemPackage

/// The options of a command line of a checksum tool.
struct DropInHashOptions: Sendable {
  /// The mode in which a file is marked as read. It only changes the line.
  enum Mode: Sendable {
    case unspecified, text, binary
  }

  /// The algorithm, and for cksum a Boolean value that indicates whether it is given.
  private(set) var algorithm: DropInAlgorithm
  private(set) var isAlgorithmGiven = false
  /// The number of bits of BLAKE2b; 0 for all.
  private(set) var length: UInt64 = 0
  private(set) var lengthText: [UInt8] = []
  private(set) var isDebugging = false
  private(set) var isCheck = false
  private(set) var mode = Mode.unspecified
  private(set) var isTagged = false
  private(set) var isZeroTerminated = false
  private(set) var ignoresMissing = false
  private(set) var isQuiet = false
  private(set) var isSilent = false
  private(set) var isStrict = false
  private(set) var warns = false
  private(set) var operands = DropInOperands()

  private init(_ algorithm: DropInAlgorithm) {
    self.algorithm = algorithm
  }

  /// Ends the program if the command line is invalid, and after --help and --version.
  static func parse(for dropIn: DropIn, _ streams: DropInStreams) -> DropInHashOptions {
    var options: DropInHashOptions
    switch dropIn.work {
    case .digest(let name): options = DropInHashOptions(digest(name, streams))
    case .b2sum: options = DropInHashOptions(.digest(.blake2b))
    case .cksum, .wc:
      options = DropInHashOptions(.sum(.crc))
      options.isTagged = true
    }
    options.operands = DropInOptionParser.parse(
      all(for: dropIn.work), into: &options, for: dropIn, streams)
    options.applyLength(streams)
    if let conflict = options.conflict(for: dropIn.work) {
      streams.report("\(conflict)")
      streams.endWithUsageHint()
    }
    return options
  }

  private static func digest(_ name: String, _ streams: DropInStreams) -> DropInAlgorithm {
    guard let digest = DigestAlgorithm(name) else { streams.end(after: .notSupported) }
    return .digest(digest)
  }

  func makeParser(for dropIn: DropIn) -> ManifestParser {
    if case .cksum = dropIn.work {
      return ManifestParser(
        asCksum: isAlgorithmGiven ? algorithm.digest : nil, knowing: DropInAlgorithm.cksumDigests)
    }
    return ManifestParser(as: algorithm.digest ?? .md5)
  }

  /// The message about the first conflict between options, in GNU's order.
  private func conflict(for work: DropIn.Work) -> String? {
    let isCksum = if case .cksum = work { true } else { false }
    if isTagged && mode == .text { return "--tag does not support --text mode" }
    return isCheck ? conflictWithCheck(isCksum: isCksum) : conflictWithoutCheck
  }

  private func conflictWithCheck(isCksum: Bool) -> String? {
    let pairs = [
      (isZeroTerminated, "the --zero option is not supported when verifying checksums"),
      (isTagged && !isCksum, "the --tag option is meaningless when verifying checksums"),
      (
        mode != .unspecified && !isCksum,
        "the --binary and --text options are meaningless when verifying checksums"
      ),
    ]
    return pairs.first { $0.0 }?.1
  }

  private var conflictWithoutCheck: String? {
    let pairs = [
      (ignoresMissing, "--ignore-missing"), (isSilent, "--status"), (warns, "--warn"),
      (isQuiet, "--quiet"), (isStrict, "--strict"),
    ]
    return pairs.first { $0.0 }.map {
      "the \($0.1) option is meaningful only when verifying checksums"
    }
  }
}

// MARK: Algorithm and length

extension DropInHashOptions {
  private mutating func setAlgorithm(_ name: [UInt8], _ streams: DropInStreams) {
    guard let known = DropInAlgorithm.cksum.first(where: { $0.name.utf8.elementsEqual(name) })
    else {
      let option = Array("--algorithm".utf8)
      streams.report("invalid argument \(gnu: name) for \(gnu: option)")
      streams.writeError("Valid arguments are:")
      for known in DropInAlgorithm.cksum {
        streams.writeError("  - \(gnu: Array(known.name.utf8))")
      }
      streams.endWithUsageHint()
    }
    (algorithm, isAlgorithmGiven) = (known.algorithm, true)
  }

  /// Sets the number of bits, which strtoumax(3) reads.
  private mutating func setLength(_ text: [UInt8], _ streams: DropInStreams) {
    lengthText = text
    let message: Message = "invalid length: \(gnu: text)"
    switch DropInHashOptions.number(text) {
    case .some(let number?): length = number
    case .some(nil): streams.end(reporting: message, error: EOVERFLOW)
    case nil: streams.end(reporting: message)
    }
    if length % 8 != 0 {
      streams.report(message)
      streams.end(reporting: "length is not a multiple of 8")
    }
  }

  /// Reads a decimal number; `.some(nil)` if it is too large, `nil` if it is no number.
  private static func number(_ text: [UInt8]) -> UInt64?? {
    var digits = text.drop { $0 == UInt8(ascii: " ") || (9...13).contains($0) }
    if digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return .some(UInt64(String(decoding: digits, as: UTF8.self)))
  }

  /// Applies the number of bits to the algorithm. Ends the program if the two do not fit.
  private mutating func applyLength(_ streams: DropInStreams) {
    guard case .digest(.blake2b) = algorithm else {
      if length > 0 {
        streams.end(reporting: "--length is only supported with --algorithm=blake2b")
      }
      if case .sum = algorithm, isCheck, isAlgorithmGiven {
        streams.end(reporting: "--check is not supported with --algorithm={bsd,sysv,crc}")
      }
      return
    }
    if length == 0 { return }
    guard let shorter = DigestAlgorithm.blake2b.withLength(Int(clamping: length / 8)) else {
      streams.report("invalid length: \(gnu: lengthText)")
      streams.end(
        reporting: "maximum digest length for \(gnu: Array("BLAKE2b".utf8)) is 512 bits")
    }
    // Lines to verify have lengths of their own.
    if !isCheck { algorithm = .digest(shorter) }
  }
}

// The tables for getopt_long.
extension DropInHashOptions {
  private static func all(for work: DropIn.Work) -> [DropInOption<DropInHashOptions>] {
    switch work {
    case .digest, .wc: common + modes
    case .b2sum: [length] + common + modes
    case .cksum: [length] + common + cksum
    }
  }

  private static let length = DropInOption<DropInHashOptions>("length", "l") {
    $0.setLength($1, $2)
  }

  private static let common: [DropInOption<DropInHashOptions>] = [
    DropInOption("check", "c") { $0.isCheck = true },
    DropInOption("ignore-missing") { $0.ignoresMissing = true },
    DropInOption("quiet") { ($0.isSilent, $0.warns, $0.isQuiet) = (false, false, true) },
    DropInOption("status") { ($0.isSilent, $0.warns, $0.isQuiet) = (true, false, false) },
    DropInOption("warn", "w") { ($0.isSilent, $0.warns, $0.isQuiet) = (false, true, false) },
    DropInOption("strict") { $0.isStrict = true },
    DropInOption("tag") { ($0.isTagged, $0.mode) = (true, .binary) },
    DropInOption("zero", "z") { $0.isZeroTerminated = true },
  ]

  private static let modes: [DropInOption<DropInHashOptions>] = [
    DropInOption("binary", "b") { $0.mode = .binary },
    DropInOption("text", "t") { $0.mode = .text },
  ]

  private static let cksum: [DropInOption<DropInHashOptions>] = [
    DropInOption("algorithm", "a") { $0.setAlgorithm($1, $2) },
    DropInOption("debug") { $0.isDebugging = true },
    DropInOption("untagged") { ($0.isTagged, $0.mode) = (false, .unspecified) },
    DropInOption(refused: "b"),
    DropInOption(refused: "t"),
  ]
}

extension Message.StringInterpolation {
  /// Appends an argument of the command line in the quotes of the locale, with the escapes of C:
  /// `‘x\n’`, or `'x\n'` in the locale C. The result follows the published behaviour of gnulib's
  /// style `locale`.
  mutating func appendInterpolation(gnu argument: [UInt8]) {
    let isUTF8 = kernel_charset() == KERNEL_CHARSET_UTF8
    let end = Array((isUTF8 ? "\u{2019}" : "'").utf8)
    var bytes = Array((isUTF8 ? "\u{2018}" : "'").utf8)
    var rest = argument[...]
    while !rest.isEmpty {
      var isPrintable = false
      let length = rest.withUnsafeBytes {
        kernel_character($0.baseAddress, $0.count, &isPrintable)
      }
      let character = rest.prefix(length)
      if isPrintable {
        let backslash = UInt8(ascii: "\\")
        let isSpecial = character.elementsEqual(end) || character.first == backslash
        bytes += (isSpecial ? [backslash] : []) + character
      } else {
        for byte in character { QuotedName.withEscape(of: byte) { bytes.append(contentsOf: $0) } }
      }
      rest = rest.dropFirst(length)
    }
    append(.text(bytes + end))
  }
}
