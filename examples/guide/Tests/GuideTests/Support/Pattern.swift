// Comparison of a program's output with patterns.

/// True if a line matches the pattern, in which `*` matches any text.
func matches(_ line: String, _ pattern: String) -> Bool {
  let pieces = pattern.split(separator: "*", omittingEmptySubsequences: false)
  guard let first = pieces.first, let last = pieces.last, pieces.count > 1 else {
    return line == pattern
  }
  guard line.hasPrefix(first) else { return false }
  var rest = line.dropFirst(first.count)
  for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
    guard let found = rest.firstRange(of: piece) else { return false }
    rest = rest[found.upperBound...]
  }
  return rest.hasSuffix(last)
}

/// Describes the first line that does not match its pattern; `nil` if all match.
func fault(_ lines: [String], _ patterns: [String]) -> String? {
  for (line, pattern) in zip(lines, patterns) where !matches(line, pattern) {
    return "is:        \(line)\nshould be: \(pattern)"
  }
  return lines.count == patterns.count
    ? nil : "\(lines.count) lines instead of \(patterns.count)"
}

/// Returns the numbers in a line, in order.
func numbers(in line: String) -> [Double] {
  line.split { !$0.isNumber && $0 != "." && $0 != "," }.compactMap { word in
    Double(word.filter { $0 != "," })
  }
}
