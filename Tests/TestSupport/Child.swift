// Programs that a test runs: arguments are bytes, and every run has a time limit.

internal import CTestSupport
internal import Glibc

/// The output and the end of a program.
public struct Outcome: Sendable {
  public let output: [UInt8]
  public let errors: [UInt8]
  /// The exit status; `nil` if a signal ended the program.
  public let status: Int32?
  public let signal: Int32?
  /// True if the program was killed at its time limit.
  public let wasLate: Bool

  public var outputText: String { String(decoding: output, as: UTF8.self) }
  public var errorText: String { String(decoding: errors, as: UTF8.self) }

  public var errorLines: [String] {
    errorText.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
  }
}

/// The source of a program's standard input, or the destination of its output.
public enum Connection: Sendable {
  /// No input; output is collected.
  case standard
  /// These bytes, through a pipe.
  case bytes([UInt8])
  /// A file, opened with these flags.
  case file([UInt8], Int32)
}

public struct Command: Sendable {
  public var program: [UInt8]
  public var arguments: [[UInt8]]
  public var directory: [UInt8] = Array("/".utf8)
  public var locale = "C.UTF-8"
  /// The whole environment as `NAME=value`; `nil` for the locale, PATH and the
  /// settings of sanitizers and of Swift's backtraces.
  public var environment: [String]?
  public var input = Connection.standard
  public var output = Connection.standard
  public var errors = Connection.standard
  /// True if both outputs go to one pipe, which shows their order: there are no errors then.
  public var isMerged = false
  /// Seconds until the program is killed.
  public var limit = Child.limit

  public init(_ program: [UInt8], _ arguments: [[UInt8]]) {
    self.program = program
    self.arguments = arguments
  }

  public init(_ program: String, _ arguments: String...) {
    self.init(Array(program.utf8), arguments.map { Array($0.utf8) })
  }

  /// Runs the program from a new thread, and suspends until the program has ended.
  public func run() async throws -> Outcome {
    try await onThread { try runBlocking() }
  }

  /// Runs the program and blocks until it has ended.
  public func runBlocking() throws -> Outcome {
    let child = try Child(self)
    return try child.finish(limit: limit)
  }
}

/// A running program. Ends with the last reference if it has not ended before.
public final class Child: @unchecked Sendable {
  /// The seconds that a program may take: many times what any needs, since only one that hangs may fail by
  /// time, also beside other work.
  public static let limit = 600.0

  public let pid: Int32
  /// The writing end of the pipe to its standard input; -1 if there is none.
  private var inputEnd: Int32 = -1
  /// The reading ends of the pipes from its outputs; -1 if there is none.
  private var ends: [Int32] = [-1, -1]
  private var collected: [[UInt8]] = [[], []]
  private var input: [UInt8] = []
  private var holdsInput: Bool
  private var isReaped = false

