// The six logs of the image tutorial, and how each comes about.

enum ImageStep: Int, Sendable, CaseIterable {
  case noLimit = 1
  case limit, timeout, woken, waitOnMain, deadlock

  /// The action, in a line.
  var title: String {
    switch self {
    case .noLimit: "no limit"
    case .limit: "a limit of 3: wait() in the block, signal() on the main queue"
    case .timeout: "a limit of 3; each wait gives up after 5 s, by wait(wallTimeout:)"
    case .woken: "a limit of 3, smaller images, and what signal() returns"
    case .waitOnMain: "wait(wallTimeout:) before the block, on the main queue"
    case .deadlock: "wait() before the block, on the main queue"
    }
  }

  var options: ImageOptions {
    var options = ImageOptions()
    options.place = self == .waitOnMain || self == .deadlock ? .caller : .queue
    options.wait =
      switch self {
      case .noLimit: .none
      case .limit, .deadlock: .forever
      case .timeout, .woken, .waitOnMain: .wallTimeout(5)
      }
    return options
  }

  /// The number of images.
  var images: Int { self == .waitOnMain ? 7 : 15 }

  /// Returns the server's time for an image, 1.2 to 3.2 seconds.
  func delay(_ id: Int) -> Double {
    let large = 1.2 + Double(id * 7 % 5) / 2
    return self == .woken ? large / 4 : large
  }
}
