// What a walk finds.

internal import CWeir
public import SystemPackage

extension FileWalk {
  /// Something that a walk has found, to keep.
  ///
  ///     for entry in FileWalk("/srv") {
  ///       if let error = entry.error { print("\(entry.path): \(error)") }
  ///     }
  ///
  /// The corresponding C type is `weir_walk_entry_t`.
  public struct Entry: Sendable {
    /// The bytes of its path: the root as it was given, a slash unless it ends in
    /// one, and the way from there.
    public var pathBytes: [UInt8] { bytes }

    /// Its path. `FilePath` writes `a//b/` as `a/b`; ``pathBytes`` has it to the
    /// byte.
    ///
    /// - Complexity: O(*length*), a copy.
    public var path: FilePath { bytes.withUnsafeBytes { FilePath(bytes: $0) } }

    /// The bytes of its name: the last component of its path.
    public var name: ArraySlice<UInt8> { bytes[nameStart...] }

    /// How far below the root it is: 0 for the root, 1 for what is in it.
    public var depth: Int { Int(storedDepth) }

    /// What it is; where links are followed, what it leads to.
    public var type: EntryType { storedType }

    /// Why it could not be read; `nil` where all is well.
    public var error: Errno? { errorNumber == 0 ? nil : Errno(rawValue: errorNumber) }

    /// Its number on its file system, of a link that was followed the target's; 0
    /// where it is not known.
    public var inode: UInt64 { storedInode }

    private let bytes: [UInt8]
    private let nameStart: Int
    private let storedDepth: UInt32
    private let storedType: EntryType
    private let errorNumber: Int32
    private let storedInode: UInt64

    init(copying entry: weir_walk_entry_t) {
      bytes = Array(UnsafeRawBufferPointer(start: entry.path, count: entry.path_length))
      nameStart = entry.name_offset
      storedDepth = UInt32(clamping: entry.depth)
      storedType = EntryType(entry.type)
      errorNumber = entry.error
      storedInode = entry.inode
    }
  }

  /// Something that a walk has found, lent for as long as it is there.
  ///
  ///     var longest = 0
  ///     FileWalk("/srv").visit { entry in
  ///       longest = max(longest, entry.path.count)
  ///       return .next
  ///     }
  ///
  /// The corresponding C type is `weir_walk_entry_t`.
  public struct LentEntry: ~Copyable {
    private let entry: weir_walk_entry_t

    init(_ entry: weir_walk_entry_t) {
      self.entry = entry
    }

    /// The bytes of its path: the root as it was given, a slash unless it ends in
    /// one, and the way from there. Of use until the next step.
    public var path: UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: entry.path, count: entry.path_length)
    }

    /// The bytes of its name: the last component of its path. Of use until the
    /// next step.
    public var name: UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: path[entry.name_offset...])
    }

    /// How far below the root it is: 0 for the root, 1 for what is in it.
    public var depth: Int { entry.depth }

    /// What it is; where links are followed, what it leads to.
    public var type: EntryType { EntryType(entry.type) }

    /// Why it could not be read; `nil` where all is well.
    public var error: Errno? { entry.error == 0 ? nil : Errno(rawValue: entry.error) }

    /// A copy, to keep.
    ///
    /// - Complexity: O(*length*) of the path.
    public var copy: Entry { Entry(copying: entry) }
  }
}
