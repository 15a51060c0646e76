internal import CFileKernels
internal import FileJobs

/// An argument with exactly the bytes that were given. A name can contain bytes that are not
/// UTF-8, which `CommandLine.arguments` turns into U+FFFD.
struct RawArgument: Equatable {
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }
  init(_ text: String) { bytes = Array(text.utf8) }

  /// The argument as a word to compare: bytes that are not UTF-8 become U+FFFD.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Returns the arguments of this process, without the name of the program.
  static func commandLine() -> [RawArgument] {
    let (count, vector) = Arguments.all
    return (1..<max(1, Int(count))).compactMap { index in
      vector[index].map { RawArgument(bytes: [UInt8](cString: $0)) }
    }
  }
}

/// The arguments of the process as given, the name of the program first.
enum Arguments {
  /// The arguments. Swift finds them through `/proc`; this property also works without
  /// it.
  static var all: (count: Int32, vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
    var count: Int32 = 0
    guard let vector = kernel_arguments(&count) else {
      return (CommandLine.argc, CommandLine.unsafeArgv)
    }
    return (count, vector)
  }
}
