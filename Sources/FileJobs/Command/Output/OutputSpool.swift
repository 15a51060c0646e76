// The file for the output of commands that waits to be delivered.
//
// DESIGN. One file for all commands: one descriptor, however many wait. It has frames, which begin at
// pages: pieces of the output of a running command, and records of commands that have ended. The
// disk gets back a released frame by a hole where the file system can make one, and the whole file
// when no frame is in use. Without a log the file has no name. With a log it is LOG.waiting, in
// which a resumed run finds what a killed one has not delivered. What a process has written
// outlives it, so nothing is synced; a frame that was being written is the last one, and is cut: the
// file takes none after one that it has no room for, and the place of one only if it was cut there.
//
// A frame: the turn of an ended command, or 0; the number of bytes; the bytes.

internal import CFileKernels
internal import SystemPackage
internal import Weir
internal import WeirLibC

/// A file of frames, which are in use until they are released.
final class OutputSpool: Sendable {
  private struct State {
    var file: OwnedFile?
    var end = pageBytes
    var used = 0
    /// The error of the frame that could not be written.
    var failure: Errno?
  }

  static let pieceBytes = 65536
  private static let pageBytes = 4096
  private static let headBytes = 16
  private static let mark = Array("commands of weir run that wait\n".utf8)

  private let state = Locked(State())
  /// The directory of the file, or its name if it has one.
  let path: [UInt8]
  let isNamed: Bool

  /// - Parameter path: The directory of the file, or its name. It is created on first use.
  init(_ path: [UInt8], isNamed: Bool = false) {
    (self.path, self.isNamed) = (path, isNamed)
  }

  func append(_ bytes: [UInt8], turn: UInt64 = 0) throws(Errno) -> Int {
    var frame: [UInt8] = []
    frame.append(littleEndian: turn)
    frame.append(littleEndian: UInt64(bytes.count))
    frame += bytes
    return try state.with { state throws(Errno) in
      if let failure = state.failure { throw failure }
      do throws(Errno) {
        let file = if let file = state.file { file } else { OwnedFile(try create()) }
        state.file = file
        try file.descriptor.write(all: frame, at: state.end)
      } catch {
        state.failure = error
        throw error
      }
      defer { state.end += OutputSpool.pages(bytes.count) }
      state.used += 1
      return state.end
    }
  }

  func content(_ place: Int) throws(Errno) -> [UInt8] {
    let (end, opened) = state.with { ($0.end, $0.file) }
    guard let file = opened?.descriptor, place < end else { throw .ioError }
    let count = try head(place, file).count
    guard (0...end - place).contains(count) else { throw .ioError }
    let bytes = try file.bytes(at: place + OutputSpool.headBytes, count: count)
    if bytes.count < count { throw .ioError }
    return bytes
  }

  func release(_ place: Int) {
    state.with { state -> Void in
      guard let file = state.file?.descriptor, let head = try? head(place, file) else { return }
      state.used -= 1
      let begin = off_t(OutputSpool.pageBytes)
      if state.used == 0, ftruncate(file.rawValue, begin) == 0 {
        state.end = OutputSpool.pageBytes
      } else {
        if head.turn > 0 { try? file.write(all: [UInt8](repeating: 0, count: 8), at: place) }
        kernel_free_extent(file.rawValue, Int64(place), Int64(OutputSpool.pages(head.count)))
      }
    }
  }

  private func head(_ place: Int, _ file: FileDescriptor) throws(Errno) -> (
    turn: UInt64, count: Int
  ) {
    let head = try file.bytes(at: place, count: OutputSpool.headBytes)
    if head.count < OutputSpool.headBytes { throw .ioError }
    return head.withUnsafeBytes {
      ($0.littleEndian(at: 0), Int(truncatingIfNeeded: $0.littleEndian(at: 8) as UInt64))
    }
  }

  private static func pages(_ count: Int) -> Int {
    (headBytes + count + pageBytes - 1) / pageBytes * pageBytes
  }

  private func create() throws(Errno) -> FileDescriptor {
    try DescriptorBudget.retrying { () throws(Errno) in
      if !isNamed { return try ReplacingFile.unnamed(beside: path + Array("/weir-run".utf8)) }
      let file = try openFile(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
      try file.write(all: OutputSpool.mark, at: 0)
      return file
    }
  }

  func attributing<R>(_ body: () throws(Errno) -> R) throws(CommandFailure) -> R {
    do throws(Errno) { return try body() } catch { throw .spool(path, error.rawValue) }
  }

  /// Opens the file of an earlier run, if there is one. Returns the places of the commands that were
  /// not delivered, in the order of their turns.
  ///
  /// - Throws: `Errno.fileExists` if it is not a file of such commands.
  func recover() throws(Errno) -> [Int] {
    guard isNamed, (try? stat(of: path)) != nil else { return [] }
    let file = try openFile(path, O_RDWR)
    var records: [(turn: UInt64, place: Int)] = []
    try state.with { state throws(Errno) in
      state.file = OwnedFile(file)
      let mark = try file.bytes(at: 0, count: OutputSpool.mark.count)
      if !OutputSpool.mark.starts(with: mark) { throw .fileExists }
      let size = Int(try stat(of: file).st_size)
      while state.end + OutputSpool.headBytes <= size {
        let head = try head(state.end, file)
        if head.count < 0 || head.count > size - state.end - OutputSpool.headBytes { break }
        if head.turn > 0 { records.append((head.turn, state.end)) }
        state.used += 1
        state.end += OutputSpool.pages(head.count)
      }
    }
    return records.sorted { $0.turn < $1.turn }.map(\.place)
  }

  /// Removes the file if it has a name: all is delivered.
  func remove() {
    state.with { state -> Void in
      guard isNamed, state.file != nil else { return }
      state = State()
      _ = withPath(path) { unlink($0) }
    }
  }
}
