// The handler of all requests.

import Demos
import FlyingFox
import Foundation

struct BoardHandler: Sendable {
  let board: Board
  let access: Access
  let files: PageFiles
  let catalogs: [Role: Data]
  private let pages: Set<String>

  init(board: Board, access: Access, files: PageFiles, classAddress: String?) {
    (self.board, self.access, self.files) = (board, access, files)
    pages = Set(Demo.all.map(\.name) + [""])
    let picture = classAddress.flatMap { QRPicture.svg(of: $0) }
    let roles: [Role] = [.presenter, .follower]
    catalogs = Dictionary(
      uniqueKeysWithValues: roles.map { role in
        let catalog = Catalog(
          role: role, isClass: access.isClass, classAddress: classAddress,
          classPicture: role == .presenter ? picture : nil)
        return (role, Data(Message.encode(catalog)))
      })
  }

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    // The answer to a HEAD has no body.
    func refuse(_ refusal: Refusal) -> HTTPResponse {
      Answers.refusal(refusal, hasBody: request.method != .HEAD)
    }
    do {
      return try await checkAndAnswer(request)
    } catch let refusal as Refusal {
      return refuse(refusal)
    } catch {
      return refuse(Refusal(.badRequest, "The body is not what it should be."))
    }
  }

  private func checkAndAnswer(_ request: HTTPRequest) async throws -> HTTPResponse {
    let (role, path) = try await access.check(request)
    let route = try Route.find(request.method, path, pages: pages, files: files)
    guard role == .presenter || route.isForFollowers else {
      throw Refusal(.forbidden, "Only the presenter may do that.")
    }
    switch route {
    case .withoutSlash:
      let name = request.target.path().split(separator: "/").last.map(String.init) ?? ""
      return Answers.body(
        .permanentRedirect, "text/plain; charset=utf-8", Data(), [("Location", name + "/")])
    case .file(let name):
      guard let file = files[name] else { throw Refusal(.notFound, "There is nothing here.") }
      return Answers.body(.ok, file.type, file.bytes)
    case .demos:
      return Answers.body(.ok, "application/json", catalogs[role] ?? Data())
    case .events:
      return try follow(request, role)
    case .start:
      let run = try board.start(try await body(request))
      return Answers.body(.ok, "application/json", Data("{\"run\":\(run)}".utf8))
    case .stop:
      board.channel.run?.stop()
    case .show:
      try board.show(try await body(request))
    case .answer:
      guard let classroom = board.classroom else { throw Board.isNoClass }
      try classroom.take(try await body(request), from: request.remoteAddress?.name ?? "")
    }
    return Answers.body(.noContent, "text/plain; charset=utf-8", Data())
  }

  private func body<T: Decodable>(_ request: HTTPRequest) async throws -> T {
    try JSONDecoder().decode(T.self, from: try await request.bodyData)
  }

  private func follow(_ request: HTTPRequest, _ role: Role) throws -> HTTPResponse {
    let stream = try board.openStream(
      follower: role == .follower ? request.remoteAddress?.name ?? "" : nil)
    return Answers.response(.ok, "text/event-stream", [], HTTPBodySequence(from: stream))
  }
}
