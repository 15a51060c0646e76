// The standard descriptors, of which some may be closed.

internal import Glibc

/// Which of the standard descriptors were closed when the program began.
///
/// Something is put in their place that fails like them. Else the first file
/// that is opened would get that place, and be written as standard output.
struct StandardDescriptors: Sendable {
  private let closed: [Int32]

  init() {
    closed = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].filter { fcntl($0, F_GETFD) == -1 }
    standIn()
  }

  private init(closed: [Int32]) {
    self.closed = closed
    standIn()
  }

  /// Closes standard input, which is then as if it had never been open.
  func closingInput() -> StandardDescriptors {
    if isInputClosed { return self }
    for number in closed + [STDIN_FILENO] { close(number) }
    return StandardDescriptors(closed: [STDIN_FILENO] + closed)
  }

  /// Whether none of them was closed.
  var areOpen: Bool { closed.isEmpty }
  var isInputClosed: Bool { closed.contains(STDIN_FILENO) }
  var isOutputClosed: Bool { closed.contains(STDOUT_FILENO) }

  /// Opens a file to read from, as if nothing stood in for what is closed: it
  /// shows in /dev/stdin and its like. Nothing else may be opened meanwhile.
  ///
  /// - Returns: The descriptor, above those of the standard ones; or -1, and
  ///   `errno` says why.
  func open(_ path: UnsafeRawBufferPointer) -> Int32 {
    withoutStandIns {
      let opened = path.withPath { Glibc.open($0, O_RDONLY | O_CLOEXEC) }
      guard closed.contains(opened) else { return opened }
      let above = fcntl(opened, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
      let error = errno
      close(opened)
      errno = error
      return above
    }
  }

  /// Does something while nothing stands in for what is closed; `errno` is that of
  /// the body.
  func withoutStandIns<R>(_ body: () -> R) -> R {
    if closed.isEmpty { return body() }
    for number in closed { close(number) }
    let result = body()
    let error = errno
    standIn()
    errno = error
    return result
  }

  /// In each place what cannot be used as that descriptor would be. The lowest
  /// that is free is taken, so their order matters.
  private func standIn() {
    for number in closed {
      _ = Glibc.open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// No bytes.
  static var nothing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  /// Calls `body` with the bytes as a path of C's.
  func withPath<R>(_ body: (UnsafePointer<CChar>) -> R) -> R {
    withUnsafeTemporaryAllocation(byteCount: count + 1, alignment: 1) { memory in
      memory.copyMemory(from: self)
      memory[count] = 0
      return body(memory.bindMemory(to: CChar.self).path)
    }
  }
}

extension UnsafeMutableBufferPointer<CChar> {
  /// The bytes as C takes them.
  fileprivate var path: UnsafePointer<CChar> {
    guard let baseAddress else { fatalError("a path has no memory") }
    return UnsafePointer(baseAddress)
  }
}
