// The answer to /demos: everything that the page knows before a run.

import Demos
import Foundation

/// The demos and pitfalls, as JSON.
struct Catalog: Encodable {
  /// A pitfall without its symptom, which is to be predicted.
  struct PitfallEntry: Encodable {
    let name: String
    let title: String
    let expectation: String
    let explanation: String
    let remedy: String
    let broken: [Pitfall.Line]
    let fixed: [Pitfall.Line]
  }

  let role: Role
  let isClass: Bool
  @Nullable var classAddress: String?
  /// The QR picture of the class's address, as SVG.
  @Nullable var classPicture: String?
  let demos = Demo.all
  let pitfalls = Pitfall.all.map(Catalog.entry)

  enum CodingKeys: CodingKey {
    case role, isClass, classAddress, classPicture, demos, pitfalls
  }

  private static func entry(_ pitfall: Pitfall) -> PitfallEntry {
    PitfallEntry(
      name: pitfall.name, title: pitfall.title, expectation: pitfall.expectation,
      explanation: pitfall.explanation, remedy: pitfall.remedy,
      broken: pitfall.lines(.broken), fixed: pitfall.lines(.fixed))
  }
}
