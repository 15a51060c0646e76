// The adapters as text.

import Foundation

/// The lines of an adapter that say something: neither comments nor imports, nor
/// braces that close.
func code(of name: String) throws -> [Substring] {
  let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/Adapters/\(name).swift")
  return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { line in
    let words = line.drop { $0 == " " }
    return !(words.isEmpty || words == "}" || words.hasPrefix("//") || words.hasPrefix("import "))
  }
}
