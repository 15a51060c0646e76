// A program of somebody else's: it imports Weir and what Weir's signatures name,
// is compiled with every warning an error, and uses every public type. It says
// what does not hold, and ends with "done" where all does.

import Dispatch
import Synchronization
import SystemPackage
import Weir

@main
struct Overlay {
  static func main() async throws {
    let tree = FilePath(CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : ".")
    try loopContracts()
    try queueContracts()
    try gateContracts()
    lanesContracts()
    try await asyncContracts()

    blockingLoops()
    try blockingGates()
    blockingLanes()
    try blockingGroups()
    blockingQueues()
    try blockingTraces()
    try blockingFiles(below: tree)
    try blockingChildren()

    try await suspendingLoops()
    try await suspendingGates()
    try await suspendingLanesAndGroups()
    try await suspendingTraces()
    try await suspendingTasks()
    try await suspendingFiles(below: tree)
    try await suspendingChildren()
    print("Weir \(WeirVersion.description)")
    print("done")
  }
}

func expect(_ holds: Bool, _ what: String, line: Int = #line, file: String = #fileID) {
  if !holds { print("\(file):\(line): does not hold: \(what)") }
}

/// A sum that closures on any thread add to.
final class Total: Sendable {
  private let sum = Atomic(0)

  var value: Int { sum.load(ordering: .relaxed) }

  func add(_ number: Int) {
    sum.add(number, ordering: .relaxed)
  }
}

/// Where output goes that nobody reads. It stays open.
func sink() throws -> FileDescriptor {
  try FileDescriptor.open("/dev/null", .writeOnly)
}
