// The command line.

import ArgumentParser
import BoardServer
import Demos
import Foundation
import Glibc

/// The options of the program.
struct BoardOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Port, 0 for any that is free.", valueName: "n"))
  var port = 8470

  @Option(
    help: ArgumentHelp(
      "Address to listen on. Another one than this machine's own needs --class.",
      valueName: "address"))
  var address = "127.0.0.1"

  @Flag(name: .customLong("class"), help: "Let others follow: print an address for them.")
  var isClass = false

  @Flag(help: "Open the page in a browser, if there is a graphical session.")
  var open = false

  /// Parses the command line. Ends the program for --help and for an error.
  static func parsed(_ arguments: [String]) -> BoardOptions {
    do {
      let options = try BoardOptions.parse(arguments)
      try options.check()
      return options
    } catch let error as OptionError {
      Program.report(error.description)
      Glibc.exit(2)
    } catch {
      let text = BoardOptions.fullMessage(for: error)
      if BoardOptions.exitCode(for: error) == .success {
        print(text)
        Glibc.exit(0)
      }
      Program.report(BoardOptions.message(for: error) + "; see --help")
      Glibc.exit(2)
    }
  }

  private func check() throws(OptionError) {
    guard (0...65535).contains(port) else {
      throw OptionError("--port takes a number from 0 to 65535, not \(port)")
    }
    guard isNumeric(address) else {
      throw OptionError(
        "--address takes an address in numbers, such as 192.168.1.5, not \(address)")
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
    let place = ["0.0.0.0", "::"].contains(address) ? "this machine" : address
    return "Everybody who can reach \(place) and has the class's address can follow and answer. "
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

/// An error of the command line.
struct OptionError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
