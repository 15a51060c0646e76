// The browser of a graphical session.

import Foundation
import SystemPackage
import Weir

enum Browser {
  /// Opens an address with xdg-open, if there is a session and such a program.
  static func open(_ address: String) {
    let environment = ProcessInfo.processInfo.environment
    guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
    let options = ChildProcess.Options(input: nil, output: .null, error: .null)
    // Its end is of no interest, but it must not remain a zombie.
    Task { _ = try? await ChildProcess.run(["xdg-open", address], options) }
  }
}
