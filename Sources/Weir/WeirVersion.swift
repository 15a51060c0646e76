internal import CWeir

/// The version of the Weir that runs.
public enum WeirVersion {
  /// The version, as `"0.6.0"`.
  ///
  /// The corresponding C function is `weir_version`.
  public static var description: String {
    String(cString: weir_version())
  }
}
