// The number of lines of every file in a directory, in order: the program of the README.
import Glibc
import SystemPackage
import Weir

let counter = try FileProcessor { file in
  var lines = 0
  while let piece = try file.read() {
    for index in piece.indices where piece[index] == UInt8(ascii: "\n") { lines += 1 }
  }
  return lines
}
let directory = CommandLine.arguments.dropFirst().first ?? "."
var status: Int32 = 0
for try await file in counter.results(of: .tree(directory)) {
  let problem: String
  switch file.outcome {
  case .done(let lines):
    print(lines, file.path, separator: "\t")
    continue
  case .failed(let error): problem = "\(error)"
  case .changed: problem = "changed while it was read"
  default: continue
  }
  try FileDescriptor.standardError.writeAll("\(file.path): \(problem)\n".utf8)
  status = 1
}
exit(status)
