// A loop as a drawing and in sentences: lines of at most 80 columns, or one
// sentence a line.

/// What weir demo loops writes.
struct LoopsDrawing {
  let plan: LoopsPlan
  /// Sentences alone, for those who listen and for programs.
  let isPlain: Bool
  var usesColors = false

  /// What stands beside a bar: `  12 |` and `| `.
  static let margin = 8
  /// So many threads are shown of a form.
  private static let threads = 8
  private static let width = 80

  // MARK: The beginning

  /// What is going to be run.
  var beginning: [String] {
    let each = plan.work == 0 ? "no work" : "\(LoopsTime.text(UInt64(plan.work))) of work"
    var text = "\(Quantities.count(plan.count, "index", "indices")) with \(each) each: "
    text += "\(LoopsTime.text(Double(plan.count) * Double(plan.work))) on one core. "
    text += "This process may use \(Quantities.count(plan.cores, "core", "cores"))."
    return paragraph(text)
  }

  /// How the bars are to be read.
  var legend: [String] {
    if isPlain { return [] }
    return paragraph(
      "A bar is a thread, 1 the one that called; a column is a part of the indices: # it ran "
        + "all of them, + some, . none.") + [""]
  }

  // MARK: A form

  func lines(_ run: LoopsRun, against plain: LoopsRun?) -> [String] {
    isPlain ? sentences(run, against: plain) : bars(run, against: plain)
  }

  private func heading(_ run: LoopsRun, against plain: LoopsRun?) -> String {
    let name = run.form.name
    var text = "\(name.prefix(1).uppercased())\(name.dropFirst()): "
    text += "\(Quantities.count(run.blocks, "block", "blocks")) on "
    text += "\(Quantities.count(run.shares.count, "thread", "threads")), "
    text += LoopsTime.text(run.nanoseconds)
    guard let plain, run.form != .plain else { return text }
    let ratio = Double(plain.nanoseconds) / Double(max(1, run.nanoseconds))
    return text + ", \(LoopsTime.ratio(ratio)) times as fast as plain"
  }

  private func bars(_ run: LoopsRun, against plain: LoopsRun?) -> [String] {
    var lines = [heading(run, against: plain)]
    for share in run.shares.prefix(LoopsDrawing.threads) {
      let number = String(share.thread)
      let blanks = String(repeating: " ", count: max(0, 4 - number.count))
      let text = LoopsShare.text(indices: share.indices, blocks: share.blocks)
      lines.append("\(blanks)\(number) |\(bar(share))| \(text)")
    }
    let more = run.shares.count - LoopsDrawing.threads
    if more > 0 {
      lines.append("     and \(Quantities.count(more, "more thread", "more threads"))")
    }
    return lines + [""]
  }

  private func bar(_ share: LoopsShare) -> String {
    let marks = share.columns.indices.map { column -> Character in
      let width = LoopsRun.width(of: column, of: share.columns.count, count: plan.count)
      let ran = share.columns[column]
      return ran == 0 ? "." : ran == width ? "#" : "+"
    }
    let text = String(marks)
    guard usesColors else { return text }
    // Cyan, yellow, magenta, green, blue: a digit tells the thread as well.
    let color = [36, 33, 35, 32, 34][(share.thread - 1) % 5]
    return "\u{1B}[\(color)m\(text)\u{1B}[0m"
  }

  private func sentences(_ run: LoopsRun, against plain: LoopsRun?) -> [String] {
    [heading(run, against: plain) + "."]
      + run.shares.prefix(LoopsDrawing.threads).map { share in
        let who = share.thread == 1 ? "Thread 1, which called," : "Thread \(share.thread)"
        var parts = share.first.map { block in
          block.count == 1
            ? "\(block.lowerBound)" : "\(block.lowerBound) to \(block.upperBound - 1)"
        }
        let more = share.blocks - share.first.count
        if more > 0 { parts.append("and \(Quantities.count(more)) more") }
        return "\(who) ran \(Quantities.count(share.indices, "index", "indices")) in "
          + "\(Quantities.count(share.blocks, "block", "blocks")): "
          + "\(parts.joined(separator: ", "))."
      }
  }

  // MARK: The end

  func lines(_ verdict: LoopsVerdict) -> [String] {
    verdict.sentences.flatMap { paragraph($0) }
  }

  /// A sentence in lines that fit.
  private func paragraph(_ text: String) -> [String] {
    if isPlain { return [text] }
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty && line.count + 1 + word.count > LoopsDrawing.width {
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
