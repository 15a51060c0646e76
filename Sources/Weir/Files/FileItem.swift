// The items of a source that a closure supplies during the run, and the files that a run finds.

package import CWeir
public import SystemPackage

/// An item that a closure supplies to a ``FileProcessor`` during the run, with copies of its bytes.
/// The corresponding C type is `weir_files_item_t`.
///
///     let item = FileItem(path: Array("/etc/hosts".utf8), note: Array("a note".utf8))
///
/// @unchecked Sendable: it does not change, nor do the bytes that it has.
public struct FileItem: @unchecked Sendable {
  /// The item as the C type.
  package var cItem = weir_files_item_t()
  /// The memory that `cItem` points to; `nil` if it is lent.
  private var owned: FixedBytes?

  /// Creates an item whose memory the caller keeps.
  package init(
    _ kind: weir_item_kind_t, lent path: UnsafeRawBufferPointer, note: UnsafeRawBufferPointer
  ) {
    cItem.kind = kind
    cItem.path = path.baseAddress?.assumingMemoryBound(to: CChar.self)
    cItem.path_length = path.count
    cItem.note = note.baseAddress
    cItem.note_length = note.count
  }

  package init(_ kind: weir_item_kind_t, path: [UInt8], note: [UInt8]) {
    let owned = FixedBytes(path, note)
    self.init(kind, lent: owned.first, note: owned.second)
    self.owned = owned
  }

  /// Creates an item for a file, or for a directory that is walked. The note then applies to each
  /// file of the directory.
  ///
  /// - Parameters:
  ///   - path: The bytes of the path. A path that contains a NUL fails with
  ///     `Errno.invalidArgument`.
  ///   - note: Any bytes, available as ``OpenFile/note`` and ``ProcessedFile/note``.
  ///   - isWalked: True if a directory is walked; otherwise a directory fails with
  ///     `Errno.isDirectory`, and the path costs one system call less.
  /// - Complexity: O(*n*) in bytes. Blocks: no.
  ///
  /// The corresponding C constants are `WEIR_ITEM_PATH` and `WEIR_ITEM_FILE`.
  public init(path: [UInt8], note: [UInt8] = [], isWalked: Bool = true) {
    self.init(isWalked ? WEIR_ITEM_PATH : WEIR_ITEM_FILE, path: path, note: note)
  }

  /// Creates an item with a path that is normalized as a `FilePath` is. Otherwise equal to the form
  /// for bytes.
  public init(_ path: FilePath, note: [UInt8] = [], isWalked: Bool = true) {
    self.init(path: Array(terminated(path).dropLast()), note: note, isWalked: isWalked)
  }

  /// Returns an item without a file, which is delivered in its place with the outcome
  /// ``FileOutcome/noted``. Blocks: no. The corresponding C constant is `WEIR_ITEM_NOTE`.
  public static func note(_ note: [UInt8]) -> FileItem {
    FileItem(WEIR_ITEM_NOTE, path: [], note: note)
  }
}

/// Bytes whose address stays the same as long as the object lives.
final class FixedBytes {
  private let memory: UnsafeMutableRawBufferPointer
  private let firstCount: Int

  init(_ first: some Collection<UInt8>, _ second: some Collection<UInt8>) {
    firstCount = first.count
    memory = .allocate(byteCount: firstCount + second.count, alignment: 8)
    UnsafeMutableRawBufferPointer(rebasing: memory[..<firstCount]).copyBytes(from: first)
    UnsafeMutableRawBufferPointer(rebasing: memory[firstCount...]).copyBytes(from: second)
  }

  deinit { memory.deallocate() }

  var first: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<firstCount]) }
  var second: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[firstCount...]) }
}

/// An entry that a processor has found: `weir_walk_entry_t`, and the index of its source. A closure
/// that annotates sees only files with a job.
package struct FoundFile: ~Copyable {
  private let entry: UnsafePointer<weir_walk_entry_t>
  package let source: Int

  init(_ entry: UnsafePointer<weir_walk_entry_t>, source: Int) {
    self.entry = entry
    self.source = source
  }

  package var path: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: entry.pointee.path, count: entry.pointee.path_length)
  }
  package var name: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: path[entry.pointee.name_offset...])
  }
  package var type: FileWalk.EntryType { FileWalk.EntryType(entry.pointee.type) }
  package var error: Errno? {
    entry.pointee.error == 0 ? nil : Errno(rawValue: entry.pointee.error)
  }
  package var depth: Int { entry.pointee.depth }
  package var directory: UInt64 { entry.pointee.directory }
}

/// A closure that annotates a file with bytes that stay valid until the next call.
package typealias Annotation = @Sendable (borrowing FoundFile) -> UnsafeRawBufferPointer?

/// The decision on an entry that a processor has found: `weir_selection_t`.
package enum FileSelection: Sendable {
  case take, skip, skipContents

  var cSelection: weir_selection_t {
    switch self {
    case .take: WEIR_SELECT_TAKE
    case .skip: WEIR_SELECT_SKIP
    case .skipContents: WEIR_SELECT_PRUNE
    }
  }
}

/// A closure that decides on each entry, walked or named: directories, links and failures too.
package typealias FileSelector = @Sendable (borrowing FoundFile) -> FileSelection
