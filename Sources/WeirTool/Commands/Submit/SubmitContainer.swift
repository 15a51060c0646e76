// The container of a shard: its words and its volumes, as JSON.

internal import FileJobs

extension Submission {
  /// The directories that a container needs: those of the files, the plan and the parts, each
  /// unless it is within another one.
  func mounts() throws(UsageError) -> [String] {
    let slash = UInt8(ascii: "/")
    let end = plan.utf8.lastIndex(of: slash) ?? plan.startIndex
    let all = [root, String(plan[..<end]), directory].map { name in
      var name = Array(name.utf8)
      while name.last == slash { name.removeLast() }
      return name
    }
    guard !all.contains([]) else {
      throw UsageError(
        "a container cannot get / as a volume; put the files, the plan and the parts into "
          + "directories")
    }
    var mounts: [[UInt8]] = []
    for name in all where !mounts.contains(name) {
      if !all.contains(where: { name != $0 && name.starts(with: $0 + [slash]) }) {
        mounts.append(name)
      }
    }
    return mounts.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Throws an error if a word is no text: JSON and YAML cannot hold it.
  func requireText(_ words: [String]) throws(UsageError) {
    for word in words {
      let bytes = RawArgument(argument: word).bytes
      guard String(validating: bytes, as: UTF8.self) != nil else {
        throw UsageError(
          "a job of a container cannot hold a name that is not UTF-8: ",
          RawArgument(bytes: bytes))
      }
    }
  }

  /// Returns a string of JSON, which is one of YAML too.
  static func json(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      // Control characters, and the ends of lines that are none of ASCII.
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
