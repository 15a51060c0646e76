// The lines of the manifests that b3sum verifies, as items of a run.

internal import FileJobs
internal import SystemPackage

/// An event of a manifest other than a file to verify. It passes through the processor as the
/// bytes of a note.
enum DropInB3SumCheckEvent {
  case refused(DropInB3SumCheckLine.Refusal)
  /// A manifest could not be opened or read, for the reason of this errno value. No other
  /// manifest is read.
  case stopped(Int32)

  init(_ note: UnsafeRawBufferPointer) {
    self = note.loadUnaligned(as: DropInB3SumCheckEvent.self)
  }

  func report(to streams: DropInStreams) {
    switch self {
    case .refused(let refusal): streams.report(refusal.text)
    case .stopped(let error):
      streams.writeError(Array("Error: \(DropInB3SumText.reason(Errno(rawValue: error)))".utf8))
    }
  }
}

/// Makes items of the manifests of a command line.
final class DropInB3SumCheckItems: @unchecked Sendable {
  // @unchecked: only the feeder's thread uses it until the run is over.
  private let lines: DropInManifestLines
  private var hasStopped = false
  /// The memory of a note, and of a name without its escapes.
  private var note = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 8)
  private var name = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 8)

  init(_ options: DropInB3SumOptions, _ standard: StandardDescriptors) {
    lines = DropInManifestLines(options, standard)
  }

  deinit {
    note.deallocate()
    name.deallocate()
  }

  /// Returns the next item; `nil` after the last manifest, or after an error of one.
  func next() -> DropInItem? {
    while !hasStopped, let step = lines.next() {
      switch step {
      case .line(let line, _): return item(line)
      case .unopened(let error), .unread(let error):
        hasStopped = true
        return event(.stopped(error.rawValue))
      case .end: continue
      case .wait(let item): return item
      }
    }
    return nil
  }

  private func item(_ line: UnsafeMutableRawBufferPointer) -> DropInItem {
    name.ensure(line.count)
    do throws(DropInB3SumCheckLine.Refusal) {
      let parsed = try DropInB3SumCheckLine(line, unescapingTo: name)
      let size = DropInB3SumExpectation.noteSize(parsed)
      note.ensure(size)
      DropInB3SumExpectation.writeNote(of: parsed, to: note)
      return .file(name: parsed.name, note: UnsafeRawBufferPointer(rebasing: note[..<size]))
    } catch {
      return event(.refused(error))
    }
  }

  private func event(_ event: DropInB3SumCheckEvent) -> DropInItem {
    note.storeBytes(of: event, as: DropInB3SumCheckEvent.self)
    let size = MemoryLayout<DropInB3SumCheckEvent>.size
    return .note(UnsafeRawBufferPointer(rebasing: note[..<size]))
  }
}
