// How what is named is read, by what it lies on.

internal import Glibc
internal import SystemPackage
internal import Weir

/// What the storage of the PATHs is, and what follows from it.
///
/// Each is asked for once a file system. With a hundred thousand PATHs the first
/// few thousand are, and the rest is taken to lie where the working directory does,
/// as what lists name is.
struct StoragePlan {
  /// What was found out for some names.
  struct Group {
    let storage: Storage
    /// As they were given; a list stands for the working directory.
    var names: [RawArgument]
  }

  /// In the order in which they were met.
  private(set) var groups: [Group] = []
  /// Which is whose.
  private var places: [[UInt8]: Int] = [:]
  /// What was asked for.
  private let jobs: Int?

  private static let most = 4096
  private static let here = RawArgument(bytes: Array(".".utf8))

  /// - Parameters:
  ///   - names: The PATHs.
  ///   - includesHere: Whether files of the working directory are read as well.
  ///   - jobs: What `--jobs` says, which counts before all.
  init(_ names: [RawArgument], includesHere: Bool, jobs: Int?) {
    self.jobs = jobs
    var known: [dev_t: Int] = [:]
    let asked = names.prefix(StoragePlan.most)
    for name in asked { add(name, &known) }
    if includesHere || names.count > asked.count { add(StoragePlan.here, &known) }
  }

  private mutating func add(_ name: RawArgument, _ known: inout [dev_t: Int]) {
    var status = stat()
    let isThere = FilePath(bytes: name.bytes).withPlatformString { stat($0, &status) } == 0
    guard isThere, places[name.bytes] == nil else { return }
    if let place = known[status.st_dev] {
      places[name.bytes] = place
      groups[place].names.append(name)
    } else if var storage = try? Storage(bytes: name.bytes) {
      if jobs != nil { storage.readers = nil }
      known[status.st_dev] = groups.count
      places[name.bytes] = groups.count
      groups.append(Group(storage: storage, names: [name]))
    }
  }

  /// How many lanes: as many as what wants the most. `nil` where nothing is known.
  var lanes: Int? {
    jobs ?? groups.compactMap(\.storage.readers).max()
  }

  /// Has the processor work so.
  func apply(to options: inout FileProcessorOptions) {
    options.jobs = lanes
    options.storage = storage(of: StoragePlan.here)
  }

  /// What a PATH lies on.
  func storage(of name: RawArgument) -> Storage? {
    places[name.bytes].map { groups[$0].storage }
  }

  /// What is read how: a line for each group.
  var lines: [[UInt8]] {
    groups.map { group in
      let first = group.names.first.map { QuotedName.bytes(of: $0.bytes) } ?? []
      let rest = group.names.count - 1
      let others = rest > 0 ? " and \(Quantities.count(rest, "other", "others"))" : ""
      return first + Array("\(others): \(group.storage.words); \(choice(group))".utf8)
    }
  }

  private func choice(_ group: Group) -> String {
    let order = group.storage.readsByInode ? ", in the order of inodes" : ""
    if let jobs { return "--jobs \(jobs)\(order)" }
    return "\(group.storage.choice); --jobs N overrides it"
  }
}

extension Storage {
  /// Of which kind, and how that is known.
  var words: String {
    let on = disk.map { " on \($0)" } ?? ""
    return "\(kind.word) (\(fileSystem)\(on): \(evidence))"
  }

  /// How it is read.
  var choice: String {
    guard let readers else { return "as many readers as there are lanes" }
    let order = readsByInode ? ", in the order of inodes" : ""
    return "\(Quantities.count(readers, "reader", "readers"))\(order)"
  }
}

extension Storage.Kind {
  /// In a word or two.
  var word: String {
    switch self {
    case .unknown: "of a kind that is not known"
    case .rotating: "a disk that turns"
    case .solid: "solid state"
    case .network: "a server of files"
    case .memory: "memory"
    }
  }
}
