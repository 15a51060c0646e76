internal import CTestSupport
internal import Foundation
internal import Glibc

/// A pseudoterminal.
public final class Terminal {
  private let side: Int32
  /// The path at which programs open it.
  public let name: [UInt8]
  public private(set) var bytes: [UInt8] = []

  /// - Parameter input: The input, written before the program reads it.
  public init(input: String = "", columns: Int = 80, rows: Int = 24) throws {
    var (side, buffer) = (Int32(-1), [CChar](repeating: 0, count: 128))
    let error = test_terminal(&side, &buffer, buffer.count)
    if error != 0 { throw SystemFailure("open a terminal", error) }
    self.side = side
    name = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    resize(columns: columns, rows: rows)
    try type(input)
  }

  deinit { close(side) }

  public var nameText: String { String(decoding: name, as: UTF8.self) }

  public var text: String { String(decoding: bytes, as: UTF8.self) }

  public func resize(columns: Int, rows: Int) {
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(side, UInt(TIOCSWINSZ), &size)
  }

  public func type(_ text: String) throws { try writeAll(Array(text.utf8), to: side) }

  /// Reads the output until it satisfies a condition. Returns false at the end of the output
  /// or of the time.
  public func collect(until isEnough: (String) -> Bool) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !isEnough(text) {
      var poller = pollfd(fd: side, events: Int16(POLLIN), revents: 0)
      guard poll(&poller, 1, 120_000) == 1 else { return false }
      let count = read(side, &buffer, buffer.count)
      if count <= 0 { return false }
      bytes += buffer.prefix(count)
    }
    return true
  }

  /// Returns the output up to the end of the line that contains `end`, or up to a time limit.
  public func text(until end: String) -> String {
    _ = collect { text in
      text.range(of: end).map { text[$0.upperBound...].contains("\n") } ?? false
    }
    return text
  }

  public var progressLines: [String] {
    text.components(separatedBy: "\r\u{1B}[J").dropFirst().map { part in
      String(part.prefix { $0 != "\r" && $0 != "\n" && $0 != "\r\n" && $0 != "\u{1B}" })
    }.filter { $0.contains("files") || $0.contains("%") }
  }
}
