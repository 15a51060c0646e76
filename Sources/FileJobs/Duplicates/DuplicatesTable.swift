internal import SystemPackage
internal import Weir

/// All files that were found, in the order of the input.
///
/// DESIGN. A file takes 48 bytes and its last component. All are kept, since a file can have a
/// duplicate until the last one is found. In chunks: an array that grows exists twice for a moment.
///
/// @unchecked Sendable: one thread at a time adds, and none adds while lanes read.
final class DuplicatesTable: @unchecked Sendable {
  struct Entry {
    let size: UInt64
    let inode: UInt64
    let name: UInt64
    let modified: FileTime
    let directory: UInt32
    /// The index in ``devices``.
    let device: UInt32
    let source: UInt32

    var location: DuplicatesPaths.Location {
      DuplicatesPaths.Location(directory: directory, name: name)
    }
    var file: FileIdentity { FileIdentity(device: UInt64(device), inode: inode) }
  }

  let paths = DuplicatesPaths()
  /// True if a path can be that of a symbolic link that was followed.
  var mayHaveLinks = false
  private(set) var count = 0
  private var devices: [UInt64] = []
  private var chunks: [UnsafeMutablePointer<Entry>] = []
  /// The places of the files in a plan, in chunks of the same size; empty without a plan.
  private var places: [UnsafeMutablePointer<UInt64>] = []

  private static let chunkBits = 13
  private static let chunkMask = 1 << chunkBits - 1

  deinit {
    chunks.forEach { $0.deallocate() }
    places.forEach { $0.deallocate() }
  }

  /// Adds a file; all have a place in a plan, or none has. Throws `Errno.overflow` after 2^32
  /// files.
  func add(
    _ metadata: DuplicatesMetadata, path: UnsafeRawBufferPointer, source: Int,
    place: UInt64? = nil
  ) throws(Errno) {
    guard count < Int(UInt32.max) else { throw .overflow }
    let (chunk, offset) = (count >> DuplicatesTable.chunkBits, count & DuplicatesTable.chunkMask)
    if chunk == chunks.count {
      chunks.append(.allocate(capacity: 1 << DuplicatesTable.chunkBits))
      if place != nil { places.append(.allocate(capacity: 1 << DuplicatesTable.chunkBits)) }
    }
    if let place { (places[chunk] + offset).initialize(to: place) }
    let location = paths.add(path)
    (chunks[chunk] + offset).initialize(
      to: Entry(
        size: metadata.size, inode: metadata.file.inode, name: location.name,
        modified: metadata.modified, directory: location.directory,
        device: index(of: metadata.file.device), source: UInt32(clamping: source)))
    count += 1
  }

  /// Returns the index of a device: there are few, and mostly it is the last one.
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

  /// Returns the place of a file in the plan; without one, its number.
  func place(_ number: UInt32) -> UInt64 {
    if places.isEmpty { return UInt64(number) }
    let number = Int(number)
    return places[number >> DuplicatesTable.chunkBits][number & DuplicatesTable.chunkMask]
  }

  func spansSources(_ files: some Sequence<UInt32>) -> Bool {
    var first: UInt32?
    return files.contains { file in
      let source = self[file].source
      defer { first = first ?? source }
      return source != first ?? source
    }
  }

  func path(_ number: UInt32) -> [UInt8] { paths.path(self[number].location) }
}

/// The status of a file when it was found, and a number. It is the output of the stage that
/// finds files, and the note of a file in the later stages.
struct DuplicatesMetadata {
  let size: UInt64
  let file: FileIdentity
  let modified: FileTime
  /// The number of the file among the candidates.
  let number: UInt32

  init(size: UInt64, file: FileIdentity, modified: FileTime, number: UInt32) {
    (self.size, self.file, self.modified, self.number) = (size, file, modified, number)
  }

  init(_ status: FileStatus) {
    self.init(size: status.size, file: status.file, modified: status.modified, number: 0)
  }

  static var byteCount: Int { MemoryLayout<DuplicatesMetadata>.size }

  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == DuplicatesMetadata.byteCount else { return nil }
    self = bytes.loadUnaligned(as: DuplicatesMetadata.self)
  }

  /// Returns true if a status is that of the same file, with the same size and time.
  func matches(_ status: FileStatus) -> Bool {
    status.type == .file && status.file == file && status.size == size
      && status.modified == modified
  }
}
