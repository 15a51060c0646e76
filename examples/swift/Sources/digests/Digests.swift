// FileJobs, the module of the tool: the SHA-256 of each file of a directory in the lines of
// sha256sum, and the bytes that equal files take more than once.
import FileJobs
import SystemPackage
import Weir

@main struct Digests {
  static func main() async throws {
    let tree = FileSource.tree(CommandLine.arguments.dropFirst().first ?? ".")
    for try await file in try HashJob(.sha256).results(of: [tree]) {
      switch file.outcome {
      case .done: try FileDescriptor.standardOutput.writeAll(file.output)
      case .failed(let error): print("\(file.path): \(error)")
      default: print("\(file.path): not read")
      }
    }
    // The search blocks its thread, so it runs on a lane.
    let found = try await Lanes(label: "search", width: 1).run {
      try DuplicatesJob().run([tree]) { _ in }
    }
    print("\(found.duplicates) duplicates, \(found.saving) bytes")
  }
}
