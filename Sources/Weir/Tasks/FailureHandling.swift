/// The form in which the results of a map contain the failures of its transforms.
///
///     import Weir
///
///     let words = ["1", "two", "3"]
///     let results = try await words.mapConcurrently(limit: 2, failures: .becomeResults) { word in
///       guard let number = Int(word) else { throw CancellationError() }
///       return number
///     }
///     for (word, result) in zip(words, results) {
///       switch result {
///       case .success(let number): print(word, number)
///       case .failure(let error): print(word, error)
///       }
///     }
///
/// An argument of the maps. Without it the first failure cancels the elements in progress and
/// is thrown. The cancellation of the task, and a closed gate of the map, are thrown in either
/// case.
///
/// There is no corresponding C type.
public struct FailureHandling<Success: Sendable, Output: Sendable>: Sendable {
  private let output: @Sendable (Result<Success, any Error>) -> Output

  private init(_ output: @escaping @Sendable (Result<Success, any Error>) -> Output) {
    self.output = output
  }

  /// Runs `body`, and returns its result or failure in this form.
  func run(_ body: @Sendable () async throws -> Success) async throws -> Output {
    do {
      return output(.success(try await body()))
    } catch {
      try Task.checkCancellation()
      return output(.failure(error))
    }
  }
}

extension FailureHandling where Output == Success? {
  /// The form in which an element whose transform throws becomes `nil`, while the others go on.
  ///
  /// There is no corresponding C constant; there is no corresponding C type.
  public static var becomeNil: FailureHandling { FailureHandling { try? $0.get() } }
}

extension FailureHandling where Output == Result<Success, any Error> {
  /// The form in which each element becomes a `Result`, with the error if its transform throws,
  /// while the others go on.
  ///
  /// There is no corresponding C constant; there is no corresponding C type.
  public static var becomeResults: FailureHandling { FailureHandling { $0 } }
}
