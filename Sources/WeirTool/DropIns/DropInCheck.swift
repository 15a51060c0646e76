// Manifests, verified as GNU's checksum tools do.

#if Tool
  internal import SystemPackage
  internal import Weir

  /// Verifies the manifests that are named.
  struct DropInCheck: Sendable {
    private let streams: DropInStreams

    init(_ tool: DropIn, _ options: DropInOptions, _ streams: DropInStreams) {
      self.streams = streams
    }

    /// Whether all is well.
    func run() -> Bool {
      false
    }
  }
#endif
