// The commands that a worker reads.

import Foundation
import Glibc

/// Reads commands from the standard input, one `NAME VALUE` a line. At its end the process exits:
/// the server is gone.
enum CommandReader {
  static func start(_ take: @escaping @Sendable (String, Int) -> Void) {
    let thread = Thread {
      while let line = readLine() {
        let words = line.split(separator: " ")
        if words.count == 2, let value = Int(words[1]) { take(String(words[0]), value) }
      }
      _exit(1)
    }
    thread.name = "commands"
    thread.start()
  }
}
