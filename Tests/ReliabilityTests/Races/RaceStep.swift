// The steps of a run at which a race makes its change.

/// The progress of a run with the file of the race, which decides what it can still report.
enum RacePhase: Int, Comparable, Sendable {
  /// The root has not been listed.
  case unlisted
  /// The directory of the file is known, and not open.
  case found
  /// The directory is open, to be listed.
  case listing
  /// The name of the file is known.
  case unopened
  /// The directory is open, for its files to be opened.
  case near
  case opened
  /// A piece of several was read.
  case reading
  /// Every piece was read, and the last status was not.
  case read
  /// Nothing more is asked of the file.
  case done

  static func < (left: RacePhase, right: RacePhase) -> Bool { left.rawValue < right.rawValue }
}

enum RaceStep: String, CaseIterable, Sendable {
  case beforeRootStatus = "before the status of the root"
  case beforeRootOpen = "before the root is opened"
  case beforeRootList = "before the root is listed"
  case afterRootList = "after the root is listed"
  case beforeDirectoryOpen = "before the directory is opened"
  case afterDirectoryOpen = "after the directory is opened"
  case afterList = "after the directory is listed"
  case beforeDirectoryReopen = "before the directory is opened for its files"
  case afterDirectoryReopen = "after the directory is opened for its files"
  case beforeNameStatus = "before the status of the name"
  case afterNameStatus = "after the status of the name"
  case beforeOpen = "before the file is opened"
  case afterOpen = "after the file is opened"
  case afterRead = "after the first read"
  case afterStatus = "after the first status"
  case middleRead = "after a middle read"
  case beforeLastRead = "before the last read"
  case afterLastRead = "after the last read"
  case beforeLastStatus = "before the last status"
  case afterLastStatus = "after the last status"
  case afterClose = "after the file is closed"
  case beforeManifest = "before the manifest is renamed"

  static let walking: [RaceStep] = [
    .beforeRootStatus, .beforeRootOpen, .beforeRootList, .afterRootList, .beforeDirectoryOpen,
    .afterDirectoryOpen, .afterList, .beforeDirectoryReopen, .afterDirectoryReopen,
  ]

  static func reading(_ size: RaceSize) -> [RaceStep] {
    let first: [RaceStep] = [.beforeOpen, .afterOpen, .afterRead, .afterStatus]
    let last: [RaceStep] = [.beforeLastStatus, .afterLastStatus, .afterClose]
    return switch size {
    case .one: first + [.afterClose]
    case .three: first + [.middleRead, .beforeLastRead, .afterLastRead] + last
    case .parts: first + [.middleRead] + last
    }
  }

  /// The words of Preloads/stops.c.
  func stop(_ size: RaceSize) -> String {
    let middle = size == .parts ? 12 : 2
    return switch self {
    case .beforeRootStatus: "enter stat 1 t"
    case .beforeRootOpen: "enter open 1 t"
    case .beforeRootList: "enter list 1 t"
    case .afterRootList: "leave list 1 t"
    case .beforeDirectoryOpen: "enter open 1 t/d"
    case .afterDirectoryOpen: "leave open 1 t/d"
    case .afterList: "leave list 1 t/d"
    case .beforeDirectoryReopen: "enter open 2 t/d"
    case .afterDirectoryReopen: "leave open 2 t/d"
    case .beforeNameStatus: "enter stat 1 t/d/v"
    case .afterNameStatus: "leave stat 1 t/d/v"
    case .beforeOpen: "enter open 1 t/d/v"
    case .afterOpen: "leave open 1 t/d/v"
    case .afterRead: "leave read 1 t/d/v"
    case .afterStatus: "leave fstat 1 t/d/v"
    case .middleRead: "leave read \(middle) t/d/v"
    case .beforeLastRead: "enter read 3 t/d/v"
    case .afterLastRead: "leave read 3 t/d/v"
    case .beforeLastStatus: "enter fstat 2 t/d/v"
    case .afterLastStatus: "leave fstat 2 t/d/v"
    case .afterClose: "leave close 1 t/d/v"
    case .beforeManifest: "enter rename 1 sums"
    }
  }

  /// - Parameter isWalked: True if the directory is open when the file is opened.
  func phase(_ size: RaceSize, isWalked: Bool) -> RacePhase {
    switch self {
    case .beforeRootStatus, .beforeRootOpen, .beforeRootList: .unlisted
    case .afterRootList, .beforeDirectoryOpen: .found
    case .afterDirectoryOpen: .listing
    case .afterList, .beforeDirectoryReopen, .beforeNameStatus, .afterNameStatus: .unopened
    case .afterDirectoryReopen: .near
    case .beforeOpen: isWalked ? .near : .unopened
    case .afterOpen: .opened
    case .afterRead: size == .one ? .read : .reading
    case .afterStatus: size == .one ? .done : .reading
    case .middleRead, .beforeLastRead: .reading
    case .afterLastRead, .beforeLastStatus: .read
    case .afterLastStatus, .afterClose, .beforeManifest: .done
    }
  }
}
