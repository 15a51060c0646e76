// The number of lines of every file in a directory, in order: the program of the README.
import SystemPackage
import Weir

let counter = try FileProcessor { (file) throws(Errno) in
  var lines = 0
  while let piece = try file.read() {
    for byte in piece where byte == UInt8(ascii: "\n") { lines += 1 }
  }
  try file.write("\(lines)\t".utf8)
  try file.write(file.path)
  try file.write("\n".utf8)
}
let directory = CommandLine.arguments.dropFirst().first ?? "."
try counter.run([.tree(FilePath(directory))]) { batch in
  try FileDescriptor.standardOutput.writeAll(batch.output)
  for index in 0..<batch.count {
    let path = String(decoding: batch[index].path, as: UTF8.self)
    switch batch[index].outcome {
    case .failed(let error):
      try FileDescriptor.standardError.writeAll("\(path): \(error)\n".utf8)
    case .changed:
      try FileDescriptor.standardError.writeAll("\(path): changed while it was read\n".utf8)
    default: break
    }
  }
}
