// The declarations that the examples of the documentation use.

import Dispatch
import SystemPackage
import Weir

// Pages to fetch and show.
struct URL: Sendable, Hashable {
  init() {}
  init?(string: String) {}
  var absoluteString: String { "" }
}
struct Page: Sendable {}
let url = URL()
let urls = [url]
func fetch(_ url: URL) async throws -> Page { Page() }
func size(of url: URL) async throws -> Int { 0 }
func blockingSize(of url: URL) -> Int { 0 }
func download(_ url: URL) {}
func show(_ page: Page) async {}

// Limited resources.
struct Resource: Sendable {}
let theResource = Resource()
let theTwo = Resource()
func use(_ resource: Resource) {}
func use(_ resource: Resource) async throws {}
func ask() -> Int { 42 }
struct Connection: Sendable {
  func send(_ request: Int, _ answered: @escaping @Sendable (Int) -> Void) {}
}
let connection = Connection()
let request = 0
func handle(_ response: Int) {}

// Collections to work on.
let files: [FilePath] = []
func readIntoCache(_ path: FilePath) throws {}
func hash(_ path: FilePath) {}
let pixels: [UInt8] = []
func shade(_ pixels: [UInt8], _ range: Range<Int>) {}
let rows = 0
func shade(_ row: Int) {}

// Limits.
let gate = Gate(label: "gate", permits: 8)
let lanes = Lanes(label: "lanes", width: 8)
let queue = DispatchQueue(label: "queue")
