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
/// Without this argument of the maps the first failure cancels the elements in progress and is
/// thrown. The cancellation of the task, and a closed gate of the map, are thrown in either case.
/// There is no corresponding C type.
public struct FailureHandling<Success: Sendable, Output: Sendable>: Sendable {
  fileprivate let output: @Sendable (Result<Success, any Error>) -> Output

  /// Returns a transform whose result or failure has this form.
  func handled<Element>(
    _ transform: @escaping @Sendable (Int, Element) async throws -> Success
  ) -> @Sendable (Int, Element) async throws -> Output {
    { index, element in
      do {
        return output(.success(try await transform(index, element)))
      } catch {
        try Task.checkCancellation()
        return output(.failure(error))
      }
    }
  }
}

extension FailureHandling where Output == Success? {
  /// An element whose transform throws becomes `nil`, while the others go on.
  public static var becomeNil: FailureHandling { FailureHandling { try? $0.get() } }
}

extension FailureHandling where Output == Result<Success, any Error> {
  /// Each element becomes a `Result`, with the error if its transform throws.
  public static var becomeResults: FailureHandling { FailureHandling { $0 } }
}
