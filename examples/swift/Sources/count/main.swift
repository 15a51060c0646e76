// A file processor in ten lines: the lines of each file below a directory, in
// order, and of all of them.
import SystemPackage
import Weir

let counter = try FileProcessor { (file) throws(Errno) -> Int in
  var lines = 0
  while let piece = try file.read() { lines += piece.count { $0 == UInt8(ascii: "\n") } }
  return lines
}
var total = 0
for try await file in counter.results(of: .tree(FilePath(CommandLine.arguments.last ?? "."))) {
  print(file.value.map { "\($0)" } ?? "\(file.outcome)", file.path, separator: "\t")
  total += file.value ?? 0
}
print(total, "in all", separator: "\t")
