internal import WeirLibC

/// The way from the names in a list to those of files.
public struct NameRules: Sendable, Equatable {
  /// The number of leading components to leave out. As for patch(1), the empty one before a slash is a
  /// component.
  package var stripped = 0
  /// True for names of Windows: backslashes separate, a drive is left out, and case does not matter.
  package var areOfWindows = false
  /// True if names begin in the directory of their list.
  package var areBesideList = false

  package init() {}

  var isEmpty: Bool { self == NameRules() }

  /// Returns a name by the rules, but for the case of its letters; `nil` if nothing is left of it.
  package func apply(_ name: some Collection<UInt8>, of list: [UInt8] = []) -> [UInt8]? {
    var name = Array(name)
    if areOfWindows {
      for index in name.indices where name[index] == LineWriter.backslash { name[index] = .slash }
      if name.count > 2 && name[1] == UInt8(ascii: ":") && name[0].isLetter {
        name = Array(name[2...].drop { $0 == .slash })
      }
    }
    for _ in 0..<stripped {
      guard let end = name.firstIndex(of: .slash) else { return nil }
      name = Array(name[end...].drop { $0 == .slash })
    }
    if name.isEmpty { return nil }
    if areBesideList, name.first != .slash, let end = list.lastIndex(of: .slash) {
      name = list[...end] + name
    }
    return name
  }
}

/// The files that the lines of a list name. A name is valid until the next one.
final class ListedNames {
  private let rules: NameRules
  private let list: [UInt8]
  private var equivalents = EquivalentNames(ignoresCase: true)
  private let memory = ByteBuffer()

  init(_ rules: NameRules = NameRules(), of list: [UInt8] = []) {
    (self.rules, self.list) = (rules, list)
  }

  /// Returns the same names for another reader of the list: each keeps a name of its own.
  func again() -> ListedNames { ListedNames(rules, of: list) }

  /// Returns a line with the name of its file; `nil` if nothing is left of the name. `endsInReturn`
  /// tells if each line of the list ends in a carriage return, and is asked only if there are files
  /// by both names.
  func file(of line: ManifestLine, endsInReturn: () -> Bool) -> ManifestLine? {
    if rules.isEmpty && line.doubtful == 0 { return line }
    var line = line
    if line.doubtful > 0 {
      let long = UnsafeRawBufferPointer(
        start: line.name.baseAddress, count: line.name.count + line.doubtful)
      if exists(long) && (long.last != UInt8(ascii: "\r") || !exists(line.name) || !endsInReturn())
      {
        line.name = long
      }
    }
    guard let name = file(line.name) else { return nil }
    line.name = name
    return line
  }

  /// Returns an entry with the name of its file; `nil` if nothing is left of the name.
  func file(of entry: MtreeEntry) -> MtreeEntry? {
    if rules.isEmpty { return entry }
    var entry = entry
    guard let name = file(entry.name) else { return nil }
    entry.name = name
    return entry
  }

  private func exists(_ name: UnsafeRawBufferPointer) -> Bool {
    file(name).map { EquivalentNames.exists(Array($0)) } ?? false
  }

  private func file(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    if rules.isEmpty { return name }
    guard var name = rules.apply(name, of: list) else { return nil }
    if rules.areOfWindows { name = equivalents.find(name) ?? name }
    return memory.hold(name)
  }
}

/// A search for files whose names are equal in another sense than byte by byte.
package struct EquivalentNames {
  /// The directory listed last, and its names by what is equal in them.
  private var directory: [UInt8]?
  private var names: [String: [[UInt8]]] = [:]
  private let ignoresCase: Bool

  /// - Parameter ignoresCase: True if case does not matter either. Unicode's normal forms never do.
  package init(ignoresCase: Bool) { self.ignoresCase = ignoresCase }

  /// Returns a name itself if its file exists, else that of the only file whose components are equal
  /// to its own; `nil` if there is none, or several.
  package mutating func find(_ name: [UInt8]) -> [UInt8]? {
    if EquivalentNames.exists(name) { return name }
    // A file has no slash at the end of its name.
    if name.count > Int(PATH_MAX) || name.last == .slash { return nil }
    var path: [UInt8] = name.first == .slash ? [.slash] : []
    for component in name.split(separator: .slash) where !component.elementsEqual(".".utf8) {
      let exact = path + component
      if EquivalentNames.exists(exact) {
        path = exact + [.slash]
        continue
      }
      list(path)
      guard let wanted = key(component), let equal = names[wanted], equal.count == 1,
        let found = equal.first
      else { return nil }
      path += found + [.slash]
    }
    path.removeLast()
    return path
  }

  /// Returns what is the same in equal names; `nil` for a name that is no text.
  private func key(_ name: ArraySlice<UInt8>) -> String? {
    let text = String(validating: name, as: UTF8.self)
    return ignoresCase ? text?.lowercased() : text
  }

  private mutating func list(_ path: [UInt8]) {
    if directory == path { return }
    directory = path
    names = [:]
    for name in (try? directoryNames(path.isEmpty ? Array(".".utf8) : path)) ?? [] {
      if let key = key(name[...]) { names[key, default: []].append(name) }
    }
  }

  fileprivate static func exists(_ name: [UInt8]) -> Bool {
    (try? LongPath.status(name + [0], followsLinks: false)) != nil
  }
}
