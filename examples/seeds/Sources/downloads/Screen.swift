// Both lists as a line, whenever a task has completed.

import Console
import Demos

/// Follows a job list, on the main queue.
struct Screen: Sendable {
  private let jobs: JobList
  private let watch = Stopwatch()

  init(_ jobs: JobList) {
    self.jobs = jobs
    print("\n     s  \("".column(15)) \("Download Queue (n)".column(52)) Completed (n)")
  }

  func show(_ event: JobList.Event) {
    switch event {
    case .controls(let isEnabled):
      line(isEnabled ? "Start enabled" : "Start disabled")
    case .task(let id, .completed):
      line(TaskState.completed.text(of: id))
    case .task:
      break
    case .message(let text):
      print("\n        Info: \(text)\n")
    }
  }

  private func line(_ what: String) {
    let lists = jobs.lists
    let running = lists.downloads.compactMap { row in
      row.state.percentage.map { "#\(row.id) \($0)%" }
    }
    let pending = lists.downloads.count - running.count
    let rest = pending > 0 ? ["\(pending) pending"] : []
    let downloads = "(\(lists.downloads.count)) " + (running + rest).joined(separator: ", ")
    let newest = lists.completed.prefix(8).map { "#\($0.id)" }
    let completed = newest.joined(separator: " ") + (lists.completed.count > 8 ? " …" : "")
    print(
      watch.seconds.inSeconds.atRight(6), what.column(15), downloads.column(52),
      "(\(lists.completed.count)) \(completed)")
  }
}
