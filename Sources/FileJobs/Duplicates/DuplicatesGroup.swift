public import SystemPackage
public import Weir

/// A group of files that have the same content.
///
/// Each name is made when it is accessed, from a table of all files, about 140 bytes for each file
/// of the run, which the group retains. To keep a few groups for long, copy their names.
public struct DuplicatesGroup: Sendable {
  package struct File: Sendable {
    let candidates: DuplicatesCandidates
    /// The number of the file among the candidates.
    let number: UInt32

    /// The first name of the file and the hard links to it, in the order in which they were found.
    /// A symbolic link is one only if there is no other.
    package var names: LazyMapSequence<ArraySlice<UInt32>, [UInt8]> {
      candidates.names(of: number).lazy.map { [candidates] in candidates.table.path($0) }
    }

    package var firstName: [UInt8] { candidates.table.path(candidates.name(of: number)) }

    var device: UInt64 {
      let table = candidates.table
      return table.device(of: table[candidates.name(of: number)])
    }

    package var modified: FileTime { candidates.table[candidates.name(of: number)].modified }
  }

  let candidates: DuplicatesCandidates
  /// A copy, since the run rearranges the members while the caller has the group.
  let members: [UInt32]

  /// The files, in the order in which their first names were found.
  package var files: LazyMapSequence<[UInt32], File> {
    members.lazy.map { [candidates] in File(candidates: candidates, number: $0) }
  }

  /// The names of the files: of each file the first, and the hard links to it. All are in the order
  /// in which they were found. A symbolic link is only there if a file has no other name.
  ///
  /// - Complexity: O(*n*) in bytes; the names are made anew.
  public var paths: [[[UInt8]]] { files.map { Array($0.names) } }

  /// The size of each file in bytes.
  public let size: UInt64
  /// The bytes that would be freed if only the first file were kept; modulo 2^64, as sparse files
  /// can have sizes of exabytes. Holes, shared blocks and files with names that were not found save
  /// nothing.
  public let saving: UInt64
  /// The bytes that something else holds: a file, as after a reflink, or a name that was not found.
  package let shared: UInt64
  /// The XXH128 of the content, in the byte order of xxhsum. Empty if nothing had to be
  /// read, as for one file with several names, and for files without content.
  public let digest: [UInt8]
}

/// An event of a search for duplicates.
public enum DuplicatesEvent {
  case group(DuplicatesGroup)
  /// A name without a file that could be compared; the outcome has the reason. A block
  /// device, which is never compared, is ``/Weir/FileOutcome/done(_:)``.
  case result(FileResult)
  /// A file that could not be compared.
  case failed(Errno, path: [UInt8])
  /// A file that has changed since it was found.
  case changed(path: [UInt8])
  /// A file whose size is not that of its content.
  case sizeMismatch(path: [UInt8])
}

/// Statistics of a search for duplicates.
public struct DuplicatesStatistics: Sendable {
  package var names: UInt64 = 0
  /// Names of files below the minimum size.
  package var small: UInt64 = 0
  /// Groups of duplicates.
  public internal(set) var groups: UInt64 = 0
  /// Files in groups, without one of each group.
  public internal(set) var duplicates: UInt64 = 0
  /// Groups of directories.
  package var directories: UInt64 = 0
  /// Names of files in groups, without the first name of each file.
  package var links: UInt64 = 0
  /// The bytes that would be freed if only the first file of each group were kept.
  public internal(set) var saving: UInt64 = 0
  /// The bytes of the duplicates that would not be freed, since something else has the same blocks.
  package var shared: UInt64 = 0
  /// Files and directories that could not be read or have changed, and operands that are not files.
  public internal(set) var failures: UInt64 = 0
}
