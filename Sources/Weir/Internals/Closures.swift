// Swift closures as the context of a C function.

/// Carries a value through a `void *`.
///
/// Not for what C may drop without calling: every box is to be taken exactly
/// once, by ``take(_:)``.
final class Box<Value> {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// A pointer that owns the value until it is taken.
  static func give(_ value: Value) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(Box(value)).toOpaque()
  }

  /// The value behind a pointer of ``give(_:)``, which is of no use afterwards.
  static func take(_ pointer: UnsafeMutableRawPointer?) -> Value {
    guard let pointer else { fatalError("C handed back no context") }
    return Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().value
  }
}

/// A closure that is called once.
typealias Work = @Sendable () -> Void

/// The function that goes with a `Box<Work>`.
let callWork: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
  Box<Work>.take(context)()
}
