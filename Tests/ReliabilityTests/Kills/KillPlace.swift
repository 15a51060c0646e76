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

  /// Returns the lines of a file that end in a newline.
  func lines(_ name: String) -> [Substring] {
    guard let bytes = content(name), let end = bytes.lastIndex(of: 0x0A) else { return [] }
    return String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\n")
  }
}
