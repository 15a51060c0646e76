// Other programs: arguments as bytes, everything under a time limit.

internal import CTestSupport
internal import Glibc

/// What became of a program.
public struct Outcome: Sendable {
  public let output: [UInt8]
  public let errors: [UInt8]
  /// Its exit status; `nil` where a signal ended it.
  public let status: Int32?
  /// The signal that ended it.
  public let signal: Int32?
  /// Whether it was ended for taking too long.
  public let wasLate: Bool

  public var outputText: String { String(decoding: output, as: UTF8.self) }
  public var errorText: String { String(decoding: errors, as: UTF8.self) }

  /// The lines on standard error, without their newlines.
  public var errorLines: [String] {
    errorText.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
  }
}

/// Where a program's standard input comes from and its output goes.
public enum Connection: Sendable {
  /// Nothing to read; what is written is collected.
  case standard
  /// These bytes, through a pipe.
  case bytes([UInt8])
  /// A file, opened as the flags say.
  case file([UInt8], Int32)
  case closed
}

/// A program to run.
public struct Command: Sendable {
  public var program: [UInt8]
  public var arguments: [[UInt8]]
  public var directory: [UInt8] = Array("/".utf8)
  public var locale = "C.UTF-8"
  public var input = Connection.standard
  public var output = Connection.standard
  /// Seconds until it is killed: far more than it can take.
  public var limit = 50.0

  public init(_ program: [UInt8], _ arguments: [[UInt8]]) {
    self.program = program
    self.arguments = arguments
  }

  public init(_ program: String, _ arguments: String...) {
    self.init(Array(program.utf8), arguments.map { Array($0.utf8) })
  }

  /// Runs it, on a thread of its own, and suspends until it has ended.
  public func run() async throws -> Outcome {
    try await onThread { try runBlocking() }
  }

  /// Runs it and waits.
  public func runBlocking() throws -> Outcome {
    let child = try Child(self)
    return try child.finish(limit: limit)
  }
}

/// A program that runs.
public final class Child: @unchecked Sendable {
  public let pid: Int32
  /// The writing end of its standard input, where that is a pipe.
  private var inputEnd: Int32 = -1
  /// The reading ends of its outputs, where they are pipes.
  private var ends: [Int32] = [-1, -1]
  private var collected: [[UInt8]] = [[], []]
  private var input: [UInt8] = []
  private var holdsInput: Bool

  /// Starts it.
  ///
  /// - Parameter holdsInput: Whether its input stays open, though there is
  ///   nothing more to write, until ``finish(limit:)``.
  public init(_ command: Command, holdsInput: Bool = false) throws {
    self.holdsInput = holdsInput
    var descriptors = ChildDescriptors()
    defer { descriptors.close() }
    switch command.input {
    case .bytes(let bytes):
      input = bytes
      inputEnd = try descriptors.pipe(0)
    case .file(let path, let flags): try descriptors.open(0, path, flags)
    case .standard: try descriptors.open(0, Array("/dev/null".utf8), O_RDONLY)
    case .closed: break
    }
    switch command.output {
    case .file(let path, let flags): try descriptors.open(1, path, flags)
    case .bytes, .standard: ends[0] = try descriptors.pipe(1)
    case .closed: break
    }
    ends[1] = try descriptors.pipe(2)
    pid = try spawn(command, descriptors.numbers)
    if inputEnd >= 0 { _ = fcntl(inputEnd, F_SETFL, O_NONBLOCK) }
  }

  /// Feeds and collects until it has closed its outputs, and reaps it. What
  /// takes longer than `limit` is killed.
  public func finish(limit: Double) throws -> Outcome {
    let deadline = now() + limit
    var isLate = false
    holdsInput = false
    while ends != [-1, -1] {
      if !step(until: deadline) {
        isLate = true
        kill(-pid, SIGKILL)
        break
      }
    }
    closeInput()
    ends.filter { $0 >= 0 }.forEach { close($0) }
    let status = reap(until: deadline, isLate: &isLate)
    let signal = status & 0x7F
    return Outcome(
      output: collected[0], errors: collected[1],
      status: signal == 0 ? (status >> 8) & 0xFF : nil, signal: signal == 0 ? nil : signal,
      wasLate: isLate)
  }

  /// Collects until what it wrote is enough; the input may stay open. Whether
  /// it came to that.
  public func collect(
    limit: Double, until isEnough: (_ output: [UInt8], _ errors: [UInt8]) -> Bool
  ) -> Bool {
    let deadline = now() + limit
    while !isEnough(collected[0], collected[1]) {
      guard ends != [-1, -1], step(until: deadline) else { return false }
    }
    return true
  }

