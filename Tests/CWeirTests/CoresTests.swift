// The quota of the cores: simulated machines, each a tree of files with its own /proc and its own
// mounted cgroups.
import CWeir
import Glibc
import TestSupport
import Testing

/// Defined in system/linux/quota.c, and not public.
@_silgen_name("weir__cores_by_quota")
private func coresByQuota(_ root: UnsafePointer<CChar>) -> Int

/// The result without a quota.
private let none = Int(bitPattern: UInt.max)

/// A simulated machine.
private struct Machine {
  private let tree = Tree()

  /// - Parameters:
  ///   - cgroups: The lines of /proc/self/cgroup.
  ///   - mounts: For each mounted tree of cgroups: its type and options, the part of the tree, the
  ///     place.
  init(_ cgroups: [String], mounts: [(type: String, top: String, point: String)]) {
    for name in ["proc", "proc/self", "sys", "sys/fs", "sys/fs/cgroup"] { tree.directory(name) }
    text("proc/self/cgroup", cgroups.map { $0 + "\n" }.joined())
    let lines = mounts.map { mount in
      let words = mount.type.split(separator: " ")
      return "31 23 0:28 \(mount.top) \(mount.point) rw,nosuid shared:9 - \(words[0]) cgroup "
        + "rw,\(words.last ?? "")\n"
    }
    text("proc/self/mountinfo", "22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n" + lines.joined())
  }

  private func text(_ path: String, _ text: String) { tree.file(path, Array(text.utf8)) }

  /// Adds a file below /sys/fs/cgroup, and the missing directories that lead to it.
  func add(_ path: String, _ content: String) {
    var directory = "sys/fs/cgroup"
    for part in path.split(separator: "/").dropLast() {
      directory += "/\(part)"
      _ = (tree.root / directory).c { mkdir($0, 0o755) }
    }
    text("sys/fs/cgroup/" + path, content + "\n")
  }

  /// Adds a file whose reading fails, for every user.
  func addUnreadable(_ path: String) {
    add(path + "/x", "")
  }

  var cores: Int { tree.root.c { coresByQuota($0) } }
}

private let v2 = (type: "cgroup2", top: "/", point: "/sys/fs/cgroup")
private let v1 = (type: "cgroup cpu,cpuacct", top: "/", point: "/sys/fs/cgroup/cpu,cpuacct")

extension CWeirIndependentTests {
  @Suite struct CoresTests {
    /// The quota of a unit, rounded up, and `max` for none.
    @Test(arguments: [
      ("150000 100000", 2), ("100000 100000", 1), ("1000 100000", 1), ("800000 100000", 8),
      ("25000 10000", 3), ("max 100000", none), ("", none), ("100000", none), ("-1 100000", none),
      ("100000 0", none),
    ])
    func theQuotaOfTheUnitCounts(quota: String, cores: Int) {
      let machine = Machine(["0::/system.slice/a.service"], mounts: [v2])
      machine.add("system.slice/a.service/cpu.max", quota)
      #expect(machine.cores == cores)
    }

    /// The least quota on the way up, wherever it stands.
    @Test(arguments: 0..<4)
    func theLeastQuotaOnTheWayUpCounts(least: Int) {
      let machine = Machine(["0::/a/b/c"], mounts: [v2])
      for (depth, directory) in ["", "a/", "a/b/", "a/b/c/"].enumerated() {
        machine.add("\(directory)cpu.max", depth == least ? "200000 100000" : "900000 100000")
      }
      machine.add("a/other/cpu.max", "100000 100000")
      #expect(machine.cores == 2)
    }

    /// A cgroup without the controller, with `max`, or with a file that cannot be read hides no
    /// quota above it.
    @Test func theWayUpGoesOn() {
      let machine = Machine(["0::/a/b/c/d"], mounts: [v2])
      machine.add("a/cpu.max", "300000 100000")
      machine.add("a/b/cpu.max", "max 100000")
      machine.addUnreadable("a/b/c/cpu.max")
      #expect(machine.cores == 3)
    }

