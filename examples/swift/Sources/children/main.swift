// Five hundred children, sixteen at once; then a child that ignores its time-out, and a task that is
// cancelled: both are killed with everything they started.
import Weir

let sums = try await (1...500).mapConcurrently(limit: 16) { number in
  let output = try await ChildProcess.run(["expr", "\(number)", "+", "1"])
  return Int(String(decoding: output.standardOutput, as: UTF8.self).dropLast()) ?? 0
}
print("500 children, sum", sums.reduce(0, +))

let sorted = try await ChildProcess.run(["sort"], input: Array("b\na\n".utf8))
print(String(decoding: sorted.standardOutput, as: UTF8.self), terminator: "")

do {
  _ = try await ChildProcess.run(["sh", "-c", "sleep 1000 & wait"], timeout: .milliseconds(100))
} catch {
  print(error)
}

let task = Task { try await ChildProcess.run(["sleep", "1000"]) }
task.cancel()
print(await task.result)
