// weir/file.h: values of jobs, each dropped once for any outcome of its file; `begun` is called as
// soon as a cancel takes effect.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc
import TestSupport
import Testing

extension CWeirFilesTests {
  @Suite struct FilesValueTests {
    @Test(arguments: widths, [1, 7])
    func everyValueIsDeliveredAndDroppedOnce(jobs: UInt, batchSize: Int) {
      let tree = Tree()
      for number in 0..<100 { tree.file("f\(100 + number)", [UInt8(number)]) }
      let values = Values(jobs: jobs, batchSize: batchSize)
      #expect(values.run(tree.root) == 0)
      // A second value drops the first one. A failed file keeps its value, which may
      // explain the error.
      #expect(values.delivered == (0..<100).map { $0 * 2 + 2 })
      #expect(values.dropped == Set(1...200) && values.drops == 200)
      #expect(values.done == (0..<100).filter { $0 % 10 != 3 }.map { $0 * 2 + 2 })
    }

    @Test(arguments: widths, [0, 1, 5, 30])
    func everyValueIsDroppedIfTheDeliveryEndsTheRun(jobs: UInt, batches: Int) {
      let tree = Tree()
      for number in 0..<100 { tree.file("f\(100 + number)", [UInt8(number)]) }
      let values = Values(jobs: jobs, batchSize: 2, batches: batches)
      #expect(values.run(tree.root) == ECANCELED)
      #expect(values.delivered.count <= batches * 2 + 2)
      #expect(values.drops == values.dropped.count && values.drops == values.made)
    }

    @Test func aCancelInBegunOpensNothing() {
      let tree = Tree()
      tree.file("a")
      let values = Values(jobs: 2, batchSize: 1, cancelsAtOnce: true)
      for round in 1...3 {
        #expect(values.run(tree.root) == ECANCELED)
        #expect(values.made == 0 && values.begun == round)
      }
    }
  }
}

/// A processor whose jobs set two values, 2 n + 1 and 2 n + 2 for a file that holds n, and fail if
/// n ends in 3.
private final class Values: @unchecked Sendable {
  private struct State {
    var delivered: [Int] = []
    var dropped: [Int] = []
    var done: [Int] = []
    var made = 0
    var begun = 0
    var batches = 0
  }

  private let state = Locked(State())
  private let batches: Int
  private let cancelsAtOnce: Bool
  // nonisolated(unsafe): set once, before anything runs.
  private nonisolated(unsafe) var raw: weir_files_t?

  init(jobs: UInt, batchSize: Int, batches: Int = .max, cancelsAtOnce: Bool = false) {
    self.batches = batches
    self.cancelsAtOnce = cancelsAtOnce
    var options = weir_files_options_t()
    options.jobs = Int(bitPattern: jobs)
    options.files_per_batch = batchSize
    options.user = Unmanaged.passUnretained(self).toOpaque()
    options.begun = { Values.at($0).beginning() }
    options.job = { Values.at($0).job($2) }
    options.done = { Values.at($0).end($2!) }
    options.deliver = { Values.at($0).deliver($1) }
    options.value_drop = { Values.at($0).drop($1) }
    raw = weir_files_create(&options)
  }

  deinit { weir_files_release(raw!) }

  private static func at(_ user: UnsafeMutableRawPointer?) -> Values {
    Unmanaged<Values>.fromOpaque(user!).takeUnretainedValue()
  }

  func run(_ path: Path) -> Int32 {
    path.c { path in
      var source = weir_files_source_t()
      source.path = path
      return weir_files_run(raw!, [source], 1)
    }
  }

  private func beginning() {
    state.with { $0.begun += 1 }
    if cancelsAtOnce { weir_files_cancel(raw!) }
  }

  private func job(_ file: OpaquePointer) -> Int32 {
    let number = Int(OpenFile(raw: file).whole().bytes.first ?? 0)
    weir_file_set_value(file, UnsafeMutableRawPointer(bitPattern: number * 2 + 1)!)
    weir_file_set_value(file, UnsafeMutableRawPointer(bitPattern: number * 2 + 2)!)
    state.with { $0.made += 2 }
    return number % 10 == 3 ? EIO : 0
  }

  private func end(_ value: UnsafeMutableRawPointer) {
    state.with { $0.done.append(Int(bitPattern: value)) }
  }

  private func deliver(_ batch: UnsafePointer<weir_files_batch_t>) -> Int32 {
    let values = (0..<batch.pointee.count + 1).compactMap {
      weir_files_batch_value(batch, $0).map { Int(bitPattern: $0) }
    }
    return state.with { state in
      state.delivered += values
      state.batches += 1
      return state.batches > batches ? ECANCELED : 0
    }
  }

  private func drop(_ value: UnsafeMutableRawPointer) {
    state.with { $0.dropped.append(Int(bitPattern: value)) }
  }

  var delivered: [Int] { state.with { $0.delivered } }
  /// The values of files that are done, sorted.
  var done: [Int] { state.with { $0.done.sorted() } }
  var dropped: Set<Int> { state.with { Set($0.dropped) } }
  var drops: Int { state.with { $0.dropped.count } }
  var made: Int { state.with { $0.made } }
  var begun: Int { state.with { $0.begun } }
}
