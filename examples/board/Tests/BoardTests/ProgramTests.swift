// The program: its options, its messages, and its end.

import Foundation
import Glibc
import TestSupport
import Testing
import Weir

@testable import BoardServer

@Suite(.serialized, .timeLimit(.minutes(10))) struct ProgramTests {
  private func run(_ arguments: [String]) async throws -> (status: Int32, text: String) {
    var command = Command(Array(TestServer.program.utf8), arguments.map { Array($0.utf8) })
    command.isMerged = true
    let outcome = try await command.run()
    return (outcome.status ?? -1, outcome.outputText)
  }

  @Test(arguments: [
    (["--port", "70000"], "--port takes a number from 0 to 65535, not 70000"),
    (["--port=x"], "a number from 0 to 65535, not x"),
    (["--port"], "--port needs a value"),
    (["--address", "198.51.100.7"], "use --class as well"),
    (["--address", "localhost"], "takes an address of this machine in numbers"),
    (["--address", "0.0.0.0", "--class"], "takes an address of this machine in numbers"),
    (["--address", "198.51.100.7", "--class", "--port", "0"], "no address of this machine"),
    (["--what"], "there is no option --what"),
  ])
  func badOptions(_ arguments: [String], _ sentence: String) async throws {
    let (status, text) = try await run(arguments)
    #expect(text.hasPrefix("board: ") && text.contains(sentence), "\(text)")
    #expect(text.split(separator: "\n").count == 1, "\(text)")
    #expect(status == (arguments.contains("0") ? 1 : 2))
  }

  @Test func help() async throws {
    let (status, text) = try await run(["--help"])
    #expect(status == 0 && text.contains("--address") && text.contains("--class"))
  }

  @Test func aPortThatIsInUse() async throws {
    let server = try TestServer()
    let (status, text) = try await run(["--port", "\(server.port)"])
    #expect(
      status == 1 && text.contains("port \(server.port) is in use") && text.contains("--port"))
    try await server.finish()
  }

  private struct Started: Sendable {
    let child: ChildProcess
    let port: UInt16
    let path: String
  }

  /// Starts the program, after a command in its shell, and waits until it has printed its address.
  private static func start(after command: String = ":") throws -> Started {
    // The sockets of the tests that run beside this one would use up the program's limit.
    for number in 3..<Int32(4096) where fcntl(number, F_GETFD) == 0 {
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    }
    let child = try ChildProcess(
      ["sh", "-c", "\(command); exec \"$0\" --port 0", TestServer.program],
      ChildProcess.Options(input: nil, output: .pipe, error: .inherited, leadsGroup: true))
    var text = ""
    try eventually("the address") {
      _ = try child.collect(timeout: .milliseconds(50)) {
        text += String(decoding: $0, as: UTF8.self)
      }
      return text.contains("Ctrl-C")
    }
    let match = try #require(text.firstMatch(of: /127\.0\.0\.1:(\d+)(\/[0-9a-f]+\/)/))
    return Started(child: child, port: try #require(UInt16(match.1)), path: String(match.2))
  }

  /// One Ctrl-C ends the server and its runs.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGKILL])
  func signals(_ signal: Int32) async throws {
    try await onThread {
      let program = try Self.start()
      defer { program.child.send(SIGKILL) }
      let path = program.path
      let stream = try EventReader(Connection(port: program.port), path + "events")
      let body = Data(#"{"demo":"downloads","speed":0.1}"#.utf8)
      let answer = try Connection(port: program.port).request("POST", path + "start", [:], body)
      #expect(answer.status == 200)
      try stream.until("event")
      let workers = try Self.children(of: program.child.processIdentifier)
      #expect(workers.count == 1)
      program.child.send(signal)
      let ending = try program.child.collect(timeout: .seconds(120)) { _ in }
      #expect(ending == (signal == SIGKILL ? .signaled(signal) : .exited(0)))
      try eventually("the workers have ended") { workers.allSatisfy { kill($0, 0) != 0 } }
    }
  }

  @Test func nohupKeepsItRunning() async throws {
    try await onThread {
      let program = try Self.start(after: "trap '' HUP")
      defer { program.child.send(SIGKILL) }
      program.child.send(SIGHUP)
      #expect(try program.child.collect(timeout: .milliseconds(500)) { _ in } == nil)
      #expect(try Connection(port: program.port).request("GET", program.path).status == 200)
      try Self.end(program)
    }
  }

  /// More connections than descriptors: those above the limit wait.
  @Test func fewDescriptors() async throws {
    try await onThread {
      let program = try Self.start(after: "ulimit -n 40")
      defer { program.child.send(SIGKILL) }
      do {
        let idle = try (0..<60).map { _ in try Connection(port: program.port) }
        #expect(try program.child.collect(timeout: .milliseconds(500)) { _ in } == nil)
        withExtendedLifetime(idle) {}
      }
      #expect(try Connection(port: program.port).request("GET", program.path).status == 200)
      try Self.end(program)
    }
  }

  private static func end(_ program: Started) throws {
    program.child.send(SIGTERM)
    #expect(try program.child.collect(timeout: .seconds(120)) { _ in } == .exited(0))
  }

  private static func children(of parent: Int32) throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter {
      guard let text = try? String(contentsOfFile: "/proc/\($0)/stat", encoding: .utf8),
        let end = text.lastIndex(of: ")")
      else { return false }
      return text[end...].split(separator: " ").dropFirst(2).first.flatMap { Int32($0) } == parent
    }
  }
}
