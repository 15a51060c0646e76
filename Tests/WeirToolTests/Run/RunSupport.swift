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
  names(inDirectory: "/proc").compactMap { Int32($0) }.filter { pid in
    let line = contents(ofFile: Array("/proc/\(pid)/cmdline".utf8)) ?? []
    return String(decoding: line, as: UTF8.self).contains(marker)
  }
}

/// Returns true if none of them is left after a while: a process may take time to end after a
/// signal.
func areGone(_ marker: String) -> Bool {
  eventuallyBlocking { processes(with: marker).isEmpty }
}
