internal import WeirLibC

/// The standard descriptors that were closed when the program began.
///
/// A placeholder that fails in the same way takes the place of each. Otherwise the first file
/// to be opened would get that number and be written as standard output.
struct StandardDescriptors: Sendable {
  private let closed: [Int32]

  init() {
    closed = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].filter { fcntl($0, F_GETFD) == -1 }
    openPlaceholders()
  }

  private init(closed: [Int32]) {
    self.closed = closed
    openPlaceholders()
  }

  func closingInput() -> StandardDescriptors {
    if isInputClosed { return self }
    for number in closed + [STDIN_FILENO] { close(number) }
    return StandardDescriptors(closed: [STDIN_FILENO] + closed)
  }

  var areOpen: Bool { closed.isEmpty }
  var isInputClosed: Bool { closed.contains(STDIN_FILENO) }
  var isOutputClosed: Bool { closed.contains(STDOUT_FILENO) }

  /// Opens a file for reading while the placeholders are closed, which shows in /dev/stdin
  /// and the like. No other thread may open a file at the same time.
  ///
  /// - Returns: The descriptor, above the standard ones; or -1, with the error in `errno`.
  func open(_ path: UnsafeRawBufferPointer) -> Int32 {
    withoutPlaceholders {
      let opened = path.withPath { WeirLibC.open($0, O_RDONLY | O_CLOEXEC) }
      guard closed.contains(opened) else { return opened }
      let above = fcntl(opened, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
      let error = errno
      close(opened)
      errno = error
      return above
    }
  }

  /// Calls `body` while the placeholders are closed; `errno` is that of `body` afterwards.
  func withoutPlaceholders<R>(_ body: () -> R) -> R {
    if closed.isEmpty { return body() }
    for number in closed { close(number) }
    let result = body()
    let error = errno
    openPlaceholders()
    errno = error
    return result
  }

  /// Opens a descriptor in each closed place that cannot be used as that place would be. The
  /// system assigns the lowest free number, so the order matters.
  private func openPlaceholders() {
    for number in closed {
      _ = WeirLibC.open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
