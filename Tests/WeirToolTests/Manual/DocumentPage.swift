// A page of the manual in docs/, by section: its commands, what they print, its tables.

import Foundation
import Testing

/// A page of the manual.
struct DocumentPage {
  /// A command of a page, with the output that the page shows below it.
  struct Step: Sendable {
    var command: String
    /// `nil` for a command whose output the page does not show.
    var output: [String]?
    /// The last line of text before the command.
    var text: String
  }

  struct Section: Sendable, CustomTestStringConvertible {
    let title: String
    var lines: [String] = []

    var testDescription: String { title }

    /// The commands of the blocks, in order. Those after `$` are transcripts; of the others, the
    /// lines that begin with a program are commands.
    var steps: [Step] {
      var (steps, last): ([Step], String) = ([], "")
      for line in lines where !line.isEmpty {
        let text = String(line.dropFirst(4))
        if !line.hasPrefix("    ") {
          last = line
        } else if text.hasPrefix("$ ") {
          steps.append(Step(command: String(text.dropFirst(2)), output: [], text: last))
        } else if text.contains(#/^(?:weir|git|ssh|b3sum..|xxhsum..) /#) {
          steps.append(Step(command: text, output: nil, text: last))
        } else if steps.last?.output != nil && steps.last?.text == last {
          steps[steps.count - 1].output?.append(text)
        }
      }
      return steps
    }

    /// The cells of the rows of the tables, without their headings.
    var rows: [[String]] {
      lines.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| |") }
        .map { row in
          row.dropFirst(2).dropLast(2).split(separator: " | ", omittingEmptySubsequences: false)
            .map(String.init)
        }
    }
  }

  let name: String
  let text: String

  /// Reads the page `docs/NAME.md`, or `README.md`; a page that is not there is empty.
  init(_ name: String) {
    self.name = name
    let path = "\(repositoryRoot)/\(name == "README" ? "" : "docs/")\(name).md"
    text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  /// The parts of the page that its title and the headings of the second level begin.
  var sections: [Section] {
    text.split(separator: "\n", omittingEmptySubsequences: false).reduce(into: []) {
      sections, line in
      if let heading = line.wholeMatch(of: #/##? (.*)/#) {
        sections.append(Section(title: String(heading.output.1)))
      } else if !sections.isEmpty {
        sections[sections.count - 1].lines.append(String(line))
      }
    }
  }

  /// The words in backticks.
  static func spans(of text: String) -> [String] {
    text.matches(of: /`([^`]+)`/).map { String($0.output.1) }
  }
}
