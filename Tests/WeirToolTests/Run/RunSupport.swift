// Helpers for the tests of weir run.

import Glibc
import TestSupport
import Testing

/// `weir run OPTIONS -- sh -c SCRIPT ARGUMENTS`, in which `$1` and so on are the values of
/// the placeholders.
func weirRun(
  _ options: [String], _ script: String, _ arguments: [String] = ["{}"],
  in directory: TemporaryDirectory
) -> Command {
  weir(
    (["run"] + options + ["--", "sh", "-c", script, "sh"] + arguments).map { Array($0.utf8) },
    in: directory)
}

/// Names for `--files-from`: the numbers from 1 on.
func writeNumbers(_ count: Int, to name: String, in directory: TemporaryDirectory) throws {
  try directory.write((1...count).map { "\($0)\n" }.joined(), to: name)
}

/// Returns the numbers in a file, one per line, with repetitions.
func numbers(in name: String, of directory: TemporaryDirectory) -> [Int] {
  text(of: name, in: directory).split(separator: "\n").compactMap { Int($0) }
}

/// Returns a file as text; empty if it does not exist.
func text(of name: String, in directory: TemporaryDirectory) -> String {
  String(decoding: directory.content(name) ?? [], as: UTF8.self)
}

/// Returns the processes with this argument, except zombies.
func processes(with marker: String) -> [Int32] {
  guard let directory = opendir("/proc") else { return [] }
  defer { closedir(directory) }
  var found: [Int32] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { name in
      String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard let pid = Int32(name), let file = fopen("/proc/\(pid)/cmdline", "r") else { continue }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = fread(&buffer, 1, buffer.count, file)
    fclose(file)
    let line = String(decoding: buffer[..<count], as: UTF8.self)
    if line.contains(marker) { found.append(pid) }
  }
  return found
}

/// Returns true if none of them is left after a while: a process may take time to end after a
/// signal.
func areGone(_ marker: String) -> Bool {
  for _ in 0..<5000 {
    if processes(with: marker).isEmpty { return true }
    usleep(1000)
  }
  return false
}
