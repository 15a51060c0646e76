// The events of a program's own objects: a recording shows them like those of gates, lanes and
// groups. A recorder records the whole process, so each test has a process of its own.

import Foundation
import SystemPackage
import Testing
import TestSupport
import Weir

@Suite("TraceSubject", .timeLimit(.minutes(1)))
struct TraceSubjectTests {
  @Test("like a semaphore shows free permits and waiters")
  func semaphore() async {
    await #expect(processExitsWith: .success) {
      let recorder = TraceRecorder()
      try recorder.record {
        let subject = TraceSubject(label: "semaphore")
        subject.report(.acquired)
        subject.report(.wait, job: 1, lane: 1)
        subject.report(.signal)
        subject.report(.acquired, job: 1)
        subject.report(.signal)
      }
      let lines = try lines(of: recorder)
      #expect(lines.map(\.ev) == ["acquired", "wait", "signal", "acquired", "signal"])
      #expect(lines.map { $0.sem?.free } == [0, 0, 1, 0, 1])
      #expect(lines.map { $0.sem?.waiting } == [0, 1, 1, 0, 0])
      #expect(lines.allSatisfy { $0.q == "semaphore" && $0.obj == 1 && $0.jobs == nil })
    }
  }

  @Test("like a queue shows queued and running jobs")
  func queue() async {
    await #expect(processExitsWith: .success) {
      let recorder = TraceRecorder()
      try recorder.record {
        let subject = TraceSubject(label: "queue")
        subject.report(.submit, job: 1)
        subject.report(.submit, job: 2)
        subject.report(.start, job: 1, lane: 3)
        subject.report(.end, job: 1, lane: 3)
        subject.report(.start, job: 2)
      }
      let lines = try lines(of: recorder)
      #expect(lines.map { $0.jobs?.queued } == [1, 2, 1, 1, 0])
      #expect(lines.map { $0.jobs?.running } == [0, 0, 1, 0, 1])
      #expect(lines.map(\.task) == [1, 2, 1, 1, 2] && lines.map(\.lane) == [nil, nil, 3, 3, 0])
      #expect(lines.allSatisfy { $0.sem == nil })
    }
  }

  @Test("with one label are told apart, and report nothing without a recorder")
  func identity() async {
    await #expect(processExitsWith: .success) {
      let (first, second) = (TraceSubject(label: "same"), TraceSubject(label: "same"))
      first.report(.enter)
      let recorder = TraceRecorder()
      try recorder.record {
        first.report(.enter, count: 1)
        second.report(.enter, count: 1)
        first.report(.leave, count: 0)
      }
      #expect(try lines(of: recorder).map(\.obj) == [1, 2, 1])
    }
  }
}

/// A line of a recording.
private struct Line: Decodable {
  struct Permits: Decodable {
    let free, waiting: Int
  }
  struct Jobs: Decodable {
    let queued, running: Int
  }
  let ev, q: String
  let obj, task, lane: Int?
  let sem: Permits?
  let jobs: Jobs?
}

private func lines(of recorder: TraceRecorder) throws -> [Line] {
  let directory = try TemporaryDirectory()
  let path = directory.text + "/trace"
  let file = try FileDescriptor.open(
    FilePath(path), .writeOnly, options: .create, permissions: .ownerReadWrite)
  try file.closeAfter { try recorder.write(to: file, format: .jsonLines) }
  return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    .map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
}
