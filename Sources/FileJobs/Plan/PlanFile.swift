// An open plan, or a part of one: its first line, and its length.

internal import WeirLibC
internal import SystemPackage
internal import Weir

/// A regular file that begins with a line of JSON.
struct PlanFile {
  let name: [UInt8]
  let descriptor: FileDescriptor
  private let size: UInt64

  /// The largest number of bytes of the first line.
  private static let lineMax = 1 << 24

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
  ///
  /// - Parameter begin: The bytes that the line must begin with.
  /// - Throws: `notPlan` if it begins with others.
  func firstLine(of begin: [UInt8]) throws(PlanError) -> [UInt8] {
    var line: [UInt8] = []
    while line.count < PlanFile.lineMax {
      let piece = try PlanError.attributing(to: name) { () throws(Errno) in
        try descriptor.bytes(at: line.count, count: 1 << 14)
      }
      let newline = piece.firstIndex(of: UInt8(ascii: "\n"))
      line += piece[..<(newline.map { $0 + 1 } ?? piece.count)]
      if !line.starts(with: begin) { throw PlanError(name, .notPlan) }
      if newline != nil { return line }
      if piece.isEmpty { throw PlanError(name, .damaged("its first line is cut off")) }
    }
    throw PlanError(name, .damaged("its first line has no end"))
  }

  /// Throws if the rest of the file has not this length.
  func expect(length: UInt64, after line: Int) throws(PlanError) {
    let actual = size - min(UInt64(line), size)
    if actual == length { return }
    let how =
      actual < length ? "it is too short by \(length - actual) bytes" : "it has bytes after its end"
    throw PlanError(name, .damaged(how))
  }
}
