/// A placeholder for an item: the text within the braces.
enum CommandPlaceholder: String, CaseIterable {
  case whole = ""
  case last = "/"
  case directory = "//"
  case stem = "."
  case lastStem = "/."

  private static let dot = UInt8(ascii: ".")

  func value(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    switch self {
    case .whole: name
    case .last: CommandPlaceholder.last(of: name)
    case .directory: CommandPlaceholder.directory(of: name)
    case .stem: CommandPlaceholder.stem(of: name)
    case .lastStem: CommandPlaceholder.stem(of: CommandPlaceholder.last(of: name))
    }
  }

  private static func withoutSlashes(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let end = name.lastIndex { $0 != .slash }.map { $0 + 1 }
    // For the root one slash remains.
    return end.map { name[..<$0] } ?? name.prefix(1)
  }

  /// Returns the last component by the rules of basename(1).
  private static func last(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let name = withoutSlashes(name)
    guard name.count > 1, let place = name.lastIndex(of: .slash) else { return name }
    return name[(place + 1)...]
  }

  /// Returns the directory by the rules of dirname(1).
  private static func directory(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let name = withoutSlashes(name)
    guard let place = name.lastIndex(of: .slash) else { return [dot] }
    return withoutSlashes(name[...place])
  }

  /// Drops the last dot and the bytes after it, unless the last component begins with that dot.
  private static func stem(of name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let place = name.lastIndex(of: dot), place > name.startIndex,
      name[place - 1] != .slash, !name[place...].contains(.slash)
    else { return name }
    return name[..<place]
  }
}
