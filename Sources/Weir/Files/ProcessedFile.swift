// What became of one file, to keep.

internal import CWeir
public import SystemPackage

/// What became of one file, and what its job made of it: an element of
/// ``FileResults``.
///
///     let sizes = try FileProcessor { (file) throws(Errno) in file.size }
///     for try await file in sizes.results(of: .tree("/srv")) {
///       switch file.outcome {
///       case .done: print(file.value ?? 0, file.path)
///       case .failed(let error): print("\(file.path): \(error)")
///       case .special: print("\(file.path): not a file")
///       case .noted, .directory, .link: break
///       case .changed: print("\(file.path): changed while it was read")
///       }
///     }
///
/// It is a value, and may be kept. Paths and outputs of the files that were
/// delivered together, 64 at most by default, are in one piece of memory, which
/// each of them keeps alive: who keeps few of many copies what is wanted.
///
/// The corresponding C type is `weir_file_result_t`.
public struct ProcessedFile<Value: Sendable>: Sendable {
  private let batch: ProcessedBatch<Value>
  private let index: Int

  init(_ batch: ProcessedBatch<Value>, _ index: Int) {
    self.batch = batch
    self.index = index
  }

  /// Its path: as it was named, or the root as it was named and the way from
  /// there.
  ///
  /// `FilePath` writes `a//b/` as `a/b`; ``pathBytes`` has it to the byte.
  ///
  /// - Complexity: O(*length*), a copy.
  public var path: FilePath { withPathBytes { FilePath(bytes: $0) } }

  /// The bytes of its path, without a NUL.
  ///
  /// - Complexity: O(*length*), a copy.
  public var pathBytes: [UInt8] { withPathBytes { Array($0) } }

  /// Calls a closure with the bytes of the path, without a NUL; they are lent.
  ///
  /// - Complexity: O(1), without a copy.
  ///
  /// Blocks: no. There is no corresponding C function: C has the bytes in
  /// `weir_file_result_t`.
  public func withPathBytes<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try body(batch.path(index))
  }

  /// What became of it.
  public var outcome: FileResult.Outcome { batch.entry(index).outcome }

  /// What it was, as far as known.
  public var type: EntryType { batch.entry(index).type }

  /// Whether it is one of the sources itself, not found in a walk.
  public var isNamed: Bool { batch.entry(index).isNamed }

  /// Which of the run's sources it is, or came from: 0 for the first.
  public var source: Int { batch.entry(index).source }

  /// How many bytes were read from it.
  public var bytesRead: UInt64 { batch.entry(index).bytesRead }

  /// The size of a regular file when it was last looked at; 0 for anything else,
  /// and where it could not be opened, or nobody asked.
  public var size: UInt64 { batch.entry(index).size }

  /// What its job returned; `nil` unless ``outcome`` is `.done`.
  public var value: Value? { batch.value(index) }

  /// The note of the item that it is or was found below, or what annotated it;
  /// empty where there is none.
  ///
  /// - Complexity: O(*length*), a copy.
  public var note: [UInt8] { Array(batch.note(index)) }

  /// What its job wrote; of a ``FileResult/Outcome/link`` where it leads to.
  ///
  /// - Complexity: O(*length*), a copy.
  public var output: [UInt8] { withOutput { Array($0) } }

  /// Calls a closure with what its job wrote; it is lent.
  ///
  /// - Complexity: O(1), without a copy.
  ///
  /// Blocks: no. There is no corresponding C function: C has the bytes in
  /// `weir_file_result_t`.
  public func withOutput<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try body(batch.output(index))
  }
}

/// A batch, copied out of the processor's memory.
///
/// @unchecked Sendable: nothing in it changes once it is made.
final class ProcessedBatch<Value: Sendable>: @unchecked Sendable {
  struct Entry {
    let path: Int  // where it begins
    let pathLength: Int
    let output: Int
    let outputLength: Int
    let note: Int
    let noteLength: Int
    let bytesRead: UInt64
    let size: UInt64
    let outcome: FileResult.Outcome
    let type: EntryType
    let isNamed: Bool
    let source: Int
  }

  let count: Int
  /// What it weighs in a ``Handover``, whose sender waits at a bound.
  let byteCount: Int
  private let bytes: UnsafeMutableRawPointer
  private let entries: UnsafeMutablePointer<Entry>
  /// None where the jobs return nothing.
  private let values: [Value?]
  /// What such a job returned.
  private let nothing: Value?

  init(_ batch: borrowing FileBatch) {
    count = batch.count
    // Not `() as? Value`, which is something for `Any` and `Void?` too.
    nothing = Value.self == Void.self ? () as? Value : nil
    var length = 0
    for index in 0..<batch.count {
      let result = batch[index]
      length += result.path.count + result.output.count + result.note.count
    }
    byteCount = length
    bytes = .allocate(byteCount: max(length, 1), alignment: 1)
    entries = .allocate(capacity: batch.count)
    values = ProcessedBatch.values(of: batch, areNothing: nothing != nil)
    copy(batch)
  }

  deinit {
    entries.deinitialize(count: count)
    entries.deallocate()
    bytes.deallocate()
  }

  private static func values(of batch: borrowing FileBatch, areNothing: Bool) -> [Value?] {
    var values: [Value?] = []
    guard !areNothing else { return values }
    values.reserveCapacity(batch.count)
    for index in 0..<batch.count {
      // The processor's job makes no other boxes.
      let box = batch.box(at: index).map { unsafeDowncast($0, to: Box<Value>.self) }
      values.append(box?.value)
    }
    return values
  }

  private func copy(_ batch: borrowing FileBatch) {
    var used = 0
    func add(_ piece: UnsafeRawBufferPointer) -> Int {
      defer { used += piece.count }
      if let start = piece.baseAddress {
        (bytes + used).copyMemory(from: start, byteCount: piece.count)
      }
      return used
    }
    for index in 0..<count {
      let result = batch[index]
      let path = result.path
      let output = result.output
      let note = result.note
      (entries + index).initialize(
        to: Entry(
          path: add(path), pathLength: path.count, output: add(output),
          outputLength: output.count, note: add(note), noteLength: note.count,
          bytesRead: result.bytesRead, size: result.size, outcome: result.outcome,
          type: result.type, isNamed: result.isNamed, source: result.source))
    }
  }

  func entry(_ index: Int) -> Entry { entries[index] }

  func path(_ index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes + entries[index].path, count: entries[index].pathLength)
  }

  func output(_ index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes + entries[index].output, count: entries[index].outputLength)
  }

  func note(_ index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: bytes + entries[index].note, count: entries[index].noteLength)
  }

  func value(_ index: Int) -> Value? {
    guard case .done = entries[index].outcome else { return nil }
    return nothing ?? values[index]
  }
}
