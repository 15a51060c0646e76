// weir/spawn.h: children have default signals and the given descriptors, directory, environment
// and limit; and a failure is reported and leaves no child.
// swift-format-ignore-file: NeverForceUnwrap
import CTestSupport
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirTests {
  @Suite struct SpawnTests {
    @Test func runsTheProgramWithItsArguments() {
      let said = spawned(["sh", "-c", "printf '%s|' \"$@\"", "zero", "one", "", "a b\n"])
      #expect(said == .ran(0, "one||a b\n|"))
      #expect(spawned(["sh", "-c", "exit 7"]) == .ran(7, ""))
      #expect(spawned(["/bin/echo", "x"]) == .ran(0, "x\n"))
    }

    /// The kernel's errors, and no child left to wait for: in a process where no other test has
    /// children.
    @Test func failuresAreReported() async {
      await #expect(processExitsWith: .success) {
        let place = Tree()
        let plain = place.file("plain", [1, 2, 3]).shown
        let text = place.file("text", Array("exit 3\n".utf8)).shown
        chmod(text, 0o755)
        #expect(spawned(["weir-no-such-program"]) == .failed(ENOENT))
        #expect(spawned([""]) == .failed(ENOENT))
        #expect(spawned(["/weir/no/such"]) == .failed(ENOENT))
        #expect(spawned([plain]) == .failed(EACCES))
        #expect(spawned([text]) == .failed(ENOEXEC))
        #expect(spawned(["true"], directory: "/weir/no") == .failed(ENOENT))
        #expect(spawned(["true"], directory: plain) == .failed(ENOTDIR))
        #expect(spawned(["true"], descriptors: [9999, 1, 2]) == .failed(EBADF))
        let huge = String(repeating: "x", count: 3 << 20)
        #expect(spawned(["true", huge]) == .failed(E2BIG))
        #expect(waitpid(-1, nil, WNOHANG) <= 0)
      }
    }

    /// The signal mask, ignored signals and handlers are the defaults, in a process that has
    /// changed all three.
    @Test func signalsAreTheDefaults() async {
      await #expect(processExitsWith: .success) {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGINT, SIG_IGN)
        signal(SIGUSR1) { _ in }
        var mask = sigset_t()
        sigfillset(&mask)
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        let status = spawned(["cat", "/proc/self/status"])
        guard case .ran(0, let text) = status else { return #expect(status == .ran(0, "")) }
        let masks = text.split(separator: "\n").filter { line in
          ["SigBlk", "SigIgn", "SigCgt", "SigPnd"].contains { line.hasPrefix($0) }
        }
        #expect(masks.count == 4)
        for mask in masks { #expect(mask.hasSuffix("\t0000000000000000"), "\(mask)") }
        /* The parent keeps its own. */
        var now = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &now)
        #expect(sigismember(&now, SIGTERM) == 1)
        var action = sigaction()
        sigaction(SIGPIPE, nil, &action)
        #expect(unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1)
      }
    }

    /// A handler of SIGCHLD finds no child that failed to start.
    @Test func aFailureLeavesNoChildForAHandler() async {
      await #expect(processExitsWith: .success) {
        signal(SIGCHLD) { _ in
          var status: Int32 = 0
          if waitpid(-1, &status, WNOHANG) > 0 { _exit(9) }
        }
        for _ in 0..<50 { #expect(spawned(["/weir/no/such"]) == .failed(ENOENT)) }
      }
    }

    /// A child that a signal ends before it runs the program is an error, and no child to wait
    /// for; any other child can be waited for. PATH has so many directories that the signals
    /// arrive during the search.
    @Test func aChildKilledBeforeItRunsIsReported() async {
      await #expect(processExitsWith: .success) {
        setpgid(0, 0)
        signal(SIGUSR1) { _ in }
        setenv("PATH", String(repeating: "/weir/no:", count: 20_000) + "/bin:/usr/bin", 1)
        let over = Locked(false)
        let crew = Crew(1) { _ in
          while !over.now { kill(0, SIGUSR1) }
        }
        let killed = Spawned.failed(EINTR), whileRunning = Spawned.ran(-SIGUSR1, "")
        var outcomes: [Spawned] = []
        for _ in 0..<10 { outcomes.append(spawned(["true"], environment: [])) }
        over.with { $0 = true }
        #expect(crew.wait())
        #expect(outcomes.allSatisfy { [killed, whileRunning, .ran(0, "")].contains($0) })
        #expect(outcomes.contains(killed), "\(outcomes)")
        let clones: Int32 = Int32(bitPattern: 0x8000_0000)  // __WCLONE
        for options in [0, clones] { #expect(waitpid(-1, nil, options | WNOHANG) < 0) }
        #expect(spawned(["true"], environment: []) == .ran(0, ""))
      }
    }

    /// Permutations of 0, 1 and 2, in a process where these are files.
    @Test func descriptorsInEachOthersPlace() async {
      await #expect(processExitsWith: .success) {
        let place = Tree()
        let names = ["a", "b", "c"].map { place.file($0, []).shown }
        let kept = [dup(0), dup(1), dup(2)]
        for (number, name) in names.enumerated() {
          let fd = Glibc.open(name, O_RDWR)
          dup2(fd, Int32(number))
          close(fd)
        }
        var said: [String] = []
        for order in [
          [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [1, 1, 1],
        ] {
          let result = spawned(
            [
              "sh", "-c",
              "for i in 0 1 2; do l=$l$(readlink /proc/$$/fd/$i):; done; echo $l > \(names[0]).r",
            ],
            descriptors: order.map(Int32.init))
          let text = String(decoding: contents(of: place.root / "a.r"), as: UTF8.self)
          let wanted = order.map { names[$0] + ":" }.joined() + "\n"
          if result != .ran(0, "") || text != wanted { said.append("\(order): \(result) \(text)") }
        }
        for (number, fd) in kept.enumerated() { dup2(fd, Int32(number)) }
        #expect(said == [])
      }
    }

    @Test func directoryEnvironmentAndGroup() {
      #expect(spawned(["pwd"], directory: "/") == .ran(0, "/\n"))
      #expect(spawned(["sh", "-c", "pwd"], directory: "/usr") == .ran(0, "/usr\n"))
      #expect(spawned(["env"], environment: ["A=1", "B=x y"]) == .ran(0, "A=1\nB=x y\n"))
      #expect(spawned(["env"], environment: []) == .ran(0, ""))
      let own = spawned(["sh", "-c", "ps -o pgid= -p $$ | tr -d ' '; echo $$"], ownGroup: true)
      if case .ran(0, let text) = own, Shell.has("ps") {
        let lines = text.split(separator: "\n")
        #expect(lines.count == 2 && lines[0] == lines[1])
      }
    }

    /// The child leads a session and a group, and has no terminal that could stop it.
    @Test func anOwnSession() {
      let script = """
        read pid name state parent group session terminal rest < /proc/$$/stat
        [ $group = $$ ] && [ $session = $$ ] && echo $terminal
        (: < /dev/tty) 2> /dev/null || echo none
        """
      for flags in [WEIR_SPAWN_OWN_SESSION.rawValue, 3] {
        #expect(spawned(["sh", "-c", script], flags: UInt32(flags)) == .ran(0, "0\nnone\n"))
      }
    }

    /// The soft limit is raised in this process; a child gets the old one.
    @Test func childrenHaveTheOldLimit() async {
      await #expect(processExitsWith: .success) {
        #expect(setDescriptorLimit(100))
        let budget = weir_descriptor_budget()
        #expect(spawned(["sh", "-c", "ulimit -n"]) == .ran(0, "100\n"))
        #expect(weir_descriptor_raise_limit() == 0)
        let raised = weir_descriptor_limit()
        #expect(raised == min(hardDescriptorLimit(), 2_101_248))
        #expect(weir_descriptor_budget() > budget || raised == 100)
        #expect(spawned(["sh", "-c", "ulimit -n"]) == .ran(0, "100\n"))
        #expect(weir_descriptor_raise_limit() == 0 && weir_descriptor_limit() == raised)
        #expect(
          spawned(["sh", "-c", "ulimit -n; ulimit -Hn"]) == .ran(0, "100\n\(hardLimitText())\n"))
      }
    }

    /// Many starts at once, on many threads, while memory and locks are in use.
    @Test func manyAtOnce() {
      let succeeded = Meter()
      let crew = Crew(8) { number in
        for turn in 0..<20 {
          let text = "\(number) \(turn)"
          let garbage = (0..<50).map { [UInt8](repeating: 1, count: $0 * 100) }
          if spawned(["echo", text]) == .ran(0, text + "\n") && garbage.count == 50 {
            succeeded.enter()
          }
        }
      }
      #expect(crew.wait() && succeeded.ever == 160)
    }
  }
}

