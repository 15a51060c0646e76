// Five hundred children, sixteen at once; then a child that takes too long, and a task that is
// cancelled: both are ended, with what they started.
import Weir

@main struct Children {
  static func main() async throws {
    let sums = try await (1...500).mapConcurrently(limit: 16) { number in
      let result = try await ChildProcess.run(["expr", "\(number)", "+", "1"])
      return Int(String(decoding: result.standardOutput, as: UTF8.self).dropLast()) ?? 0
    }
    print("500 children, sum", sums.reduce(0, +))

    let sorted = try await ChildProcess.run(["sort"], input: Array("b\na\n".utf8))
    print(String(decoding: sorted.standardOutput, as: UTF8.self), terminator: "")

    do {
      let slow = ["sh", "-c", "sleep 1000 & wait"]
      _ = try await ChildProcess.run(slow, timeout: .milliseconds(100))
    } catch let error as TimeoutError {
      print(error)
    }

    let task = Task { try await ChildProcess.run(["sleep", "1000"]) }
    task.cancel()
    print(await task.result)
  }
}
