// A picture, and the sources that take their time for it.

struct Picture: Sendable {
  let id: Int
}

enum PictureError: Error {
  case status(Int)
  case badURL
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
