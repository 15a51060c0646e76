// Files with the same content.

public import SystemPackage
public import Weir

/// Files that have the same content.
///
/// It may be as large as all of the run: names are made when they are asked for, of
/// what is known of all files. That is kept as long as the group is, about 140 bytes a
/// file of the run; who keeps few groups for long rather keeps their names.
public struct DuplicatesGroup: Sendable {
  /// One of them: a file, whatever number of names it has.
  public struct File: Sendable {
    let contents: DuplicatesContents
    /// Which of the contents.
    let content: UInt32

    /// Its names, as bytes, in the order in which they were found: the first one, and
    /// those that are hard links to it. A symbolic link is none of them, unless it is
    /// all that leads there.
    public var names: Names { Names(contents: contents, numbers: contents.names(of: content)) }
  }

  /// The names of a file, each made when it is asked for.
  public struct Names: RandomAccessCollection, Sendable {
    let contents: DuplicatesContents
    /// Those of the table.
    let numbers: ArraySlice<UInt32>

    /// 0.
    public var startIndex: Int { 0 }
    /// How many there are.
    public var endIndex: Int { numbers.count }

    /// A name, as bytes. It is made in a time that grows with its length.
    public subscript(index: Int) -> [UInt8] {
      contents.table.path(numbers[numbers.startIndex + index])
    }
  }

  /// The files of a group.
  public struct Files: RandomAccessCollection, Sendable {
    let contents: DuplicatesContents
    /// A copy: those of other classes may be placed anew while somebody has the group.
    let members: [UInt32]

    /// 0.
    public var startIndex: Int { 0 }
    /// How many there are.
    public var endIndex: Int { members.count }

    /// A file.
    public subscript(index: Int) -> File { File(contents: contents, content: members[index]) }
  }

  /// The files, in the order in which their first names were found.
  public let files: Files
  /// How many bytes each of them has.
  public let size: UInt64
  /// Their XXH128, as xxhsum writes it; empty where nothing had to be read, as for
  /// one file with several names; empty too for files without content.
  public let digest: [UInt8]

  /// How many bytes there would be less with one of the files alone.
  public var saving: UInt64 { size * UInt64(files.count - 1) }
}

/// What a run is told of while it goes on.
public enum DuplicatesEvent {
  /// Files with the same content.
  case group(DuplicatesGroup)
  /// A name that led to no file that could be compared; its outcome says why. A block
  /// device, which is nothing to compare, is ``Weir/FileResult/Outcome/done``.
  case result(FileResult)
  /// A file that could not be compared, by its name.
  case failed(Errno, path: [UInt8])
  /// A file that has changed since it was found, by its name.
  case changed(path: [UInt8])
  /// A file whose size is not that of what it holds, by its name.
  case misfit(path: [UInt8])
}

/// What a run has come to.
public struct DuplicatesFigures: Sendable {
  /// Names of files that were looked at.
  public internal(set) var names: UInt64 = 0
  /// Of these, how many are of files that are too small.
  public internal(set) var small: UInt64 = 0
  /// Groups that were found.
  public internal(set) var groups: UInt64 = 0
  /// Files in them, without one of each group.
  public internal(set) var duplicates: UInt64 = 0
  /// Names in them beside the first of each file.
  public internal(set) var links: UInt64 = 0
  /// How many bytes the duplicates have.
  public internal(set) var saving: UInt64 = 0
  /// Files and directories that could not be read or have changed, and what was named
  /// and is no file.
  public internal(set) var troubles: UInt64 = 0
}
