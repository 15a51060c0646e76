// All lists of --names0.

internal import FileJobs
internal import SystemPackage
internal import Weir

/// The lists of a run.
///
/// A list never replaces an input of the run. Manifests and the files beside them are
/// refused at the start. A file that a manifest lists is detected when its line is
/// verified, and left unchanged.
final class NameLists: Sendable {
  private let lists = Locked<[NameList]>([])
  private let targets: [NameListTarget]
  /// The index of the list for each existing target.
  private let files: [FileIdentity: Int]

  /// Starts the lists.
  ///
  /// - Parameters:
  ///   - base: The descriptor of the directory that the files are relative to.
  ///   - protected: The files that must not be replaced, with the reasons.
  init(
    _ wanted: [(kind: NameKind, file: RawArgument)], from base: Int32,
    protecting protected: [FileIdentity: String]
  ) throws(FileError) {
    var targets: [NameListTarget] = []
    var files: [FileIdentity: Int] = [:]
    for (_, file) in wanted {
      let target = try NameListTarget(file, from: base)
      if targets.contains(where: { $0.isSame(as: target) }) {
        throw FileError(file, Refusal("is the file of another list of --names0"))
      }
      if let identity = target.identity {
        if let reason = protected[identity] { throw FileError(file, Refusal(reason)) }
        files[identity] = targets.count
      }
      targets.append(target)
    }
    self.targets = targets
    self.files = files
    for (kind, target) in zip(wanted.map(\.kind), targets) {
      do {
        let list = try NameList(kind, target: target)
        lists.with { $0.append(list) }
      } catch {
        discard()
        throw error
      }
    }
  }

  /// The files that an audit does not report as new: the temporary files, the targets,
  /// and the temporary files of killed runs.
  var identities: Set<FileIdentity> {
    let written = lists.with { $0.compactMap(\.identity) }
    return Set(files.keys).union(written).union(targets.flatMap(\.leftovers))
  }

  // MARK: Names

  func append(
    _ kind: NameKind, _ name: UnsafeRawBufferPointer, movedTo new: UnsafeRawBufferPointer?
  ) throws(FileError) {
    try lists.with { lists throws(FileError) in
      for index in lists.indices where lists[index].kind == kind {
        try lists[index].append(name, movedTo: new)
      }
    }
  }

  /// Protects the file of a line from being replaced. If a target exists, this costs one
  /// system call per line.
  func protect(_ line: CheckedLine) {
    if files.isEmpty || line.kind == .other { return }
    switch line.outcome {
    case .malformed, .unsupported, .missing: return
    default: break
    }
    guard let file = FileIdentity.of(Array(line.name)),
      let index = files[file]
    else { return }
    lists.with { lists in
      if index < lists.count { lists[index].listedName = Array(line.name) }
    }
  }

  // MARK: End

  /// Replaces the targets, or none if one list cannot be written.
  ///
  /// - Returns: The errors of targets that a manifest lists and that were left unchanged.
  func replaceFiles() throws(FileError) -> [FileError] {
    do {
      return try lists.with { lists throws(FileError) in
        for index in lists.indices where lists[index].listedName == nil {
          try lists[index].complete()
        }
        var skipped: [FileError] = []
        for list in lists {
          if let name = list.listedName {
            list.discard()
            skipped.append(NameLists.listed(list.target.file, as: name))
          } else {
            try list.replaceTarget()
          }
        }
        lists = []
        return skipped
      }
    } catch {
      discard()
      throw error
    }
  }

  private static func listed(_ file: RawArgument, as name: [UInt8]) -> FileError {
    FileError(
      message: QuotedName.bytes(of: file.bytes)
        + Array(": was left unchanged, since a manifest lists it as ".utf8)
        + QuotedName.bytes(of: name))
  }

  /// Removes the temporary files, and leaves the targets unchanged.
  func discard() {
    lists.with { lists in
      lists.forEach { $0.discard() }
      lists = []
    }
  }

  /// Removes the temporary files without waiting for the lock, since the process is about
  /// to end and the run may be stalled while it holds the lock.
  func removeTemporaryFiles() {
    targets.forEach { $0.removeTemporaryFile() }
  }
}
