// The bridge to the C library: Swift values as the context of C functions, and reports of
// misuse.

internal import CWeir

/// A value on its way through a `void *`.
///
/// Not for a context that C may drop without a call: ``take(_:)`` must be called exactly
/// once for each box.
final class Box<Value> {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// Returns a pointer that owns the value until ``take(_:)``.
  static func retain(_ value: Value) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(Box(value)).toOpaque()
  }

  /// Returns the value of a pointer from ``retain(_:)``, and ends the pointer's use.
  static func take(_ pointer: UnsafeMutableRawPointer?) -> Value {
    guard let pointer else { fatalError("the C library returned no context") }
    return Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().value
  }
}

/// A closure that is called once.
typealias Work = @Sendable () -> Void

/// The C function for a `Box<Work>`.
let callWork: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
  Box<Work>.take(context)()
}

/// Reports a programmer's error and traps, like the C library: one line on standard error
/// that names the object, the error and the remedy, also in a release build, where a
/// precondition prints nothing.
@usableFromInline
func misuse(_ sentence: String) -> Never {
  weir_misuse_report(sentence)
}
