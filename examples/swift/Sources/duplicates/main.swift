// Groups of files with equal content, like weir duplicates. A file with a unique size is not
// opened; the others are compared by digest.
import CCrypto
import SystemPackage
import Weir

let hasher = try FileProcessor(
  context: { () throws(Errno) in EVP_MD_CTX_new() }
) { (file, state) throws(Errno) -> [UInt8] in
  EVP_DigestInit_ex(state, EVP_sha256(), nil)
  while let piece = try file.read() {
    _ = piece.withUnsafeBytes { EVP_DigestUpdate(state, $0.baseAddress, $0.count) }
  }
  var digest = [UInt8](repeating: 0, count: 32)
  EVP_DigestFinal_ex(state, &digest, nil)
  return digest
}
var sizes: [Int64: [FileSource]] = [:]
var inodes: Set<[UInt64]> = []
for path in CommandLine.arguments.dropFirst() {
  for try await entry in FileWalk(FilePath(path)).entries where entry.type == .file {
    // Empty files are omitted, and of several names of one file the first counts.
    guard let status = try? Stat(entry.path, followTargetSymlink: false), status.size > 0,
      inodes.insert([UInt64(status.deviceID.rawValue), UInt64(status.inode.rawValue)]).inserted
    else { continue }
    sizes[status.size, default: []].append(.file(entry.path))
  }
}
var groups: [[UInt8]: [String]] = [:]
for try await file in hasher.results(of: sizes.values.filter { $0.count > 1 }.flatMap { $0 }) {
  if let digest = file.value { groups[digest, default: []].append("\(file.path)") }
}
for group in groups.values.filter({ $0.count > 1 }).sorted(by: { $0[0] < $1[0] }) {
  print(group.joined(separator: "\n"), terminator: "\n\n")
}
