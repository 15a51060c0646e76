// The options of the image service, and the lines that its requests print.

internal import Synchronization

/// The limit of an image service, and the wait for it.
struct ImageOptions: Sendable {
  /// The two kinds of wait, and none.
  enum Wait: Sendable, Equatable {
    case none
    /// `wait()`
    case forever
    /// `wait(wallTimeout:)`, which takes a time of day.
    case wallTimeout(Double)
  }

  enum Place: Sendable {
    case queue
    /// The caller of the service: the main queue, in the tutorial.
    case caller
  }

  /// The maximum number of requests that each network allows.
  static let (cellular, wifi) = (1, 6)

  let label = "Image Queue"
  var limit = 3
  var wait = Wait.forever
  var place = Place.queue
}

/// The requests of a service: their numbers and their lines.
final class ImageRequests: Sendable {
  private let showsTimeout: Bool
  private let counter = Mutex(0)
  private let over: @Sendable () -> Void

  /// - Parameter over: Called after the last line of each request.
  init(_ options: ImageOptions, over: @escaping @Sendable () -> Void) {
    // A wait without a time-out has no result to print.
    showsTimeout = options.wait != .forever
    self.over = over
  }

  /// A request goes to the server; `timedOut` is `nil` without a limit. Returns its number.
  func begin(timedOut: Bool?) -> Int {
    // The tutorial adds without a lock, on many threads at once.
    let number = counter.withLock { counter in
      counter += 1
      note("START\(column("TIMED OUT", showsTimeout ? timedOut : nil))", counter)
      return counter
    }
    note("request", number)
    return number
  }

  /// The completion handler has been called; `woken` is the result of `signal`.
  func end(_ number: Int, woken: Bool?) {
    note("END\(column("THREAD WOKEN", woken))", number)
    over()
  }

  /// The wait timed out, and no request was made. The tutorial's code goes on without a permit.
  func refuse(_ id: Int) {
    note("REFUSED | TIMED OUT true", id)
    over()
  }

  /// The block of an image was cancelled before it had begun.
  func cancel(_ id: Int) {
    note("CANCELLED", id)
    over()
  }

  private func column(_ name: String, _ value: Bool?) -> String {
    value.map { " | \(name) \($0)" } ?? ""
  }
}
