// The bytes that the removal of duplicates would free.
//
// DESIGN. Only files of a group are examined, each by one stat; on devices whose files may share
// blocks also by one open and one ioctl at least. A device that does not answer, as ext4, which never
// shares blocks, is not asked again. btrfs gives each subvolume a device, and one address space to
// all, so extents are compared by file system.
//
// The kernel frees an extent when nothing refers to it. A search sees the references of its own group
// alone, and who may not read the trees of a file system learns no count of the others: so an extent
// that is said to be shared, and to which no second file of the group refers, is held by a stranger,
// as a snapshot. If two files of the group share an extent with each other, it counts as theirs
// alone, unless btrfs tells root of further references. A compressed file counts as what it holds:
// no system call tells its length on the disk.

internal import CFileKernels
internal import SystemPackage
internal import WeirLibC

/// The bytes of a file that its removal, with that of all other duplicates, would not free.
struct UnfreedBytes: Equatable {
  /// Bytes that another name or file holds: one that stays, or one whose removal counts.
  var shared: UInt64 = 0
  /// Bytes of the size that have no blocks.
  var holes: UInt64 = 0
  /// True if the file has bytes, and its removal frees none of them in any case.
  var isWhole = false
}

/// A file of a group as it lies on its device.
struct FileBlocks {
  /// A piece of a file that shares its blocks with something, and their place.
  struct Extent {
    let offset: UInt64
    let place: UInt64
    let length: UInt64
  }

  /// The bytes of the size that have blocks.
  var allocated: UInt64
  var hasOtherNames = false
  var extents: [Extent] = []
  /// Equal numbers if the files can share blocks.
  var system: UInt64 = 0
  var rights: FileRights?
}

/// The search for the blocks of files, with what it has learned of their devices.
final class FreedBlocks {
  /// The maximum number of extents of a file; further ones count as not shared.
  private static let countMax = 1 << 16

  private var silent: Set<UInt64> = []
  /// By device its file system, and the number of each btrfs by its identity.
  private var systems: [UInt64: UInt64] = [:]
  private var numbers: [[UInt8]: UInt64] = [:]

  /// Returns the blocks of a file. Those of a symbolic link, and of a file that has changed or cannot
  /// be examined, are not freed.
  ///
  /// - Parameters:
  ///   - path: The path, which ends in NUL.
  ///   - names: The number of its names that were found.
  func blocks(_ path: [UInt8], _ metadata: DuplicatesMetadata, names: Int) -> FileBlocks {
    var blocks = FileBlocks(allocated: metadata.size, system: metadata.file.device)
    guard let status = try? LongPath.status(path, followsLinks: false),
      metadata.matches(FileStatus(status))
    else {
      blocks.hasOtherNames = true
      return blocks
    }
    blocks.rights = FileStatus(status).rights
    blocks.hasOtherNames = UInt64(status.st_nlink) > UInt64(names)
    let bytes = UInt64(clamping: status.st_blocks) * 512
    if bytes > 0 { blocks.allocated = min(bytes, metadata.size) }
    if bytes > 0 && silent.contains(metadata.file.device) { return blocks }
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    guard let descriptor = try? LongPath.open(path, flags) else { return blocks }
    defer { close(descriptor.rawValue) }
    guard let status = try? stat(of: descriptor), metadata.matches(FileStatus(status)) else {
      return blocks
    }
    // A file system that counts no blocks has data where it says so, and one without holes everywhere.
    if bytes == 0 && kernel_has_data(descriptor.rawValue) == 0 { blocks.allocated = 0 }
    if silent.contains(metadata.file.device) { return blocks }
    blocks.extents = extents(of: descriptor, on: metadata.file.device)
    blocks.system = system(of: descriptor, on: metadata.file.device)
    return blocks
  }

  private func system(of descriptor: FileDescriptor, on device: UInt64) -> UInt64 {
    if let system = systems[device] { return system }
    var identity = [UInt8](repeating: 0, count: Int(KERNEL_BTRFS_ID_SIZE))
    var system = device
    if kernel_btrfs_id(descriptor.rawValue, &identity) == 0 {
      // The device of one of its subvolumes stands for all.
      system = numbers[identity, default: device]
      numbers[identity] = system
    }
    systems[device] = system
    return system
  }

