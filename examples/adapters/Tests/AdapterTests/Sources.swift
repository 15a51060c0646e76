// The adapters as text.

import Foundation

/// The lines of code of an adapter, without comments, imports and closing braces.
func code(of name: String) throws -> [Substring] {
  let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/Adapters/\(name).swift")
  return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { line in
    let words = line.drop { $0 == " " }
    return !(words.isEmpty || words == "}" || words.hasPrefix("//") || words.hasPrefix("import "))
  }
}
