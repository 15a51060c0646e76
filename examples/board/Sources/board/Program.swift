// The program: the server, or one of its workers.

import BoardServer
import Dispatch
import Foundation
import Glibc

/// The beginning of the program. It is not async: a worker needs the main queue for its demo.
@main
enum Program {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--worker" { BoardWorker.run(Array(arguments.dropFirst())) }
    let options = BoardOptions.parsed(arguments)
    Task { await serve(options) }
    dispatchMain()
  }

  private static func serve(_ options: BoardOptions) async {
    do {
      let server = BoardServer(try options.settings())
      let signals = EndSignals {
        server.finish()
        exit(0)
      }
      try server.start()
      announce(server, options)
      try await server.run()
      withExtendedLifetime(signals) {}
    } catch {
      report("\(error)")
      exit(1)
    }
  }

  private static func announce(_ server: BoardServer, _ options: BoardOptions) {
    var lines = ["The board: \(server.presenterAddress)"]
    if let address = server.classAddress {
      lines += ["The class: \(address)", options.meaningOfClass]
    }
    lines.append("Ctrl-C ends it.")
    FileHandle.standardOutput.write(Data(lines.map { "\($0)\n" }.joined().utf8))
    if options.open { Browser.open(server.presenterAddress) }
  }

  static func report(_ message: String) {
    FileHandle.standardError.write(Data("board: \(message)\n".utf8))
  }
}

/// The signals that end the program.
private struct EndSignals {
  private let sources: [any DispatchSourceSignal]

  init(_ end: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "board.signals")
    sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
      // nohup ignores the end of the terminal, and so does its child.
      let isIgnored = signal(number, SIG_IGN).map { unsafeBitCast($0, to: Int.self) } == 1
      guard !isIgnored || number != SIGHUP else { return nil }
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler(handler: end)
      source.resume()
      return source
    }
  }
}
