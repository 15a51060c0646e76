// The arguments of the process, where Swift's own are none.

internal import CFileKernels

/// The arguments as they were given, the program's name first.
enum Arguments {
  /// They are there also where there is no `/proc`, by which Swift finds them.
  static var all: (count: Int32, vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
    var count: Int32 = 0
    guard let vector = kernel_arguments(&count) else {
      return (CommandLine.argc, CommandLine.unsafeArgv)
    }
    return (count, vector)
  }
}
