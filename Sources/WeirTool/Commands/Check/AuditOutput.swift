// What weir check --audit writes besides the verdicts.

internal import FileJobs
internal import SystemPackage
internal import Weir

extension CheckOutput {
  func take(_ event: AuditEvent) throws {
    try state.with { state in
      switch event {
      case .line(let line): try take(line, &state)
      case .moved(let line, let new): try take(line, movedTo: new, &state)
      case .new(let file): try take(new: file, &state)
      case .unreadable(let file): try take(unreadable: file, &state)
      case .special(let name, let type): try take(special: name, type, &state)
      case .end(let manifest): try end(manifest, &state)
      case .pause: try flush(&state)
      }
    }
  }

  private func take(
    _ line: CheckedLine, movedTo new: UnsafeRawBufferPointer, _ state: inout State
  ) throws {
    state.total.samples.take(line, movedTo: new)
    try list(moved: line.name, to: new)
    if rules.isSilent { return }
    if rules.format == .json {
      var json = JSONText()
      json.begin("moved")
      json.append("path", name: line.name)
      json.append("to", name: new)
      manifests[line.manifest].argument.bytes.withUnsafeBytes {
        json.append("manifest", name: $0)
      }
      json.append("line", line.number)
      json.end()
      state.lines += json.bytes
      return
    }
    let middle = Array(": moved to ".utf8)
    // A line has a backslash before it once, for both names.
    let all = Array(line.name) + middle + new
    all.withUnsafeBytes { state.lines.append(shownName: $0) }
    state.lines.append(UInt8(ascii: "\n"))
  }

  private func take(new file: AuditedFile, _ state: inout State) throws {
    state.total.new += 1
    try list(.new, file.name)
    if file.failure != nil { try sayTrouble(file, &state) }
    if rules.isSilent { return }
    if rules.format == .json {
      append("new", file.name, message: file.failure.map(AuditTexts.reason), &state)
    } else {
      state.lines.append(shownName: file.name)
      state.lines.append(contentsOf: ": new\n".utf8)
    }
  }

  private func take(unreadable file: AuditedFile, _ state: inout State) throws {
    try sayTrouble(file, &state)
    if rules.format == .json && !rules.isSilent {
      append("unreadable", file.name, message: file.failure.map(AuditTexts.reason), &state)
    }
  }

  /// Says why a file that no line names could not be read.
  private func sayTrouble(_ file: AuditedFile, _ state: inout State) throws {
    guard let trouble = file.failure else { return }
    state.total.unlistedUnread += 1
    try list(.unreadable, file.name)
    let reason = Array(": \(AuditTexts.reason(trouble))".utf8)
    try say(QuotedName.bytes(of: file.name) + reason, &state)
  }

  private func take(
    special name: UnsafeRawBufferPointer, _ type: EntryType, _ state: inout State
  ) throws {
    let reason = "is \(FileReport.kind(type))"
    try say(QuotedName.bytes(of: name) + Array(": skipped: \(reason)".utf8), &state)
    if rules.format == .json && !rules.isSilent {
      append("skipped", name, message: reason, &state)
    }
  }

  private func append(
    _ type: String, _ name: UnsafeRawBufferPointer, message: String?, _ state: inout State
  ) {
    var json = JSONText()
    json.begin(type)
    json.append("path", name: name)
    if type == "skipped" { json.append("kind", "special") }
    if let message { json.append("message", message) }
    json.end()
    state.lines += json.bytes
  }

  /// The counts of what no line names.
  func warnOfUnlisted(_ state: inout State) throws {
    if rules.isSilent { return }
    let (new, unread) = (state.total.new, state.total.unlistedUnread)
    if new > 0 {
      try say("WARNING: \(new) \(new == 1 ? "file is" : "files are") not listed", &state)
    }
    if unread > 0 {
      let what = unread == 1 ? "unlisted file or directory" : "unlisted files or directories"
      try say("WARNING: \(unread) \(what) could not be read", &state)
    }
  }
}

/// Words for what an audit comes upon.
private enum AuditTexts {
  static func reason(_ trouble: AuditedFile.Failure) -> String {
    switch trouble {
    case .failed(let error): "\(error)"
    case .changed: "changed while it was read"
    }
  }
}

extension NameKind {
  /// The kinds of a line's file.
  static func kinds(of outcome: CheckedLine.Outcome) -> [NameKind] {
    switch outcome {
    case .mismatched, .wrongType, .wrongTarget: [.changed]
    case .rotten: [.changed, .rot]
    case .edited: [.changed, .edited]
    case .touched: [.touched]
    case .missing: [.missing]
    case .unreadable, .special, .changed: [.unreadable]
    case .matched, .malformed, .unsupported: []
    }
  }
}
