// The report that Preloads/calls.c writes: how often each call was made, and which one failed.

import Glibc
import TestSupport

/// The numbers of calls of one run, and the call that failed.
struct FaultReport {
  /// The size of the file that the library maps.
  static let size = 8192
  private static let names = 12 + 1024
  private static let numbers = names + 128 * 24
  private static let later = numbers + 128 * 4 + 4

  /// The number of calls by name.
  let counts: [String: Int]
  /// The number of calls that failed.
  let hits: Int
  /// The number of descriptors that were open at the end; `nil` if the program did not end by
  /// exit(3).
  let openAtEnd: Int?
  /// The file of the first call that failed, as the call named it; empty if it has none.
  let path: String
  /// The files of all calls that failed, as far as there was space for them.
  let paths: [String]

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.size else { return nil }
    func number(_ offset: Int) -> Int {
      Int(
        Int32(bitPattern: bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }))
    }
    func text(_ offset: Int) -> String {
      String(decoding: bytes[offset...].prefix { $0 != 0 }, as: UTF8.self)
    }
    hits = number(4)
    openAtEnd = number(8) < 0 ? nil : number(8)
    path = text(12)
    paths =
      [path]
      + bytes[Self.later...].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    var counts: [String: Int] = [:]
    for index in 0..<min(number(0), 128) {
      counts[text(Self.names + index * 24)] = number(Self.numbers + index * 4)
    }
    self.counts = counts
  }
}

/// The form of a fault.
enum FaultForm: Hashable, Sendable {
  /// The call fails with this error.
  case error(FaultError)
  /// The call transfers at most so many bytes.
  case short(Int)
  /// The clock is so many seconds ahead from this call on.
  case jump(Int)

  /// True if no caller may see any of it.
  var isInvisible: Bool {
    switch self {
    case .error(let error): error == .interrupted
    case .short, .jump: true
    }
  }

  var setting: String {
    switch self {
    case .error(let error): "FAULT_ERROR=\(error.number)"
    case .short(let length): "FAULT_SHORT=\(length)"
    case .jump(let seconds): "FAULT_JUMP=\(seconds)"
    }
  }
}

/// One fault: the n-th call of a kind, and what happens to it.
struct Fault: Hashable, Sendable, CustomStringConvertible {
  var call: String
  var number: Int
  var form: FaultForm
  /// True if all later calls of the kind fail too.
  var isPermanent = false
  /// Only calls whose path begins or ends with it are counted; empty for all.
  var path = ""

  var environment: [String] {
    ["FAULT_CALL=\(call)", "FAULT_NUMBER=\(number)", form.setting]
      + (isPermanent ? ["FAULT_ALWAYS=1"] : [])
      + (path.isEmpty ? [] : ["FAULT_PATH=\(path)"])
  }

  /// The part of a divided scenario to which the fault belongs.
  func part(of parts: Int) -> Int {
    description.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % parts
  }

  var description: String {
    let what =
      switch form {
      case .error(let error): error.name
      case .short(let length): "\(length) bytes"
      case .jump(let seconds): "\(seconds) s"
      }
    return "\(call) \(number)\(isPermanent ? "+" : "") \(what)"
  }
}

/// An error that a call fails with.
struct FaultError: Hashable, Sendable {
  let name: String
  let number: Int32

  static let io = FaultError(name: "EIO", number: EIO)
  static let interrupted = FaultError(name: "EINTR", number: EINTR)
  static let again = FaultError(name: "EAGAIN", number: EAGAIN)
  static let noMemory = FaultError(name: "ENOMEM", number: ENOMEM)
  static let noSpace = FaultError(name: "ENOSPC", number: ENOSPC)
  static let quota = FaultError(name: "EDQUOT", number: EDQUOT)
  static let readOnly = FaultError(name: "EROFS", number: EROFS)
  static let processFiles = FaultError(name: "EMFILE", number: EMFILE)
  static let systemFiles = FaultError(name: "ENFILE", number: ENFILE)
  static let stale = FaultError(name: "ESTALE", number: ESTALE)
  static let timedOut = FaultError(name: "ETIMEDOUT", number: ETIMEDOUT)
  static let noLocks = FaultError(name: "ENOLCK", number: ENOLCK)
  static let noChild = FaultError(name: "ECHILD", number: ECHILD)
  static let invalid = FaultError(name: "EINVAL", number: EINVAL)
  static let crossDevice = FaultError(name: "EXDEV", number: EXDEV)
}
