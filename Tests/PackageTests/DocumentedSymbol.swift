// A public symbol in a symbol graph, with its documentation.

import Foundation

struct DocumentedSymbol: CustomStringConvertible, Sendable {
  let kind: String
  /// The names of the enclosing types, then its own.
  let pathComponents: [String]
  /// Its comment, in one line.
  let documentation: String

  var description: String { pathComponents.joined(separator: ".") }

  /// False for an extension of another module's type, which needs no comment.
  var needsDocumentation: Bool { kind != "swift.extension" }

  /// True for a property, a case or another part that its type's comment can cover.
  var isPart: Bool {
    ["property", "type.property", "enum.case", "typealias", "subscript"]
      .contains { kind == "swift.\($0)" }
  }

  /// True outside of this module's types.
  var isOutermost: Bool { needsDocumentation && (pathComponents.count == 1 || isOfAnother) }

  private let isOfAnother: Bool

  /// True if the comment names a C symbol, or the lack of one.
  var namesC: Bool {
    documentation.contains(
      /corresponding\sC\s(functions?|types?|constants?|results|header)\s(is|are)\s`/)
      || documentation.contains("There is no corresponding C ")
  }

  /// Reads a symbol graph.
  static func all(in file: URL) throws -> [DocumentedSymbol] {
    let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file))
    let isOfAnother = file.lastPathComponent.contains("@")
    return graph.symbols.map { symbol in
      DocumentedSymbol(
        kind: symbol.kind.identifier, pathComponents: symbol.pathComponents,
        documentation: (symbol.docComment?.lines ?? []).map(\.text).joined(separator: " "),
        isOfAnother: isOfAnother)
    }
  }

  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Kind: Decodable { let identifier: String }
      struct Comment: Decodable {
        struct Line: Decodable { let text: String }
        let lines: [Line]
      }
      let kind: Kind
      let pathComponents: [String]
      let docComment: Comment?
    }
    let symbols: [Symbol]
  }
}