    @Test(arguments: [("250000", 3), ("-1", none), ("100000", 1)])
    func versionOneCounts(quota: String, cores: Int) {
      let machine = Machine(
        ["7:cpuset:/set", "4:cpu,cpuacct:/docker/x", "1:name=systemd:/y"],
        mounts: [("cgroup cpuset", "/", "/sys/fs/cgroup/cpuset"), v1])
      machine.add("cpuset/set/cpu.cfs_quota_us", "50000")
      machine.add("cpuset/set/cpu.cfs_period_us", "100000")
      machine.add("cpu,cpuacct/docker/x/cpu.cfs_period_us", "100000")
      machine.add("cpu,cpuacct/docker/x/cpu.cfs_quota_us", quota)
      machine.add("cpu,cpuacct/cpu.cfs_quota_us", "-1")
      #expect(machine.cores == cores)
    }

    /// Both versions are mounted, and the controller is in either.
    @Test(arguments: [true, false])
    func aHybridCounts(isInVersionOne: Bool) {
      let machine = Machine(
        ["4:cpu,cpuacct:/s/one", "0::/s/two"],
        mounts: [("cgroup2", "/", "/sys/fs/cgroup/unified"), v1])
      machine.add("cpu,cpuacct/s/cpu.cfs_quota_us", isInVersionOne ? "200000" : "-1")
      machine.add("cpu,cpuacct/s/cpu.cfs_period_us", "100000")
      machine.add("unified/s/cpu.max", isInVersionOne ? "max 100000" : "200000 100000")
      #expect(machine.cores == 2)
    }

    /// A part of the tree is mounted: in a namespace of its own, or with the host's paths.
    @Test(arguments: [
      ("/", "/", ""), ("/in", "/", "in/"), ("/docker/abc", "/docker/abc", ""),
      ("/docker/abc/in", "/docker/abc", "in/"), ("/../b", "/..", "b/"),
      ("/pod 1/in", "/pod\\0401", "in/"),
    ])
    func aContainerSeesItsPart(path: String, top: String, directory: String) {
      let machine = Machine(["0::\(path)"], mounts: [("cgroup2", top, "/sys/fs/cgroup")])
      machine.add("\(directory)cpu.max", "200000 100000")
      #expect(machine.cores == 2)
    }

    /// A process outside the mounted part: its top is read, and nothing that ".." or a longer name
    /// would lead to.
    @Test(arguments: [
      ("/..", "/"), ("/../..", "/"), ("/../other", "/"), ("/", "/../.."),
      ("/docker/abcd", "/docker/abc"), ("/host/path", "/docker/abc"),
    ])
    func outsideThePartItsTopCounts(path: String, top: String) {
      let machine = Machine(["0::\(path)"], mounts: [("cgroup2", top, "/sys/fs/cgroup/here")])
      for directory in ["", "other/", "d/", "here/d/", "hered/"] {
        machine.add("\(directory)cpu.max", "100000 100000")
      }
      machine.add("here/cpu.max", "300000 100000")
      #expect(machine.cores == 3)
    }

    /// Of two mounts, the one that contains the cgroup.
    @Test(arguments: [true, false])
    func theMountWithTheCgroupCounts(isFirst: Bool) {
      let parts = [
        ("cgroup2", "/a", "/sys/fs/cgroup/one"), ("cgroup2", "/b", "/sys/fs/cgroup/two"),
      ]
      let machine = Machine(["0::/b/c"], mounts: isFirst ? parts.reversed() : parts)
      machine.add("one/cpu.max", "100000 100000")
      machine.add("two/c/cpu.max", "200000 100000")
      #expect(machine.cores == 2)
    }

    @Test func withoutCgroupsThereIsNoQuota() {
      #expect(Tree().root.c { coresByQuota($0) } == none)
      #expect(Machine([], mounts: [v2, v1]).cores == none)
      #expect(Machine(["0::/a", "4:cpu:/a"], mounts: []).cores == none)
      let long = String(repeating: "/" + String(repeating: "n", count: 200), count: 30)
      #expect(Machine(["0::" + long], mounts: [v2]).cores == none)
      #expect(Machine(["4:cpu", "0:", "", ":"], mounts: [v1, v2]).cores == none)
    }
  }
}
