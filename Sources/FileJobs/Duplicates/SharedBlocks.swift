// Blocks that several files have in common on their device, which are no saving.

internal import CFileKernels
internal import SystemPackage
internal import Weir
internal import WeirLibC

/// The blocks that files share already, as after `cp --reflink`.
///
/// DESIGN. Only files of a group are asked, each by one open and one ioctl at least. A device that
/// does not answer, as ext4, which never shares blocks, is not asked again. An extent is shared if the
/// system says so and an earlier file has the same place at the same offset, so a file that shares
/// its blocks with strangers is not mistaken.
final class SharedBlocks {
  /// A piece of a file, and its place on a device.
  struct Extent: Hashable {
    let device: UInt64
    let offset: UInt64
    let place: UInt64
    let length: UInt64
  }

  /// The maximum number of extents of a group; further ones count as not shared.
  private static let countMax = 1 << 16

  /// The devices whose files share no blocks.
  private var silent: Set<UInt64> = []

  /// Returns the number of bytes that a file has on the blocks of earlier files, and adds its own
  /// shared blocks.
  ///
  /// - Parameter path: The path, which ends in NUL.
  func count(_ path: [UInt8], _ metadata: DuplicatesMetadata, with blocks: inout Set<Extent>)
    -> UInt64
  {
    if silent.contains(metadata.device) { return 0 }
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    guard let descriptor = try? LongPath.open(path, flags) else { return 0 }
    defer { close(descriptor.rawValue) }
    guard let status = try? stat(of: descriptor), metadata.matches(FileStatus(status)) else {
      return 0
    }
    let extents = extents(of: descriptor, on: metadata.device)
    return SharedBlocks.count(extents, size: metadata.size, with: &blocks)
  }

  /// Returns the number of bytes on known blocks, and adds the others to them.
  static func count(_ extents: [Extent], size: UInt64, with blocks: inout Set<Extent>) -> UInt64 {
    var shared: UInt64 = 0
    for extent in extents {
      if blocks.contains(extent) {
        // The last block may be longer than the rest of the file.
        shared += min(extent.length, size - min(size, extent.offset))
      } else if blocks.count < countMax {
        blocks.insert(extent)
      }
    }
    return shared
  }

  private func extents(of descriptor: FileDescriptor, on device: UInt64) -> [Extent] {
    var extents: [Extent] = []
    var from: UInt64 = 0
    withUnsafeTemporaryAllocation(of: kernel_extent_t.self, capacity: Int(KERNEL_EXTENTS_MAX)) {
      memory in
      while from < UInt64.max && extents.count < SharedBlocks.countMax {
        let count = kernel_shared_extents(descriptor.rawValue, &from, memory.baseAddress)
        if count < 0 {
          if -count != EINTR { silent.insert(device) }
          return
        }
        extents += memory.prefix(Int(count)).map {
          Extent(device: device, offset: $0.offset, place: $0.place, length: $0.length)
        }
      }
    }
    return extents
  }
}
