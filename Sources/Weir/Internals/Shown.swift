// Objects of this module in snapshots.

internal import CWeir

/// The lines of an object in snapshots (`Trace.writeSnapshot`), from the creation of this value to
/// its end. A line has no newline; those below the first one begin with two spaces.
final class Shown: Sendable {
  private let lines: @Sendable () -> [String]
  // nonisolated(unsafe): written once, before another thread can see this object.
  private nonisolated(unsafe) var shown: OpaquePointer?

  /// - Parameter lines: Called under the lock of all objects: it must create, end and wait for
  ///   nothing of Weir.
  init(_ lines: @escaping @Sendable () -> [String]) {
    self.lines = lines
    shown = weir_show(Unmanaged.passUnretained(self).toOpaque()) { context, text in
      guard let context else { return }
      for line in Unmanaged<Shown>.fromOpaque(context).takeUnretainedValue().lines() {
        weir_show_line(text, line)
      }
    }
  }

  deinit { weir_show_end(shown) }
}
