// weir duplicates: the figures are what the kernel frees, and the script changes nothing else: the
// times of directories, owners, modes, flags, and names elsewhere. The oracles are du, df and stat.

import Glibc
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10)))
struct DuplicatesFreedTests {
  private func lines(_ script: String, _ arguments: String...) async throws -> [Substring] {
    let result = try await scripted(script)
    return result.outputText.split(separator: "\n", omittingEmptySubsequences: false)
  }

  @Test("a file that cannot be reached is named, and the status is 1", .enabled(if: geteuid() == 0))
  func unreachable() async throws {
    let found = try await lines(
      """
      mkdir x y; echo s >x/a; echo s >y/b; chmod 755 .
      "$0" duplicates --files-only --action delete x y >s
      chmod 700 y; setpriv --reuid 65534 --clear-groups sh s 2>&1; echo $?; ls y
      chmod 755 y; mv y z; sh s 2>&1; echo $?; mv z y; sh s; echo $?; sh s; echo $?; ls y
      """)
    let message = "weir: ./y/b: is gone, no regular file or out of reach; left as it is"
    #expect(found == [message[...], "1", "b", message[...], "1", "0", "0", ""])
  }

  @Test("a name beyond PATH_MAX is left, and the status is 1", arguments: ["delete", "link"])
  func longName(_ action: String) async throws {
    let directory = try TemporaryDirectory()
    let part = String(repeating: "d", count: 200)
    _ = try await directory.makeDeep("t", part, levels: 25, "printf same > f")
    try directory.write("same", to: "a")
    let result = try await shell(
      """
      "$0" duplicates --action \(action) --files-only a t >s; sh s 2>err; echo $?; grep -c 'left as it is' err
      "$0" duplicates --action \(action) --keep last --files-only a t >s; sh s 2>err; echo $?; cat a
      """, in: directory
    ).run()
    #expect(result.outputText == "1\n1\n1\nsame", "\(result)")
  }

