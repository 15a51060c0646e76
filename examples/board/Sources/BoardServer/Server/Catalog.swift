// The answer to /demos: everything that the page knows before a run.

import Demos
import Foundation

/// The demos, and the role of the person, as JSON.
struct Catalog: Encodable {
  let role: Role
  let isClass: Bool
  let classAddress: String?
  /// The QR picture of the class's address, as SVG.
  let classPicture: String?
  let demos = Demo.all

  enum CodingKeys: CodingKey { case role, isClass, classAddress, classPicture, demos }
}
