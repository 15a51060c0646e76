// The number of descriptors that a lane takes for its jobs.

import FileJobs
import SystemPackage
import TestSupport
import Testing
import Weir

@Suite(.serialized, .timeLimit(.minutes(10)))
struct FileDescriptorsPerLaneTests {
  @Test(
    "a lane takes as many descriptors as its jobs need, or as there are", arguments: [1, 3, 4, 9])
  func permits(most: Int) async throws {
    let directory = try TemporaryDirectory()
    for number in 0..<40 { try directory.write("x", to: "f\(number)") }
    let peak = Shared(0)
    var options = FileProcessorOptions()
    options.jobs = 4
    options.filesPerBatch = 1
    options.descriptors = most
    options.descriptorsPerLane = 4
    options.opensLate = true
    let gate = Gate(label: "held", permits: 100)
    let processor = try FileProcessor(options) { (file) throws(Errno) in
      // As many at once as have their descriptors.
      guard let permit = try? gate.tryAcquire() else { throw .ioError }
      peak.change { $0 = max($0, gate.statistics.inUse) }
      permit.release()
    }
    let statistics = try await onThread {
      try processor.run([.path(bytes: directory.path)]) { _ in }
    }
    #expect(statistics.files == 40 && statistics.unread == 40)
    #expect(statistics.descriptorsPeak <= most && statistics.descriptorsPeak >= min(4, most))
    #expect(peak.value <= max(1, most / 4))
    options.descriptorsPerLane = 0
    #expect(throws: Errno.invalidArgument) {
      try FileProcessor(options) { (file) throws(Errno) in file.size }
    }
  }
}
