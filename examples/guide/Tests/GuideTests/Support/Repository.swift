// The files of this repository, for the tests of the guide.
import Foundation
import Glibc

enum Repository {
  /// The root folder, without a slash at its end.
  static let root = String(#filePath.components(separatedBy: "/examples/guide/")[0])
  static let guide = root + "/examples/guide"
  static let claims = guide + "/Tests/GuideTests/Claims"

  /// Returns the sorted names in a directory with a suffix.
  static func names(in directory: String, endingIn suffix: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(suffix) { names.append(name) }
    }
    return names.sorted()
  }
}
