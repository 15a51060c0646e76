// An index of words: in how many files of a directory each word stands. A file that fails, or
// changes while it is read, leaves nothing in the index.
import Weir

let directory = CommandLine.arguments.dropFirst().first ?? "."
let index = try await FileProcessor.reduce(of: .tree(directory), into: [String: Int]()) {
  counts, file in
  var (words, word): (Set<String>, [UInt8]) = ([], [])
  while let piece = try file.read() {
    for byte in piece {
      switch byte | 0x20 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): word.append(byte | 0x20)
      default:
        if !word.isEmpty { words.insert(String(decoding: word, as: UTF8.self)) }
        word = []
      }
    }
  }
  if !word.isEmpty { words.insert(String(decoding: word, as: UTF8.self)) }
  for word in words { counts[word, default: 0] += 1 }
} combine: { index, counts in
  index.merge(counts, uniquingKeysWith: +)
}
for (word, count) in index.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(10) {
  print(count, word)
}
