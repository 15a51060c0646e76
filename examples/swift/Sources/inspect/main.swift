// The faults of the texts below directories, in order: bytes that are not UTF-8, blanks at the
// end of a line, files that cannot be read.
import Glibc
import SystemPackage
import Weir

struct Fault: Error {
  let line: Int
  let reason: String
}

let inspector = try FileProcessor(context: { [UInt8]() }) { file, text in
  text.removeAll(keepingCapacity: true)
  while let piece = try file.read() {
    piece.withUnsafeBufferPointer { text.append(contentsOf: $0) }
  }
  let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  for (index, line) in lines.enumerated() {
    if line.last == UInt8(ascii: " ") { throw Fault(line: index + 1, reason: "blank at the end") }
    if String(validating: line, as: UTF8.self) == nil {
      throw Fault(line: index + 1, reason: "not UTF-8")
    }
  }
  return lines.count
}

var (lines, faults) = (0, 0)
let paths = CommandLine.arguments.dropFirst()
for try await file in inspector.results(of: paths.map { .tree($0) }) {
  switch file.outcome {
  case .done(let count):
    lines += count
    continue
  case .failed(let fault as Fault): print("\(file.path):\(fault.line): \(fault.reason)")
  case .failed(Errno.permissionDenied): print("\(file.path): ask its owner")
  case .failed(let error): print("\(file.path): \(error)")
  case .changed: print("\(file.path): changed while it was read")
  case .special, .noted, .directory, .link: continue
  }
  faults += 1
}
print("\(lines) lines, \(faults) faults")
exit(faults == 0 ? 0 : 1)
