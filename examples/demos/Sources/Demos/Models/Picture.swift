// A picture, and the sources that take their time for it.

/// A picture. The pages draw it by its number.
struct Picture: Sendable {
  let id: Int
}

/// The reason why there is no picture.
enum PictureError: Error {
  /// The server answered with this status.
  case status(Int)
  /// The address is not one.
  case badURL
  /// The bytes are no picture.
  case undecodable
}

/// A source that needs a time for each picture, and fails for one of them.
struct PictureSource: Sendable {
  let machine: any Machine
  /// Returns the time for a picture, in seconds of the demo.
  let seconds: @Sendable (Int) -> Double
  /// The picture that fails; `nil` for none.
  var failing: Int?
  /// The error of that picture.
  var error = PictureError.status(500)

  /// Blocks the thread until the picture is there.
  func blocking(_ id: Int) throws -> Picture {
    machine.sleep(seconds(id))
    return try picture(id)
  }

  /// Suspends the task until the picture is there.
  func suspending(_ id: Int) async throws -> Picture {
    try await machine.pause(seconds(id))
    return try picture(id)
  }

  private func picture(_ id: Int) throws -> Picture {
    if id == failing { throw error }
    return Picture(id: id)
  }
}
