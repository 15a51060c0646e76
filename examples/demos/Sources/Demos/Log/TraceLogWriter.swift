// The JSON of a log, in the form of the recorder.

extension TraceLog {
  static func json(_ events: some Sequence<Event>) -> String {
    let lines = events.map { event in
      var line = ""
      event.write(to: &line)
      return line
    }
    return "[\n\(lines.joined(separator: ",\n"))\n]"
  }
}

extension TraceLog.Event {
  /// Appends the event as a JSON object, with the members that the pages read: the time, the kind, the
  /// thread, the label, the number of the job and the value; `sem`: the free permits, if their number is
  /// known, and the waiters; `main`: the thread runs a block of the main queue; `rows`: the rows that
  /// begin; `set`: the rows with another state, by its letter, and its subject; `going`: the jobs in
  /// progress.
  public func write(to line: inout String) {
    line += "{\"t\":\(time),\"ev\":\"\(kind.rawValue)\",\"thr\":\(thread),\"q\":"
    JSONText.write(label, to: &line)
    func list<T>(_ name: String, _ values: [T], _ write: (T, inout String) -> Void) {
      for (place, value) in values.enumerated() {
        line += place == 0 ? ",\"\(name)\":[" : ","
        write(value, &line)
      }
      if !values.isEmpty { line += "]" }
    }
    if let task { line += ",\"task\":\(task)" }
    line += ",\"v\":\(value)"
    if let waiting {
      let free = free.map { "\"free\":\($0)," } ?? ""
      line += ",\"sem\":{\(free)\"waiting\":\(waiting)}"
    }
    if isMain { line += ",\"main\":true" }
    list("rows", rows) { row, line in
      line += "{\"id\":"
      JSONText.write(row.id, to: &line)
      line += ",\"group\":"
      JSONText.write(row.group, to: &line)
      line += ",\"name\":"
      JSONText.write(row.name, to: &line)
      if let number = row.number { line += ",\"number\":\(number)" }
      line += "}"
    }
    list("set", changes) { change, line in
      line += "["
      JSONText.write(change.row, to: &line)
      line += ",\"\(change.state.rawValue)\","
      JSONText.write(change.subject, to: &line)
      line += "]"
    }
    if !changes.isEmpty { line += ",\"going\":\(counts.inProgress)" }
    line += "}"
  }
}

/// JSON strings that are safe within a script element of HTML, too.
enum JSONText {
  /// Appends a string in quotation marks.
  static func write(_ text: String, to line: inout String) {
    line += "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { line += "\\" }
      append(scalar, to: &line)
    }
    line += "\""
  }

  /// Returns JSON with its strings as `write` has them.
  static func safe(_ json: String) -> String {
    json.unicodeScalars.reduce(into: "") { append($1, to: &$0) }
  }

  /// Appends a character. "<", ">" and "&" are escaped, so that the text ends no element, and so are
  /// control characters, the line separators of JavaScript and characters that turn the direction
  /// of text.
  private static func append(_ scalar: Unicode.Scalar, to line: inout String) {
    switch scalar {
    case "<", ">", "&", "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{2028}"..."\u{202e}",
      "\u{2066}"..."\u{2069}", "\u{feff}":
      let digits = String(scalar.value, radix: 16)
      line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: line.unicodeScalars.append(scalar)
    }
  }
}
