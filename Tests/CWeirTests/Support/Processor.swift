// A file processor for tests, with closures as jobs and deliveries, and a copy of all results.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals
import CTestSupport
import CWeir
import Glibc

/// A file during its job.
struct OpenFile {
  let raw: OpaquePointer

  var path: Path {
    var length = 0
    let bytes = weir_file_path(raw, &length)
    return Array(UnsafeRawBufferPointer(start: bytes, count: length))
  }
  var descriptor: Int32 { weir_file_descriptor(raw) }
  var note: [UInt8] {
    var length = 0
    let bytes = weir_file_note(raw, &length)
    precondition(Int(bitPattern: bytes) % 8 == 0, "a note is not aligned")
    return Array(UnsafeRawBufferPointer(start: bytes, count: length))
  }
  var size: Int { Int(weir_file_status(raw).pointee.st_size) }

  /// The next piece; empty at the end.
  func piece() -> (error: Int32, bytes: [UInt8]) {
    var bytes: UnsafeRawPointer?
    var length = 0
    let error = weir_file_read(raw, &bytes, &length)
    return (error, Array(UnsafeRawBufferPointer(start: bytes, count: length)))
  }

  /// Reads to the end.
  func whole() -> (error: Int32, bytes: [UInt8]) {
    var all: [UInt8] = []
    while true {
      let (error, bytes) = piece()
      if error != 0 || bytes.isEmpty { return (error, all) }
      all += bytes
    }
  }

  @discardableResult
  func write(_ bytes: [UInt8]) -> Int32 { weir_file_write(raw, bytes, bytes.count) }

  /// The usual job: writes a summary of the content.
  func summarize() -> Int32 {
    let (error, bytes) = whole()
    return error != 0 ? error : write(summary(of: bytes))
  }
}

/// Returns a line that differs if the contents do.
func summary(of bytes: [UInt8]) -> [UInt8] {
  Array("\(bytes.count) \(test_hash(bytes, bytes.count))\n".utf8)
}

final class Processor: @unchecked Sendable {
  struct Result: Equatable {
    let path: Path
    let outcome: weir_file_outcome_t
    let type: weir_entry_type_t
    let error: Int32
    let named: Bool
    let bytes: UInt64
    let size: UInt64
    let output: [UInt8]
    let note: [UInt8]
    let source: Int
  }

  private(set) var raw: weir_files_t! = nil
  private let delivered = Locked<[[Result]]>([])
  private let job: @Sendable (OpenFile) -> Int32
  private let deliver: @Sendable ([Result]) -> Int32
  private let admit: @Sendable () -> Int32
  private let annotate: (@Sendable (Found) -> [UInt8]?)?
  /// The last note, overwritten before the next one is made.
  private var lent: UnsafeMutableRawBufferPointer?
  /// Deliveries in progress; never more than one.
  let delivering = Meter()
  /// Batches whose output was not that of their results together.
  let torn = Meter()
  let lanes = LaneContexts(null: false)
  /// Jobs in progress.
  let working = Meter()

  init(
    jobs: UInt = 2, jobsMax: Int = 0, batchSize: Int = 0, descriptors: Int = 0, flags: UInt32 = 0,
    exclude: [stat] = [],
    filters: [Filter] = [], maxDepth: Int = 0,
    job: @escaping @Sendable (OpenFile) -> Int32 = { $0.summarize() },
    deliver: @escaping @Sendable ([Result]) -> Int32 = { _ in 0 },
    admit: @escaping @Sendable () -> Int32 = { 0 },
    annotate: (@Sendable (Found) -> [UInt8]?)? = nil
  ) {
    self.job = job
    self.deliver = deliver
    self.admit = admit
    self.annotate = annotate
    var options = weir_files_options_t()
    options.jobs = Int(bitPattern: jobs)
    options.jobs_max = jobsMax
    options.files_per_batch = batchSize
    options.descriptors = descriptors
    options.flags = flags
    options.user = Unmanaged.passUnretained(self).toOpaque()
    options.job = { Processor.at($0).run(OpenFile(raw: $2), $1) }
    options.deliver = { Processor.at($0).receive($1.pointee) }
    options.admit = { Processor.at($0).admit() }
    if annotate != nil {
      options.annotate = { Processor.at($0).note(of: Found($1, $2.pointee), $3) }
    }
    options.lane_create = { Processor.at($0).lanes.create($1) }
    options.lane_destroy = { LaneContexts.destroyed($0) }
    options.exclude_count = exclude.count
    options.max_depth = maxDepth
    raw = exclude.withUnsafeBufferPointer { exclude in
      filters.c { filters, count in
        options.exclude = exclude.baseAddress
        options.filters = filters
        options.filter_count = count
        return weir_files_create(&options)
      }
    }
  }

