// A client outside the package: it imports Weir and the modules that Weir's signatures name,
// is compiled with every warning as an error, and uses every public type. It prints each
// failed expectation, and "done" at the end.

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

/// A descriptor for output that is dropped. It stays open.
func sink() throws -> FileDescriptor {
  try FileDescriptor.open("/dev/null", .writeOnly)
}
