// weir/storage.h: the storage of a file, as derived from statfs and sysfs; for real files, and for
// machines simulated by a tree of files.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

/// Defined in system/linux/media.c, and not public.
@_silgen_name("weir__medium_find")
private func find(
  _ sysfs: UnsafePointer<CChar>, _ type: UInt64, _ identity: UInt32, _ device: UInt64,
  _ out: UnsafeMutablePointer<weir_storage_t>)

/// Defined in storage/storage.c, and not public.
@_silgen_name("weir__storage_complete")
private func complete(_ storage: UnsafeMutablePointer<weir_storage_t>)

/// O_PATH, which the Glibc module does not declare.
private let pathOnly: Int32 = 0o10_000_000

/// Types of file systems, as statfs(2) reports them.
private enum Magic {
  static let ext: UInt64 = 0xEF53
  static let btrfs: UInt64 = 0x9123_683E
  static let fuse: UInt64 = 0x6573_5546
}

private func number(_ major: UInt64, _ minor: UInt64) -> UInt64 { major << 8 | minor }

/// The /sys of a simulated machine.
private final class Machine {
  let tree = Tree()

  init() {
    for name in ["dev", "dev/block", "devices", "fs", "fs/btrfs"] { tree.directory(name) }
  }

  /// Adds a disk with these values in sysfs.
  func disk(
    _ name: String, _ device: String, rotational: String?, driver: String = "sd",
    vendor: String = "ATA     ", model: String = "ST4000NM0035-1V4"
  ) {
    let at = "devices/\(name)"
    for part in ["", "/queue", "/slaves", "/device"] { tree.directory(at + part) }
    if let rotational { tree.file("\(at)/queue/rotational", Array((rotational + "\n").utf8)) }
    tree.file("\(at)/dev", Array("\(device)\n".utf8))
    tree.file("\(at)/device/vendor", Array((vendor + "\n").utf8))
    tree.file("\(at)/device/model", Array((model + "\n").utf8))
    tree.link("\(at)/device/driver", to: "../../../bus/drivers/\(driver)")
    tree.link("dev/block/\(device)", to: "../../\(at)")
  }

  func partition(_ name: String, _ device: String, of disk: String) {
    let at = "devices/\(disk)/\(name)"
    tree.directory(at)
    tree.file("\(at)/partition", Array("1\n".utf8))
    tree.file("\(at)/dev", Array("\(device)\n".utf8))
    tree.link("dev/block/\(device)", to: "../../\(at)")
  }

  /// Adds a device made of others.
  func join(_ name: String, _ device: String, rotational: String, of parts: [String]) {
    disk(name, device, rotational: rotational, driver: "none")
    for part in parts {
      let last = part.split(separator: "/").last!
      tree.link("devices/\(name)/slaves/\(last)", to: "../../../devices/\(part)")
    }
  }

  func storage(_ type: UInt64, _ device: UInt64, identity: UInt32 = 0) -> weir_storage_t {
    var found = weir_storage_t()
    tree.root.c { find($0, type, identity, device, &found) }
    complete(&found)
    return found
  }
}

extension weir_storage_t {
  fileprivate func text<T>(_ field: KeyPath<weir_storage_t, T>) -> String {
    withUnsafeBytes(of: self[keyPath: field]) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
  fileprivate var diskName: String { text(\.disk) }
  fileprivate var evidenceText: String { text(\.evidence) }
  fileprivate var system: String { text(\.file_system) }
}

extension CWeirFilesTests {
  @Suite struct StorageTests {
    static let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    @Test(arguments: [
      ("1", WEIR_STORAGE_ROTATING, 1), ("0", WEIR_STORAGE_SOLID, 8), (nil, WEIR_STORAGE_UNKNOWN, 8),
    ])
    func aDiskIsOfTheKindItReports(
      _ rotational: String?, _ kind: weir_storage_kind_t, _ readers: Int
    ) {
      let machine = Machine()
      machine.disk("sda", "8:0", rotational: rotational)
      machine.partition("sda1", "8:1", of: "sda")
      for device in [number(8, 0), number(8, 1)] {
        let storage = machine.storage(Magic.ext, device)
        #expect(storage.kind == kind && storage.diskName == "sda", "\(storage.evidenceText)")
        #expect(storage.by_inode == (kind == WEIR_STORAGE_ROTATING))
        #expect(storage.readers == 1 || readers > 1)
        #expect(
          kind == WEIR_STORAGE_ROTATING ? storage.readers_max == 1 : storage.readers_max >= 64)
        #expect(storage.evidenceText.contains("rotational") && storage.system == "ext4")
      }
    }