  @Test("a file with names elsewhere frees nothing, and keeps them")
  func namesElsewhere() async throws {
    let found = try await lines(
      """
      echo abc >a; cp a b; ln b c
      "$0" duplicates a b
      for action in delete link reflink; do
        "$0" duplicates --summary --action $action a b 2>err >s; grep -c "^$action './" s
        grep -o '0 B could be saved' err; sh s; done
      "$0" duplicates --action link --keep last a b >s; sh s; [ a -ef c ] && [ b -ef c ]; echo $?
      """)
    #expect(
      found == [
        "# 2 files of 4 bytes: 0 bytes could be saved, 4 bytes are shared already", "a", "b", "",
        "0", "0 B could be saved", "0", "0 B could be saved", "0", "0 B could be saved", "0", "",
      ])
  }

  @Test("holes are not counted, and a file without blocks is left")
  func holes() async throws {
    let found = try await lines(
      """
      truncate -s 1M a b; mkdir t
      "$0" duplicates --action delete --files-only . | grep -c "^delete './"
      "$0" duplicates --format json . | grep -o '"saving":[0-9]*' | tail -n 1
      rm a b; for i in 1 2 3; do head -c 65536 /dev/zero | tr '\\0' x >t/$i; truncate -s 8M t/$i; done
      before=$(du -s --block-size=1 t | cut -f 1)
      saving=$("$0" duplicates --format json t | grep -o '"saving":[0-9]*' | tail -n 1)
      "$0" duplicates --action delete t | sh; after=$(du -s --block-size=1 t | cut -f 1)
      echo $((before - after - ${saving#*:}))
      """)
    #expect(found == ["0", "\"saving\":0", "0", ""])
  }

  @Test("directories keep their times", arguments: ["delete", "link"])
  func directoryTimes(_ action: String) async throws {
    let found = try await lines(
      """
      mkdir -p t/a t/b 't/c
      d'; for i in $(seq 40); do for d in a b 'c
      d'; do echo $i >"t/$d/$i"; done; done
      touch -d '2001-02-03 04:05:06.789' t/*; find t -type d -printf '%T@ %p\\0' | sort -z >before
      "$0" duplicates --files-only --action \(action) t >s; sh s; echo $?
      find t -type d -printf '%T@ %p\\0' | sort -z | cmp - before && find t -type f -printf '%i\\n' | sort -u | wc -l
      """)
    #expect(found == ["0", "40", ""])
  }

  @Test(
    "links keep owner and mode apart, and are made on each device", .enabled(if: geteuid() == 0))
  func linkParts() async throws {
    let found = try await lines(
      """
      for place in /dev/shm /var/tmp; do [ $(stat -c %d $place) = $(stat -c %d .) ] || break; done
      d=$(mktemp -d $place/weir.XXXXXX); trap 'rm -rf "$d"' 0
      for f in a b m n u "$d/a" "$d/b"; do echo same >"$f"; done; chmod 600 m n; chown 65534 u
      "$0" duplicates --action link a b m n u "$d" >s; sh s 2>&1; echo $?
      stat -c '%h %a %u' a b m n u "$d/a" "$d/b"
      [ a -ef b ] && [ m -ef n ] && [ "$d/a" -ef "$d/b" ]; echo $?
      echo same >c; "$0" duplicates --action link a c >s; chmod 640 c; sh s 2>&1; echo $?
      """)
    #expect(
      found == [
        "weir: ./u: no other copy has its device, owner and mode; left as it is", "1",
        "2 644 0", "2 644 0", "2 600 0", "2 600 0", "1 644 65534", "2 644 0", "2 644 0", "0",
        "weir: ./c: has another owner or mode than the file to keep; left as it is", "1", "",
      ])
  }

  @Test("a duplicate takes at most three processes besides its cmp, and in one directory two")
  func processes() async throws {
    let found = try await lines(
      """
      mkdir bin t; for p in cmp stat mv rm cp touch tr lsattr mktemp ln; do
        printf '#!/bin/sh\\necho >>"%s/count"\\nexec /usr/bin/%s "$@"\\n' "$PWD" $p >bin/$p; chmod +x bin/$p; done
      for i in $(seq 64); do mkdir t/$i; echo $i >t/a$i; echo $i >t/b$i; echo $i >t/$i/f; done
      for action in link delete; do
        "$0" duplicates --files-only --action $action t >s; : >count; PATH=$PWD/bin:$PATH sh s
        [ $(wc -l <count) -le $((128 * 4)) ]; echo $? $(grep -c "^$action '" s); done
      for i in $(seq 64); do echo x$i >t/b$i; echo x$i >t/c$i; done
      "$0" duplicates --action delete t >s; : >count; PATH=$PWD/bin:$PATH sh s
      [ $(wc -l <count) -le $((64 * 5 / 2)) ]; echo $? $(grep -c "^delete '" s)
      """)
    // The first pass links all, so that nothing is left for the second.
    #expect(found == ["0 128", "0 0", "0 64", ""])
  }

  @Test("--across lists only groups that span PATHs")
  func across() async throws {
    let found = try await lines(
      """
      mkdir x y; for f in x/a x/b y/c; do echo same >$f; done; echo two >x/d; cp x/d x/e
      mkdir -p x/p x/q; echo three >x/p/f; cp x/p/f x/q; "$0" duplicates --across --files-only x y
      echo three >y/g; "$0" duplicates --across x y; find x -type f >l
      "$0" duplicates --across --files-from l y | head -n 1
      "$0" duplicates --across x 2>&1; echo $?
      """)
    #expect(
      found == [
        "# 3 files of 5 bytes: 10 bytes could be saved", "x/a", "x/b", "y/c", "",
        "# 3 files of 6 bytes: 12 bytes could be saved", "x/p/f", "x/q/f", "y/g", "",
        "# 3 files of 5 bytes: 10 bytes could be saved", "x/a", "x/b", "y/c", "",
        "# 3 files of 6 bytes: 12 bytes could be saved",
        "weir: --across needs two PATHs or more: only groups that span them are listed; see weir "
          + "duplicates --help", "2", "",
      ])
  }

  /// Scenes on a file system that shares blocks, in `in`, which is searched, and `out`. The contents
  /// come from another file system, since cat shares blocks too.
  private static let scenes: [(name: String, needsSnapshots: Bool, script: String)] = [
    (
      "copies and clones", false,
      "cat ../r >in/1; cat ../r >in/2; cat ../r >in/3; cp --reflink=always in/1 in/4"
    ),
    (
      "clones of each other", false, "cat ../r >in/1; cat ../r >in/2; cp --reflink=always in/2 in/3"
    ),
    ("a clone elsewhere", false, "cat ../r >in/1; cat ../r >in/2; cp --reflink=always in/2 out/3"),
    ("links", false, "cat ../r >in/1; cat ../r >in/2; ln in/2 in/3; cat ../r >in/4; ln in/4 out/5"),
    ("holes", false, "for i in 1 2 3; do cat ../r >in/$i; truncate -s 8M in/$i; done"),
    (
      "snapshots", true,
      """
      cat ../r >in/sub/1; cat ../r >in/sub/2; cp --reflink=always in/sub/2 in/sub/3; sync
      btrfs -q subvolume snapshot in/sub out/snap; cat ../r >in/4
      """
    ),
    (
      "snapshots within", true,
      "cat ../r >in/sub/1; cat ../r >in/sub/2; sync; btrfs -q subvolume snapshot in/sub in/snap"
    ),
  ]

  @Test("what df shows after the script is the figure", arguments: scenes.indices)
  func freed(_ index: Int) async throws {
    let (name, needsSnapshots, scene) = Self.scenes[index]
    for system in needsSnapshots ? ["btrfs"] : ["btrfs", "xfs"] where isInstalled("mkfs.\(system)")
    {
      for action in ["delete", "link", "reflink"] {
        let result = try await scripted(
          """
          truncate -s 400M image; mkfs.\(system) -q image >mkfs 2>&1 || exit 77
          exec unshare -m sh -c 'mkdir m; mount -o loop image m || exit 77; cd m
          mkdir in out
          [ \(system) = xfs ] || btrfs -q subvolume create in/sub
          head -c 2000000 /dev/urandom >../r
          \(scene.replacing("'", with: ""))
          sync; before=$(df -B1 --output=used . | tail -n 1)
          saving=$("$0" duplicates --files-only --format json in | grep -o "\\"saving\\":[0-9]*" | tail -n 1)
          "$0" duplicates --files-only --action \(action) in >../s; sh ../s; echo $?
          # XFS frees blocks some time after the removal.
          cd ..; umount m; mount -o loop image m; cd m; after=$(df -B1 --output=used . | tail -n 1)
          freed=$((before - after)); saving=${saving#*:}
          [ $((freed - saving)) -ge -16384 ] && [ $((freed - saving)) -le 16384 ] || echo $saving, freed $freed
          "$0" duplicates --files-only --action \(action) in | grep -c "^\(action) ."
          "$0" duplicates --files-only --action \(action) in | sh; cd /; umount "$OLDPWD"
          ' "$0" 2>&1
          """)
        if result.status == 77 || result.outputText.contains("unshare failed") { return }
        #expect(result.outputText == "0\n0\n", "\(name) \(system) \(action): \(result)")
      }
    }
  }

  @Test("a clone has the owner, mode, times, attributes and flags of the file that it replaces")
  func cloneStatus() async throws {
    guard isInstalled("mkfs.btrfs"), isInstalled("setfattr") || isInstalled("chattr") else {
      return
    }
    let result = try await scripted(
      """
      truncate -s 400M image; mkfs.btrfs -q image >mkfs 2>&1 || exit 77
      exec unshare -m sh -c 'mkdir m; mount -o loop image m || exit 77; cd m; mkdir d
      head -c 100000 /dev/urandom >../r; cat ../r >d/a; cat ../r >d/b; cat ../r >"d/c
      e"; chattr +A "d/c
      e"; chattr +cd d/b; cat ../r >d/i; chattr +i d/i
      chown 65534:65533 d/b; chmod 4711 d/b; touch -d 2001-02-03 d/b d; sync
      show() { stat -c "%a %u %g %y" d d/b; lsattr -d d/b "d/c
      e" | cut -c 1-22; }
      show >../before; "$0" duplicates --action reflink d >../s; sh ../s 2>../err; echo $?
      show | cmp - ../before; grep -c "^weir: ./d/i: is immutable; left as it is" ../err
      "$0" duplicates d | grep -c "100,000 bytes could be saved, 200,000 bytes are shared already"
      chattr -i d/i; cd /; umount "$OLDPWD"
      ' "$0" 2>&1
      """)
    if result.status == 77 || result.outputText.contains("unshare failed") { return }
    #expect(result.outputText == "1\n1\n1\n", "\(result)")
  }
}
