// The properties by the names of their fuzzers.

import SystemPackage

enum Properties {
  static let all: [String: @Sendable (inout FuzzInput) throws -> Void] = [
    "manifest": ManifestProperty.check, "mtree": MtreeProperty.check, "json": JSONProperty.check,
    "record": RecordProperty.check, "plan": PlanProperty.check, "part": PartProperty.check,
    "joblog": JobLogProperty.check, "list": ListProperty.check,
  ]

  static func content(of name: String) -> [UInt8]? {
    guard let file = try? FileDescriptor.open(name, .readOnly) else { return nil }
    defer { try? file.close() }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    guard let count = try? bytes.withUnsafeMutableBytes({ try file.read(into: $0) }) else {
      return nil
    }
    return Array(bytes[..<count])
  }
}