    /// All partitions of a rotating disk have the device number of the disk.
    @Test func partitionsShareTheirDisk() {
      let machine = Machine()
      machine.disk("sda", "8:0", rotational: "1")
      machine.partition("sda1", "8:1", of: "sda")
      machine.partition("sda2", "8:2", of: "sda")
      machine.disk("sdb", "8:16", rotational: "1")
      machine.partition("sdb1", "8:17", of: "sdb")
      machine.join("dm-0", "252:0", rotational: "0", of: ["sda/sda2"])
      let devices = [number(8, 1), number(252, 0)].map { machine.storage(Magic.ext, $0).device }
      #expect(devices == [number(8, 0), number(8, 0)])
      #expect(machine.storage(Magic.ext, number(8, 17)).device == number(8, 16))
    }

    /// Device-mapper on md on partitions: the device rotates if any of its disks does; its own
    /// setting does not count.
    @Test(arguments: [
      (["1", "0"], WEIR_STORAGE_ROTATING, "sda"), (["0", "1"], WEIR_STORAGE_ROTATING, "sdb"),
      (["0", "0"], WEIR_STORAGE_SOLID, "sda"), (["1", "1"], WEIR_STORAGE_ROTATING, "sda"),
    ])
    func disksBelowADeviceDecide(
      _ rotational: [String], _ kind: weir_storage_kind_t, _ decides: String
    ) {
      let machine = Machine()
      machine.disk("sda", "8:0", rotational: rotational[0])
      machine.partition("sda1", "8:1", of: "sda")
      machine.disk("sdb", "8:16", rotational: rotational[1])
      machine.join("md0", "9:0", rotational: "0", of: ["sda/sda1", "sdb"])
      machine.join("dm-0", "252:0", rotational: "1", of: ["md0"])
      let storage = machine.storage(Magic.ext, number(252, 0))
      #expect(storage.kind == kind && storage.diskName == decides, "\(storage.evidenceText)")
      #expect(storage.evidenceText.contains("of 2 disks"), "\(storage.evidenceText)")
    }

    /// A cycle of slaves ends.
    @Test func aCycleOfDevicesEnds() {
      let machine = Machine()
      machine.join("dm-0", "252:0", rotational: "1", of: ["dm-1"])
      machine.join("dm-1", "252:1", rotational: "1", of: ["dm-0"])
      #expect(machine.storage(Magic.ext, number(252, 0)).readers > 0)
    }

    /// A 1 of a virtual disk is ignored; a 0 counts. On SATA the vendor is always ATA, and the model
    /// names the maker.
    @Test(arguments: [
      ("virtio_blk", "", "", "1", WEIR_STORAGE_UNKNOWN), ("vbd", "", "", "1", WEIR_STORAGE_UNKNOWN),
      ("sd", "QEMU    ", "", "1", WEIR_STORAGE_UNKNOWN),
      ("sd", "VMware  ", "", "1", WEIR_STORAGE_UNKNOWN),
      ("virtio_blk", "", "", "0", WEIR_STORAGE_SOLID),
      ("sd", "Msft    ", "", "0", WEIR_STORAGE_SOLID),
      ("sd", "SEAGATE ", "", "1", WEIR_STORAGE_ROTATING),
      ("sd", "ATA     ", "VBOX HARDDISK   ", "1", WEIR_STORAGE_UNKNOWN),
      ("sd", "ATA     ", "QEMU HARDDISK   ", "1", WEIR_STORAGE_UNKNOWN),
      ("sd", "ATA     ", "VMware Virtual S", "1", WEIR_STORAGE_UNKNOWN),
      ("sd", "ATA     ", "ST4000NM0035-1V4", "1", WEIR_STORAGE_ROTATING),
    ])
    func aVirtualDiskThatRotatesIsUnknown(
      _ driver: String, _ vendor: String, _ model: String, _ rotational: String,
      _ kind: weir_storage_kind_t
    ) {
      let machine = Machine()
      machine.disk(
        "vda", "254:0", rotational: rotational, driver: driver, vendor: vendor, model: model)
      machine.join("dm-0", "252:0", rotational: "1", of: ["vda"])
      for device in [number(254, 0), number(252, 0)] {
        let storage = machine.storage(Magic.ext, device)
        #expect(storage.kind == kind && storage.diskName == "vda", "\(storage.evidenceText)")
        #expect(storage.evidenceText.contains("virtual") == (kind == WEIR_STORAGE_UNKNOWN))
      }
    }

