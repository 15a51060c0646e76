// The files of the page.
//
// DESIGN. They are read at the start, and a request's path is compared with the names of this
// list: no path of a request reaches the file system.

import Foundation

/// The files of the page, by name.
public struct PageFiles: Sendable {
  struct File: Sendable {
    let type: String
    let bytes: Data
  }

  private let files: [String: File]

  /// Reads the files of a folder; throws if one cannot be read, or there is no index.html.
  public init(folder: URL) throws {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    var files: [String: File] = [:]
    for name in names {
      guard let type = PageFiles.type(of: name) else { continue }
      files[name] = File(
        type: type, bytes: try Data(contentsOf: folder.appendingPathComponent(name)))
    }
    guard files["index.html"] != nil else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: "index.html"])
    }
    self.files = files
  }

  subscript(name: String) -> File? { files[name] }

  private static func type(of name: String) -> String? {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    default: nil
    }
  }
}
