// Lines, words and bytes of files and whole trees, in order, with a total, like weir count
// and, in the C locale, wc.
import SystemPackage
import Weir

let counter = try FileProcessor { (file) throws(Errno) -> SIMD3<Int> in
  var (lines, words, bytes, isInWord) = (0, 0, 0, false)
  while let piece = try file.read() {
    for index in piece.indices {
      let byte = piece[index]
      let isSpace = byte == UInt8(ascii: " ") || (9...13).contains(byte)
      if byte == UInt8(ascii: "\n") { lines += 1 }
      if !isSpace && !isInWord { words += 1 }
      isInWord = !isSpace
    }
    bytes += piece.count
  }
  return SIMD3(lines, words, bytes)
}
let paths = CommandLine.arguments.dropFirst()
var total = SIMD3<Int>()
for try await file in counter.results(of: paths.map { .path(bytes: $0.utf8) }) {
  guard let counts = file.value else {
    print("\(file.path): \(file.outcome)")
    continue
  }
  print(counts.x, counts.y, counts.z, file.path, separator: "\t")
  total &+= counts
}
print(total.x, total.y, total.z, "total", separator: "\t")
