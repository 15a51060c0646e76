// The text output of the loops demo: bars in lines of at most 80 columns, or one sentence per
// line.

struct LoopsText {
  let plan: LoopsPlan
  /// True if the output consists of sentences only, for screen readers and for programs.
  let isPlain: Bool
  var usesColors = false
  /// The number of lines on the screen.
  var rows = 24

  /// The number of columns beside a bar: `  12 |` and `| `.
  static let margin = 8
  /// The lines on the screen for the legend and the conclusions.
  private static let linesAfterForms = 10

  /// The maximum number of threads that are shown for a form: all forms fit the screen, with
  /// what follows them.
  private var threads: Int {
    if isPlain { return 8 }
    let perForm = (rows - LoopsText.linesAfterForms) / plan.forms.count
    // One line is the heading, and one may say that there are more.
    return min(8, max(2, perForm - 2))
  }

  // MARK: Before the forms

  /// The description of the loop.
  var beginning: [String] {
    let each = plan.work == 0 ? "no work" : "\(LoopsDuration.text(UInt64(plan.work))) of work"
    var text = "\(Quantities.count(plan.count, "index", "indices")) with \(each) each: "
    text += "\(LoopsDuration.text(Double(plan.count) * Double(plan.work))) on one core. "
    text += "This process may use \(Quantities.count(plan.cores, "core", "cores"))."
    return paragraph(text)
  }

  /// The explanation of the bars, which comes after them: it stays on the screen.
  var legend: [String] {
    if isPlain { return [] }
    return paragraph(
      "A bar is a thread; 1 is the caller. A column is a part of the indices: # if the thread "
        + "ran all of them, < more of the first half, > more of the second, + both alike, . none.")
  }

  // MARK: A form

  func lines(_ result: LoopsResult, against plain: LoopsResult?) -> [String] {
    isPlain ? sentences(result, against: plain) : bars(result, against: plain)
  }

  private func heading(_ result: LoopsResult, against plain: LoopsResult?) -> String {
    let name = result.form.name
    var text = "\(name.prefix(1).uppercased())\(name.dropFirst()): "
    text += "\(Quantities.count(result.blocks, "block", "blocks")) on "
    text += "\(Quantities.count(result.shares.count, "thread", "threads")), "
    text += LoopsDuration.text(result.nanoseconds)
    guard let plain, result.form != .plain else { return text }
    let ratio = Double(plain.nanoseconds) / Double(max(1, result.nanoseconds))
    return text + ", \(LoopsDuration.ratio(ratio)) times as fast as plain"
  }

  private func bars(_ result: LoopsResult, against plain: LoopsResult?) -> [String] {
    var lines = [heading(result, against: plain)]
    for share in result.shares.prefix(threads) {
      let number = String(share.thread)
      let blanks = String(repeating: " ", count: max(0, 4 - number.count))
      let text = LoopsShare.text(indices: share.indices, blocks: share.blocks)
      lines.append("\(blanks)\(number) |\(bar(share))| \(text)")
    }
    let more = result.shares.count - threads
    if more > 0 {
      lines.append("     and \(Quantities.count(more, "more thread", "more threads"))")
    }
    return lines
  }

  private func bar(_ share: LoopsShare) -> String {
    let marks = stride(from: 0, to: share.halves.count, by: 2).map { half -> Character in
      let (first, second) = (share.halves[half], share.halves[half + 1])
      let width = LoopsResult.width(
        of: half / 2, of: share.halves.count / 2, count: plan.count)
      if first + second == 0 { return "." }
      if first + second == width { return "#" }
      return first == second ? "+" : first > second ? "<" : ">"
    }
    let text = String(marks)
    guard usesColors else { return text }
    // Cyan, yellow, magenta, green, blue; the number also identifies the thread.
    let color = [36, 33, 35, 32, 34][(share.thread - 1) % 5]
    return "\u{1B}[\(color)m\(text)\u{1B}[0m"
  }

  private func sentences(_ result: LoopsResult, against plain: LoopsResult?) -> [String] {
    [heading(result, against: plain) + "."]
      + result.shares.prefix(threads).map { share in
        let thread = share.thread == 1 ? "Thread 1, the caller," : "Thread \(share.thread)"
        var parts = share.first.map { block in
          block.count == 1
            ? "\(block.lowerBound)" : "\(block.lowerBound) to \(block.upperBound - 1)"
        }
        let more = share.blocks - share.first.count
        if more > 0 { parts.append("and \(Quantities.count(more)) more") }
        return "\(thread) ran \(Quantities.count(share.indices, "index", "indices")) in "
          + "\(Quantities.count(share.blocks, "block", "blocks")): "
          + "\(parts.joined(separator: ", "))."
      }
  }

  // MARK: After the forms

  func lines(_ summary: LoopsSummary) -> [String] {
    summary.sentences.flatMap { paragraph($0) }
  }

  /// Returns a sentence in lines that fit.
  private func paragraph(_ text: String) -> [String] {
    if isPlain { return [text] }
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty && line.count + 1 + word.count > plan.width {
        lines.append(line)
        line = "  "
      } else if !line.isEmpty {
        line += " "
      }
      line += word
    }
    return lines + [line]
  }
}