  /// Returns true if more than a number of references are known to lead to a place of a file.
  func haveMore(_ path: [UInt8], _ place: UInt64, _ count: Int) -> Bool {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    guard let descriptor = try? LongPath.open(path, flags) else { return false }
    defer { close(descriptor.rawValue) }
    return kernel_btrfs_references(descriptor.rawValue, place) > Int32(clamping: count)
  }

  private func extents(of descriptor: FileDescriptor, on device: UInt64) -> [FileBlocks.Extent] {
    var extents: [FileBlocks.Extent] = []
    var from: UInt64 = 0
    withUnsafeTemporaryAllocation(of: kernel_extent_t.self, capacity: Int(KERNEL_EXTENTS_MAX)) {
      memory in
      while from < UInt64.max && extents.count < FreedBlocks.countMax {
        let count = kernel_shared_extents(descriptor.rawValue, &from, memory.baseAddress)
        if count < 0 {
          if -count != EINTR { silent.insert(device) }
          return
        }
        extents += memory.prefix(Int(count)).map {
          FileBlocks.Extent(offset: $0.offset, place: $0.place, length: $0.length)
        }
      }
    }
    return extents
  }

  // MARK: Counting

  private struct Reference {
    let system: UInt64
    let begin: UInt64
    let end: UInt64
    let file: Int
  }

  /// Returns for each file the bytes that would not be freed if all but some files were removed.
  /// `haveMore` is true if more than a number of references lead to a place of a file.
  static func unfreed(
    _ files: [FileBlocks], size: UInt64, stays: (Int) -> Bool,
    haveMore: (_ file: Int, _ place: UInt64, _ count: Int) -> Bool = { _, _, _ in false }
  ) -> [UnfreedBytes] {
    let areHeld = files.indices.map { files[$0].hasOtherNames || stays($0) }
    var unfreed = files.map { UnfreedBytes(holes: size - $0.allocated) }
    var held = files.map { $0.hasOtherNames ? $0.allocated : 0 }
    let references = files.indices.flatMap { index in
      files[index].extents.compactMap { extent -> Reference? in
        // The last block may be longer than the rest of the file.
        let length = min(extent.length, size - min(size, extent.offset))
        let system = files[index].system
        return length == 0 || extent.place > UInt64.max - length
          ? nil
          : Reference(
            system: system, begin: extent.place, end: extent.place + length, file: index)
      }
    }.sorted { ($0.system, $0.begin, $0.file) < ($1.system, $1.begin, $1.file) }
    forEachPiece(of: references) { place, length, active in
      let isHeld =
        active.count == 1 || active.contains { areHeld[$0] }
        || haveMore(active[0], place, active.count)
      // Of a piece that is freed, the first file has the bytes.
      let first = active.indices.min { active[$0] < active[$1] }
      for (index, file) in active.enumerated() {
        if isHeld { held[file] += length }
        if isHeld || index != first { unfreed[file].shared += length }
      }
    }
    for index in files.indices {
      let allocated = files[index].allocated
      let shared = files[index].hasOtherNames ? allocated : unfreed[index].shared
      unfreed[index].shared = min(shared, allocated)
      unfreed[index].isWhole = size > 0 && held[index] >= allocated
    }
    return unfreed
  }

  /// Calls a closure with the place and the length of each piece, and the files that refer to it.
  private static func forEachPiece(
    of references: [Reference], _ body: (UInt64, UInt64, [Int]) -> Void
  ) {
    var active: [Reference] = []
    var (next, place) = (0, UInt64(0))
    while next < references.count || !active.isEmpty {
      if active.isEmpty { place = references[next].begin }
      let system = (active.first ?? references[next]).system
      while next < references.count, references[next].system == system,
        references[next].begin == place
      {
        active.append(references[next])
        next += 1
      }
      var end = active.map(\.end).min() ?? place
      if next < references.count, references[next].system == system {
        end = min(end, references[next].begin)
      }
      body(place, end - place, active.map(\.file))
      place = end
      active.removeAll { $0.end <= place }
    }
  }
}
