// Little memory and few threads: a run is complete, ends with a sentence, or dies of a fault where
// Swift has no error for a lack of memory. It never stands still, and never gives a wrong result.

import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ExhaustionTests {
  private static let verbs = [
    "hash t", "count t", "duplicates t", "duplicates --verify t", "check --quiet M",
    "check --audit . M", "run -j2 t -- true",
  ]

  @Test(
    "ulimit -v: complete or a sentence",
    arguments: [40_000, 50_000, 80_000, 200_000])
  func memory(kilobytes: Int) async throws {
    let directory = try await makeFiles()
    let manifest = try await shell("cat M", in: directory).run().outputText
    for verb in ExhaustionTests.verbs {
      let script = "ulimit -v \(kilobytes); exec \"$0\" \(verb)"
      let result = try await shell(script, in: directory).run()
      // A shared library may not fit.
      if result.status == 127 { continue }
      #expect(!result.wasLate, "\(verb) stands still")
      if result.signal != nil { continue }
      #expect((0...4).contains(result.status ?? -1))
      if result.status == 0, verb == "hash t" {
        #expect(result.outputText == manifest, "a wrong result")
      }
      if result.status == 2 || result.status == 3 {
        #expect(result.errorText.contains("weir: "), "\(verb) is silent")
      }
    }
  }

  // One after another: the tests share a user.
  @Suite(.serialized) struct Threads {
    @Test("ulimit -u 1: no thread, a sentence and status 2")
    func none() async throws {
      let directory = try await makeFiles()
      let script =
        bare + """
          for verb in 'hash t' 'count t' 'check M' 'duplicates t' 'run t -- true'; do
            bare 1 ./weir $verb; echo $?
          done
          """
      let result = try await shell(script, in: directory).run()
      if result.status == 77 { return print("skipped: no other user may run the tool here") }
      #expect(!result.wasLate)
      #expect(result.outputText == String(repeating: "2\n", count: 5))
      #expect(result.errorLines.count == 5)
      for line in result.errorLines {
        #expect(line.hasPrefix("weir: no thread can be started: "))
      }
    }

    @Test("few threads: the same results, and a sentence", arguments: [4, 20, 40])
    func few(processes: Int) async throws {
      let directory = try await makeFiles()
      let script =
        bare + """
          bare \(processes) ./weir hash -j 64 t | cmp - M
          bare \(processes) ./weir check -j 64 --quiet M
          bare \(processes) ./weir count -j 64 t | awk '{ print $1, $2, $3 }' > C
          awk '{ print $1, $2, $3 }' W | cmp - C
          """
      let result = try await shell(script, in: directory).run()
      if result.status == 77 { return print("skipped: no other user may run the tool here") }
      #expect(!result.wasLate)
      #expect(result.outputText.isEmpty)
      #expect(result.errorLines.count == 3, "\(result.errorText)")
      for line in result.errorLines {
        #expect(line.hasPrefix("weir: only ") && line.hasSuffix("raise ulimit -u or ulimit -v"))
      }
    }

    @Test("drop-in names need no thread, and say nothing", arguments: [1, 4])
    func dropIns(processes: Int) async throws {
      let directory = try await makeFiles()
      let script =
        bare + """
          bare \(processes) ./wc t/* | cmp - W
          bare \(processes) ./wc t/1 | cmp - W1
          bare \(processes) ./sha256sum t/* | cmp - M
          bare \(processes) ./sha256sum --quiet -c M
          """
      let result = try await shell(script, in: directory).run()
      if result.status == 77 { return print("skipped: no other user may run the tool here") }
      #expect(!result.wasLate)
      #expect(result.outputText.isEmpty && result.errorText.isEmpty, "\(result.errorText)")
    }
  }

  @Test("no library defines a name of libc")
  func namesOfLibC() async throws {
    // The tool contains all of them, if it was not stripped.
    let script = """
      libc=$(ldd "$1" | awk '$1 == "libc.so.6" { print $3 }')
      [ -n "$libc" ] || exit 77
      nm -D --defined-only "$libc" | awk '{ sub("@.*", "", $3); print $3 }' | sort -u > libc
      nm -g --defined-only "$1" | awk '$3 !~ "@" { print $3 }' | sort -u > names
      for name in weir_gate_create kernel_arguments; do
        grep -qx $name names || echo "$name is missing"
      done
      comm -12 libc names
      """
    let built = String(decoding: builtWeirPath, as: UTF8.self)
    let result = try await scripted(script, built)
    if result.status == 77 { return print("skipped: the tests are linked without a libc.so.6") }
    #expect(result.outputText.isEmpty && result.errorText.isEmpty, "\(result.outputText)")
  }
}

/// Makes files of more than 8 MiB, which several threads count, and their manifest.
private func makeFiles() async throws -> TemporaryDirectory {
  let directory = try TemporaryDirectory()
  try directory.makeDirectory("t")
  let script = """
    for i in 1 2 3; do yes "line $i" | head -c 10000000 > t/$i; done; cp t/1 t/4
    sha256sum t/* > M; wc t/* > W; wc t/1 > W1; chmod -R a+rX .; cp "$0" weir
    chmod a+rwx .; ln -s weir wc; ln -s weir sha256sum
    """
  try await shell(script, in: directory).run().expectSilence()
  return directory
}

/// Another user, whom the limit applies to, and who has no other processes: each suite
/// that sets the limit has a user of its own.
private let bare = """
  bare() {
    if [ "$(id -u)" != 0 ]; then bash -c "ulimit -u $1; shift; exec \\"\\$@\\"" bash "$@"
    else setpriv --reuid 64997 --clear-groups \\
      bash -c "ulimit -u $1; shift; exec \\"\\$@\\"" bash "$@"; fi
  }
  bare 1 ./weir --version > /dev/null 2>&1 || exit 77

  """
