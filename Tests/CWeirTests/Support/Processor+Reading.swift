// What the tests of reading ask of a file and do to it.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc

extension OpenFile {
  /// What another name of the file has left.
  var remembered: [UInt8]? {
    var length = 0
    guard let bytes = weir_file_remembered(raw, &length) else { return nil }
    return Array(UnsafeRawBufferPointer(start: bytes, count: length))
  }

  /// What a look tells.
  func pathStatus() -> (error: Int32, status: stat) {
    var status = stat()
    return (weir_file_stat_path(raw, &status), status)
  }

  func remember(_ bytes: [UInt8]) { weir_file_remember(raw, bytes, bytes.count) }

  /// Reads to the end, and writes how much that was.
  func measure() -> Int32 {
    let (error, bytes) = whole()
    return error != 0 ? error : write(Array("\(bytes.count)\n".utf8))
  }

  /// The summary of the file, once for all its names.
  func summarizeOnce() -> Int32 {
    if let known = remembered { return write(known) }
    let (error, bytes) = whole()
    if error != 0 { return error }
    remember(summary(of: bytes))
    return write(summary(of: bytes))
  }
}

/// Something that a processor has found, about to be fed.
struct Found: Equatable {
  let source: Int
  let path: Path
  let depth: Int
  let type: weir_entry_type_t
  let directory: UInt64

  init(_ source: Int, _ entry: weir_walk_entry_t) {
    self.source = source
    path = Array(UnsafeRawBufferPointer(start: entry.path, count: entry.path_length))
    precondition(entry.path[entry.path_length] == 0, "the path does not end in NUL")
    (depth, type, directory) = (entry.depth, entry.type, entry.directory)
  }
}

extension Processor {
  func pause() { weir_files_pause(raw) }
  func resume() { weir_files_resume(raw) }
}

extension Processor.Result {
  /// Whether it changed, or with `gone` was removed.
  func hasChanged(gone: Bool = false) -> Bool {
    outcome == WEIR_FILE_CHANGED && output.isEmpty && error == (gone ? ENOENT : 0)
  }
}

/// The status of what a path leads to.
func statusOf(_ path: Path) -> stat {
  var status = stat()
  _ = path.c { stat($0, &status) }
  return status
}

/// Waits until everything that exists by now is older than the clock that the
/// kernel stamps files with: a few milliseconds.
func letFilesAge() {
  var now = timespec(), then = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  repeat {
    usleep(200)
    clock_gettime(CLOCK_REALTIME_COARSE, &then)
  } while (then.tv_sec, then.tv_nsec) <= (now.tv_sec, now.tv_nsec)
}

/// How many bytes this process has read with read(2) and its like.
func bytesReadByProcess() -> Int {
  let file = fopen("/proc/self/io", "r")!
  defer { fclose(file) }
  var count: CUnsignedLongLong = 0
  withUnsafeMutablePointer(to: &count) { count in
    withVaList([count]) { _ = vfscanf(file, "rchar: %llu", $0) }
  }
  return Int(count)
}

extension Tree {
  /// Makes another name of a file.
  @discardableResult
  func name(_ name: String, of path: Path) -> Path {
    precondition(path.c { path in (root / name).c { Glibc.link(path, $0) } } == 0)
    return root / name
  }
}