private func hardLimitText() -> String {
  let hard = hardDescriptorLimit()
  return hard == Int.max ? "unlimited" : "\(hard)"
}

private enum Spawned: Equatable {
  case ran(Int32, String)
  case failed(Int32)
  case lost  // no child to wait for
}

/// Starts a child, waits for it, and returns its status and output. The output goes to a file,
/// unless descriptors are given; among these -2 stands for that file.
private func spawned(
  _ words: [String], directory: String? = nil, environment: [String]? = nil,
  descriptors: [Int32]? = nil, ownGroup: Bool = false, flags: UInt32 = 0
) -> Spawned {
  let output = tmpfile()!
  defer { fclose(output) }
  let standard = (descriptors ?? [-1, -2, 2]).map { $0 == -2 ? fileno(output) : $0 }
  var arguments = words.map { strdup($0) } + [nil]
  var variables = (environment ?? []).map { strdup($0) } + [nil]
  let place = directory.map { strdup($0) } ?? nil
  defer { (arguments + variables + [place]).forEach { free($0) } }
  var options = weir_spawn_options_t(), child: pid_t = -1
  options.directory = UnsafePointer(place)
  options.flags = ownGroup ? UInt32(WEIR_SPAWN_OWN_GROUP.rawValue) : flags
  let error = standard.withUnsafeBufferPointer { standard in
    variables.withUnsafeMutableBufferPointer { variables in
      options.descriptors = standard.baseAddress
      if environment != nil { options.environment = UnsafePointer(variables.baseAddress) }
      return arguments.withUnsafeMutableBufferPointer {
        weir_spawn(&child, words[0], $0.baseAddress!, &options)
      }
    }
  }
  guard error == 0 else { return .failed(error) }
  var status: Int32 = 0, ended: pid_t
  repeat { ended = waitpid(child, &status, 0) } while ended < 0 && errno == EINTR
  guard ended == child else { return .lost }
  rewind(output)
  var bytes = [UInt8](repeating: 0, count: 1 << 16)
  let count = fread(&bytes, 1, bytes.count, output)
  return .ran(
    status & 0x7f == 0 ? (status >> 8) & 0xff : -(status & 0x7f),
    String(decoding: bytes.prefix(count), as: UTF8.self))
}
