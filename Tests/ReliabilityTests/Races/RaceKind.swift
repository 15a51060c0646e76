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

  /// The content that the name leads to afterwards.
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

  /// The actions, with the words of Preloads/stops.c.
  func actions(_ size: RaceSize, outside: String) -> [String] {
    let count = size.bytes, hole = RaceText.hole(in: count)
    let silently = "do fill-silently t/d/v w 0 \(count)"
    return switch self {
    case .moveAway: ["do rename t/d/v gone/v"]
    case .remove: ["do unlink t/d/v"]
    case .replace: ["do rename new/d/v t/d/v"]
    case .hardLink: ["do link t/d/z gone/z", "do rename gone/z t/d/v"]
    case .link: ["do unlink t/d/v", "do symlink \(outside)/t/d/v t/d/v"]
    case .fifo: ["do unlink t/d/v", "do mkfifo t/d/v"]
    case .directory: ["do unlink t/d/v", "do mkdir t/d/v", "do fill t/d/v/in w 0 100"]
    case .truncateAll: ["do truncate t/d/v 0"]
    case .truncateHalf: ["do truncate t/d/v \(count / 2)"]
    case .grow: ["do fill t/d/v g \(count) \(RaceText.growth)"]
    case .overwrite: ["do fill t/d/v w 0 \(count)"]
    case .overwriteSilently: [silently]
    case .overwriteAndMode: [silently, "do chmod t/d/v 600"]
    case .overwriteAndLink: [silently, "do link t/d/v gone/v"]
    case .punch: ["do punch t/d/v \(hole.lowerBound) \(hole.count)"]
    case .store: ["do store t/d/v w"]
    case .directoryAway: ["do rename t/d gone/d"]
    case .directoryLink, .directoryAndBack:
      ["do rename t/d gone/d", "do symlink \(outside)/t/d t/d"]
    case .directoryReplace: ["do rename t/d gone/d", "do rename new/d t/d"]
    case .rootAway: ["do rename t gone/t"]
    case .rootReplace: ["do rename t gone/t", "do rename new t"]
    case .rootLink: ["do rename t gone/t", "do symlink \(outside)/t t"]
    }
  }

  /// A second stop, and its actions.
  var ending: [String] {
    self == .directoryAndBack
      ? ["at enter read 1 t/e/x", "do unlink t/d", "do rename gone/d t/d"] : []
  }
}
