// An index of words: in how many files of a directory each word stands. A file that fails, or
// changes while it is read, leaves nothing in the index.
import Weir

@main struct Words {
  static func main() async throws {
    // A job returns the words of a file; each lane adds them to a partial index of its own.
    let words = try FileProcessor { file in
      var text: [UInt8] = []
      while let piece = try file.read() {
        for index in piece.indices { text.append(piece[index] | 0x20) }
      }
      let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
      return Set(text.split { !letters.contains($0) }.map { String(decoding: $0, as: UTF8.self) })
    }
    let directory = CommandLine.arguments.dropFirst().first ?? "."
    let index = try await words.reduce(into: [String: Int](), of: [.tree(directory)]) {
      index, words in
      for word in words { index[word, default: 0] += 1 }
    } combine: { index, other in
      index.merge(other, uniquingKeysWith: +)
    }
    for (word, count) in index.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(10) {
      print(count, word)
    }
  }
}
