// What is wrong with a command line.

/// A command line that cannot be followed. It is said in one line, with where
/// to read on, and ends the program with status 2.
struct UsageError: Error {
  /// The sentence, without a period; words of the user's are quoted in it.
  let message: [UInt8]

  init(_ message: String) {
    self.message = Array(message.utf8)
  }

  init(_ begin: String, _ word: RawArgument, _ end: String = "") {
    message = Array(begin.utf8) + QuotedName.bytes(of: word.bytes) + Array(end.utf8)
  }

  /// What the parser says, in the house's tone: as a part of a sentence, without a
  /// control byte in it.
  init(parsed message: String) {
    let printable = message.unicodeScalars.map { scalar -> Character in
      scalar.properties.generalCategory == .control || scalar.value >= 0x10FF00
        ? " " : Character(scalar)
    }
    var text = String(printable)
    if text.last == "." { text.removeLast() }
    if let first = text.first, text.dropFirst().first?.isLowercase == true {
      text = first.lowercased() + text.dropFirst()
    }
    self.message = Array(text.utf8)
  }

  /// Asks whether one of these was meant, if one is near.
  static func suggestion(for word: String, among names: some Sequence<String>) -> String {
    guard let name = nearest(to: word, among: names) else { return "" }
    return " (did you mean \(name)?)"
  }

  /// The name that is nearest: one that begins with the word, or that a few
  /// letters make of it, upper case or lower case.
  static func nearest(to word: String, among names: some Sequence<String>) -> String? {
    let letters = Array(word.lowercased().utf8)
    guard (3...40).contains(letters.count) else { return nil }
    let ranked = names.sorted().map { name -> (name: String, distance: Int) in
      let its = Array(name.lowercased().utf8)
      let least = its.starts(with: letters) ? min(1, its.count - letters.count) : nil
      return (name, least ?? distance(letters, its))
    }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, letters.count / 4) ? best.name : nil
  }

  /// How many letters have to be put in, taken out, changed or exchanged with
  /// their neighbour to make one word of the other.
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
