// The options of xxhsum, which has a parser of its own: no abbreviations, and no options after
// the first file.

internal import FileJobs
internal import Glibc

/// The options of a command line of xxhsum.
struct DropInXXHSumOptions: DropInNames {
  private(set) var algorithm: DigestAlgorithm
  private(set) var isCheck = false
  private(set) var isTagged = false
  private(set) var isLittleEndian = false
  private(set) var isQuiet = false
  private(set) var isSilent = false
  private(set) var isStrict = false
  private(set) var warns = false
  /// The indices of the operands in argv.
  private var operands = 0..<0
  /// True if the word `-` requests standard input.
  private var requestsInput = false

  /// The name of standard input, in lines.
  static let standardInput: StaticString = "stdin"

  fileprivate enum Request {
    case help, version
    /// The word is invalid.
    case invalid
    /// The word requests a benchmark.
    case benchmark
  }

  /// Parses the command line. Ends the program if it is invalid, and after --help and
  /// --version.
  static func parse(for dropIn: DropIn, _ streams: DropInStreams) -> DropInXXHSumOptions {
    var options = DropInXXHSumOptions(algorithm: .xxh64)
    let words = Arguments.all
    let count = Int(words.count)
    var index = min(1, count)
    while index < count, let word = words.vector[index].map({ DropIn.bytes(of: $0) }),
      word.first == UInt8(ascii: "-")
    {
      index += 1
      if word.elementsEqual("--".utf8) { break }
      if let request = options.set(word) { dropIn.end(after: request, word, streams) }
    }
    options.operands = index..<count
    if options.operands.isEmpty && !options.requestsInput && isatty(STDIN_FILENO) == 1 {
      streams.report("standard input is a terminal; name a file, or - to read the terminal")
      streams.endWithUsageHint()
    }
    return options
  }

  // MARK: Names

  /// A Boolean value that indicates whether the only input is standard input.
  var readsStandardInput: Bool { operands.isEmpty }

  /// The number of names; 1 if there are no operands, for standard input.
  var nameCount: Int { max(1, operands.count) }

  func name(at index: Int) -> UnsafeRawBufferPointer {
    if operands.isEmpty {
      let name = DropInXXHSumOptions.standardInput
      return UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    }
    return DropInOptionParser.name(at: index, of: operands)
  }

  func isStandardInput(at index: Int) -> Bool { readsStandardInput }

  // MARK: Words

  /// Sets the options of a word. Returns a request that ends the program; `nil` for others.
  private mutating func set(_ word: [UInt8]) -> Request? {
    word.starts(with: "--".utf8)
      ? setLong(String(decoding: word, as: UTF8.self)) : setLetters(word.dropFirst())
  }

  private mutating func setLong(_ word: String) -> Request? {
    switch word {
    case "--check": isCheck = true
    case "--little-endian": isLittleEndian = true
    case "--quiet": isQuiet = true
    case "--status": isSilent = true
    case "--strict": isStrict = true
    case "--tag": isTagged = true
    case "--warn": warns = true
    case "--help": return .help
    case "--version": return .version
    case "--bench-all", "--benchmark-all": return .benchmark
    default: return .invalid
    }
    return nil
  }

  private mutating func setLetters(_ letters: ArraySlice<UInt8>) -> Request? {
    var rest = letters
    if rest.isEmpty { requestsInput = true }
    while let letter = rest.popFirst() {
      switch letter {
      case UInt8(ascii: "c"): isCheck = true
      case UInt8(ascii: "q"): isQuiet = true
      case UInt8(ascii: "w"): warns = true
      case UInt8(ascii: "h"): return .help
      case UInt8(ascii: "V"): return .version
      case UInt8(ascii: "b"), UInt8(ascii: "i"), UInt8(ascii: "B"): return .benchmark
      case UInt8(ascii: "H"):
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest.dropFirst(digits.count)
        guard let algorithm = DropInXXHSumOptions.algorithm(digits) else { return .invalid }
        self.algorithm = algorithm
      default: return .invalid
      }
    }
    return nil
  }

  /// Returns the algorithm of a number; that of 0 without digits.
  private static func algorithm(_ digits: ArraySlice<UInt8>) -> DigestAlgorithm? {
    let text = digits.isEmpty ? "0" : String(decoding: digits, as: UTF8.self)
    switch Int(text) {
    case 0, 32: return .xxh32
    case 1, 64: return .xxh64
    case 2, 128: return .xxh128
    case 3: return .xxh3
    default: return nil
    }
  }
}

extension DropIn {
  /// Does what a word requests, and ends the program.
  fileprivate func end(
    after request: DropInXXHSumOptions.Request, _ word: [UInt8], _ streams: DropInStreams
  ) -> Never {
    switch request {
    case .help: DropInOptionParser.end(streams, with: help)
    case .version: DropInOptionParser.end(streams, with: version)
    case .benchmark:
      streams.end(
        reporting: DropInQuote.bytes(of: word)
          + Array(": Weir has no benchmark; use the xxhsum of xxHash for it".utf8))
    case .invalid:
      streams.report(Array("invalid option ".utf8) + DropInQuote.bytes(of: word))
      streams.endWithUsageHint()
    }
  }
}
