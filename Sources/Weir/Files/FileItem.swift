// What a file processor is given bit by bit.

internal import CWeir
public import SystemPackage

/// Something for a ``FileProcessor`` to read that is given while it runs, with a
/// note that goes along.
///
///     let name: StaticString = "/etc/hosts"
///     let item = FileItem(
///       path: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
///
/// The pointers of an item are the caller's: what they lead to has to stay until
/// the next item is asked for. The processor copies it.
///
/// The corresponding C type is `weir_files_item_t`.
public struct FileItem {
  enum Kind {
    case path(isWalked: Bool)
    case descriptor(Int32)
    case note
    case failure(Int32)
    case flush
  }

  let kind: Kind
  let path: UnsafeRawBufferPointer
  let note: UnsafeRawBufferPointer

  init(_ kind: Kind, _ path: UnsafeRawBufferPointer, _ note: UnsafeRawBufferPointer) {
    self.kind = kind
    self.path = path
    self.note = note
  }

  /// A file, or a directory that is walked: then the note goes with each of its
  /// files.
  ///
  /// - Parameters:
  ///   - path: The bytes of its path, without a NUL: with one among them it fails
  ///     with `Errno.invalidArgument`.
  ///   - note: Any bytes. They come out again in ``OpenFile/note``,
  ///     ``FileResult/note`` and ``ProcessedFile/note``.
  ///   - isWalked: Whether a directory is walked; else it fails with
  ///     `Errno.isDirectory`. That costs less, since nobody looks at the path
  ///     before it is opened.
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C constants are `WEIR_ITEM_PATH` and `WEIR_ITEM_FILE`.
  public init(
    path: UnsafeRawBufferPointer,
    note: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
    isWalked: Bool = true
  ) {
    self.init(.path(isWalked: isWalked), path, note)
  }

  /// What comes out of a descriptor of any kind, from where it stands to its
  /// end. It is not closed.
  ///
  /// - Parameters:
  ///   - descriptor: Has to stay open during the run.
  ///   - name: The bytes of the name to show for it.
  ///   - note: Any bytes, as of ``init(path:note:isWalked:)``.
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C constant is `WEIR_ITEM_DESCRIPTOR`.
  public static func descriptor(
    _ descriptor: FileDescriptor, name: UnsafeRawBufferPointer,
    note: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) -> FileItem {
    FileItem(.descriptor(descriptor.rawValue), name, note)
  }

  /// Nothing to read: it is delivered in its place, with the outcome
  /// ``FileResult/Outcome/noted``.
  ///
  /// - Parameter note: Any bytes, as of ``init(path:note:isWalked:)``.
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C constant is `WEIR_ITEM_NOTE`.
  public static func note(_ note: UnsafeRawBufferPointer) -> FileItem {
    FileItem(.note, UnsafeRawBufferPointer(start: nil, count: 0), note)
  }

  /// A file that is known to be out of reach: it is delivered in its place, as
  /// one that failed.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - path: The bytes of its path.
  ///   - note: Any bytes, as of ``init(path:note:isWalked:)``.
  /// - Complexity: O(1).
  ///
  /// Blocks: no.
  ///
  /// The corresponding C constant is `WEIR_ITEM_FAILURE`.
  public static func failure(
    _ error: Errno, path: UnsafeRawBufferPointer,
    note: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) -> FileItem {
    FileItem(.failure(error.rawValue), path, note)
  }

  /// No item: what was given so far is worked on without waiting for more to go
  /// with it. To be given before what may take its time.
  ///
  /// The corresponding C constant is `WEIR_ITEM_FLUSH`.
  public static var flush: FileItem {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    return FileItem(.flush, nothing, nothing)
  }
}

extension FileItem {
  /// The item as C has it.
  var cItem: weir_files_item_t {
    var item = weir_files_item_t()
    item.path = path.baseAddress?.assumingMemoryBound(to: CChar.self)
    item.path_length = path.count
    item.note = note.baseAddress
    item.note_length = note.count
    switch kind {
    case .path(let isWalked): item.kind = isWalked ? WEIR_ITEM_PATH : WEIR_ITEM_FILE
    case .descriptor(let descriptor):
      item.kind = WEIR_ITEM_DESCRIPTOR
      item.descriptor = descriptor
    case .note: item.kind = WEIR_ITEM_NOTE
    case .failure(let error):
      item.kind = WEIR_ITEM_FAILURE
      item.error = error
    case .flush: item.kind = WEIR_ITEM_FLUSH
    }
    return item
  }
}
