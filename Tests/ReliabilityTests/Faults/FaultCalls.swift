// The calls that fail, each with the errors that it can have.

import Glibc

/// The faults of each call, by the names in Preloads/calls.c.
///
/// Calls that cannot fail for a right caller are not here (getrlimit, sigaction, fchdir of an open
/// directory, munmap), nor those of libdispatch's own event loop (epoll, eventfd, timerfd), after
/// whose errors libdispatch itself traps.
enum FaultCalls {
  private static let storage: [Int32] = [EIO, ESTALE, ETIMEDOUT]
  private static let lookup = storage + [ENOMEM]
  private static let full: [Int32] = [ENOSPC, EDQUOT]
  private static let opening: [Int32] =
    lookup + full + [EINTR, EROFS, EMFILE, ENFILE]
  private static let changing = lookup + full + [EROFS]
  private static let memory: [Int32] = [ENOMEM]
  private static let descriptors: [Int32] = [EMFILE, ENFILE, ENOMEM]

  static let errors: [String: [Int32]] = [
    "access": lookup, "chdir": lookup, "readlink": lookup, "readlinkat": lookup,
    "realpath": lookup, "stat": lookup, "lstat": lookup, "fstat": lookup, "fstatat": lookup,
    "statx": lookup, "statfs": lookup + [EINTR], "fstatfs": lookup + [EINTR],
    "getcwd": lookup, "scandir": lookup + descriptors, "readdir": storage,
    "getdents64": lookup + [EINTR],
    "open": opening, "openat": opening, "openat2": opening + [EAGAIN, EXDEV],
    "opendir": lookup + descriptors, "fdopendir": memory,
    "fopen": lookup + descriptors, "getline": [EIO, ENOMEM],
    "mkostemp": changing + descriptors, "mkdir": changing,
    "read": storage + [EINTR, EAGAIN, ENOMEM],
    "pread": storage + [EINTR, ENOMEM],
    "write": storage + full + [EINTR, EAGAIN, EROFS],
    "pwrite": storage + full + [EINTR, EROFS],
    "dprintf": storage + full, "fwrite": storage + full,
    "close": storage + full + [EINTR], "closedir": [EIO], "fclose": storage + full,
    "fsync": storage + full + [EINTR, EROFS],
    "fdatasync": storage + full + [EINTR, EROFS],
    "lseek": [EIO, EINVAL, ESTALE], "ftruncate": storage + full + [EINTR, EROFS],
    "rename": changing, "renameat": changing, "renameat2": changing + [EINVAL],
    "link": changing, "unlink": changing, "unlinkat": changing,
    "fchmod": changing, "fchown": changing, "flock": [EINTR, ENOLCK, ENOMEM],
    "fcntl": [EMFILE, EIO, ENOLCK], "dup": [EMFILE],
    "dup2": [EMFILE, EINTR], "dup3": [EMFILE, EINTR],
    "pipe": descriptors, "pipe2": descriptors,
    "poll": [EINTR, ENOMEM], "ioctl": [EIO, EINTR],
    "clone": [EAGAIN, ENOMEM], "execve": lookup + [EMFILE, ENFILE, EAGAIN],
    "waitid": [EINTR, ECHILD], "waitpid": [EINTR, ECHILD],
    "sigtimedwait": [EINTR, EAGAIN], "nanosleep": [EINTR],
    "sched_getaffinity": [ENOMEM, EINVAL], "sched_setaffinity": [ENOMEM, EINVAL],
    "gethostname": [ENOMEM], "getrusage": [EINVAL], "setlocale": memory,
    "mmap": memory + [EAGAIN], "malloc": memory, "calloc": memory, "realloc": memory,
    "aligned_alloc": memory, "posix_memalign": memory, "pthread_create": [EAGAIN],
  ]

  private static let lengths: [String: [Int]] = [
    "read": [1, 100], "pread": [1, 100], "write": [1, 100], "pwrite": [1, 100],
    "getdents64": [128],
  ]

  static func forms(of call: String) -> [FaultForm] {
    (errors[call] ?? []).map { .error($0) } + (lengths[call] ?? []).map { .short($0) }
  }

  /// The calls that change files, or the places in them.
  static let modifying: Set = [
    "flock", "ftruncate", "fdatasync", "fsync", "rename", "renameat", "renameat2", "link", "unlink",
    "unlinkat", "lseek", "write", "pwrite", "mkdir", "mkostemp", "fchmod", "dup2",
  ]

  /// The calls of which only so many are chosen, at random: there are thousands in each run.
  static let chosen: [String: Int] = [
    "malloc": 30, "calloc": 10, "realloc": 10, "posix_memalign": 15, "getline": 8,
    "execve": 8,
  ]

  /// True if the fault can be one of all calls from the n-th on. A call that is interrupted for
  /// ever is repeated for ever, and a program without memory for anything is not tested so.
  static func canBePermanent(_ call: String, _ form: FaultForm) -> Bool {
    switch form {
    case .error(EINTR), .error(EAGAIN): return false
    case .short: return true
    case .error: return errors[call] != memory
    case .kill: return false
    }
  }
}
