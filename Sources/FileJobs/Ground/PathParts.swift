// The parts of a path of bytes: its directory and its last component.
//
// swift-system's FilePath would copy each path, and has no component for `.` and for a slash at
// the end.

internal import WeirLibC

extension BidirectionalCollection<UInt8> {
  package var lastComponentStart: Index {
    lastIndex(of: .slash).map(index(after:)) ?? startIndex
  }
}

extension UnsafeRawBufferPointer {
  var lastComponent: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: self[lastComponentStart...])
  }
}

extension [UInt8] {
  package var lastComponent: ArraySlice<UInt8> { self[lastComponentStart...] }

  /// The bytes before the last slash; `.` if there is none, and `/` for a name in the root.
  package var directory: [UInt8] {
    switch lastComponentStart {
    case 0: [UInt8(ascii: ".")]
    case 1: [.slash]
    case let start: Array(self[..<(start - 1)])
    }
  }
}

/// A name in a directory, whether or not a file has it.
package struct FilePlace: Hashable {
  private let directory: FileIdentity
  private let name: [UInt8]

  /// Returns `nil` if there is no such directory.
  package init?(_ path: [UInt8]) {
    guard let status = try? stat(of: path.directory) else { return nil }
    directory = FileIdentity(status)
    name = Array(path.lastComponent)
  }
}
