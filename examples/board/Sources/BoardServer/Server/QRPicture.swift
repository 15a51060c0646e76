// The QR picture of an address, made by the program qrencode if it is installed.

import Dispatch
import Glibc
import Weir

enum QRPicture {
  /// Returns the picture as SVG; `nil` if there is no qrencode in PATH.
  ///
  /// Blocks: until qrencode has ended, at most five seconds.
  static func svg(of text: String) -> String? {
    let words = ["qrencode", "--type=SVG", "--margin=2", "--output=-", text]
    guard let child = try? ChildProcess(words, .init(input: .null, output: .pipe, error: .null))
    else { return nil }
    var bytes: [UInt8] = []
    let ending = try? child.collect(until: .now() + .seconds(5)) { _, piece in bytes += piece }
    guard case .exited(0)? = ending else {
      child.send(SIGKILL)
      _ = try? child.wait()
      return nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
