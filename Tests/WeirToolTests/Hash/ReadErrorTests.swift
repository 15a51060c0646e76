// Errors of reads: interrupted and short reads, stale handles, errors within a file, failed
// seeks, and files that change between two reads. A library that is loaded before libc injects
// these by the names of files.

import Glibc
import TestSupport
import Testing

/// The library between weir and libc.
private let shim = """
  #define _GNU_SOURCE
  #include <dlfcn.h>
  #include <errno.h>
  #include <fcntl.h>
  #include <stdarg.h>
  #include <stdio.h>
  #include <stdlib.h>
  #include <string.h>
  #include <unistd.h>
  static __thread int reads, opens;
  static __thread char last[4096], opened[4096];
  static int is(const char *name, const char *what) {
      const char *base = strrchr(name, '/');
      return strncmp(base ? base + 1 : name, what, strlen(what)) == 0;
  }
  /* How many times in a row it was this one's turn. */
  static int turn(char *before, int *count, const char *name) {
      const char *base = strrchr(name, '/');
      base = base ? base + 1 : name;
      if (strcmp(before, base) != 0) { *count = 0; strcpy(before, base); }
      return ++*count;
  }
  int openat(int directory, const char *path, int flags, ...) {
      static int (*real)(int, const char *, int, ...);
      va_list more;
      va_start(more, flags);
      int mode = va_arg(more, int);
      va_end(more);
      if (!real) real = dlsym(RTLD_NEXT, "openat");
      if (is(path, "stale-open") && turn(opened, &opens, path) <= 2) {
          errno = ESTALE;
          return -1;
      }
      return real(directory, path, flags, mode);
  }
  off_t lseek(int fd, off_t offset, int whence) {
      static off_t (*real)(int, off_t, int);
      char link[64], name[4096];
      if (!real) real = dlsym(RTLD_NEXT, "lseek");
      snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
      ssize_t length = readlink(link, name, sizeof name - 1);
      name[length > 0 ? length : 0] = 0;
      if (is(name, "seek")) {
          errno = EIO;
          return -1;
      }
      return real(fd, offset, whence);
  }
  ssize_t read(int fd, void *buffer, size_t size) {
      static ssize_t (*real)(int, void *, size_t);
      char link[64], name[4096];
      if (!real) real = dlsym(RTLD_NEXT, "read");
      snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
      ssize_t length = readlink(link, name, sizeof name - 1);
      if (length <= 0 || name[0] != '/') return real(fd, buffer, size);
      name[length] = 0;
      int count = turn(last, &reads, name);
      errno = 0;
      if (is(name, "eintr") && count % 2 == 1) errno = EINTR;
      if (is(name, "eio-first")) errno = EIO;
      if (is(name, "eio-later") && count == 3) errno = EIO;
      if (is(name, "stale-read") && count == 1) errno = ESTALE;
      if (is(name, "stale-later") && count == 3) errno = ESTALE;
      if (is(name, "stale-ever")) errno = ESTALE;
      if (errno) return -1;
      if (is(name, "short") || is(name, "stale-later") || is(name, "eio-later"))
          size = size < 1000 ? size : 1000;
      ssize_t got = real(fd, buffer, size);
      if (count == 1 && is(name, "cut")) truncate(name, got / 2);
      if (count == 1 && is(name, "gone")) unlink(name);
      if (count == 1 && is(name, "written")) {
          int other = open(name, O_WRONLY);
          if (pwrite(other, "!", 1, 0) != 1) abort();
          close(other);
      }
      return got;
  }

  """

@Suite(.serialized, .enabled("a compiler, and no sanitizer", canInterpose), .timeLimit(.minutes(5)))
struct ReadErrorTests {
  /// Hashes the files below `tree` through the library.
  private func hash(_ arguments: String..., in directory: TemporaryDirectory) async throws
    -> Outcome
  {
    try await run(["hash", "tree"] + arguments, in: directory)
  }

  /// Runs the tool through the library.
  private func run(_ arguments: [String], in directory: TemporaryDirectory) async throws -> Outcome
  {
    try directory.write(shim, to: "shim.c")
    let made = try await other(
      "cc", words("-shared", "-fPIC", "-w", "-o", "shim.so", "shim.c", "-ldl"), in: directory
    ).run()
    #expect(made.status == 0, "\(made.errorText)")
    let words = words("LD_PRELOAD=./shim.so") + [weirPath] + arguments.map { Array($0.utf8) }
    return try await other("env", words, in: directory).run()
  }

  @Test("temporary errors have no effect")
  func passing() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("tree")
    for name in ["eintr", "short", "stale-open", "stale-read", "stale-later"] {
      for (number, size) in [0, 1, 5000, 20_000].enumerated() {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 + number) }
        try directory.write(bytes, to: Array("tree/\(name)\(number)".utf8))
      }
    }
    let plain = try await weir("hash", "tree", in: directory).run()
    for lanes in ["--jobs=1", "--jobs=3"] {
      let result = try await hash(lanes, in: directory)
      result.expectSilence()
      #expect(result.output == plain.output && result.lines.count == 20)
    }
  }

  @Test("a read error is always reported")
  func errors() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("tree")
    for name in ["a", "eio-first", "eio-later", "stale-ever", "z"] {
      try directory.write([UInt8](repeating: 1, count: 10_000), to: Array("tree/\(name)".utf8))
    }
    let result = try await hash(in: directory)
    #expect(result.status == 3 && result.lines.count == 2)
    #expect(
      result.errorLines.prefix(3) == [
        "weir: tree/eio-first: Input/output error", "weir: tree/eio-later: Input/output error",
        "weir: tree/stale-ever: Stale file handle",
      ])
  }

  @Test("a seek that fails is an unreadable file, and not other content")
  func seeks() async throws {
    let directory = try TemporaryDirectory()
    for name in ["a", "seek", "z"] {
      // More than one piece: only a second one can be in the wrong place.
      try directory.write([UInt8](repeating: 1, count: 2_000_000), to: name.utf8)
    }
    let sums = try await other("sha256sum", words("a", "seek", "z"), in: directory).run()
    try directory.write(sums.output, to: "M".utf8)
    let result = try await run(["check", "M"], in: directory)
    #expect(result.status == 3)
    #expect(result.outputText == "a: OK\nseek: FAILED open or read\nz: OK\n")
    #expect(
      result.errorLines == [
        "weir: seek: Input/output error", "weir: WARNING: 1 listed file could not be read",
      ])
  }

  @Test("a file that is rewritten, truncated or removed while it is read is reported")
  func changes() async throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("tree")
    for name in ["cut", "gone", "written"] {
      for number in 0..<100 {
        // Most files take one read, some take several.
        let size = number % 10 == 0 ? 1_200_000 : 1 + number * 50
        let path = Array("tree/\(name)\(100 + number)".utf8)
        try directory.write([UInt8](repeating: 1, count: size), to: path)
      }
    }
    try directory.write("1", to: "tree/left alone")
    let result = try await hash(in: directory)
    #expect(result.status == 3)
    for (name, words) in [
      ("cut", "changed while it was read"), ("gone", "was removed while it was read"),
      ("written", "changed while it was read"),
    ] {
      let told = result.errorLines.count {
        $0.hasPrefix("weir: tree/\(name)") && $0.hasSuffix(": \(words)")
      }
      #expect(told >= 99, "\(name): \(told) of 100")
    }
    #expect(result.lines.count + result.errorLines.count >= 301)
  }
}
