/*
 * compiler.h: attributes, and blocks without their header. Every source
 * includes this file before any system header.
 */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#define WEIR_HIDDEN __attribute__((__visibility__("hidden")))
#define WEIR_NOINLINE __attribute__((__noinline__))
#define WEIR_UNLIKELY(x) __builtin_expect(!!(x), 0)

#ifdef __BLOCKS__
#if __has_include(<Block.h>)
#include <Block.h>
#else
/* The toolchain has the functions, but not always the header. */
extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);
#define Block_copy(block)                                                      \
    ((__typeof__(block))_Block_copy((const void *)(block)))
#define Block_release(block) _Block_release((const void *)(block))
#endif

static inline void weir__block_drop(void *block) { Block_release(block); }

/* Calls a copied block that takes a result, and releases it. */
static inline void weir__block_call(void *block, int result) {
    ((void (^)(int))block)(result);
    Block_release(block);
}

/* Releases a copied block that a call has refused. Returns its error. */
static inline int weir__block_passed(const void *copy, int error) {
    if (error && copy) {
        Block_release(copy);
    }
    return error;
}
#endif
