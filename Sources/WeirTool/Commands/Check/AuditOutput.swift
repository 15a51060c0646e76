// The output of weir check --audit besides the verdicts.

internal import FileJobs
internal import Weir

extension CheckOutput {
  func write(_ event: AuditEvent) throws {
    try state.with { state in
      switch event {
      case .line(let line): try write(line, &state)
      case .moved(let line, let new): try write(line, movedTo: new, &state)
      case .new(let file): try write(new: file, &state)
      case .unreadable(let file): try write(unreadable: file, &state)
      case .special(let name, let type): try write(special: name, type, &state)
      case .end(let manifest): try end(manifest, &state)
      case .pause: try flush(&state)
      }
    }
  }

  private func write(
    _ line: CheckedLine, movedTo new: [UInt8], _ state: inout State
  ) throws {
    state.total.samples.add(line)
    if rules.isSilent { return }
    if rules.format == .json {
      state.lines += JSONText.object("moved") { json in
        json.append("path", name: line.name)
        json.append("to", name: new)
        json.append("manifest", name: manifests[line.manifest].argument.bytes)
        json.append("line", line.number)
      }
      return
    }
    let all = line.name + Array(": moved to ".utf8) + new
    if console.isOutputTerminal,
      all.withUnsafeBytes({ TerminalText.hasControls($0, keeping: .nothing) })
    {
      let text: Message = "\(line.name): moved to \(new)"
      state.lines += text.bytes
    } else {
      // One backslash at the beginning of a line is for both names.
      append(name: all, &state)
    }
    state.lines.append(UInt8(ascii: "\n"))
  }

  private func write(new file: AuditedFile, _ state: inout State) throws {
    state.total.new += 1
    if file.failure != nil { try reportError(file, &state) }
    if rules.isSilent { return }
    if rules.format == .json {
      append("new", file.name, message: file.failure?.reason, &state)
    } else {
      append(name: file.name, &state)
      state.lines.append(contentsOf: ": new\n".utf8)
    }
  }

  private func write(unreadable file: AuditedFile, _ state: inout State) throws {
    try reportError(file, &state)
    if rules.format == .json && !rules.isSilent {
      append("unreadable", file.name, message: file.failure?.reason, &state)
    }
  }

  private func reportError(_ file: AuditedFile, _ state: inout State) throws {
    guard let failure = file.failure else { return }
    state.total.unlistedUnread += 1
    try report("\(file.name): \(failure.reason)", &state)
  }

  private func write(
    special name: [UInt8], _ type: FileWalk.EntryType, _ state: inout State
  ) throws {
    let reason = "is \(FileReporter.kind(type))"
    try report("\(name): skipped: \(reason)", &state)
    if rules.format == .json && !rules.isSilent {
      append("skipped", name, message: reason, &state)
    }
  }

  private func append(
    _ type: String, _ name: [UInt8], message: String?, _ state: inout State
  ) {
    state.lines += JSONText.object(type) { json in
      json.append("path", name: name)
      if type == "skipped" { json.append("kind", "special") }
      if let message { json.append("message", message) }
    }
  }

  func warnOfUnlisted(_ state: inout State) throws {
    if rules.isSilent { return }
    if let reason = state.total.unlistedReason {
      try report("\(warning): unlisted files were not looked for, \(reason)", &state)
    }
    let (new, unread) = (state.total.new, state.total.unlistedUnread)
    if new > 0 {
      try report("\(warning): \(new) \(new == 1 ? "file is" : "files are") not listed", &state)
    }
    if unread > 0 {
      let what = unread == 1 ? "unlisted file or directory" : "unlisted files or directories"
      try report("\(warning): \(unread) \(what) could not be read", &state)
    }
  }
}

extension FileFailure {
  fileprivate var reason: String {
    switch self {
    case .failed(let error): "\(error)"
    case .changed: "changed while it was read"
    }
  }
}
