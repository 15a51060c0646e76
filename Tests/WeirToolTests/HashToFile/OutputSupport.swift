// Helpers for tests of --output: the files, and their records.

import Glibc
import TestSupport
import Testing

/// The shell function `ordinary CMD`, which runs without root's privileges.
let ordinary =
  getuid() == 0
  ? "P=-dac_override,-dac_read_search; ordinary() { setpriv --bounding-set=$P --inh-caps=$P \"$@\"; }"
  : "ordinary() { \"$@\"; }"

extension TemporaryDirectory {
  /// Removes the output and the files beside it.
  func removeOutput(_ name: String = "M") {
    for name in names(beginningWith: name) { unlink(text + "/" + name) }
  }

  /// Waits until a run has locked its output. Returns true if it did.
  func hasBegun() -> Bool {
    eventuallyBlocking { content("M.partial")?.isEmpty == false }
  }

  /// Returns the names in complete records.
  func recorded(_ name: String = "M") -> Set<String> {
    var names: Set<String> = []
    for file in ["\(name).partial", "\(name).partial.next"] {
      guard let bytes = content(file), let end = bytes.lastIndex(of: 0x0A) else { continue }
      for line in String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\n")
      where line.contains(" type=file ") {
        names.insert(String(line.prefix { $0 != " " }))
      }
    }
    return names
  }
}
