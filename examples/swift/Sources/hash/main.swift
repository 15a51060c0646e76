// Digests of files and whole trees, as sha256sum writes them, like weir hash.
import CCrypto
import Glibc
import SystemPackage
import Weir

let hasher = try FileProcessor(
  context: { () throws(Errno) in EVP_MD_CTX_new() }
) { (file, state) throws(Errno) in
  EVP_DigestInit_ex(state, EVP_sha256(), nil)
  while let piece = try file.read() {
    _ = piece.withUnsafeBytes { EVP_DigestUpdate(state, $0.baseAddress, $0.count) }
  }
  var digest = [UInt8](repeating: 0, count: 32)
  EVP_DigestFinal_ex(state, &digest, nil)
  let hex = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  try file.write("\(hex)  ".utf8)
  try file.write(file.pathBytes)
  try file.write("\n".utf8)
}
let paths = CommandLine.arguments.dropFirst()
for try await file in hasher.results(of: paths.map { .path(bytes: $0.utf8) }) {
  try FileDescriptor.standardOutput.writeAll(file.output)
  if case .failed(let error) = file.outcome {
    try FileDescriptor.standardError.writeAll("\(file.path): \(error)\n".utf8)
  }
}
exit(hasher.statistics.failed > 0 ? 3 : 0)
