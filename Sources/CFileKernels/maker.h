/*
 * maker.h: the system whose calls are used. WEIR_POSIX restricts the sources to
 * POSIX on every system (`make test-posix`).
 */
#ifndef KERNEL_MAKER_H
#define KERNEL_MAKER_H

#if defined(WEIR_POSIX)
#define KERNEL_POSIX 1
#elif defined(__linux__)
#define KERNEL_LINUX 1
#elif defined(__APPLE__)
#define KERNEL_DARWIN 1
#else
#define KERNEL_POSIX 1
#endif

#endif /* KERNEL_MAKER_H */
