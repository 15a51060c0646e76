// The forms of the file processor that only this package has: what a job sees of its file, the
// items of a feed, and the statistics of a run that no public form reports.

internal import CWeir
package import SystemPackage
package import Weir
internal import WeirLibC

// MARK: - Files

extension OpenFile {
  /// The status when it was last read; empty, with an unknown type, if a late file could not be
  /// opened. Before the first `read()` it costs a system call.
  package var status: FileStatus { FileStatus(weir_file_status(handle).pointee) }

  /// Returns the status of the path without opening the file, for use with `opensLate`: one system
  /// call, which follows a symbolic link if opening would.
  ///
  /// The path may lead to another file when it is opened later. If the status shows that the
  /// file cannot be read (it is special, excluded, a directory, or a link that is not
  /// followed), it is not opened any more, and its outcome is the same as after opening. If
  /// the file is open already, the result is its known status. A job that catches the error may
  /// go on to read the file.
  package borrowing func pathStatus() throws(Errno) -> FileStatus {
    var status = stat()
    let error = weir_file_stat_path(handle, &status)
    if error != 0 { throw Errno(rawValue: error) }
    return FileStatus(status)
  }

  /// The data that a job of this run stored with ``remember(_:)`` for another name of the same
  /// file (a hard link), valid until the job ends; `nil` if there is none.
  ///
  /// Ask before reading the file. If the value is `nil`, the job must read the file, and jobs
  /// for its other names wait until this job ends. So each file is read once, whatever its
  /// number of names. For a file with one name the property costs no system call.
  ///
  /// Blocks: while another lane reads the same file by another name.
  package var remembered: UnsafeRawBufferPointer? {
    var length = 0
    guard let bytes = weir_file_remembered(handle, &length) else { return nil }
    return UnsafeRawBufferPointer(start: bytes, count: length)
  }

  /// Stores data, such as a digest, for the other names of the file.
  ///
  /// The data is kept if ``remembered`` was `nil` before, the file has other names, the job
  /// succeeds, and the file does not change meanwhile. At most 8 MiB are kept in total; the
  /// oldest data is dropped first. It is copied at once. More than 512 KiB are not kept.
  package borrowing func remember(_ bytes: UnsafeRawBufferPointer) {
    withUnsafeBytes(of: handle) { other in
      // A buffer of no bytes may have no address.
      guard let start = bytes.baseAddress ?? other.baseAddress else { return }
      weir_file_remember(handle, start, bytes.count)
    }
  }

  /// True if another job can use the data of ``remember(_:)``: the file has other names, and
  /// this job is the first to read the file.
  package var isAwaited: Bool { weir_file_is_awaited(handle) }
}

// MARK: - Items

/// Items for feeds that supply millions. Lent memory belongs to the caller and must stay valid until
/// the next item is requested.
extension FileItem {
  package init(
    lent path: UnsafeRawBufferPointer, note: UnsafeRawBufferPointer = .empty, isWalked: Bool = true
  ) {
    self.init(isWalked ? WEIR_ITEM_PATH : WEIR_ITEM_FILE, lent: path, note: note)
  }

  /// An item for a file that a walk has found before, opened beneath the root of that walk: the
  /// first `rootCount` bytes of the path; 0 if that walk followed symbolic links.
  package static func found(
    lent path: UnsafeRawBufferPointer, below rootCount: Int, note: UnsafeRawBufferPointer
  ) -> FileItem {
    var item = FileItem(WEIR_ITEM_FOUND, lent: path, note: note)
    item.cItem.root_length = rootCount
    return item
  }

  /// An item for the content of a descriptor of any kind, from its current offset to the end. The
  /// processor does not close the descriptor.
  package static func descriptor(
    _ descriptor: FileDescriptor, lent name: UnsafeRawBufferPointer, note: UnsafeRawBufferPointer
  ) -> FileItem {
    var item = FileItem(WEIR_ITEM_DESCRIPTOR, lent: name, note: note)
    item.cItem.descriptor = descriptor.rawValue
    return item
  }

  package static func note(lent note: UnsafeRawBufferPointer) -> FileItem {
    FileItem(WEIR_ITEM_NOTE, lent: .empty, note: note)
  }

  /// An item that starts work on all earlier items without waiting for more. Supply it
  /// before a step that may take long.
  package static var flush: FileItem { FileItem(WEIR_ITEM_FLUSH, lent: .empty, note: .empty) }

  /// Returns an item that is delivered in its place as a failed file.
  package static func failure(_ error: Errno, path: [UInt8], note: [UInt8] = []) -> FileItem {
    var item = FileItem(WEIR_ITEM_FAILURE, path: path, note: note)
    item.cItem.error = error.rawValue
    return item
  }
}

// MARK: - Runs

extension FileProcessor {
  /// Opens no more files until ``resume()``; open files are finished. A pause between runs
  /// holds the next run before its first file. Pauses do not add up.
  ///
  /// `cancel()` ends a paused run; the pause stays.
  package func pause() { weir_files_pause(handle) }

  /// Ends a pause. Without a pause the call has no effect.
  package func resume() { weir_files_resume(handle) }

  /// Returns the files that lanes have worked on for at least this time, such as those that hold up
  /// a run: at most one for each lane, in the order of the lanes.
  package func busyFiles(nanoseconds: UInt64 = 0) -> [BusyFile] {
    let found = BusyFiles()
    _ = weir_files_busy(handle, nanoseconds, Unmanaged.passUnretained(found).toOpaque()) {
      context, busy in
      guard let context else { return }
      let path = UnsafeRawBufferPointer(start: busy.pointee.path, count: busy.pointee.path_length)
      Unmanaged<BusyFiles>.fromOpaque(context).takeUnretainedValue().files.append(
        BusyFile(
          lane: Int(clamping: busy.pointee.lane), path: Array(path),
          nanoseconds: busy.pointee.nanoseconds))
    }
    return found.files.sorted { $0.lane < $1.lane }
  }
}

private final class BusyFiles {
  var files: [BusyFile] = []
}

/// A file that a lane works on, and the time so far.
package struct BusyFile: Sendable {
  /// The index of the lane.
  package let lane: Int
  /// The bytes of the path, without a NUL.
  package let path: [UInt8]
  /// The time that the lane has spent on the file, accurate to some milliseconds.
  package let nanoseconds: UInt64
  package var time: Duration { .nanoseconds(Int64(clamping: nanoseconds)) }
}
