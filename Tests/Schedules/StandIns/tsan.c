/*
 * tsan.c: the functions that clang and gcc call with -fsanitize=thread.
 *
 * DESIGN. The instrumentation calls a function for each atomic operation and for
 * each read or write of memory that may be shared. In place of the
 * sanitizer's runtime these functions make each atomic operation a point, and
 * look up whether memory that is read or written was freed.
 */
#include "../Scheduler/schedule.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

void __tsan_init(void) {}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_ignore_thread_begin(void) {}
void __tsan_ignore_thread_end(void) {}

/* ---- plain memory ------------------------------------------------------- */

static void check(const void *address, const char *use) {
    if (memory_is_own(address) && STATE->is_running) {
        memory_check(address, use);
    }
}

#define PLAIN(size)                                                            \
    void __tsan_read##size(void *at) { check(at, "read"); }                    \
    void __tsan_write##size(void *at) { check(at, "write"); }                  \
    void __tsan_read_write##size(void *at) { check(at, "write"); }             \
    void __tsan_unaligned_read##size(void *at) { check(at, "read"); }          \
    void __tsan_unaligned_write##size(void *at) { check(at, "write"); }        \
    void __tsan_unaligned_read_write##size(void *at) { check(at, "write"); }   \
    void __tsan_volatile_read##size(void *at) { check(at, "read"); }           \
    void __tsan_volatile_write##size(void *at) { check(at, "write"); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *at, size_t size) {
    (void)size;
    check(at, "read");
}

void __tsan_write_range(void *at, size_t size) {
    (void)size;
    check(at, "write");
}

void *__tsan_memcpy(void *to, const void *from, size_t size) {
    if (size > 0) {
        check(from, "read");
        check(to, "write");
    }
    return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size) {
    if (size > 0) {
        check(from, "read");
        check(to, "write");
    }
    return memmove(to, from, size);
}

void *__tsan_memset(void *at, int byte, size_t size) {
    if (size > 0) {
        check(at, "write");
    }
    return memset(at, byte, size);
}

/* ---- atomic operations -------------------------------------------------- */

void __tsan_atomic_thread_fence(int order) { (void)order; }
void __tsan_atomic_signal_fence(int order) { (void)order; }

#define CHANGE(type, bits, name, doing, value)                                 \
    type __tsan_atomic##bits##_##name(volatile type *at, type with,            \
                                      int order) {                             \
        (void)order;                                                           \
        schedule_point(doing, (const void *)at);                               \
        type before = *at;                                                     \
        *at = (type)(value);                                                   \
        return before;                                                         \
    }

#define ATOMIC(type, bits)                                                     \
    type __tsan_atomic##bits##_load(const volatile type *at, int order) {      \
        (void)order;                                                           \
        schedule_point_to_read("atomic load", (const void *)at);               \
        return *at;                                                            \
    }                                                                          \
    void __tsan_atomic##bits##_store(volatile type *at, type value,            \
                                     int order) {                              \
        (void)order;                                                           \
        schedule_point("atomic store", (const void *)at);                      \
        *at = value;                                                           \
    }                                                                          \
    CHANGE(type, bits, exchange, "atomic exchange", with)                      \
    CHANGE(type, bits, fetch_add, "atomic add", before + with)                 \
    CHANGE(type, bits, fetch_sub, "atomic subtract", before - with)            \
    CHANGE(type, bits, fetch_and, "atomic and", before &with)                  \
    CHANGE(type, bits, fetch_or, "atomic or", before | with)                   \
    CHANGE(type, bits, fetch_xor, "atomic xor", before ^ with)                 \
    int __tsan_atomic##bits##_compare_exchange_strong(                         \
        volatile type *at, type *expected, type value, int order, int other) { \
        (void)order;                                                           \
        (void)other;                                                           \
        schedule_point("compare and exchange", (const void *)at);              \
        if (*at != *expected) {                                                \
            *expected = *at;                                                   \
            return 0;                                                          \
        }                                                                      \
        *at = value;                                                           \
        return 1;                                                              \
    }                                                                          \
    int __tsan_atomic##bits##_compare_exchange_weak(                           \
        volatile type *at, type *expected, type value, int order, int other) { \
        if (schedule_fault("weak exchange")) {                                 \
            *expected = *at;                                                   \
            return 0;                                                          \
        }                                                                      \
        return __tsan_atomic##bits##_compare_exchange_strong(                  \
            at, expected, value, order, other);                                \
    }                                                                          \
    type __tsan_atomic##bits##_compare_exchange_val(                           \
        volatile type *at, type expected, type value, int order, int other) {  \
        __tsan_atomic##bits##_compare_exchange_strong(at, &expected, value,    \
                                                      order, other);           \
        return expected;                                                       \
    }

ATOMIC(uint8_t, 8)
ATOMIC(uint16_t, 16)
ATOMIC(uint32_t, 32)
ATOMIC(uint64_t, 64)
