// The storage that the inputs lie on, and the number of readers it gets.

internal import WeirLibC
internal import FileJobs
internal import Weir

/// The storage is determined once for each file system. With a hundred thousand PATHs,
/// only the first few thousand are examined; the others, like the files of lists, count
/// as files below the working directory.
struct StoragePlan {
  struct Group {
    let storage: Storage
    /// The PATHs as given; a list counts as the working directory.
    var names: [RawArgument]
  }

  /// The groups, in the order of their first PATHs.
  private(set) var groups: [Group] = []
  private var places: [[UInt8]: Int] = [:]
  private let jobs: Int?

  private static let maxExamined = 4096
  private static let here = RawArgument(".")

  /// - Parameters:
  ///   - includesHere: True if files below the working directory are read as well.
  ///   - jobs: The value of `--jobs`, which overrides the storage.
  init(_ names: [RawArgument], includesHere: Bool, jobs: Int?) {
    self.jobs = jobs
    var known: [dev_t: Int] = [:]
    let examined = names.prefix(StoragePlan.maxExamined)
    for name in examined { add(name, &known) }
    if includesHere || names.count > examined.count { add(StoragePlan.here, &known) }
  }

  private mutating func add(_ name: RawArgument, _ known: inout [dev_t: Int]) {
    guard let status = stat.of(name.bytes), places[name.bytes] == nil else { return }
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

  /// The number of lanes: the largest number of readers of any group. `nil` if unknown.
  var lanes: Int? {
    jobs ?? groups.compactMap(\.storage.readers).max()
  }

  /// The most lanes that the storage may get while it makes its readers wait.
  private var maximumLanes: Int? {
    groups.compactMap(\.storage.maximumReaders).max()
  }

  func apply(to options: inout FileProcessorOptions) {
    options.jobs = lanes
    if jobs == nil { options.maximumJobs = maximumLanes }
    options.storage = storage(of: StoragePlan.here)?.forReading
  }

  func storage(of name: RawArgument) -> Storage? {
    places[name.bytes].map { groups[$0].storage }
  }

  var lines: [Message] {
    groups.map { "\(first: $0.names.map(\.bytes)): \($0.storage.words); \(choice($0))" }
  }

  private func choice(_ group: Group) -> String {
    let order = group.storage.readsByInode ? ", in inode order" : ""
    if let jobs { return "--jobs \(jobs)\(order)" }
    return "\(group.storage.choice); override with --jobs N"
  }
}

extension Storage {
  /// The kind of storage, and the evidence for it.
  var words: String {
    "\(kind.word) (\(place): \(evidence))"
  }

  /// The type of the file system and its disk. A user who mounts one may have named both.
  var place: String {
    ([fileSystem] + (disk.map { [$0] } ?? [])).map {
      String(decoding: QuotedName.bytes(of: $0.utf8), as: UTF8.self)
    }.joined(separator: " on ")
  }

  var choice: String {
    guard let readers else { return "one reader per lane" }
    let order = readsByInode ? ", in inode order" : ""
    let growth =
      if let maximumReaders, maximumReaders > readers {
        ", up to \(maximumReaders) while they wait for it"
      } else {
        ""
      }
    return "\(Quantities.count(readers, "reader", "readers"))\(growth)\(order)"
  }
}

extension Storage.Kind {
  var word: String {
    switch self {
    case .unknown: "unknown type"
    case .rotating: "rotating disk"
    case .solid: "solid state"
    case .network: "network file system"
    case .memory: "memory"
    }
  }
}
