// The files that were found.

internal import SystemPackage
internal import Weir

/// All files that were found, in the order of the input.
///
/// DESIGN. 48 bytes a file and its last component: whether a file is alone in its
/// size is known when the last one is found, so all of them are kept. In chunks: an
/// array that grows is there twice for a moment.
///
/// @unchecked Sendable: one thread at a time adds, and when lanes read nobody does.
final class DuplicatesTable: @unchecked Sendable {
  struct Entry {
    let size: UInt64
    let inode: UInt64
    let seconds: Int64
    let name: UInt64
    let nanoseconds: Int32
    let directory: UInt32
    /// Its place among ``devices``.
    let device: UInt32
    let source: UInt32

    var place: DuplicatesNames.Place {
      DuplicatesNames.Place(directory: directory, name: name)
    }
  }

  let names = DuplicatesNames()
  /// Whether a name may be that of a symbolic link which was followed.
  var mayHaveLinks = false
  private(set) var count = 0
  private var devices: [UInt64] = []
  private var chunks: [UnsafeMutablePointer<Entry>] = []

  private static let chunkBits = 13
  private static let chunkMask = 1 << chunkBits - 1

  deinit {
    chunks.forEach { $0.deallocate() }
  }

  /// Adds a file.
  ///
  /// - Throws: `Errno.overflow` where there are more than numbers of 32 bits.
  func add(_ stamp: DuplicatesStamp, path: UnsafeRawBufferPointer, source: Int) throws(Errno) {
    guard count < Int(UInt32.max) else { throw .overflow }
    let (chunk, offset) = (count >> DuplicatesTable.chunkBits, count & DuplicatesTable.chunkMask)
    if chunk == chunks.count {
      chunks.append(.allocate(capacity: 1 << DuplicatesTable.chunkBits))
    }
    let place = names.add(path)
    (chunks[chunk] + offset).initialize(
      to: Entry(
        size: stamp.size, inode: stamp.inode, seconds: stamp.seconds, name: place.name,
        nanoseconds: stamp.nanoseconds, directory: place.directory,
        device: index(of: stamp.device), source: UInt32(clamping: source)))
    count += 1
  }

  /// There are few, and mostly it is the last one.
  private func index(of device: UInt64) -> UInt32 {
    if let index = devices.lastIndex(of: device) { return UInt32(index) }
    devices.append(device)
    return UInt32(devices.count - 1)
  }

  subscript(number: UInt32) -> Entry {
    let number = Int(number)
    return chunks[number >> DuplicatesTable.chunkBits][number & DuplicatesTable.chunkMask]
  }

  func device(of entry: Entry) -> UInt64 { devices[Int(entry.device)] }

  /// The name that a file was found under.
  func path(_ number: UInt32) -> [UInt8] { names.path(self[number].place) }
}