  /// Closes its standard input: nothing more comes.
  public func closeInput() {
    if inputEnd >= 0 { close(inputEnd) }
    inputEnd = -1
  }

  /// One round of poll. Whether it was in time.
  private func step(until deadline: Double) -> Bool {
    if input.isEmpty && !holdsInput { closeInput() }
    var polled = [
      pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0),
      pollfd(fd: ends[1], events: Int16(POLLIN), revents: 0),
      pollfd(fd: input.isEmpty ? -1 : inputEnd, events: Int16(POLLOUT), revents: 0),
    ]
    let left = deadline - now()
    guard left > 0 else { return false }
    let ready = poll(&polled, 3, Int32(min(left * 1000, 60_000)) + 1)
    if ready < 0 { return errno == EINTR }
    for index in 0..<2 where polled[index].revents != 0 { read(index) }
    if polled[2].revents != 0 { feed() }
    return true
  }

  private func read(_ index: Int) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let got = Glibc.read(ends[index], &buffer, buffer.count)
    if got > 0 {
      collected[index].append(contentsOf: buffer.prefix(got))
    } else if got == 0 || errno != EINTR {
      close(ends[index])
      ends[index] = -1
    }
  }

  private func feed() {
    // A child may leave without reading: no signal for that.
    let written = withoutPipeSignal {
      input.withUnsafeBytes { write(inputEnd, $0.baseAddress!, min($0.count, 65536)) }
    }
    if written > 0 {
      input.removeFirst(written)
    } else if errno != EINTR && errno != EAGAIN {
      input = []
      closeInput()
    }
  }

  private func reap(until deadline: Double, isLate: inout Bool) -> Int32 {
    var status: Int32 = 0
    while waitpid(pid, &status, WNOHANG) == 0 {
      if now() > deadline && !isLate {
        isLate = true
        kill(-pid, SIGKILL)
      }
      usleep(500)  // it has closed its outputs and is about to end
    }
    return status
  }
}

private func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

private func withoutPipeSignal<R>(_ body: () -> R) -> R {
  var set = sigset_t()
  var old = sigset_t()
  sigemptyset(&set)
  sigaddset(&set, SIGPIPE)
  pthread_sigmask(SIG_BLOCK, &set, &old)
  let result = body()
  let error = errno
  if error == EPIPE {
    var none = timespec()
    sigtimedwait(&set, nil, &none)
  }
  pthread_sigmask(SIG_SETMASK, &old, nil)
  errno = error
  return result
}

/// Descriptors for a child, each above 2.
private struct ChildDescriptors {
  var numbers: [Int32] = [-1, -1, -1]

  /// A pipe, of which the child gets one end as `number`. Gives the other.
  mutating func pipe(_ number: Int) throws -> Int32 {
    var ends: [Int32] = [-1, -1]
    let error = test_pipe(&ends)
    guard error == 0 else { throw SystemFailure("pipe", error) }
    numbers[number] = ends[number == 0 ? 0 : 1]
    return ends[number == 0 ? 1 : 0]
  }

  mutating func open(_ number: Int, _ path: [UInt8], _ flags: Int32) throws {
    let opened = Glibc.open(terminated(path), flags | O_CLOEXEC, 0o644)
    guard opened >= 0 else { throw SystemFailure("open") }
    numbers[number] = opened
  }

  /// Closes this side's copies.
  func close() {
    for number in numbers where number >= 0 { Glibc.close(number) }
  }
}

private func spawn(_ command: Command, _ descriptors: [Int32]) throws -> pid_t {
  let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
  // What the sanitizers were told holds for children too.
  let names = ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"]
  let passedOn = names.compactMap { (name: String) -> String? in
    getenv(name).map { "\(name)=\(String(cString: $0))" }
  }
  let environment =
    ["LC_ALL=\(command.locale)", "PATH=\(path)", "TERM=dumb"] + passedOn
  let pid = withCStrings([command.program] + command.arguments) { arguments in
    withCStrings(environment.map { Array($0.utf8) }) { environment in
      test_spawn(arguments, environment, terminated(command.directory), descriptors)
    }
  }
  guard pid > 0 else {
    throw SystemFailure("start \(String(decoding: command.program, as: UTF8.self))", -pid)
  }
  return pid
}

private func withCStrings<R>(
  _ strings: [[UInt8]], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
) -> R {
  let copies = strings.map { strdup(terminated($0)) }
  defer { copies.forEach { free($0) } }
  return body(copies + [nil])
}

/// Whether a program can be found.
public func isInstalled(_ program: String) -> Bool {
  let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
  let found = path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
  if !found { print("skipped what needs \(program), which is not installed") }
  return found
}
