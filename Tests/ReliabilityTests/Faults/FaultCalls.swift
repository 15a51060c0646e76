// The calls that fail, each with the errors that it can have.

/// The faults of each call, by the names in Preloads/calls.c.
///
/// Calls that cannot fail for a right caller are not here (getrlimit, sigaction, fchdir of an open
/// directory, munmap), nor those of libdispatch's own event loop (epoll, eventfd, timerfd), after
/// whose errors libdispatch itself traps.
enum FaultCalls {
  private static let storage: [FaultError] = [.io, .stale, .timedOut]
  private static let lookup = storage + [.noMemory]
  private static let full: [FaultError] = [.noSpace, .quota]
  private static let opening: [FaultError] =
    lookup + full + [.interrupted, .readOnly, .processFiles, .systemFiles]
  private static let changing = lookup + full + [.readOnly]
  private static let memory: [FaultError] = [.noMemory]
  private static let descriptors: [FaultError] = [.processFiles, .systemFiles, .noMemory]

  /// The errors of each call.
  static let errors: [String: [FaultError]] = [
    "access": lookup, "chdir": lookup, "readlink": lookup, "readlinkat": lookup,
    "realpath": lookup, "stat": lookup, "lstat": lookup, "fstat": lookup, "fstatat": lookup,
    "statx": lookup, "statfs": lookup + [.interrupted], "fstatfs": lookup + [.interrupted],
    "getcwd": lookup, "scandir": lookup + descriptors, "readdir": storage,
    "getdents64": lookup + [.interrupted],
    "open": opening, "openat": opening, "openat2": opening + [.again, .crossDevice],
    "opendir": lookup + descriptors, "fdopendir": memory,
    "fopen": lookup + descriptors, "getline": [.io, .noMemory],
    "mkostemp": changing + descriptors, "mkdir": changing,
    "read": storage + [.interrupted, .again, .noMemory],
    "pread": storage + [.interrupted, .noMemory],
    "write": storage + full + [.interrupted, .again, .readOnly],
    "pwrite": storage + full + [.interrupted, .readOnly],
    "dprintf": storage + full, "fwrite": storage + full,
    "close": storage + full + [.interrupted], "closedir": [.io], "fclose": storage + full,
    "fsync": storage + full + [.interrupted, .readOnly],
    "fdatasync": storage + full + [.interrupted, .readOnly],
    "lseek": [.io, .invalid, .stale], "ftruncate": storage + full + [.interrupted, .readOnly],
    "rename": changing, "renameat": changing, "renameat2": changing + [.invalid],
    "link": changing, "unlink": changing, "unlinkat": changing,
    "fchmod": changing, "fchown": changing, "flock": [.interrupted, .noLocks, .noMemory],
    "fcntl": [.processFiles, .io, .noLocks], "dup": [.processFiles],
    "dup2": [.processFiles, .interrupted], "dup3": [.processFiles, .interrupted],
    "pipe": descriptors, "pipe2": descriptors,
    "poll": [.interrupted, .noMemory], "ioctl": [.io, .interrupted],
    "clone": [.again, .noMemory], "execve": lookup + [.processFiles, .systemFiles, .again],
    "waitid": [.interrupted, .noChild], "waitpid": [.interrupted, .noChild],
    "sigtimedwait": [.interrupted, .again], "nanosleep": [.interrupted],
    "sched_getaffinity": [.noMemory, .invalid], "sched_setaffinity": [.noMemory, .invalid],
    "gethostname": [.noMemory], "getrusage": [.invalid], "setlocale": memory,
    "mmap": memory + [.again], "malloc": memory, "calloc": memory, "realloc": memory,
    "aligned_alloc": memory, "posix_memalign": memory, "pthread_create": [.again],
  ]

  private static let lengths: [String: [Int]] = [
    "read": [1, 100], "pread": [1, 100], "write": [1, 100], "pwrite": [1, 100],
    "getdents64": [128],
  ]

  private static let jumps: [String: [Int]] = [
    "realtime": [3600, -3600, 1_000_000_000], "monotonic": [20],
  ]

  /// The forms of a fault of the call.
  static func forms(of call: String) -> [FaultForm] {
    (errors[call] ?? []).map { .error($0) } + (lengths[call] ?? []).map { .short($0) }
      + (jumps[call] ?? []).map { .jump($0) }
  }

  /// The calls of which only so many are chosen, at random: there are thousands in each run.
  static let chosen: [String: Int] = [
    "malloc": 30, "calloc": 10, "realloc": 10, "posix_memalign": 15, "getline": 8,
    "monotonic": 10, "realtime": 5, "execve": 8,
  ]

  /// True if the fault can be one of all calls from the n-th on. A call that is interrupted for
  /// ever is repeated for ever, and a program without memory for anything is not tested so.
  static func canBePermanent(_ call: String, _ form: FaultForm) -> Bool {
    switch form {
    case .error(.interrupted), .error(.again), .jump: return false
    case .short: return true
    case .error: return errors[call] != memory
    }
  }
}
