// The changes that a race makes: to a file, to its directory, or to the root of the walk.

/// A change of the tree. Names are relative to the directory of the race: the root is `t`, the
/// file `t/d/v`; `new` has replacements, and `gone` takes what is moved away.
enum RaceKind: String, CaseIterable, Sendable {
  // To the name of the file.
  case moveAway = "file moved away"
  case remove = "file removed"
  case replace = "file replaced"
  case hardLink = "file replaced by a hard link"
  case link = "file replaced by a link to a secret"
  case fifo = "file replaced by a FIFO"
  case directory = "file replaced by a directory"
  // To its content.
  case truncateAll = "truncated to 0"
  case truncateHalf = "truncated to half"
  case grow = "grown"
  case overwrite = "overwritten"
  case overwriteSilently = "overwritten, time set back"
  case overwriteAndMode = "overwritten, time set back, mode changed"
  case overwriteAndLink = "overwritten, time set back, a name added"
  case punch = "hole punched"
  case store = "stored to by a mapping"
  // To its directory.
  case directoryAway = "directory moved away"
  case directoryLink = "directory replaced by a link out"
  case directoryAndBack = "directory replaced by a link out, and back"
  case directoryReplace = "directory replaced"
  // To the root.
  case rootAway = "root moved away"
  case rootReplace = "root replaced"
  case rootLink = "root replaced by a link out"

  enum Target { case name, content, directory, root }

  var target: Target {
    switch self {
    case .moveAway, .remove, .replace, .hardLink, .link, .fifo, .directory: .name
    case .directoryAway, .directoryLink, .directoryAndBack, .directoryReplace: .directory
    case .rootAway, .rootReplace, .rootLink: .root
    default: .content
    }
  }

  var after: RaceText? {
    switch self {
    case .replace, .directoryReplace, .rootReplace: .other
    case .hardLink: .last
    case .truncateAll: .empty
    case .truncateHalf: .half
    case .grow: .grown
    case .overwrite, .overwriteSilently, .overwriteAndMode, .overwriteAndLink, .store: .filled
    case .punch: .hole
    default: nil
    }
  }

  var leadsOut: Bool {
    [.link, .directoryLink, .directoryAndBack, .rootLink].contains(self)
  }

  func command(_ size: RaceSize, outside: String) -> String {
    let count = size.bytes, hole = RaceText.hole(in: count)
    func bytes(_ letter: String, _ count: Int) -> String {
      "head -c \(count) /dev/zero | tr '\\0' \(letter)"
    }
    let overwrite = "\(bytes("w", count)) 1<>t/d/v"
    let silently = "touch -r t/d/v time; \(overwrite); touch -r time t/d/v"
    return switch self {
    case .moveAway: "mv t/d/v gone/v"
    case .remove: "rm t/d/v"
    case .replace: "mv new/d/v t/d/v"
    case .hardLink: "ln t/d/z gone/z; mv gone/z t/d/v"
    case .link: "rm t/d/v; ln -s \(outside)/t/d/v t/d/v"
    case .fifo: "rm t/d/v; mkfifo t/d/v"
    case .directory: "rm t/d/v; mkdir t/d/v; \(bytes("w", 100)) >t/d/v/in"
    case .truncateAll: "truncate -s 0 t/d/v"
    case .truncateHalf: "truncate -s \(count / 2) t/d/v"
    case .grow: "\(bytes("g", RaceText.growth)) >>t/d/v"
    case .overwrite: overwrite
    case .overwriteSilently: silently
    case .overwriteAndMode: "\(silently); chmod 600 t/d/v"
    case .overwriteAndLink: "\(silently); ln t/d/v gone/v"
    case .punch: "fallocate -p -o \(hole.lowerBound) -l \(hole.count) t/d/v"
    case .store: "store t/d/v w"
    case .directoryAway: "mv t/d gone/d"
    case .directoryLink, .directoryAndBack: "mv t/d gone/d; ln -s \(outside)/t/d t/d"
    case .directoryReplace: "mv t/d gone/d; mv new/d t/d"
    case .rootAway: "mv t gone/t"
    case .rootReplace: "mv t gone/t; mv new t"
    case .rootLink: "mv t gone/t; ln -s \(outside)/t t"
    }
  }

  /// A second stop, with its command.
  var ending: [String] {
    self == .directoryAndBack ? ["enter read 1 t/e/x rm t/d; mv gone/d t/d"] : []
  }
}
