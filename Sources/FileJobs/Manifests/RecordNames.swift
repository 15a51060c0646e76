// The names of files, compared across runs.
//
// DESIGN. A name is compared by its components: `u`, `./u`, `u/` and `a/.//b` differ from
// `u`, `u`, `u` and `a/b` in spelling only. `..` stays, since it may lead out of a symbolic
// link. A name that is found in no such spelling is compared as the path that it is from the
// working directory of its run. The order counts: a tree that was copied and is updated with
// `-C` has the names of the original.

internal import Weir

/// A comparison of names in this run with names in the run before.
struct RecordNames: Equatable {
  /// The working directories; empty if unknown.
  private let before: [UInt8]
  private let now: [UInt8]

  private static let slash = UInt8(ascii: "/")
  private static let dash = [UInt8(ascii: "-")]

  /// Compares names by their spelling alone.
  init() { self.init(before: [], now: []) }

  init(before: [UInt8], now: [UInt8]) {
    self.before = before
    self.now = now
  }

  /// Returns the names that a file of this run may have had in the run before.
  func formsBefore(of name: [UInt8]) -> [[UInt8]] {
    RecordNames.forms(of: name, in: now, asIn: before)
  }

  /// Returns the names that a file of the run before may have in this run.
  func formsNow(of name: [UInt8]) -> [[UInt8]] {
    RecordNames.forms(of: name, in: before, asIn: now)
  }

  /// Returns a name without `.` and repeated slashes; empty for `.`. The file `./-` keeps its
  /// name, since `-` is standard input.
  static func canonical(_ name: some Collection<UInt8>) -> [UInt8] {
    var path: [UInt8] = []
    path.reserveCapacity(name.count)
    if name.first == slash { path.append(slash) }
    var rest = name[...]
    while !rest.isEmpty {
      let component = rest.prefix { $0 != slash }
      rest = rest[component.endIndex...].drop { $0 == slash }
      if component.isEmpty || component.elementsEqual(CollectionOfOne(UInt8(ascii: "."))) {
        continue
      }
      if let last = path.last, last != slash { path.append(slash) }
      path += component
    }
    return path == dash && name.count > 1 ? Array(DashFile.name) : path
  }

  private static func forms(
    of name: [UInt8], in directory: [UInt8], asIn other: [UInt8]
  ) -> [[UInt8]] {
    let spelled = canonical(name)
    if directory.isEmpty || spelled == dash { return [spelled] }
    let isAbsolute = spelled.first == slash
    let absolute = isAbsolute ? spelled : canonical(directory + [slash] + spelled)
    var forms = [spelled]
    if !isAbsolute { forms.append(absolute) }
    let parent = other.last == slash ? other : other + [slash]
    if !other.isEmpty && absolute.starts(with: parent) {
      let relative = canonical("./".utf8 + absolute[parent.count...])
      if relative != spelled { forms.append(relative) }
    }
    return forms
  }
}
