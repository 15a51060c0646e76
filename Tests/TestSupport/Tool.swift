// Runs of the built `weir`, and of other programs in the same directory.

internal import Glibc

/// The tool in WEIR_TEST_TOOL, or the one that was built with these tests.
public let weirPath =
  getenv("WEIR_TEST_TOOL").map { Array(String(cString: $0).utf8) } ?? builtWeirPath

/// The tool that was built with these tests, beside the program that runs them.
public let builtWeirPath: [UInt8] = {
  var buffer = [CChar](repeating: 0, count: 4096)
  let count = readlink("/proc/self/exe", &buffer, buffer.count)
  let program = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
  let end = program.lastIndex(of: UInt8(ascii: "/")) ?? 0
  return program[..<end] + Array("/weir".utf8)
}()

/// A run of weir with arguments as text.
public func weir(_ arguments: String..., in directory: TemporaryDirectory) -> Command {
  weir(arguments, in: directory)
}

public func weir(_ arguments: [String], in directory: TemporaryDirectory) -> Command {
  weir(arguments.map { Array($0.utf8) }, in: directory)
}

public func weir(_ arguments: [[UInt8]], in directory: TemporaryDirectory) -> Command {
  var command = Command(weirPath, arguments)
  command.directory = directory.path
  return command
}

public func other(_ program: String, _ arguments: [[UInt8]], in directory: TemporaryDirectory)
  -> Command
{
  var command = Command(Array(program.utf8), arguments)
  command.directory = directory.path
  return command
}

/// `sh -c SCRIPT`, in which `$0` is weir and `$1` and so on are the arguments.
public func shell(_ script: String, _ arguments: String..., in directory: TemporaryDirectory)
  -> Command
{
  shell([script] + arguments, in: directory)
}

private func shell(_ words: [String], in directory: TemporaryDirectory) -> Command {
  let bytes = words.map { Array($0.utf8) }
  return other("sh", [Array("-c".utf8), bytes[0], weirPath] + bytes.dropFirst(), in: directory)
}

/// True if there is a compiler, and libraries can be loaded before libc.
@Sendable public func canInterpose() -> Bool {
  isInstalled("cc") && bytesInUse() > 0
}

/// Returns true if strace can trace here.
@Sendable public func straceWorks() async throws -> Bool {
  guard isInstalled("strace") else { return false }
  let works = try await Command("strace", "-f", "-o", "/dev/null", "true").run().status == 0
  if !works { print("skipped: strace may not trace here") }
  return works
}

public func words(_ words: String...) -> [[UInt8]] { words.map { Array($0.utf8) } }
