// The files of the page: those that the board serves, and that a report embeds.
//
// DESIGN. The files are read when they are needed, from the first place that has them: beside the
// installed program (../share/weir-demo/page), in the folder of the program (page), and in the
// source tree that the program was built from. SwiftPM's resources were tried and rejected. With
// .copy, a program that was moved without its bundle traps, instead of saying which files it misses;
// the bundle lies beside the program, which an installation in bin and share does not suit; and the
// accessor brings Foundation into this module (10 ms more at the start of a program without it).
// With .embedInCode the files lose their folders.

internal import Glibc
internal import SystemPackage

/// The folder with the files of the page.
public struct PageFolder: Sendable {
  /// The path of the folder.
  public let path: String

  /// Returns the folder of this program; an error names the places, if none of them has it.
  public static func find() throws(PageError) -> PageFolder { try find(in: places) }

  static func find(in places: [String]) throws(PageError) -> PageFolder {
    guard let place = places.first(where: { access($0 + "/report.html", R_OK) == 0 }) else {
      throw PageError("the files of the page are in none of \(places.joined(separator: ", "))")
    }
    return PageFolder(path: place)
  }

  private static var places: [String] {
    let source = #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined()
    return [programFolder + "/../share/weir-demo/page", programFolder + "/page", source + "/Page"]
  }

  private static var programFolder: String {
    guard let program = realpath("/proc/self/exe", nil) else { return "" }
    defer { free(program) }
    let path = String(cString: program)
    return path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
  }

  /// True if the folder has a file of a name, such as `views/images.js`.
  func has(_ name: String) -> Bool { access("\(path)/\(name)", R_OK) == 0 }

  func text(_ name: String) throws(PageError) -> String {
    do {
      let file = try FileDescriptor.open(
        FilePath("\(path)/\(name)"), .readOnly, options: [.closeOnExec])
      defer { try? file.close() }
      var bytes: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      while case let count = try chunk.withUnsafeMutableBytes({ try file.read(into: $0) }),
        count > 0
      {
        bytes += chunk[..<count]
      }
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      throw PageError("\(path)/\(name): \(error)")
    }
  }
}

/// A file of the page that cannot be read.
public struct PageError: Error, CustomStringConvertible {
  /// A sentence without a period.
  public let description: String
  init(_ description: String) { self.description = description }
}
