// What other modules of this package may know of a source.

package import SystemPackage

extension FileSource {
  /// The descriptor that is read; `nil` for every other source.
  package var openDescriptor: FileDescriptor? {
    if case .descriptor(let number) = kind { FileDescriptor(rawValue: number) } else { nil }
  }

  /// The bytes of its name.
  package var nameBytes: [UInt8] { Array(name.dropLast()) }
}