  deinit {
    if raw != nil { weir_files_release(raw) }
    lent?.deallocate()
  }

  private static func at(_ user: UnsafeMutableRawPointer?) -> Processor {
    Unmanaged<Processor>.fromOpaque(user!).takeUnretainedValue()
  }

  private func run(_ file: OpenFile, _ lane: UnsafeMutableRawPointer?) -> Int32 {
    working.enter()
    defer { working.leave() }
    return job(file)
  }

  private func note(
    of found: Found, _ length: UnsafeMutablePointer<Int>
  ) -> UnsafeRawPointer? {
    lent?.initializeMemory(as: UInt8.self, repeating: 0x21)
    lent?.deallocate()
    lent = nil
    guard let note = annotate?(found) else { return nil }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: note.count, alignment: 1)
    bytes.copyBytes(from: note)
    lent = bytes
    length.pointee = note.count
    return UnsafeRawPointer(bytes.baseAddress)
  }

  private func receive(_ batch: weir_files_batch_t) -> Int32 {
    delivering.enter()
    defer { delivering.leave() }
    let results = UnsafeBufferPointer(start: batch.results, count: batch.count).map(Result.init)
    let output = Array(UnsafeRawBufferPointer(start: batch.output, count: batch.output_length))
    let written = results.filter { $0.outcome != WEIR_FILE_LINK }
    if output != written.flatMap(\.output) { torn.enter() }
    delivered.with { $0.append(results) }
    return deliver(results)
  }

  /// Runs over paths.
  @discardableResult
  func run(_ paths: Path...) -> Int32 { run(paths) }

  @discardableResult
  func run(_ paths: [Path]) -> Int32 {
    let copies = paths.map { strdup($0.map { CChar(bitPattern: $0) } + [0])! }
    defer { copies.forEach { free($0) } }
    return run(
      sources: copies.map { path in
        var source = weir_files_source_t()
        source.path = UnsafePointer(path)
        return source
      })
  }

  /// Runs over a descriptor.
  func run(descriptor: Int32, name: StaticString) -> Int32 {
    let path = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    var source = weir_files_source_t()
    source.kind = WEIR_SOURCE_DESCRIPTOR
    source.descriptor = descriptor
    source.path = path
    return run(sources: [source])
  }

  /// Runs over the names of a list.
  func run(list descriptor: Int32, separator: UInt8 = 0x0A, name: StaticString = "list") -> Int32 {
    var source = weir_files_source_t()
    source.kind = WEIR_SOURCE_LIST
    source.descriptor = descriptor
    source.separator = Int32(separator)
    source.path = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    return run(sources: [source])
  }

  func run(sources: [weir_files_source_t]) -> Int32 {
    delivered.with { $0 = [] }
    return weir_files_run(raw, sources, sources.count)
  }

  func cancel() { weir_files_cancel(raw) }

  var batches: [[Result]] { delivered.now }
  var results: [Result] { batches.flatMap { $0 } }
  var paths: [Path] { results.map(\.path) }
  var output: [UInt8] { results.flatMap(\.output) }

  var statistics: weir_files_stats_t {
    var statistics = weir_files_stats_t()
    weir_files_stats(raw, &statistics, MemoryLayout.size(ofValue: statistics))
    return statistics
  }
}

extension Processor.Result {
  init(_ raw: weir_file_result_t) {
    path = Array(UnsafeRawBufferPointer(start: raw.path, count: raw.path_length))
    precondition(raw.path[raw.path_length] == 0, "the path does not end in NUL")
    outcome = raw.outcome
    type = raw.type
    error = raw.error
    named = raw.named
    bytes = raw.bytes
    size = raw.size
    output = Array(UnsafeRawBufferPointer(start: raw.output, count: raw.output_length))
    note = Array(UnsafeRawBufferPointer(start: raw.note, count: raw.note_length))
    precondition(Int(bitPattern: raw.note) % 8 == 0, "a note is not aligned")
    source = raw.source
  }

  var isDone: Bool { outcome == WEIR_FILE_DONE && error == 0 }
  var isSpecial: Bool { outcome == WEIR_FILE_SPECIAL && output.isEmpty }
  func hasFailed(with error: Int32) -> Bool {
    outcome == WEIR_FILE_FAILED && self.error == error && output.isEmpty
  }
}

func contents(of path: Path) -> [UInt8] {
  let descriptor = path.c { open($0, O_RDONLY) }
  precondition(descriptor >= 0)
  defer { close(descriptor) }
  var status = stat()
  fstat(descriptor, &status)
  var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
  precondition(read(descriptor, &bytes, bytes.count) == bytes.count)
  return bytes
}
