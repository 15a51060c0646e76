// The version of the library.

internal import CWeir

/// The version of the Weir that runs.
public enum WeirVersion {
  /// The version, as `"0.22.0"`. The corresponding C function is `weir_version`.
  public static var description: String {
    String(cString: weir_version())
  }
}
