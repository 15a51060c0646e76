// What a symbol graph says of a public symbol.

import Foundation

struct DocumentedSymbol: CustomStringConvertible, Sendable {
  let kind: String
  /// Its name behind those of the types that it is in.
  let pathComponents: [String]
  /// Its comment, in one line.
  let documentation: String

  var description: String { pathComponents.joined(separator: ".") }

  /// Whether it is something with a comment: an extension of another module's type
  /// is there for its members alone.
  var isTold: Bool { kind != "swift.extension" }

  /// Whether it is a figure, a case, or something else that its type speaks for.
  var isPart: Bool {
    ["property", "type.property", "enum.case", "typealias", "subscript"]
      .contains { kind == "swift.\($0)" }
  }

  /// Whether it stands in no type of this module's.
  var isOutermost: Bool { isTold && (pathComponents.count == 1 || isOfAnother) }

  private let isOfAnother: Bool

  /// Whether it says what it is in C.
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
