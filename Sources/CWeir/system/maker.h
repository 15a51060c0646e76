/*
 * maker.h: the maker of this room: which of its folders is compiled.
 *
 * DESIGN. The headers of this room are one contract with three makers: linux/,
 * darwin/ and posix/. SwiftPM compiles every source of a target, so each source
 * of a maker includes this file and is empty unless its maker is chosen. Darwin
 * takes the sources of posix/ that darwin/ does not replace; WEIR_POSIX chooses
 * these on Linux, for tests. No two sources have the same name, so that a plain
 * `cc -c` of all of them works.
 */
#pragma once

#if defined(WEIR_POSIX)
#define WEIR_SYSTEM_POSIX 1
#elif defined(__linux__)
#define WEIR_SYSTEM_LINUX 1
#elif defined(__APPLE__)
#define WEIR_SYSTEM_DARWIN 1
#else
#define WEIR_SYSTEM_POSIX 1
#endif

/* Systems whose statfs(2) names the file system. */
#if !defined(WEIR_POSIX) && (defined(__APPLE__) || defined(__FreeBSD__))
#define WEIR_SYSTEM_NAMES_MOUNTS 1
#endif
