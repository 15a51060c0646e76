// The directory of a test of kills: its files before, between and after the runs.

import Glibc
import TestSupport

/// A temporary directory whose outputs are compared and restored.
struct KillPlace: Sendable {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Returns the content of a file; `nil` if it does not exist.
  func content(_ name: String) -> [UInt8]? { contents(ofFile: directory.path(name)) }

  /// Returns the names of the files in a directory that begin with a prefix, sorted.
  func names(in folder: String = ".", beginningWith begin: String = "") -> [String] {
    TestSupport.names(inDirectory: "\(directory.text)/\(folder)").filter {
      // Where no file is made without a name, a kill may leave that of a scratch file.
      $0.hasPrefix(begin) && !(getenv("WEIR_POSIX") != nil && $0.contains(".partial.text.tmp."))
    }
  }

  /// Removes files of a directory.
  func remove(in folder: String = ".", beginningWith begin: String) {
    for name in names(in: folder, beginningWith: begin) {
      unlink("\(directory.text)/\(folder)/\(name)")
    }
  }

  /// Writes a file, or removes it if there is no content.
  func set(_ name: String, to content: [UInt8]?) throws {
    unlink("\(directory.text)/\(name)")
    if let content { try directory.write(content, to: name.utf8) }
  }

  /// Sets the time of modification, in seconds since 1970.
  func setTime(_ name: String, _ seconds: Int) {
    let times = [timespec(tv_sec: seconds, tv_nsec: 7), timespec(tv_sec: seconds, tv_nsec: 7)]
    utimensat(AT_FDCWD, "\(directory.text)/\(name)", times, 0)
  }

  /// Returns the lines of a file that end in a newline.
  func lines(_ name: String) -> [Substring] {
    guard let bytes = content(name), let end = bytes.lastIndex(of: 0x0A) else { return [] }
    return String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\n")
  }

  /// Returns the numbers in a file, one a line, with repetitions.
  func numbers(_ name: String) -> [Int] { lines(name).compactMap { Int($0) } }

  /// Returns the names of files in the complete records of an interrupted `weir hash -o M`.
  func recorded() -> Set<String> {
    var names: Set<String> = []
    for line in lines("M.partial") where line.contains(" type=file ") {
      let name = line.prefix { $0 != " " }
      names.insert(String(name.hasPrefix("./") ? name.dropFirst(2) : name))
    }
    return names
  }

  /// The numbers of the commands in a job log, in its order, with repetitions. The last argument
  /// of each command has to be its number.
  func logged(_ name: String = "L") -> [Int] {
    lines(name).dropFirst().compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
  }
}
