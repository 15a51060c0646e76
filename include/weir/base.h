/*
 * weir/base.h: the base of all headers of Weir: libdispatch, the version, and a
 * few attributes.
 *
 * Conventions, for all of Weir:
 *  - Objects are opaque and counted: weir_thing_create returns one reference,
 *    weir_thing_retain adds one, weir_thing_release drops one. (A walk has one
 *    owner, and is destroyed.)
 *  - A function that can fail returns 0 or a positive errno value. A creator
 *    returns NULL and sets errno.
 *  - Every time-out is a dispatch_time_t: DISPATCH_TIME_NOW never waits,
 *    DISPATCH_TIME_FOREVER never gives up.
 *  - Calls that take a block have a twin ending in _f that takes a context and
 *    a function. The block forms exist if the compiler has blocks.
 *  - Structs that a caller allocates can grow. Structs that a caller fills
 *    (options, sources, items, filters, observers) end in reserved fields,
 *    which are zero: a call refuses others, and flags without a meaning, with
 *    EINVAL, so that a later version can give them one. Results end in reserved
 *    fields too, or are read with the size that the caller knows.
 *  - Memory order: everything before a submit happens before the job; the job
 *    happens before the return of a wait for it; everything before a signal
 *    happens before the return of the wait that it ends.
 *  - No thread may be cancelled (pthread_cancel) inside Weir.
 *  - After fork a child may only exec or _exit. Nothing is async-signal-safe.
 *  - A programmer's error gets a sentence on standard error, then a trap:
 *    weir/misuse.h.
 *  - Any thread may call a function, also from a job, and no function blocks,
 *    unless its comment says so. Pointers must not be NULL, unless
 *    WEIR_NULLABLE marks them. A `context` and a `user` are passed on as they
 *    are.
 */
#ifndef WEIR_BASE_H
#define WEIR_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/libdispatch.h>

#define WEIR_VERSION_MAJOR 0
#define WEIR_VERSION_MINOR 22
#define WEIR_VERSION_PATCH 0

#ifdef __clang__
#define WEIR_NULLABLE _Nullable
#define WEIR_NONNULL _Nonnull
#define WEIR_BEGIN_DECLS                                                       \
    _Pragma("clang diagnostic push")                                           \
        _Pragma("clang diagnostic ignored \"-Wnullability-extension\"")        \
            _Pragma("clang assume_nonnull begin") WEIR_EXTERN_C_BEGIN
#define WEIR_END_DECLS                                                         \
    WEIR_EXTERN_C_END _Pragma("clang assume_nonnull end")                      \
        _Pragma("clang diagnostic pop")
#else
#define WEIR_NULLABLE
#define WEIR_NONNULL
#define WEIR_BEGIN_DECLS WEIR_EXTERN_C_BEGIN
#define WEIR_END_DECLS WEIR_EXTERN_C_END
#endif

#ifdef __cplusplus
#define WEIR_EXTERN_C_BEGIN extern "C" {
#define WEIR_EXTERN_C_END }
#else
#define WEIR_EXTERN_C_BEGIN
#define WEIR_EXTERN_C_END
#endif

#if defined(__GNUC__)
#define WEIR_EXPORT extern __attribute__((__visibility__("default")))
#define WEIR_WARN_RESULT __attribute__((__warn_unused_result__))
#else
#define WEIR_EXPORT extern
#define WEIR_WARN_RESULT
#endif

/* 1 if the library has the block forms. `make install-lib` writes 0 if the
   library was built by a compiler without blocks, such as gcc. */
#define WEIR_LIBRARY_HAS_BLOCKS 1

/* Defined if programs can use the block forms. */
#if defined(__BLOCKS__) && WEIR_LIBRARY_HAS_BLOCKS
#define WEIR_BLOCKS 1
#define WEIR_NOESCAPE __attribute__((__noescape__))
#endif

WEIR_BEGIN_DECLS

/*! Returns the version of the library that runs, a constant string such as
 *  "1.2.3". WEIR_VERSION_MAJOR, _MINOR and _PATCH are that of the headers. */
WEIR_EXPORT const char *weir_version(void);

WEIR_END_DECLS

#endif /* WEIR_BASE_H */