  /// Starts the program.
  ///
  /// - Parameter holdsInput: True to keep its input open until
  ///   ``finish(limit:)``, after everything has been written.
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
    }
    ends[0] = try descriptors.connect(1, command.output)
    if command.isMerged {
      descriptors.numbers[2] = fcntl(descriptors.numbers[1], F_DUPFD_CLOEXEC, 3)
    } else {
      ends[1] = try descriptors.connect(2, command.errors)
    }
    pid = try spawn(command, descriptors.numbers)
    if inputEnd >= 0 { _ = fcntl(inputEnd, F_SETFL, O_NONBLOCK) }
  }

  /// Kills and reaps a program that no call of ``finish(limit:)`` has reaped.
  deinit {
    guard !isReaped else { return }
    closeInput()
    ends.filter { $0 >= 0 }.forEach { close($0) }
    kill(-pid, SIGKILL)
    waitpid(pid, nil, 0)
  }

  /// Writes the input and collects the output until the program has closed its
  /// outputs, and reaps it. Kills it after `limit` seconds.
  public func finish(limit: Double = Child.limit) throws -> Outcome {
    let deadline = monotonicSeconds() + limit * Double(slowness)
    var isLate = false
    holdsInput = false
    while ends != [-1, -1] || !input.isEmpty {
      if !step(until: deadline) {
        isLate = true
        kill(-pid, SIGKILL)
        break
      }
    }
    closeInput()
    ends.filter { $0 >= 0 }.forEach { close($0) }
    ends = [-1, -1]
    let status = reap(until: deadline, isLate: &isLate)
    let signal = status & 0x7F
    return Outcome(
      output: collected[0], errors: collected[1],
      status: signal == 0 ? (status >> 8) & 0xFF : nil, signal: signal == 0 ? nil : signal,
      wasLate: isLate)
  }

  /// Collects until `isEnough` returns true; the input may stay open. Returns
  /// false if the outputs ended or the time limit came first.
  public func collect(
    limit: Double = Child.limit, until isEnough: (_ output: [UInt8], _ errors: [UInt8]) -> Bool
  ) -> Bool {
    let deadline = monotonicSeconds() + limit * Double(slowness)
    while !isEnough(collected[0], collected[1]) {
      guard ends != [-1, -1], step(until: deadline) else { return false }
    }
    return true
  }

  /// Closes its standard input. What was not written is dropped.
  public func closeInput() {
    input = []
    if inputEnd >= 0 { close(inputEnd) }
    inputEnd = -1
  }

  /// Polls once. Returns false after the deadline.
  private func step(until deadline: Double) -> Bool {
    if input.isEmpty && !holdsInput { closeInput() }
    var polled = [
      pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0),
      pollfd(fd: ends[1], events: Int16(POLLIN), revents: 0),
      pollfd(fd: input.isEmpty ? -1 : inputEnd, events: Int16(POLLOUT), revents: 0),
    ]
    let left = deadline - monotonicSeconds()
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
    // A program may end without reading its input: no signal for that.
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
      if monotonicSeconds() > deadline && !isLate {
        isLate = true
        kill(-pid, SIGKILL)
      }
      usleep(500)  // the program has closed its outputs and is about to end
    }
    isReaped = true
    return status
  }
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

/// The descriptors for a program, each above 2.
private struct ChildDescriptors {
  var numbers: [Int32] = [-1, -1, -1]

  /// Makes a pipe whose one end is for the program as `number`; returns the other.
  mutating func pipe(_ number: Int) throws -> Int32 {
    var ends: [Int32] = [-1, -1]
    let error = test_pipe(&ends)
    guard error == 0 else { throw SystemFailure("pipe", error) }
    numbers[number] = ends[number == 0 ? 0 : 1]
    return ends[number == 0 ? 1 : 0]
  }

  /// Connects an output of the program; returns the reading end of its pipe, or -1.
  mutating func connect(_ number: Int, _ connection: Connection) throws -> Int32 {
    switch connection {
    case .file(let path, let flags): try open(number, path, flags)
    case .bytes, .standard: return try pipe(number)
    }
    return -1
  }

  mutating func open(_ number: Int, _ path: [UInt8], _ flags: Int32) throws {
    let opened = Glibc.open(terminated(path), flags | O_CLOEXEC, 0o644)
    guard opened >= 0 else { throw SystemFailure("open") }
    numbers[number] = opened
  }

  func close() {
    for number in numbers where number >= 0 { Glibc.close(number) }
  }
}

/// The factor of the time limits: a sanitizer makes a program ten times slower.
public let slowness = getenv("TSAN_OPTIONS") == nil ? 1 : 6

/// The environment of a command that names none.
private func plainEnvironment(locale: String) -> [String] {
  let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
  let names = [
    "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "SWIFT_BACKTRACE",
  ]
  let settings = names.compactMap { (name: String) -> String? in
    getenv(name).map { "\(name)=\(String(cString: $0))" }
  }
  return ["LC_ALL=\(locale)", "PATH=\(path)", "TERM=dumb"] + settings
}

private func spawn(_ command: Command, _ descriptors: [Int32]) throws -> pid_t {
  let environment = command.environment ?? plainEnvironment(locale: command.locale)
  let pid = withCStrings([command.program] + command.arguments) { arguments in
    withCStrings(environment.map { Array($0.utf8) }) { environment in
      test_spawn(
        terminated(command.program), arguments, environment, terminated(command.directory),
        descriptors)
    }
  }
  guard pid > 0 else {
    let program = String(decoding: command.program, as: UTF8.self)
    if -pid == ENOENT && path(ofProgram: program) == nil {
      throw MissingProgram(program: program)
    }
    throw SystemFailure("start \(program)", -pid)
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

func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
