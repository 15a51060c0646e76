// The names of the lists that the workers of one walk write.

/// The name of a worker's list: `list-00003-of-00008.part`.
package struct PlanListFile: Equatable, Sendable {
  /// The worker, counted from 0.
  package let worker: Int
  package let workers: Int

  /// The largest number of workers: a merge has all their lists open.
  package static let workersMax = 512

  package init(worker: Int, of workers: Int) {
    self.worker = worker
    self.workers = workers
  }

  /// Reads a name; `nil` if it is another one.
  init?(name: String) {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 4, let worker = Int(parts[1]), let workers = Int(parts[3].prefix(5)),
      (1...PlanListFile.workersMax) ~= workers, (0..<workers) ~= worker
    else { return nil }
    self.init(worker: worker, of: workers)
    guard name == self.name else { return nil }
  }

  /// The name within its directory.
  package var name: String {
    "list-\(PlanListFile.padded(worker))-of-\(PlanListFile.padded(workers)).part"
  }

  /// Returns the path.
  package func path(in directory: [UInt8]) -> [UInt8] { directory + Array("/\(name)".utf8) }

  private static func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 5 - digits.count)) + digits
  }
}
