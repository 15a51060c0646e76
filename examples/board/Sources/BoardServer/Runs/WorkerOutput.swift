// The output of a worker: lines, and files between them.

import Foundation

/// Splits the output of a worker into messages and files.
struct WorkerOutput {
  /// A part of the output.
  enum Part: Equatable {
    case message([UInt8])
    case file(String, Data)
  }

  private struct FileHeader: Decodable {
    let name: String
    let bytes: Int
  }

  static let lineLimit = 4 << 20
  private var line: [UInt8] = []
  private var file: (name: String, bytes: Data, left: Int)?
  /// True if the output is not that of a worker.
  private(set) var isBroken = false

  /// Takes a piece of the output, and reports the parts that are complete.
  mutating func take(_ piece: UnsafeRawBufferPointer, _ report: (Part) -> Void) {
    var rest = piece[...]
    while !rest.isEmpty && !isBroken {
      if file != nil {
        rest = takeFile(rest, report)
      } else if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        line += rest[..<end]
        rest = rest[(end + 1)...]
        endLine(report)
      } else {
        line += rest
        isBroken = line.count > WorkerOutput.lineLimit
        return
      }
    }
  }

  private mutating func endLine(_ report: (Part) -> Void) {
    defer { line.removeAll(keepingCapacity: true) }
    guard Message.isKind("file", line) else {
      if line.first == UInt8(ascii: "{") { report(.message(line)) }
      return
    }
    guard let header = try? JSONDecoder().decode(FileHeader.self, from: Data(line)),
      Exports.names.contains(header.name), (0...Exports.fileLimit).contains(header.bytes)
    else {
      isBroken = true
      return
    }
    file = (header.name, Data(capacity: header.bytes), header.bytes)
  }

  private mutating func takeFile(
    _ rest: Slice<UnsafeRawBufferPointer>, _ report: (Part) -> Void
  ) -> Slice<UnsafeRawBufferPointer> {
    guard var current = file else { return rest }
    file = nil
    let piece = rest.prefix(current.left)
    current.bytes.append(contentsOf: piece)
    current.left -= piece.count
    if current.left == 0 {
      report(.file(current.name, current.bytes))
    } else {
      file = current
    }
    return rest.dropFirst(piece.count)
  }
}
