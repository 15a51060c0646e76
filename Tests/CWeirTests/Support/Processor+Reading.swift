// Calls on a file during its job, and on files on disk, for tests of reading.
// swift-format-ignore-file: NeverForceUnwrap
import CWeir
import Glibc

extension OpenFile {
  /// The bytes that a job has left for another name of the file.
  var remembered: [UInt8]? {
    var length = 0
    guard let bytes = weir_file_remembered(raw, &length) else { return nil }
    return Array(UnsafeRawBufferPointer(start: bytes, count: length))
  }

  /// Returns the status of the path.
  func pathStatus() -> (error: Int32, status: stat) {
    var status = stat()
    return (weir_file_stat_path(raw, &status), status)
  }

  func remember(_ bytes: [UInt8]) { weir_file_remember(raw, bytes, bytes.count) }

  /// Reads to the end, and writes the number of bytes.
  func measure() -> Int32 {
    let (error, bytes) = whole()
    return error != 0 ? error : write(Array("\(bytes.count)\n".utf8))
  }

  /// Writes a summary of the content, which is read once for all names of the file.
  func summarizeOnce() -> Int32 {
    if let known = remembered { return write(known) }
    let (error, bytes) = whole()
    if error != 0 { return error }
    remember(summary(of: bytes))
    return write(summary(of: bytes))
  }
}

/// An entry that annotate is called with.
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
  /// Returns true if the file changed, or with `removed` was removed.
  func hasChanged(removed: Bool = false) -> Bool {
    outcome == WEIR_FILE_CHANGED && output.isEmpty && error == (removed ? ENOENT : 0)
  }
}

/// Returns the status of the file that a path leads to.
func statusOf(_ path: Path) -> stat {
  var status = stat()
  _ = path.c { stat($0, &status) }
  return status
}

/// The regular files below a root, in the order of the walk.
func filesBelow(_ root: Path) throws -> [Path] {
  try find(root, ["-type", "f"]).map(\.path).sorted(by: precedes)
}

func sizeOf(_ path: Path) -> Int { Int(statusOf(path).st_size) }

/// Waits a few milliseconds, until all files that exist are older than the clock of file times.
func letFilesAge() {
  var now = timespec(), then = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  repeat {
    usleep(200)
    clock_gettime(CLOCK_REALTIME_COARSE, &then)
  } while (then.tv_sec, then.tv_nsec) <= (now.tv_sec, now.tv_nsec)
}

/// Returns the number of bytes that this process has read with read(2) and similar calls.
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
