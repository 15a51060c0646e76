// Digests of files and whole trees, as sha256sum writes them, like weir hash.
import CCrypto
import Glibc
import SystemPackage
import Weir

let hasher = try FileProcessor(
  context: { () throws(Errno) in EVP_MD_CTX_new() }
) { (file, state) throws(Errno) in
  EVP_DigestInit_ex(state, EVP_sha256(), nil)
  while let piece = try file.read() { EVP_DigestUpdate(state, piece.baseAddress, piece.count) }
  var digest = [UInt8](repeating: 0, count: 32)
  EVP_DigestFinal_ex(state, &digest, nil)
  let hex = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  try file.write("\(hex)  ".utf8)
  try file.write(file.path)
  try file.write("\n".utf8)
}
let paths = CommandLine.arguments.dropFirst()
let statistics = try hasher.run(paths.map { .path(bytes: $0.utf8) }) { batch in
  try FileDescriptor.standardOutput.writeAll(batch.output)
  for index in 0..<batch.count {
    if case .failed(let error) = batch[index].outcome {
      let path = String(decoding: batch[index].path, as: UTF8.self)
      try FileDescriptor.standardError.writeAll("\(path): \(error)\n".utf8)
    }
  }
}
exit(statistics.failed > 0 ? 3 : 0)
