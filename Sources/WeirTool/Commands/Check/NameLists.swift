// All lists of names of a run.

internal import FileJobs
internal import Glibc
internal import SystemPackage
internal import Weir

/// The lists of a run.
///
/// A list never takes the place of what the run reads: manifests, and what stands
/// beside them, are refused at once; a file that a manifest lists is left as it is
/// when its line has come up.
final class NameLists: Sendable {
  private let lists = Locked<[NameList]>([])
  private let places: [NameListPlace]
  /// The files that are there, by their places among the lists.
  private let files: [FileIdentity: Int]

  /// Begins the lists.
  ///
  /// - Parameters:
  ///   - base: The descriptor of the directory from which the files are named.
  ///   - taken: Files that must not be replaced, and why.
  init(
    _ wanted: [(kind: NameKind, file: RawArgument)], from base: Int32,
    sparing taken: [FileIdentity: String]
  ) throws(FileError) {
    var places: [NameListPlace] = []
    var files: [FileIdentity: Int] = [:]
    for (_, file) in wanted {
      let place = try NameListPlace(file, from: base)
      if places.contains(where: { $0.isSame(as: place) }) {
        throw FileError(file, Refusal("is the file of another list of --names0"))
      }
      if let identity = place.identity {
        if let reason = taken[identity] { throw FileError(file, Refusal(reason)) }
        files[identity] = places.count
      }
      places.append(place)
    }
    self.places = places
    self.files = files
    for (kind, place) in zip(wanted.map(\.kind), places) {
      do {
        let list = try NameList(kind, in: place)
        lists.with { $0.append(list) }
      } catch {
        discard()
        throw error
      }
    }
  }

  private struct Refusal: Error, CustomStringConvertible {
    let description: String
    init(_ reason: String) { description = reason }
  }

  /// What is not new, though no manifest names it: the files that are written, those
  /// that they take the places of, and what killed runs have left beside them.
  var identities: Set<FileIdentity> {
    let written = lists.with { $0.compactMap(\.identity) }
    return Set(files.keys).union(written).union(places.flatMap(\.leftovers))
  }

  // MARK: Names

  func append(_ kind: NameKind, _ name: UnsafeRawBufferPointer) throws(FileError) {
    try each(kind) { list throws(FileError) in try list.append(name) }
  }

  func append(
    _ kind: NameKind, _ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer
  ) throws(FileError) {
    try each(kind) { list throws(FileError) in try list.append(old, new) }
  }

  private func each(
    _ kind: NameKind, _ body: (inout NameList) throws(FileError) -> Void
  ) throws(FileError) {
    try lists.with { lists throws(FileError) in
      for index in lists.indices where lists[index].kind == kind { try body(&lists[index]) }
    }
  }

  /// Learns what a manifest lists. One system call a line, where a list has a file to
  /// replace.
  func note(_ line: CheckedLine) {
    if files.isEmpty || line.kind == .other { return }
    switch line.outcome {
    case .malformed, .unsupported, .missing: return
    default: break
    }
    guard let its = CheckPlace.identity(of: Array(line.name), from: AT_FDCWD),
      let index = files[its]
    else { return }
    lists.with { lists in
      if index < lists.count { lists[index].listedName = Array(line.name) }
    }
  }

  // MARK: The end

  /// Puts them in their places, or none where one cannot be written.
  ///
  /// - Returns: What is to be said of those whose files are listed and were left.
  func replace() throws(FileError) -> [FileError] {
    do {
      return try lists.with { lists throws(FileError) in
        for index in lists.indices where lists[index].listedName == nil {
          try lists[index].complete()
        }
        var left: [FileError] = []
        for list in lists {
          if let name = list.listedName {
            list.discard()
            left.append(NameLists.listed(list.place.file, as: name))
          } else {
            try list.replace()
          }
        }
        lists = []
        return left
      }
    } catch {
      discard()
      throw error
    }
  }

  private static func listed(_ file: RawArgument, as name: [UInt8]) -> FileError {
    let shown = QuotedName.bytes(of: name)
    return FileError(
      file,
      Refusal(
        "is left as it was, without the list: a manifest names it, as "
          + String(decoding: shown, as: UTF8.self)))
  }

  /// Leaves all files as they were.
  func discard() {
    lists.with { lists in
      lists.forEach { $0.discard() }
      lists = []
    }
  }

  /// The same where the program is about to end and may stand still anywhere.
  func abandon() {
    places.forEach(NameList.remove)
  }
}
