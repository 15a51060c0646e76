// The end of the program when the system has no memory or no thread for it.

internal import CFileKernels
internal import Weir

/// The end of the program when the system has no memory or no thread for it: a message and a
/// status, instead of a trap without a message, or a wait without an end.
enum Exhaustion {
  /// Returns true if the program may wait for a thread. Before it returns false it cleans up.
  private static let mayWait = Locked<(@Sendable () -> Bool)?>(nil)

  /// Ends the program with this message and status from now on. The name stays valid.
  static func watch(program: UnsafePointer<CChar>?, memory: StaticString, status: Int32) {
    kernel_exhaustion_watch(
      kernel_exhaustion_t(program: program ?? text("weir"), memory: text(memory), status: status))
  }

  private static func text(_ string: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// Sets the closure that decides if the program may wait for a thread for another second.
  /// Any thread calls it.
  static func ask(_ mayWait: @escaping @Sendable () -> Bool) {
    Exhaustion.mayWait.with { $0 = mayWait }
    kernel_exhaustion_ask { Exhaustion.mayWait.with { $0 }?() ?? false }
  }
}
