// The QR picture of an address, made by the program qrencode if it is installed.

import Weir

enum QRPicture {
  /// Returns the picture as SVG; `nil` if there is no qrencode in PATH.
  ///
  /// Blocks: until qrencode has ended, at most five seconds.
  static func svg(of text: String) -> String? {
    let words = ["qrencode", "--type=SVG", "--margin=2", "--output=-", text]
    let options = ChildProcess.Options(input: nil, output: .pipe, error: .null)
    guard let result = try? ChildProcess.run(words, options, timeout: .seconds(5)),
      result.terminationStatus.isSuccess
    else { return nil }
    return String(decoding: result.standardOutput, as: UTF8.self)
  }
}
