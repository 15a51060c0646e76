// The browser of a graphical session.

import Foundation
import SystemPackage
import Weir

enum Browser {
  /// Opens an address with xdg-open, if there is a session and such a program.
  static func open(_ address: String) {
    let environment = ProcessInfo.processInfo.environment
    guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else { return }
    let options = ChildProcess.Options(
      input: .null, output: .null, error: .null, leadsSession: true)
    guard let child = try? ChildProcess(["xdg-open", address], options) else { return }
    // Its end is of no interest, but it must not remain a zombie.
    Task { _ = try? await child.wait() }
  }
}
