// An open plan, or a part of one: its first line, and its length.

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A regular file that begins with a line of JSON.
struct PlanFile {
  let name: [UInt8]
  let descriptor: FileDescriptor
  private let size: UInt64

  /// Opens a file. The caller closes the descriptor.
  init(_ name: [UInt8]) throws(PlanError) {
    self.name = name
    descriptor = try PlanError.attributing(to: name) { () throws(Errno) in
      if name.isEmpty { throw .noSuchFileOrDirectory }
      return try openFile(name, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    }
    let status = try? stat(of: descriptor)
    guard let status, status.isRegularFile else {
      close(descriptor.rawValue)
      let isDirectory = status.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
      throw PlanError(name, isDirectory ? .system(.isDirectory) : .notPlan)
    }
    size = UInt64(max(0, status.st_size))
  }

  /// Returns the first line with its newline.
  func firstLine() throws(PlanError) -> [UInt8] {
    var line: [UInt8] = []
    while line.count < PlanReader.lineMax {
      let piece = try PlanError.attributing(to: name) { () throws(Errno) in
        try descriptor.bytes(at: line.count, count: 1 << 14)
      }
      if let newline = piece.firstIndex(of: UInt8(ascii: "\n")) {
        return line + piece[...newline]
      }
      line += piece
      // Only a plan may have a long first line.
      let isPlan = line.starts(with: "{\"format\":\"weir plan".utf8)
      if piece.isEmpty || !isPlan {
        throw PlanError(name, isPlan ? .damaged("its first line is cut off") : .notPlan)
      }
    }
    throw PlanError(name, .damaged("its first line has no end"))
  }

  /// Throws if the rest of the file has not this length.
  func expect(length: UInt64, after line: Int) throws(PlanError) {
    let actual = size - min(UInt64(line), size)
    if actual == length { return }
    let how =
      actual < length ? "\(length - actual) bytes are missing" : "it has bytes after its end"
    throw PlanError(name, .damaged(how))
  }

  /// Returns a line without its newline and the blanks before it; `nil` without a newline.
  static func withoutPadding(_ line: [UInt8]) -> ArraySlice<UInt8>? {
    guard line.last == UInt8(ascii: "\n") else { return nil }
    var text = line.dropLast()
    while text.last == UInt8(ascii: " ") { text.removeLast() }
    return text
  }
}
