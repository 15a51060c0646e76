// Running a program and looking at what it says.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc

enum Shell {
  struct Result {
    let status: Int32
    let output: [UInt8]
    let errors: [UInt8]
    var text: String { String(decoding: output, as: UTF8.self) }
    var errorText: String { String(decoding: errors, as: UTF8.self) }
  }

  struct Failure: Error { let errno: Int32 }

  /// Runs a program of the PATH to its end, in the locale C.
  static func run(_ words: [String]) throws -> Result {
    try run(words.map { Array($0.utf8) })
  }

  static func run(_ words: [[UInt8]]) throws -> Result {
    /* Files, not pipes: neither can fill and stop the program. */
    let output = tmpfile()!, errors = tmpfile()!
    defer {
      fclose(output)
      fclose(errors)
    }
    let status = try spawn(words, fileno(output), fileno(errors))
    return Result(status: status, output: contents(output), errors: contents(errors))
  }

  /// Whether there is such a program.
  static func has(_ program: String) -> Bool {
    ((try? run(["sh", "-c", "command -v \(program)"]))?.status ?? 1) == 0
  }

  private static func spawn(_ words: [[UInt8]], _ output: Int32, _ errors: Int32) throws -> Int32 {
    setenv("LC_ALL", "C", 1)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, errors, 2)
    var arguments = words.map { strdup($0.map { CChar(bitPattern: $0) } + [0]) }
    defer { arguments.forEach { free($0) } }
    arguments.append(nil)
    var child: pid_t = 0
    let error = posix_spawnp(&child, arguments[0]!, &actions, nil, arguments, environ)
    guard error == 0 else { throw Failure(errno: error) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
  }

  private static func contents(_ file: UnsafeMutablePointer<FILE>) -> [UInt8] {
    var bytes: [UInt8] = [], piece = [UInt8](repeating: 0, count: 65536)
    rewind(file)
    while case let got = fread(&piece, 1, piece.count, file), got > 0 {
      bytes += piece.prefix(got)
    }
    return bytes
  }
}

extension String {
  func trimming() -> String {
    String(self.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
