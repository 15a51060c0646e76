// The lines of the live view.

/// Draws a state in lines that fit: permits, the lists of the downloads, threads, tasks, the last
/// notes and the alert.
struct LiveScreen {
  let state: LiveState
  let columns: Int
  let rows: Int
  let usesColors: Bool
  let language: Language

  func lines(title: String) -> [String] {
    var lines = ["\(title)   \(text(seconds: Double(state.now) / 1e9))"]
    lines += permitLines.prefix(3)
    lines += groupLine
    let alert =
      state.alert.map { TextWidth.wrapped(language.translated($0), columns: columns) } ?? []
    lines += listLines(atMost: (rows - lines.count) / 2)
    let tasks = state.lists.isEmpty ? taskLines : []
    // Half of the rest for threads, or most beside the lists; some for tasks; the end for notes.
    let left = max(3, rows - lines.count - 3 - alert.count)
    let threads = threadLines
    let threadRows = min(threads.count, max(2, state.lists.isEmpty ? left / 2 : left - 3))
    let taskRows = min(tasks.count, max(1, (left - threadRows) / 2))
    lines.append(word("threads"))
    lines += threads.prefix(threadRows)
    if threads.count > threadRows {
      lines[lines.count - 1] = "  \(word("and")) \(threads.count - threadRows + 1) \(word("more"))"
    }
    if !tasks.isEmpty {
      let legend = word("tasks: Q queued, W waits, R runs, S suspended, D done")
      lines.append(TextWidth.of(legend) > columns ? word("tasks") : legend)
      lines += tasks.prefix(taskRows)
    }
    let notes = state.notes.filter { $0 != state.alert }
    lines += notes.suffix(max(0, rows - lines.count - alert.count))
      .map { "  \(language.translated($0))" }
    lines = lines.prefix(rows - alert.count) + alert.map { color($0, 1) }
    return lines.map { TextWidth.cut($0, to: columns) }
  }

  private func word(_ text: String) -> String { language.word(text) }

  private var permitLines: [String] {
    state.permitOrder.compactMap { label in
      guard let permits = state.permits[label] else { return nil }
      let counts = "\(permits.inUse) \(word("in use")), \(permits.waiting) \(word("waiting"))"
      guard let free = permits.free else { return "\(label) \(counts)" }
      let used = min(permits.inUse, 20)
      let tokens =
        String(repeating: "●", count: used) + String(repeating: "○", count: min(free, 20 - used))
      return "\(label) \(tokens) \(free) \(word("free")), \(counts)"
    }
  }

  private var groupLine: [String] {
    let groups = state.groups.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return groups.isEmpty ? [] : ["\(word("outstanding")): \(groups.joined(separator: ", "))"]
  }

  // MARK: - The lists of the downloads

  /// Both lists, side by side if there is room.
  private func listLines(atMost most: Int) -> [String] {
    guard !state.lists.isEmpty, most >= 2 else { return [] }
    let lists = [
      (state.lists.downloadsTitle, state.lists.downloads),
      (state.lists.completedTitle, state.lists.completed),
    ]
    let isWide = columns >= 56
    let size = isWide ? most - 1 : most / 2 - 1
    guard size >= 2 else { return lists.map { language.translated($0.0) } }
    let texts = lists.map { title, rows in
      let hidden = rows.count > size ? rows.count - size + 1 : 0
      return [language.translated(title)] + rows.prefix(rows.count - hidden).map(row)
        + (hidden > 0 ? ["  \(word("and")) \(hidden) \(word("more"))"] : [])
    }
    guard isWide else { return texts[0] + texts[1] }
    return (0..<max(texts[0].count, texts[1].count)).map { index in
      let left = index < texts[0].count ? texts[0][index] : ""
      return TextWidth.padded(left, columns / 2) + (index < texts[1].count ? texts[1][index] : "")
    }
  }

  private func row(_ row: Lists.Row) -> String {
    let text = "  \(language.translated(row.text))"
    guard let percentage = row.state.percentage else { return text }
    let filled = percentage / 10
    let bar = String(repeating: "▓", count: filled) + String(repeating: "░", count: 10 - filled)
    let width = min(columns, columns >= 56 ? columns / 2 : columns)
    return width < 34
      ? "\(text) \(percentage) %"
      : "\(TextWidth.padded(text, 18)) \(color(bar, 32)) \(percentage) %"
  }

  // MARK: - Threads and tasks

  private var threadLines: [String] {
    state.threads.keys.sorted().map { thread in
      let name = thread == state.mainThread ? "main" : "\(thread)"
      let head = String(repeating: " ", count: max(0, 4 - name.count)) + "\(name) "
      let job = state.threads[thread]?.last.map { "\($0.label) \($0.task)" }
      if let label = state.waitingThreads[thread] {
        let inside = job.map { ", \(word("in")) \($0)" } ?? ""
        return head + letter(.waiting) + " \(word("waits at")) \(label)\(inside)"
      }
      return head + (job.map { "\(letter(.running)) \($0)" } ?? "- \(word("idle"))")
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
        "\(job.task)" + letter(state.jobs[job] ?? .queued)
      }
      return wrapped("  \(label)", cells)
    }
  }

  private func wrapped(_ label: String, _ cells: [String]) -> [String] {
    var lines = [label]
    for cell in cells {
      let longer = "\(lines[lines.count - 1]) \(cell)"
      if TextWidth.of(longer) <= columns {
        lines[lines.count - 1] = longer
      } else {
        lines.append("    \(cell)")
      }
    }
    return lines
  }

  private func letter(_ state: LiveState.TaskState) -> String {
    let number =
      switch state {
      case .queued: 34
      case .waiting: 33
      case .running: 32
      case .suspended: 36
      case .done: 90
      }
    return color(state.rawValue, number)
  }

  private func color(_ text: String, _ number: Int) -> String {
    usesColors ? "\u{1B}[\(number)m\(text)\u{1B}[0m" : text
  }
}
