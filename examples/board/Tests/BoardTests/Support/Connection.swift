// A connection of a client, byte by byte as the tests want them.

import Foundation
import Glibc
import TestSupport

/// A wait that took too long.
struct TimeIsUp: Error, CustomStringConvertible {
  let description: String
}

/// Asks again and again until something is so, for longer than needed.
func eventually(_ what: String, _ isSo: () throws -> Bool) throws {
  guard try eventuallyBlocking(isSo) else { throw TimeIsUp(description: what) }
}

struct Response: Sendable {
  let status: Int
  let headers: [String: String]
  let body: Data

  var text: String { String(decoding: body, as: UTF8.self) }

  var object: [String: Any] {
    get throws { try JSONSerialization.jsonObject(with: body) as? [String: Any] ?? [:] }
  }
}

/// A connection to a server on this machine. All calls block, each for two minutes at most.
final class Connection: @unchecked Sendable {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private let port: UInt16

  init(port: UInt16) throws {
    self.port = port
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    var time = timeval(tv_sec: 120, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      let error = POSIXError(.init(rawValue: errno) ?? .EIO)
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }

  /// Sends bytes; returns the number that was sent before an error.
  @discardableResult
  func send(_ bytes: some Collection<UInt8>) -> Int {
    let bytes = Array(bytes)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { break }
      sent += count
    }
    return sent
  }

  /// Reads more; false at the end, or after an error.
  private func fill() throws -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    if count < 0 {
      if errno == EAGAIN { throw TimeIsUp(description: "the server sent nothing") }
      return false
    }
    buffer += bytes[..<count]
    return count > 0
  }

  func line() throws -> String? {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        var line = buffer[..<end]
        if line.last == 13 { line.removeLast() }
        let text = String(decoding: line, as: UTF8.self)
        buffer.removeSubrange(...end)
        return text
      }
      guard try fill() else { return nil }
    }
  }

  func bytes(_ count: Int) throws -> Data? {
    while buffer.count < count { guard try fill() else { return nil } }
    defer { buffer.removeFirst(count) }
    return Data(buffer[..<count])
  }

  // MARK: - HTTP

  func sendRequest(
    _ method: String, _ path: String, _ headers: [String: String] = [:], _ body: Data? = nil
  ) {
    var all = ["Host": "127.0.0.1:\(port)"]
    if let body { all["Content-Length"] = "\(body.count)" }
    all.merge(headers) { $1 }
    let lines = all.filter { !$0.value.isEmpty }.map { "\($0.key): \($0.value)\r\n" }.joined()
    send(Array("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n".utf8) + (body ?? Data()))
  }

  func head() throws -> (status: Int, headers: [String: String]) {
    guard let first = try line(),
      let status = Int(first.split(separator: " ").dropFirst().first ?? "")
    else { throw TimeIsUp(description: "the connection ended without a response") }
    var headers: [String: String] = [:]
    while let line = try line(), !line.isEmpty {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts.last?.trimmingCharacters(in: .whitespaces)
    }
    return (status, headers)
  }

  func response() throws -> Response {
    let (status, headers) = try head()
    let count = Int(headers["content-length"] ?? "") ?? 0
    guard let body = try bytes(count) else { throw TimeIsUp(description: "the body was cut off") }
    return Response(status: status, headers: headers, body: body)
  }

  func request(
    _ method: String, _ path: String, _ headers: [String: String] = [:], _ body: Data? = nil
  ) throws -> Response {
    sendRequest(method, path, headers, body)
    return try response()
  }
}
