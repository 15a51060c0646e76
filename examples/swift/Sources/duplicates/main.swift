// Groups of files with equal content, like weir duplicates. A file with a unique size is not
// opened; the others are compared by digest.
import CCrypto
import SystemPackage
import Weir

var options = FileProcessorOptions()
options.opensLate = true
let looker = try FileProcessor(options) { (file) throws(Errno) in try file.pathStatus() }
let hasher = try FileProcessor(
  context: { () throws(Errno) in EVP_MD_CTX_new() }
) { (file, state) throws(Errno) -> [UInt8] in
  EVP_DigestInit_ex(state, EVP_sha256(), nil)
  while let piece = try file.read() { EVP_DigestUpdate(state, piece.baseAddress, piece.count) }
  var digest = [UInt8](repeating: 0, count: 32)
  EVP_DigestFinal_ex(state, &digest, nil)
  return digest
}
let paths = CommandLine.arguments.dropFirst()
var sizes: [UInt64: [FileSource]] = [:]
var inodes: Set<[UInt64]> = []
for try await file in looker.results(of: paths.map { .path(bytes: $0.utf8) }) {
  // Empty files are omitted, and of several names of one file the first counts.
  guard let status = file.value, status.size > 0,
    inodes.insert([status.device, status.inode]).inserted
  else { continue }
  sizes[status.size, default: []].append(.path(bytes: file.pathBytes))
}
var groups: [[UInt8]: [String]] = [:]
for try await file in hasher.results(of: sizes.values.filter { $0.count > 1 }.flatMap { $0 }) {
  if let digest = file.value { groups[digest, default: []].append("\(file.path)") }
}
for group in groups.values.filter({ $0.count > 1 }).sorted(by: { $0[0] < $1[0] }) {
  print(group.joined(separator: "\n"), terminator: "\n\n")
}
