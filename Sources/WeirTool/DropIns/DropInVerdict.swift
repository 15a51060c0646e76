// What GNU's checksum tools say of the manifests they verify.

internal import SystemPackage
internal import Weir

/// Says what became of each file and each manifest, and counts.
struct DropInVerdict {
  private let tool: DropIn
  private let options: DropInOptions
  private let streams: DropInStreams
  /// Of all manifests so far.
  private(set) var isWell = true
  // Of the present one.
  private var index = 0
  private var malformed = 0
  private var unreadable = 0
  private var mismatched = 0
  private var hasEntries = false
  private var hasMatch = false

  init(_ tool: DropIn, _ options: DropInOptions, _ streams: DropInStreams) {
    self.tool = tool
    self.options = options
    self.streams = streams
  }

  /// A file is as it should be; what is to be said of it was said.
  mutating func matched() {
    hasEntries = true
    hasMatch = true
  }

  /// A file is another one than it should be.
  mutating func mismatched(_ name: UnsafeRawBufferPointer) {
    hasEntries = true
    mismatched += 1
    say(name, ": FAILED\n")
  }

  /// A file could not be read.
  mutating func unreadable(_ name: UnsafeRawBufferPointer, _ error: Errno) {
    hasEntries = true
    if options.ignoresMissing && error == .noSuchFileOrDirectory { return }
    streams.say(QuotedName.bytes(of: name), error: error.rawValue)
    unreadable += 1
    say(name, ": FAILED open or read\n")
  }

  /// Something of the present manifest.
  mutating func take(_ event: ManifestEvent) {
    switch event {
    case .malformed(let line):
      malformed += 1
      if options.warns { say(": \(line): improperly formatted \(tool.tag) checksum line") }
    case .unopened(let error):
      streams.say(QuotedName.bytes(of: title), error: error.rawValue)
      begin(isWell: false)
    case .unread:
      say(": read error")
      begin(isWell: false)
    case .end:
      end()
    }
  }

  private mutating func end() {
    if !hasEntries {
      say(": no properly formatted checksum lines found")
    } else if !options.isSilent {
      warn(malformed, "line is improperly formatted", "lines are improperly formatted")
      warn(unreadable, "listed file could not be read", "listed files could not be read")
      warn(mismatched, "computed checksum did NOT match", "computed checksums did NOT match")
      if options.ignoresMissing && !hasMatch { say(": no file was verified") }
    }
    begin(
      isWell: hasMatch && mismatched == 0 && unreadable == 0
        && (!options.isStrict || malformed == 0))
  }

  /// The name of the present manifest, for messages.
  private var title: [UInt8] {
    let name = Array(options.name(at: index))
    return name == DropInOptions.standardInput ? Array("standard input".utf8) : name
  }

  /// What the one manifest was goes to all, and the next begins.
  private mutating func begin(isWell: Bool) {
    self.isWell = self.isWell && isWell
    index += 1
    (malformed, unreadable, mismatched) = (0, 0, 0)
    (hasEntries, hasMatch) = (false, false)
  }

  private func warn(_ count: Int, _ one: String, _ many: String) {
    if count > 0 { streams.say("WARNING: \(count) \(count == 1 ? one : many)") }
  }

  /// Says something of the present manifest.
  private func say(_ text: String) {
    streams.say(QuotedName.bytes(of: title) + Array(text.utf8))
  }

  /// A line on standard output.
  private func say(_ name: UnsafeRawBufferPointer, _ text: StaticString) {
    if options.isSilent { return }
    let name = DropInName(name, .newlines)
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: 1 + name.capacity + text.utf8CodeUnitCount, alignment: 1)
    defer { memory.deallocate() }
    streams.write(UnsafeRawBufferPointer(rebasing: memory[..<name.write(text, to: memory)]))
  }
}

extension DropInName {
  /// Writes the name and a text behind it. Returns how many bytes that is.
  func write(_ text: StaticString, to memory: UnsafeMutableRawBufferPointer) -> Int {
    var line = ByteWriter(memory)
    if isEscaped { line.append(UInt8(ascii: "\\")) }
    write(to: &line)
    line.append(text)
    return line.count
  }
}
