internal import FileJobs

/// A mistake in a command line: a message of one line without a period, and status 2.
struct UsageError: ReportedError {
  let text: Message

  init(_ text: Message) { self.text = text }

  init(unknownOption name: RawArgument, of verb: String, among names: [String]) {
    let hint = UsageError.suggestion(for: name.text, of: verb, among: names)
    self.init("unknown option \(name)\(hint)")
  }

  /// Returns a question that suggests the nearest name, the answer to a name of another tool, or
  /// nothing.
  ///
  /// - Parameter verb: As of ``ForeignWords``; `nil` for the value of an option.
  static func suggestion(
    for word: String, of verb: String? = nil, among names: some Sequence<String>
  ) -> String {
    if let verb, let answer = ForeignWords.answer(to: word, of: verb) { return " (\(answer))" }
    guard let name = nearest(to: word, among: names) else { return "" }
    return " (did you mean \(name)?)"
  }

  /// Returns the nearest name: one that begins with the word, or else differs from it by
  /// a few letters, in upper case or lower case.
  static func nearest(to word: String, among names: some Sequence<String>) -> String? {
    let letters = Array(word.lowercased().utf8)
    guard (3...40).contains(letters.count) else { return nil }
    let ranked = names.sorted().map { name -> (name: String, distance: Int) in
      let others = Array(name.lowercased().utf8)
      return (name, others.starts(with: letters) ? 0 : distance(letters, others))
    }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, letters.count / 4) ? best.name : nil
  }

  /// The Damerau-Levenshtein distance: the number of insertions, deletions, changes and
  /// exchanges of neighbours between two words.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var earlier: [Int] = []
    var before = Array(0...right.count)
    for i in left.indices {
      var now = [i + 1]
      for j in right.indices {
        let isSame = left[i] == right[j]
        var least = min(before[j] + (isSame ? 0 : 1), before[j + 1] + 1, now[j] + 1)
        if i > 0 && j > 0 && left[i] == right[j - 1] && left[i - 1] == right[j] {
          least = min(least, earlier[j - 1] + 1)
        }
        now.append(least)
      }
      earlier = before
      before = now
    }
    return before[right.count]
  }
}
