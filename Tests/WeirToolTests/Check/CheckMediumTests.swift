// weir check --no-read, which opens no file, and --from-disk, which reads past the page cache.

import Glibc
import TestSupport
import Testing

@Suite
struct CheckMediumTests {
  @Test(
    "--no-read opens no file, and compares what the status says",
    .enabled("strace has to work", straceWorks))
  func noRead() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("d")
    for number in 0..<20 { try directory.write("\(number)", to: "d/listed\(number)") }
    try directory.write("out", to: "listed20")
    let script = """
      sha256sum d/* listed20 > S; $0 hash -o M d listed20; $0 hash --format mtree d listed20 > T
      touch -r d/listed3 ref; printf x > d/listed3; touch -r ref d/listed3; printf x >> d/listed4
      touch -d 2001-01-01 d/listed5; rm d/listed6; mkdir d/listed6; rm d/listed7; chmod 0 d/listed8
      """
    #expect(try await shell(script, in: directory).run().status == 0)
    for manifest in ["S", "M", "T"] {
      let trace = try await shell(
        "strace -f -e trace=open,openat,openat2 -o trace $0 check --no-read --summary \(manifest)",
        in: directory
      ).run()
      #expect(trace.status == 1)
      #expect(trace.errorText.contains("; contents were not read; 0 B in "))
      let opened = String(decoding: directory.content("trace") ?? [], as: UTF8.self)
      #expect(opened.contains("\"\(manifest)\"") && !opened.contains("listed"), "\(opened)")
      let wrong = trace.outputText.split(separator: "\n").filter { !$0.hasSuffix(": OK") }
      #expect(
        wrong.map(String.init)
          == (manifest == "S"
          ? ["d/listed6: FAILED open or read", "d/listed7: FAILED open or read"]
          : [
            "d/listed4: FAILED (edited)", "d/listed5: FAILED (edited)",
            "d/listed6: FAILED (is a directory)", "d/listed7: FAILED (missing)",
          ]).sorted(), "\(manifest)")
    }
  }

  @Test("--from-disk finds a byte that changed beneath the page cache", .timeLimit(.minutes(10)))
  func fromDisk() async throws {
    let tools = ["losetup", "mkfs.ext4", "filefrag", "unshare"].allSatisfy {
      path(ofProgram: $0) != nil || path(ofProgram: "/usr/sbin/\($0)") != nil
    }
    guard geteuid() == 0, tools, access("/dev/loop-control", R_OK | W_OK) == 0 else {
      print("skipped: a loop device needs root, losetup, mkfs.ext4 and filefrag")
      return
    }
    let directory = try TemporaryDirectory()
    let script = """
      set -e; PATH=$PATH:/usr/sbin; truncate -s 16M image; mkfs.ext4 -q -b 4096 -F image; mkdir m
      loop=$(losetup -f --show image); trap 'umount m; losetup -d $loop' EXIT
      mount $loop m; head -c 1000000 /dev/urandom > m/a; cp m/a m/b; sync; (cd m; sha256sum a b > ../S)
      block=$(filefrag -v m/a | awk '$1 == "0:" { print $4 + 0 }')
      byte=$(dd if=image bs=1 skip=$((block * 4096 + 99)) count=1 2>/dev/null | od -An -tu1)
      printf "\\\\$(printf %o $((255 - byte)))" |
        dd of=image bs=1 seek=$((block * 4096 + 99)) conv=notrunc 2>/dev/null
      cat m/a m/b > /dev/null
      $0 check -C m S
      $0 check -C m --from-disk S || echo $?
      """
    var command = other(
      "unshare", words("-m", "sh", "-c") + [Array(script.utf8), weirPath], in: directory)
    command.limit = 60
    let run = try await command.run()
    if run.outputText.isEmpty {
      print("skipped: no loop device can be mounted here: \(run.errorText)")
      return
    }
    #expect(run.outputText == "a: OK\nb: OK\na: FAILED\nb: OK\n1\n", "\(run.errorText)")
    #expect(run.errorText == "weir: WARNING: 1 computed checksum did NOT match\n")
  }

  @Test("--from-disk maps no file", .enabled("strace has to work", straceWorks))
  func mapped() async throws {
    let directory = try TemporaryDirectory()
    // In Linux 6.5 and later cachestat(2) is asked before a file is mapped.
    let script = """
      head -c 12000000 /dev/zero >f; sha256sum f >S; for o in "" --from-disk; do
      strace -f -o trace $0 check $o S; grep -q 'cachestat\\|syscall_0x1c3' trace; echo $?; done
      """
    let run = try await shell(script, in: directory).run()
    #expect(run.outputText == "f: OK\n0\nf: OK\n1\n")
  }

  @Test("--from-disk counts the files that stay in memory")
  func undropped() async throws {
    guard access("/dev/shm", W_OK) == 0 else {
      print("skipped: there is no file system in memory")
      return
    }
    let script = """
      f=/dev/shm/weir.test.$$; trap 'rm $f' EXIT; echo x > $f; sha256sum $f > S
      $0 check --quiet --from-disk S; $0 check --quiet S
      """
    let run = try await scripted(script)
    let warning = """
      weir: WARNING: 1 file could not be dropped from memory, and may not come from the disk

      """
    #expect(run.status == 0 && run.errorText == warning)
  }

  @Test(
    "--background gives all threads the idle priority", .enabled("strace has to work", straceWorks))
  func background() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("x", to: "f")
    let script = """
      sha256sum f > S
      strace -f -o trace -e trace=clone,clone3,sched_setscheduler,ioprio_set $0 check --background S
      """
    let run = try await shell(script, in: directory).run()
    #expect(run.outputText == "f: OK\n")
    let calls = String(decoding: directory.content("trace") ?? [], as: UTF8.self)
      .split(separator: "\n")
    let first = calls.firstIndex { $0.contains("clone") } ?? calls.endIndex
    for call in ["SCHED_IDLE", "IOPRIO_CLASS_IDLE"] {
      #expect(calls[..<first].contains { $0.contains(call) }, "\(calls)")
    }
  }
}
