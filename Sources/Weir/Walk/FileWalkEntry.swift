// The entries of a walk.

internal import CWeir
public import SystemPackage

extension FileWalk {
  /// An entry of a walk, as a copy that can be stored.
  ///
  ///     for entry in FileWalk("/srv") {
  ///       if let error = entry.error { print("\(entry.path): \(error)") }
  ///     }
  ///
  /// The corresponding C type is `weir_walk_entry_t`.
  public struct Entry: Sendable {
    /// The bytes of the path: the given root, a slash unless the root ends in one, and the
    /// relative path.
    public var pathBytes: [UInt8] { bytes }

    /// The path. `FilePath` normalizes `a//b/` to `a/b`; ``pathBytes`` has the exact bytes.
    ///
    /// - Complexity: O(*length*), a copy.
    public var path: FilePath { bytes.withUnsafeBytes { FilePath(bytes: $0) } }

    /// The bytes of the name, which is the last component of the path.
    public var name: ArraySlice<UInt8> { bytes[nameStart...] }

    /// The depth: 0 for the root, 1 for its content.
    public var depth: Int { Int(storedDepth) }

    /// The type; that of the target if links are followed.
    public var type: EntryType { storedType }

    /// The error if the entry could not be read; `nil` otherwise.
    public var error: Errno? { errorNumber == 0 ? nil : Errno(rawValue: errorNumber) }

    /// The inode number; that of the target for a followed link; 0 if it is not known.
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

  /// An entry of a walk, valid until the next step.
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

    /// The bytes of the path: the given root, a slash unless the root ends in one, and the relative
    /// path. Valid until the next step.
    public var path: UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: entry.path, count: entry.path_length)
    }

    /// The bytes of the name, which is the last component of the path. Valid until the next step.
    public var name: UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: path[entry.name_offset...])
    }

    /// The depth: 0 for the root, 1 for its content.
    public var depth: Int { entry.depth }

    /// The type; that of the target if links are followed.
    public var type: EntryType { EntryType(entry.type) }

    /// The error if the entry could not be read; `nil` otherwise.
    public var error: Errno? { entry.error == 0 ? nil : Errno(rawValue: entry.error) }

    /// A copy that can be stored.
    ///
    /// - Complexity: O(*length*) of the path.
    public var copy: Entry { Entry(copying: entry) }
  }
}
