/*
 * target.h: functions for a set of instructions that not every machine has.
 *
 * The functions between TARGET_BEGIN("avx2") and TARGET_END use them. The
 * system's headers come before, because their functions have to run on all
 * machines.
 */
#ifndef KERNEL_TARGET_H
#define KERNEL_TARGET_H

#define TARGET_PRAGMA(words) _Pragma(#words)

#if defined(__clang__)
#define TARGET_BEGIN(features)                                                 \
    TARGET_PRAGMA(clang attribute push(__attribute__((target(features))),      \
                                       apply_to = function))
#define TARGET_END _Pragma("clang attribute pop")
#else
#define TARGET_BEGIN(features)                                                 \
    _Pragma("GCC push_options") TARGET_PRAGMA(GCC target(features))
#define TARGET_END _Pragma("GCC pop_options")
#endif

#endif /* KERNEL_TARGET_H */
