// The result of a run as JSON lines, by schema/demo.json.

extension DemoResult {
  /// The line of `weir-demo --score`: a mark for the prediction.
  public var score: [UInt8] {
    ResultObject.line("score") { json in
      json.append("demo", demo.name)
      json.append("right", comparisons.count { $0.isRight == true })
      json.append("of", comparisons.count)
      appendAnswers(to: &json)
    }
  }

  /// The lines of `weir-demo --format json`: the demo, its questions, its code, its events, and a
  /// summary.
  public var json: [UInt8] {
    var lines = ResultObject.line("demo") { json in
      json.append("demo", demo.name)
      json.append("simulated", run.isSimulated)
      json.append("cores", run.cores)
      json.append("introduction", demo.introduction(values))
      for knob in demo.knobs where !values[knob.name].isEmpty {
        json.append("knob_\(knob.name)", values[knob.name])
      }
    }
    for comparison in comparisons {
      lines += ResultObject.line("question") { json in
        json.append("name", comparison.question.name)
        json.append("text", comparison.question.text)
        json.append("unit", comparison.question.unit.rawValue)
      }
    }
    for listing in demo.code(values) {
      lines += ResultObject.line("code") { json in
        json.append("language", listing.language)
        json.append("title", listing.title)
        json.append("text", listing.lines.map(\.text).joined(separator: "\n"))
      }
    }
    for event in run.log.events {
      var object = ""
      event.write(to: &object)
      lines += Array("{\"type\":\"event\",\(object.dropFirst())\n".utf8)
    }
    return lines
      + ResultObject.line("summary") { json in
        json.append("complete", !run.isStuck)
        appendAnswers(to: &json)
        json.append("sound", isSound)
        json.append("verdict", findings.verdict)
      }
  }

  private func appendAnswers(to json: inout ResultObject) {
    for comparison in comparisons {
      let name = comparison.question.name
      if let actual = comparison.actual { json.append("actual_\(name)", seconds: actual) }
      if let predicted = comparison.predicted {
        json.append("predicted_\(name)", seconds: predicted)
        json.append("right_\(name)", comparison.isRight ?? false)
      }
    }
  }
}

/// A JSON object to which members are appended.
package struct ResultObject {
  /// The object without its closing brace.
  private var text = "{\"type\":"

  /// Returns an object of a type as a line.
  package static func line(
    _ type: String, _ members: (inout ResultObject) -> Void
  ) -> [UInt8] {
    var json = ResultObject(type: type)
    members(&json)
    return Array("\(json.text)}\n".utf8)
  }

  private init(type: String) { JSONText.write(type, to: &text) }

  package mutating func append(_ name: String, _ value: String) {
    appendName(name)
    JSONText.write(value, to: &text)
  }

  package mutating func append(_ name: String, _ value: some BinaryInteger) {
    appendName(name)
    text += String(value)
  }

  package mutating func append(_ name: String, _ value: Bool) {
    appendName(name)
    text += value ? "true" : "false"
  }

  /// Appends a number to the millionth.
  package mutating func append(_ name: String, seconds: Double) {
    appendName(name)
    let millionths = Int((seconds * 1e6).rounded())
    let digits = String(millionths % 1_000_000)
    text += "\(millionths / 1_000_000)." + String(repeating: "0", count: 6 - digits.count) + digits
  }

  private mutating func appendName(_ name: String) {
    text += ","
    JSONText.write(name, to: &text)
    text += ":"
  }
}
