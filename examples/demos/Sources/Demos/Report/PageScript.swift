// The modules of the page as one script.
//
// DESIGN. A browser loads no module from a file: address. So each module becomes a function that
// returns its exports, after the modules that it imports; `import` and `export` are replaced line
// by line. The modules keep to the forms that this file knows:
//
//     import { name, name as other } from "./file.js";
//     import name from "./file.js";
//     export function | class | const | async function NAME
//     export default EXPRESSION
//
// An import map with data: addresses was rejected: a module at such an address cannot import a
// relative one, so its imports have to be replaced as well, and the page's policy would have to
// allow data: addresses of scripts.

/// Wraps modules, each after those that it imports.
struct PageScript {
  private let folder: PageFolder
  private var known: Set<String> = []
  private(set) var text = "\"use strict\";\nconst modules = {};\n"

  init(_ folder: PageFolder) { self.folder = folder }

  /// Adds a module, such as `code/dom.js`, and the modules that it imports.
  mutating func add(_ name: String) throws(PageError) {
    guard known.insert(name).inserted else { return }
    var (body, exports, statement) = ("", [] as [String], "")
    for line in try folder.text(name).split(separator: "\n", omittingEmptySubsequences: false) {
      if !statement.isEmpty || line.hasPrefix("import ") {
        statement += line + " "
        guard line.hasSuffix(";") else { continue }
        body += try add(import: statement, in: name)
        statement = ""
      } else if line.hasPrefix("export default ") {
        exports.append("default: exported")
        body += "const exported = \(line.dropFirst("export default ".count))\n"
      } else if line.hasPrefix("export ") {
        let declaration = line.dropFirst("export ".count)
        exports.append(Self.name(in: declaration))
        body += "\(declaration)\n"
      } else {
        body += "\(line)\n"
      }
    }
    text +=
      "modules[\"\(name)\"] = (() => {\n\(body)return { \(exports.joined(separator: ", ")) };\n})();\n"
  }

  /// Adds the module of an import. Returns the declaration that replaces it.
  private mutating func add(import statement: String, in name: String) throws(PageError) -> String {
    let parts = statement.split(separator: "\"")
    guard parts.count == 3, let names = parts.first?.dropFirst("import ".count),
      let end = names.firstRange(of: " from")
    else { throw PageError("\(name): an import that the report does not know: \(statement)") }
    let other = Self.path(String(parts[1]), from: name)
    try add(other)
    let list = names[..<end.lowerBound]
    let pattern = list.hasPrefix("{") ? list.replacing(" as ", with: ": ") : "{ default: \(list) }"
    return "const \(pattern) = modules[\"\(other)\"];\n"
  }

  /// Returns the name in a declaration, such as `function name(...`.
  private static func name(in declaration: Substring) -> String {
    let words = declaration.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "$" }
    return words.first { !["async", "function", "class", "const"].contains($0) }.map(String.init)
      ?? ""
  }

  /// Returns the path of `./file.js` or `../file.js` as seen from a module.
  private static func path(_ relative: String, from module: String) -> String {
    var folders = module.split(separator: "/").dropLast().map(String.init)
    for part in relative.split(separator: "/") {
      if part == ".." { _ = folders.popLast() } else if part != "." { folders.append(String(part)) }
    }
    return folders.joined(separator: "/")
  }
}
