// Verifies the output of sha256sum, read from standard input, like weir check.
import CCrypto
import Glibc
import SystemPackage
import Weir

let hasher = try FileProcessor(
  context: { () throws(Errno) in EVP_MD_CTX_new() }
) { (file, state) throws(Errno) -> String in
  EVP_DigestInit_ex(state, EVP_sha256(), nil)
  while let piece = try file.read() {
    _ = piece.withUnsafeBytes { EVP_DigestUpdate(state, $0.baseAddress, $0.count) }
  }
  var digest = [UInt8](repeating: 0, count: 32)
  EVP_DigestFinal_ex(state, &digest, nil)
  return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
var names: [String] = []
var digests: [String: Substring] = [:]
while let line = readLine() {
  names.append(String(line.dropFirst(66)))
  digests[names[names.count - 1]] = line.prefix(64)
}
var isWhole = true
for try await file in hasher.results(of: names.map { .path(bytes: $0.utf8) }) {
  let name = String(decoding: file.pathBytes, as: UTF8.self)
  let isSame = file.value.map { digests[name] == $0[...] } ?? false
  print("\(name): \(isSame ? "OK" : file.value == nil ? "FAILED open or read" : "FAILED")")
  isWhole = isWhole && isSame
}
exit(isWhole ? 0 : 1)