    @Test(
      arguments: [
        (0x6969, WEIR_STORAGE_NETWORK, "NFS"), (0xFF53_4D42, WEIR_STORAGE_NETWORK, "CIFS"),
        // statfs may sign-extend the type.
        (0xFFFF_FFFF_FF53_4D42, WEIR_STORAGE_NETWORK, "CIFS"),
        (0xFE53_4D42, WEIR_STORAGE_NETWORK, "SMB"), (0x0102_1997, WEIR_STORAGE_NETWORK, "9P"),
        (0x00C3_6400, WEIR_STORAGE_NETWORK, "Ceph"), (0x0BD0_0BD0, WEIR_STORAGE_NETWORK, "Lustre"),
        (0x0102_1994, WEIR_STORAGE_MEMORY, "tmpfs"), (0x2FC1_2FC1, WEIR_STORAGE_UNKNOWN, "ZFS"),
        (0x1234_5678, WEIR_STORAGE_UNKNOWN, "0x12345678"),
        (0xEF53, WEIR_STORAGE_UNKNOWN, "ext4"),
      ] as [(UInt64, weir_storage_kind_t, String)])
    func theFileSystemDecidesFirst(_ type: UInt64, _ kind: weir_storage_kind_t, _ name: String) {
      let machine = Machine()
      let storage = machine.storage(type, number(0, 42))
      #expect(storage.kind == kind && storage.system == name && storage.diskName == "")
      #expect(!storage.evidenceText.isEmpty && storage.device == number(0, 42))
      #expect(
        kind == WEIR_STORAGE_MEMORY
          ? storage.readers_max == storage.readers : storage.readers_max >= 64)
      #expect((storage.readers == 16) == (kind == WEIR_STORAGE_NETWORK) || Self.cores == 4)
    }

    @Test(arguments: [["0", "1"], ["0", "0"]])
    func btrfsListsItsDevices(_ rotational: [String]) {
      let machine = Machine()
      machine.disk("nvme0n1", "259:0", rotational: rotational[0])
      machine.disk("sdb", "8:16", rotational: rotational[1])
      machine.partition("sdb2", "8:18", of: "sdb")
      for (uuid, devices) in [
        ("11111111-2222-3333-4444-555555555555", ["nvme0n1"]),
        ("0a1b2c3d-2222-3333-89ab-cdef01234567", ["nvme0n1", "sdb/sdb2"]),
      ] {
        machine.tree.directory("fs/btrfs/\(uuid)")
        machine.tree.directory("fs/btrfs/\(uuid)/devices")
        for device in devices {
          let last = device.split(separator: "/").last!
          machine.tree.link(
            "fs/btrfs/\(uuid)/devices/\(last)", to: "../../../../devices/\(device)")
        }
      }
      // The first and the third of the UUID's four words.
      let identity: UInt32 = 0x0A1B_2C3D ^ 0x89AB_CDEF
      let storage = machine.storage(Magic.btrfs, number(0, 33), identity: identity)
      let rotates = rotational.contains("1")
      #expect(storage.kind == (rotates ? WEIR_STORAGE_ROTATING : WEIR_STORAGE_SOLID))
      #expect(storage.diskName == (rotates ? "sdb" : "sdb") && storage.system == "Btrfs")
      let other = machine.storage(Magic.btrfs, number(0, 34), identity: 1)
      #expect(other.kind == WEIR_STORAGE_UNKNOWN && other.device == number(0, 34))
    }

    /// A FUSE file system on a disk, such as ntfs-3g.
    @Test func fuseOnADiskHasTheStorageOfTheDisk() {
      let machine = Machine()
      machine.disk("sda", "8:0", rotational: "1")
      #expect(machine.storage(Magic.fuse, number(8, 0)).kind == WEIR_STORAGE_ROTATING)
    }

    /// /proc and /sys of this machine are in memory.
    @Test func storageOfRealFiles() {
      var storage = weir_storage_t()
      for (path, kind) in [("/proc", WEIR_STORAGE_MEMORY), ("/sys", WEIR_STORAGE_MEMORY)] {
        let descriptor = open(path, pathOnly)
        defer { close(descriptor) }
        #expect(weir_storage_of(descriptor, &storage, MemoryLayout.size(ofValue: storage)) == 0)
        #expect(storage.kind == kind && !storage.evidenceText.isEmpty)
      }
      #expect(weir_storage_of(-1, &storage, MemoryLayout.size(ofValue: storage)) == EBADF)
    }
  }
}
