// A file that is called `-`.

internal import SystemPackage
internal import Weir

/// In a list every name is taken as it is, so `-` is a file there; but in a
/// manifest it is standard input to all who read it. So the file is written with
/// a path that nobody takes for anything else.
enum DashFile {
  private static let path = StaticString("./-")

  /// `./-`, which is of use for ever.
  static var name: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: path.utf8Start, count: path.utf8CodeUnitCount)
  }

  /// Whether a name is `-`.
  static func isDash(_ name: UnsafeRawBufferPointer) -> Bool {
    name.count == 1 && name[0] == UInt8(ascii: "-")
  }
}

extension OpenFile {
  /// Whether it is called `-` and is not standard input.
  var isDashFile: Bool {
    DashFile.isDash(path) && descriptor != .standardInput
  }
}
