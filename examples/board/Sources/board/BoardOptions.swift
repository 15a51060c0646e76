// The command line.

import BoardServer
import Demos
import Foundation
import Glibc

struct BoardOptions {
  private static let help = """
    usage: board [OPTION ...]

    Serve the demos as pages in the browser.

      --port N           Port, 0 for any that is free [default: 8470]
      --address ADDRESS  Address to listen on; another one than this machine's own
                         needs --class [default: 127.0.0.1]
      --class            Let others follow: print an address for them
      --open             Open the page in a browser, if there is a graphical session
    """

  var port = 8470
  var address = "127.0.0.1"
  var isClass = false
  var open = false

  static func parsed(_ arguments: [String]) -> BoardOptions {
    if arguments.contains("--help") || arguments.contains("-h") {
      print(help)
      Glibc.exit(0)
    }
    do {
      let options = try BoardOptions(arguments)
      try options.check()
      return options
    } catch {
      Program.report(error.description)
      Glibc.exit(2)
    }
  }

  private init(_ arguments: [String]) throws(OptionError) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      switch parts.first {
      case "--class" where parts.count == 1: isClass = true
      case "--open" where parts.count == 1: open = true
      case "--port", "--address":
        guard let value = parts.count > 1 ? parts[1] : rest.popFirst() else {
          throw OptionError("\(word) needs a value; see --help")
        }
        if parts[0] == "--address" {
          address = value
        } else if let number = Int(value), (0...65535).contains(number) {
          port = number
        } else {
          throw OptionError("--port takes a number from 0 to 65535, not \(value)")
        }
      default: throw OptionError("there is no option \(word); see --help")
      }
    }
  }

  private func check() throws(OptionError) {
    guard isNumeric(address), !["0.0.0.0", "::"].contains(address) else {
      throw OptionError(
        "--address takes an address of this machine in numbers, such as 192.168.1.5, not \(address)"
      )
    }
    guard isClass || isLoopback else {
      throw OptionError(
        "--address \(address) lets other machines reach the board; use --class as well, and they"
          + " can follow")
    }
  }

  private func isNumeric(_ text: String) -> Bool {
    var (four, six) = (in_addr(), in6_addr())
    return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
  }

  var isLoopback: Bool { address.hasPrefix("127.") || address == "::1" }

  /// A sentence on the people who can follow.
  var meaningOfClass: String {
    if isLoopback {
      return "Everybody on this machine who has the class's address can follow and answer; nobody "
        + "else can reach it."
    }
    return "Everybody who can reach \(address) and has the class's address can follow and answer. "
      + "The connection is not encrypted: use it in a network that you trust."
  }

  /// Returns the settings of the server.
  func settings() throws -> BoardSettings {
    let folder = URL(fileURLWithPath: try PageFolder.find().path)
    var settings = BoardSettings(files: try PageFiles(folder: folder))
    settings.address = address
    settings.port = UInt16(port)
    settings.isClass = isClass
    return settings
  }
}

struct OptionError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
