// Results of files as bytes, and batches made of them again.
//
// DESIGN. The results of a run on many machines are delivered by another process, through the code
// that takes the batches of a processor. A record has everything of a result but its path, which
// both processes know from a list. Numbers are little-endian.

internal import CWeir
internal import SystemPackage
package import Weir

extension FileResult {
  package func append(to record: inout [UInt8]) {
    let error: Int32 =
      switch outcome {
      case .failed(let error as Errno): error.rawValue
      case .failed: Errno.ioError.rawValue
      case .changed(let error): error?.rawValue ?? 0
      default: 0
      }
    let (note, output) = (note, output)
    record.append(UInt8(truncatingIfNeeded: code))
    record.append(UInt8(truncatingIfNeeded: typeCode))
    record.append(isNamed ? 1 : 0)
    record.append(0)
    record.append(littleEndian: UInt32(bitPattern: error))
    record.append(littleEndian: bytesRead)
    record.append(littleEndian: size)
    record.append(littleEndian: UInt32(note.count))
    record.append(littleEndian: UInt32(output.count))
    record.append(contentsOf: note)
    record.append(contentsOf: output)
  }
}

/// Results that are delivered again, as a batch.
package struct ReplayedBatch: ~Copyable {
  /// A result whose bytes are in `memory`.
  private struct Place {
    let outcome: weir_file_outcome_t
    let type: weir_entry_type_t
    let path: Range<Int>
    var error: Int32 = 0
    var isNamed = false
    var bytes: UInt64 = 0
    var size: UInt64 = 0
    var source = 0
    var note = 0..<0
    /// In `memory` for a link, else in `outputs`.
    var output = 0..<0

    var isLink: Bool { outcome == WEIR_FILE_LINK }
  }

  private var places: [Place] = []
  /// Paths, each with a NUL, and notes at multiples of eight.
  private var memory: [UInt8] = []
  private var outputs: [UInt8] = []

  private static let headerSize = 32

  package init() {}

  /// The number of results.
  package var count: Int { places.count }
  /// The number of bytes that the results take.
  package var byteCount: Int { memory.count + outputs.count }

  /// Adds a result. Returns false if ``FileResult/append(to:)`` cannot have made the record.
  package mutating func append(
    _ record: UnsafeRawBufferPointer, path: UnsafeRawBufferPointer, source: Int = 0
  ) -> Bool {
    guard record.count >= ReplayedBatch.headerSize,
      record[0] <= UInt8(WEIR_FILE_LINK.rawValue), record[0] != UInt8(WEIR_FILE_DIRECTORY.rawValue)
    else { return false }
    let noteCount = Int(record.littleEndian(at: 24) as UInt32)
    let outputCount = Int(record.littleEndian(at: 28) as UInt32)
    let noteEnd = ReplayedBatch.headerSize + noteCount
    guard record.count == noteEnd + outputCount else { return false }
    var place = makePlace(
      outcome: weir_file_outcome_t(UInt32(record[0])),
      type: weir_entry_type_t(UInt32(record[1])), path: path)
    place.isNamed = record[2] != 0
    place.error = Int32(bitPattern: record.littleEndian(at: 4) as UInt32)
    place.bytes = record.littleEndian(at: 8)
    place.size = record.littleEndian(at: 16)
    place.source = source
    append(
      place, note: record[ReplayedBatch.headerSize..<noteEnd].rebased,
      output: record[noteEnd...].rebased)
    return true
  }

  /// Adds a result that needs no job: a directory, a link with its target, a special file or a
  /// failure of the walk.
  package mutating func append(
    _ outcome: FileResult.Outcome, type: FileWalk.EntryType = .unknown,
    path: UnsafeRawBufferPointer,
    target: UnsafeRawBufferPointer = .empty
  ) {
    var error: Int32 = 0
    let code: weir_file_outcome_t =
      switch outcome {
      case .directory: WEIR_FILE_DIRECTORY
      case .link: WEIR_FILE_LINK
      case .special: WEIR_FILE_SPECIAL
      default: WEIR_FILE_FAILED
      }
    if case .failed(let failure as Errno) = outcome { error = failure.rawValue }
    var place = makePlace(outcome: code, type: type.cType, path: path)
    place.error = error
    append(place, note: .empty, output: target)
  }

  private mutating func makePlace(
    outcome: weir_file_outcome_t, type: weir_entry_type_t, path: UnsafeRawBufferPointer
  ) -> Place {
    defer { memory.append(0) }
    return Place(outcome: outcome, type: type, path: add(path))
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer) -> Range<Int> {
    memory.append(contentsOf: bytes)
    return memory.count - bytes.count..<memory.count
  }

  private mutating func append(
    _ place: Place, note: UnsafeRawBufferPointer, output: UnsafeRawBufferPointer
  ) {
    var place = place
    while memory.count % 8 != 0 { memory.append(0) }
    place.note = add(note)
    // The target of a link is not in the output of a batch.
    if place.isLink {
      place.output = add(output)
    } else {
      outputs.append(contentsOf: output)
      place.output = outputs.count - output.count..<outputs.count
    }
    places.append(place)
  }

  /// Calls `body` with the results as a batch, and forgets them.
  package mutating func deliver(_ body: (borrowing FileBatch) throws -> Void) rethrows {
    defer {
      places.removeAll(keepingCapacity: true)
      memory.removeAll(keepingCapacity: true)
      outputs.removeAll(keepingCapacity: true)
    }
    if places.isEmpty { return }
    try memory.withUnsafeBytes { memory in
      try outputs.withUnsafeBytes { outputs in
        let results = places.map { ReplayedBatch.result($0, memory, outputs) }
        try results.withUnsafeBufferPointer { results in
          guard let first = results.baseAddress else { return }
          var batch = weir_files_batch_t(
            results: first, count: results.count,
            output: outputs.baseAddress?.assumingMemoryBound(to: CChar.self),
            output_length: outputs.count, reserved: (0, 0, 0, 0))
          try withUnsafePointer(to: &batch) { try body(FileBatch(recorded: $0)) }
        }
      }
    }
  }

  /// Returns the result at a place, as the C type.
  private static func result(
    _ place: Place, _ memory: UnsafeRawBufferPointer, _ outputs: UnsafeRawBufferPointer
  ) -> weir_file_result_t {
    guard let start = memory.baseAddress else { fatalError("a recorded result has no path") }
    let output = place.isLink ? memory : outputs
    return weir_file_result_t(
      path: (start + place.path.lowerBound).assumingMemoryBound(to: CChar.self),
      path_length: place.path.count, outcome: place.outcome, type: place.type,
      error: place.error, named: place.isNamed, bytes: place.bytes, size: place.size,
      output: output.baseAddress.map {
        ($0 + place.output.lowerBound).assumingMemoryBound(to: CChar.self)
      },
      output_length: place.output.count,
      note: place.note.isEmpty ? nil : start + place.note.lowerBound,
      note_length: place.note.count, source: place.source, reserved: (0, 0, 0, 0))
  }
}
