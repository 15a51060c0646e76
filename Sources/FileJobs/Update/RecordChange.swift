// The changes that an update finds, which are reported once the manifest is replaced.

package import SystemPackage
internal import Weir
internal import WeirLibC

/// A difference between a file and its record in the manifest that is brought up to date.
package enum RecordChange: UInt8, Sendable {
  /// The file is unchanged.
  case none
  /// The manifest does not have the file.
  case new
  /// The content has changed, and so has the size or the time.
  case edited
  /// The time has changed, the content has not.
  case touched
  /// The content has changed, the size and the time have not.
  case rot
  /// The manifest has the file, and the run has not found it.
  case gone
}

/// The verdict of a job on a file, in the first byte of its output.
struct RecordVerdict {
  let change: RecordChange
  let wasRead: Bool

  init(_ change: RecordChange, wasRead: Bool) {
    self.change = change
    self.wasRead = wasRead
  }

  init(byte: UInt8) {
    change = RecordChange(rawValue: byte & 0x7F) ?? .none
    wasRead = byte & 0x80 != 0
  }

  var byte: UInt8 { change.rawValue | (wasRead ? 0x80 : 0) }
}

/// The changed files of an update. A refused update reports none.
///
/// DESIGN. The names are in a file without a name, so that memory does not grow with them. With
/// a limit of few descriptors there is none to spare for it: then they are in memory.
///
/// @unchecked Sendable: one thread at a time appends and reads.
package final class RecordChanges: @unchecked Sendable {
  /// Two names of a file that an update would drop under one and record as new under the other.
  package struct Loss {
    package let gone: [UInt8]
    /// The new name; `nil` if the file is dropped although it is rotten.
    package let new: [UInt8]?
    /// The error for which the file cannot be examined.
    package let failure: Errno?
  }

  private let name: [UInt8]
  private var memory: [UInt8] = []
  private let descriptor: FileDescriptor?
  private let writer: BufferedWriter?
  private static let fewDescriptors: Int32 = 16
  private var kinds: Set<UInt8> = []

  /// The bit of a record that was marked rotten.
  private static let rotten: UInt8 = 0x80

  /// Called before the output has a text, which takes the same name.
  package init(of output: OutputFile) throws(Fault) {
    name = output.path + ".partial.text".utf8
    let hasFew = getdtablesize() <= RecordChanges.fewDescriptors
    let name = name
    descriptor =
      hasFew
      ? nil
      : try Fault.of(name, try ReplacingFile.unnamed(beside: name))
    writer = descriptor.map { BufferedWriter($0) }
  }

  deinit { if let descriptor { close(descriptor.rawValue) } }

  func append(
    _ file: UnsafeRawBufferPointer, _ change: RecordChange, wasRotten: Bool = false
  ) throws(Fault) {
    let kind = change.rawValue | (wasRotten ? RecordChanges.rotten : 0)
    kinds.insert(kind)
    guard let writer else {
      memory.append(kind)
      memory.append(contentsOf: file)
      return memory.append(0)
    }
    try Fault.of(name, try writer.append([kind] + file + [0]))
  }

  /// Calls `body` with the name of each changed file, in the order of the run.
  package func forEach(
    _ body: (UnsafeRawBufferPointer, RecordChange) throws -> Void
  ) throws {
    try forEach { name, change, _ in try body(name, change) }
  }

  private func forEach(
    _ body: (UnsafeRawBufferPointer, RecordChange, _ wasRotten: Bool) throws -> Void
  ) throws {
    func report(_ line: UnsafeRawBufferPointer) throws {
      let kind = line[0]
      guard let change = RecordChange(rawValue: kind & ~RecordChanges.rotten) else { return }
      try body(
        UnsafeRawBufferPointer(rebasing: line[1...]), change, kind & RecordChanges.rotten != 0)
    }
    try memory.withUnsafeBytes { bytes in
      for line in bytes.split(separator: 0) { try report(UnsafeRawBufferPointer(rebasing: line)) }
    }
    guard let descriptor, let writer else { return }
    try Fault.attributing(to: name) { () throws(Errno) in
      try writer.flush()
      if lseek(descriptor.rawValue, 0, SEEK_SET) < 0 { throw Errno(rawValue: errno) }
    }
    let lines = ManifestReader(descriptor, terminator: 0, lengthMax: .max)
    func next() throws(Fault) -> UnsafeRawBufferPointer? {
      try Fault.of(name, try lines.next().map { UnsafeRawBufferPointer($0) })
    }
    while let line = try next() { try report(line) }
  }

  /// Returns a file that is still there under its former name, or cannot be examined, and that
  /// the update drops although it is rotten or is new under another name; `nil` if there is none.
  ///
  /// The files are compared, not the names: a path may lead through a symbolic link.
  package func firstLoss() throws -> Loss? {
    let gone = RecordChange.gone.rawValue
    let hasNew = kinds.contains(RecordChange.new.rawValue)
    guard kinds.contains(gone | RecordChanges.rotten) || hasNew && kinds.contains(gone) else {
      return nil
    }
    var loss: Loss?
    var there: [FileIdentity: [UInt8]] = [:]
    try forEach { name, change, wasRotten in
      guard change == .gone, wasRotten || hasNew else { return }
      var failure: Errno?
      do throws(Errno) {
        guard let file = try RecordChanges.identity(of: name) else { return }
        there[file] = Array(name)
      } catch {
        failure = error
      }
      if wasRotten && loss == nil { loss = Loss(gone: Array(name), new: nil, failure: failure) }
    }
    if there.isEmpty || !hasNew { return loss }
    try forEach { name, change, _ in
      guard change == .new, let file = try? RecordChanges.identity(of: name),
        let gone = there[file]
      else { return }
      loss = Loss(gone: gone, new: Array(name), failure: nil)
    }
    return loss
  }

  /// Returns the identity of a file; `nil` if there is none.
  private static func identity(
    of name: UnsafeRawBufferPointer
  ) throws(Errno) -> FileIdentity? {
    // Standard input, not the file of that name.
    if DashFile.isDash(name) { return nil }
    do throws(Errno) {
      return FileIdentity(try LongPath.status(Array(name) + [0], followsLinks: false))
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }
}
