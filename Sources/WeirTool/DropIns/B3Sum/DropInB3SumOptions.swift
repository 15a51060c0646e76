// The options of b3sum.

internal import CFileKernels
internal import Glibc

/// The options of a command line of b3sum.
struct DropInB3SumOptions: DropInNames {
  /// The mode of the hash, with its key.
  private(set) var key: kernel_blake3_key_t
  /// A Boolean value that indicates whether the key came from standard input.
  let isKeyed: Bool
  /// The maximum number of threads; `nil` for one per core.
  private(set) var threads: Int?
  /// The number of bytes of output, and the offset of the first one.
  private(set) var length: UInt64 = 32
  private(set) var seek: UInt64 = 0
  let isRaw: Bool
  let hasNames: Bool
  let isTagged: Bool
  let isCheck: Bool
  let isQuiet: Bool
  /// The indices of the operands in argv.
  private let operands: [Int]

  var nameCount: Int { max(1, operands.count) }

  func name(at index: Int) -> UnsafeRawBufferPointer {
    DropInOptionParser.name(operands.isEmpty ? nil : operands[index])
  }

  /// Parses the command line, and reads the key from standard input if it is to be read. Ends
  /// the program if the command line or the key is invalid, and after --help and --version.
  init(_ exit: DropInB3SumExit) {
    let words = Arguments.all
    let arguments = DropInB3SumArguments(
      UnsafeBufferPointer(start: words.vector, count: Int(words.count)), exit)
    arguments.endIfInvalid(exit)
    isKeyed = arguments.has(.keyed)
    isRaw = arguments.has(.raw)
    hasNames = !isRaw && !arguments.has(.noNames)
    isTagged = arguments.has(.tag)
    isCheck = arguments.has(.check)
    isQuiet = arguments.has(.quiet)
    operands = arguments.operands
    key = kernel_blake3_unkeyed()
    if isRaw && operands.count > 1 {
      exit.withError("Only one filename can be provided when using --raw")
    }
    length = arguments.number(.length, "length", exit) ?? length
    seek = arguments.number(.seek, "seek", exit) ?? seek
    if seek.addingReportingOverflow(length).overflow {
      exit.withError("The output ends after 2^64 - 1 bytes.")
    }
    if isKeyed {
      key = DropInB3SumKey.read(exit)
    } else if let context = arguments[.deriveKey] {
      key = DropInB3SumKey.derive(context, exit)
    }
    threads = DropInB3SumOptions.threads(arguments.number(.numThreads, "num threads", exit))
  }

  /// Returns the number of threads, which the environment can set for all programs in Rust
  /// that compute in parallel.
  private static func threads(_ given: UInt64?) -> Int? {
    if let given, given > 0 { return Int(clamping: given) }
    guard let text = getenv("RAYON_NUM_THREADS").map({ DropIn.bytes(of: $0) }),
      case .success(let number) = DropInB3SumNumber.parse(text), number > 0
    else { return nil }
    return Int(clamping: number)
  }
}

extension DropInB3SumArguments {
  /// Ends the program if options contradict each other, in the order of b3sum's messages.
  fileprivate func endIfInvalid(_ exit: DropInB3SumExit) {
    if let option = unfinished { exit.withoutValue(of: option) }
    if has(.keyed) && has(.deriveKey) { exit.withConflict(.keyed, .deriveKey) }
    if has(.check) {
      let others: [DropInB3SumOption] = [.keyed, .deriveKey, .length, .raw, .tag, .noNames]
      if let other = others.first(where: { has($0) }) { exit.withConflict(other, .check) }
    }
    if has(.quiet) && !has(.check) { exit.withMissing(DropInB3SumOption.check.shown) }
    if has(.keyed) && operands.isEmpty { exit.withMissing("<FILE>...") }
    if let option = repeated {
      exit.withUsageError(
        "The argument '\(option.shown)' was provided more than once, "
          + "but cannot be used multiple times")
    }
    if let option = incomplete { exit.withoutValue(of: option) }
  }

  /// Returns the value of an option as a number; ends the program if it is none.
  fileprivate func number(_ option: DropInB3SumOption, _ name: String, _ exit: DropInB3SumExit)
    -> UInt64?
  {
    guard let text = self[option] else { return nil }
    switch DropInB3SumNumber.parse(text) {
    case .success(let number): return number
    case .failure(let error):
      exit.withError("Failed to parse \(name).", cause: error.reason)
    }
  }
}

extension DropInB3SumExit {
  fileprivate func withConflict(_ one: DropInB3SumOption, _ other: DropInB3SumOption) -> Never {
    withUsageError("The argument '\(one.shown)' cannot be used with '\(other.shown)'")
  }

  fileprivate func withoutValue(of option: DropInB3SumOption) -> Never {
    withUsageError("The argument '\(option.shown)' requires a value but none was supplied")
  }

  fileprivate func withMissing(_ argument: String) -> Never {
    withUsageError("The following required arguments were not provided:\n    \(argument)")
  }
}

/// Numbers as Rust reads them.
enum DropInB3SumNumber {
  /// The reason why a text is no number.
  enum Failure: Error {
    case empty, invalid, tooLarge

    var reason: String {
      switch self {
      case .empty: "cannot parse integer from empty string"
      case .invalid: "invalid digit found in string"
      case .tooLarge: "number too large to fit in target type"
      }
    }
  }

  /// Reads a decimal number, which a plus may precede.
  static func parse(_ text: [UInt8]) -> Result<UInt64, Failure> {
    if text.isEmpty { return .failure(.empty) }
    let digits = text.dropFirst(text.first == UInt8(ascii: "+") ? 1 : 0)
    if digits.isEmpty { return .failure(.invalid) }
    var number: UInt64 = 0
    var isTooLarge = false
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return .failure(.invalid) }
      let (product, overflowed) = number.multipliedReportingOverflow(by: 10)
      let (sum, carried) = product.addingReportingOverflow(UInt64(digit - 0x30))
      isTooLarge = isTooLarge || overflowed || carried
      number = sum
    }
    return isTooLarge ? .failure(.tooLarge) : .success(number)
  }
}
