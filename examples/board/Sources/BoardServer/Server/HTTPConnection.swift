// A connection: reads a request, and writes the answer.
//
// DESIGN. The server of FlyingFox reads lines of any length, in quadratic time, and takes a body that
// nobody read for the next request. So only its sockets and its types of messages are used here, and
// each size and each wait has a limit. A connection has one request, which is read whole before
// anybody looks at it, so no byte after it is taken for another one.

import FlyingFox
import FlyingSocks
import Foundation
import Glibc

struct HTTPConnection: Sendable {
  /// The bytes of the request line and the headers.
  static let headLimit = 16 * 1024
  private static let pieceSize = 4096
  private static let blankLine = Data("\r\n\r\n".utf8)

  let socket: AsyncSocket
  let address: HTTPRequest.Address?
  let handler: BoardHandler
  let times: BoardTimes

  /// Answers the request, and closes the connection.
  func serve() async {
    do {
      let request = try await within(times.request) { try await read() }
      try await write(await handler.answer(request))
    } catch let refusal as Refusal {
      try? await write(Answers.refusal(refusal))
      await dropTheRest()
    } catch {}  // The client is gone, or too slow.
    try? socket.close()
  }

  /// Reads the request; throws a refusal if its end is not known, or the error of the socket.
  private func read() async throws -> HTTPRequest {
    var (data, searched) = (Data(), 0)
    while true {
      let end = data.range(of: HTTPConnection.blankLine, in: searched..<data.count)
      guard (end?.lowerBound ?? data.count) <= HTTPConnection.headLimit else {
        throw Refusal(.requestHeaderFieldsTooLarge, "The head of a request has 16 KiB at most.")
      }
      guard let end else {
        searched = max(0, data.count - HTTPConnection.blankLine.count)
        data += try await socket.read(atMost: HTTPConnection.pieceSize)
        continue
      }
      var request = try HTTPRequest(head: data[..<end.lowerBound])
      let length = try request.bodyLength()
      while data.count - end.upperBound < length {
        data += try await socket.read(atMost: HTTPConnection.pieceSize)
      }
      request.setBodyData(Data(data[end.upperBound...].prefix(length)))
      request.remoteAddress = address
      return request
    }
  }

  private func write(_ response: HTTPResponse) async throws {
    guard case .httpBody(let body) = response.payload else { return }
    var headers = response.headers
    if let count = body.count {
      headers[.contentLength] = "\(count)"
    } else {
      headers[.transferEncoding] = "chunked"
    }
    headers[.connection] = "close"
    let lines = headers.map { "\($0.key.rawValue): \($0.value)\r\n" }.sorted().joined()
    let status = response.statusCode
    try await write(Data("HTTP/1.1 \(status.code) \(status.phrase)\r\n\(lines)\r\n".utf8))
    for try await piece in body { try await write(piece) }
  }

  private func write(_ bytes: Data) async throws {
    try await within(times.write) { try await socket.write(bytes) }
  }

  /// Reads until the client has sent all, for some time: to close at once would take back the answer.
  private func dropTheRest() async {
    _ = shutdown(socket.socket.file.rawValue, Int32(SHUT_WR))
    try? await within(times.reject) {
      while true { _ = try await socket.read(atMost: HTTPConnection.pieceSize) }
    }
  }
}

extension HTTPRequest {
  fileprivate init(head: Data) throws(Refusal) {
    let malformed = Refusal(.badRequest, "That is no request.")
    var lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")[...]
    let words = (lines.popFirst() ?? "").components(separatedBy: " ")
    guard words.count == 3, words[1].hasPrefix("/"), words[2].hasPrefix("HTTP/") else {
      throw malformed
    }
    guard words[2] == HTTPVersion.http11.rawValue else {
      throw Refusal(.httpVersionNotSupported, "Use HTTP/1.1.")
    }
    var headers = HTTPHeaders()
    for line in lines {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let name = HTTPHeader(String(parts[0]))
      // A header that comes twice has two meanings.
      guard parts.count == 2, !parts[0].isEmpty, !parts[0].contains(where: \.isWhitespace),
        headers[name] == nil
      else { throw malformed }
      headers[name] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.init(
      method: HTTPMethod(words[0]), version: .http11,
      target: Target(path: String(target[0]), query: target.count > 1 ? String(target[1]) : ""),
      headers: headers, body: HTTPBodySequence())
  }

  /// Returns the number of bytes of the body.
  fileprivate func bodyLength() throws(Refusal) -> Int {
    guard headers[.transferEncoding] == nil else {
      throw Refusal(.lengthRequired, "Send the body with its length.")
    }
    let text = headers[.contentLength] ?? "0"
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      throw Refusal(.badRequest, "The length of the body is no number.")
    }
    guard let length = Int(text), length <= Access.bodyLimit else {
      throw Refusal(.payloadTooLarge, "The body is too long: 64 KiB at most.")
    }
    return length
  }
}

/// Returns the result of `body`, which is cancelled after a time.
private func within<T: Sendable>(
  _ time: Duration, _ body: @escaping @Sendable () async throws -> T
) async throws -> T {
  try await withThrowingTaskGroup(of: T.self) { group in
    group.addTask(operation: body)
    group.addTask {
      try await Task.sleep(for: time)
      throw SocketError.disconnected
    }
    defer { group.cancelAll() }
    guard let result = try await group.next() else { throw CancellationError() }
    return result
  }
}
