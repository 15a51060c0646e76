// Logs beside each other.

import Console
import Demos

struct Column {
  let title: String
  let lines: [String]

  init(_ title: String, _ lines: [String]) {
    self.title = title
    self.lines = lines
  }

  init(_ title: String, _ step: ImageStep, _ log: Log) {
    self.init(title, log.lines.map(step.text))
  }
}

func show(_ columns: [Column]) {
  print(columns.map { $0.title.column(28) }.joined(separator: " "))
  for row in 0..<(columns.map(\.lines.count).max() ?? 0) {
    let cells = columns.map { row < $0.lines.count ? $0.lines[row] : "" }
    print(cells.map { $0.column(28) }.joined(separator: " "))
  }
}
