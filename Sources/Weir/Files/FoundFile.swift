// A file that was found, before it is worked on.

internal import CWeir

/// A file that a ``FileProcessor`` has found and is about to hand to a job, lent to
/// whoever annotates.
///
/// The corresponding C type is `weir_walk_entry_t`.
public struct FoundFile: ~Copyable {
  private let entry: UnsafePointer<weir_walk_entry_t>
  private let sourceNumber: Int

  init(_ entry: UnsafePointer<weir_walk_entry_t>, source: Int) {
    self.entry = entry
    sourceNumber = source
  }

  /// Which of the sources of the run it comes from: 0 for the first.
  public var source: Int { sourceNumber }

  /// The bytes of its path, without a NUL; what they are in ``OpenFile/path``.
  public var path: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: entry.pointee.path, count: entry.pointee.path_length)
  }

  /// The bytes of its name: the last component of its path.
  public var name: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: path[entry.pointee.name_offset...])
  }

  /// What it is, as far as known: a file that was named and not looked at is
  /// `.unknown`.
  public var type: EntryType { EntryType(entry.pointee.type) }

  /// How far below a directory that was named it was found; 0 for what was named
  /// itself.
  public var depth: Int { entry.pointee.depth }

  /// A number that is the same for files that are found one after the other in one
  /// directory, and in no other, in this run.
  public var directory: UInt64 { entry.pointee.directory }
}

/// A closure that annotates files, as C calls it.
typealias Annotation = @Sendable (borrowing FoundFile) -> UnsafeRawBufferPointer?
