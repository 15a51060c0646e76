// The files of this repository, for the tests of the guide.
import Foundation

enum Repository {
  /// The root folder, without a slash at its end.
  static let root = String(#filePath.components(separatedBy: "/examples/guide/")[0])
  static let guide = root + "/examples/guide"
  static let claims = guide + "/Tests/GuideTests/Claims"
}
