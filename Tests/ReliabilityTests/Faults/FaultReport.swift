// The report that Preloads/calls.c writes: how often each call was made, and which one failed.

import Glibc
import TestSupport

struct FaultReport {
  /// The size of the file that the library maps.
  static let size = 8192
  private static let names = 12 + 1024
  private static let numbers = names + 128 * 24
  private static let later = numbers + 128 * 4 + 4

  let counts: [String: Int]
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

enum FaultForm: Hashable, Sendable {
  /// The call fails with this error.
  case error(Int32)
  /// The call transfers at most so many bytes.
  case short(Int)
  /// The process is killed before the call.
  case kill

  /// True if no caller may see any of it.
  var isInvisible: Bool {
    switch self {
    case .error(let error): error == EINTR
    case .short: true
    case .kill: false
    }
  }

  var setting: String {
    switch self {
    case .error(let error): "FAULT_ERROR=\(error)"
    case .short(let length): "FAULT_SHORT=\(length)"
    case .kill: "FAULT_KILL=1"
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
      case .error(let error): String(cString: strerror(error))
      case .short(let length): "\(length) bytes"
      case .kill: "killed"
      }
    return "\(call) \(number)\(isPermanent ? "+" : "") \(what)"
  }
}
