// The lines of the live view.

/// Draws a state in lines that fit: permits, threads, tasks, and the last notes.
struct LiveScreen {
  let state: LiveState
  let columns: Int
  let rows: Int
  let usesColors: Bool
  let language: Language

  func lines(title: String) -> [String] {
    let seconds = text(seconds: Double(state.now) / 1e9)
    var lines = [fit("\(title)   \(seconds)")]
    lines += permitLines.prefix(3)
    lines += groupLine
    let tasks = taskLines
    // Half of the rest for threads, some for tasks, the end for notes.
    let left = max(3, rows - lines.count - 3)
    let threadRows = min(threadLines.count, max(2, left / 2))
    let taskRows = min(tasks.count, max(1, (left - threadRows) / 2))
    lines.append(fit("threads"))
    lines += threadLines.prefix(threadRows)
    if threadLines.count > threadRows {
      lines[lines.count - 1] = fit("  and \(threadLines.count - threadRows + 1) more")
    }
    lines.append(fit("tasks: Q queued, W waits, R runs, D done"))
    lines += tasks.prefix(taskRows)
    let notes = max(0, rows - lines.count)
    lines += state.notes.suffix(notes).map { fit("  \(language.translated($0))") }
    return Array(lines.prefix(rows))
  }

  private var permitLines: [String] {
    state.permitOrder.compactMap { label in
      guard let permits = state.permits[label] else { return nil }
      let most = max(permits.most, permits.inUse)
      let shown = min(most, 20)
      let used = min(permits.inUse, shown)
      let tokens =
        String(repeating: "●", count: used) + String(repeating: "○", count: shown - used)
      return fit("\(label) \(tokens) \(permits.inUse) in use, \(permits.waiting) waiting")
    }
  }

  private var groupLine: [String] {
    let groups = state.groups.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return groups.isEmpty ? [] : [fit("outstanding: \(groups.joined(separator: ", "))")]
  }

  private var threadLines: [String] {
    state.threadOrder.enumerated().map { index, thread in
      let number = index + 1
      let blanks = number < 10 ? "  " : " "
      let jobs = state.threads[thread] ?? []
      let job = jobs.last.map { "\($0.label) \($0.number)" }
      if let label = state.waitingThreads[thread] {
        return fit(
          "\(blanks)\(number) " + color("W", .waiting) + " waits at \(label)"
            + (job.map { ", in \($0)" } ?? ""), hidden: usesColors ? 9 : 0)
      }
      guard let job else { return fit("\(blanks)\(number) - idle") }
      return fit(
        "\(blanks)\(number) " + color("R", .running) + " \(job)", hidden: usesColors ? 9 : 0)
    }
  }

  /// The tasks in cells, without those of the main queue.
  private var taskLines: [String] {
    let tasks = state.order.filter { $0.label != "main" }
    let labels = tasks.reduce(into: [String]()) { labels, job in
      if !labels.contains(job.label) { labels.append(job.label) }
    }
    return labels.flatMap { label in
      let cells = tasks.filter { $0.label == label }.map { job in
        (text: "\(job.number)", state: state.jobs[job] ?? .queued)
      }
      return wrapped("  \(label)", cells)
    }
  }

  private func wrapped(
    _ label: String, _ cells: [(text: String, state: LiveState.TaskState)]
  ) -> [String] {
    var lines: [String] = []
    var (line, width) = (label, label.count)
    for cell in cells {
      let length = cell.text.count + 2
      if width + length > columns {
        lines.append(line)
        (line, width) = ("   ", 3)
      }
      line += " \(cell.text)" + color(cell.state.rawValue, cell.state)
      width += length
    }
    return lines + [line]
  }

  private func color(_ text: String, _ state: LiveState.TaskState) -> String {
    guard usesColors else { return text }
    let number =
      switch state {
      case .queued: 34
      case .waiting: 33
      case .running: 32
      case .done: 90
      }
    return "\u{1B}[\(number)m\(text)\u{1B}[0m"
  }

  /// - Parameter hidden: The number of characters that take no place.
  private func fit(_ text: String, hidden: Int = 0) -> String {
    String(text.prefix(max(1, columns + hidden)))
  }
}
