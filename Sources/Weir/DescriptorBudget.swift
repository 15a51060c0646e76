// The descriptor budget of the process.

internal import CWeir

/// How many file descriptors this process may spend, and how many it does.
///
/// There is one budget for the whole process, shared by C and Swift: the
/// permits of `weir_descriptor_gate`.
public enum DescriptorBudget {
  /// How many descriptors this process may have open.
  ///
  /// The corresponding C function is `weir_descriptor_limit` (`getdtablesize`).
  public static var limit: Int {
    Int(clamping: weir_descriptor_limit())
  }

  /// How many descriptors Weir will have open at once: half of the limit, less
  /// what was open when this was first asked for, at least 1.
  ///
  /// The corresponding C function is `weir_descriptor_budget`. Does not block;
  /// the first call opens a descriptor for a moment.
  public static var total: Int {
    Int(clamping: weir_descriptor_budget())
  }

  /// How many permits are out now, and the most that ever were.
  ///
  /// The corresponding C function is `weir_gate_stats`, on
  /// `weir_descriptor_gate`.
  public static var usage: (inUse: Int, peak: Int) {
    var stats = weir_gate_stats_t()
    weir_gate_stats(weir_descriptor_gate(), &stats, MemoryLayout.size(ofValue: stats))
    return (Int(clamping: stats.in_use), Int(clamping: stats.peak))
  }
}
