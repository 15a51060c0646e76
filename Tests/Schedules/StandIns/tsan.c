/*
 * tsan.c: the functions that clang and gcc call with -fsanitize=thread.
 *
 * DESIGN. The instrumentation calls a function for each atomic operation and for
 * each read or write of memory that may be shared. In place of the
 * sanitizer's runtime these functions make each atomic operation a point, and
 * look up whether memory that is read or written was freed.
 */
#include "../Scheduler/orders.h"

#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

void __tsan_init(void) {}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_ignore_thread_begin(void) {}
void __tsan_ignore_thread_end(void) {}

/* ---- plain memory ------------------------------------------------------- */

static void check(const void *at, size_t size, int kind, const void *code) {
    if (memory_is_own(at) && STATE->is_running) {
        memory_check(at, kind == WRITE ? "write" : "read");
    }
    orders_access(at, size, kind, code);
}

#define CODE __builtin_return_address(0)
#define ACCESS(name, size, kind)                                               \
    void __tsan_##name##size(void *at) { check(at, size, kind, CODE); }
#define PLAIN(size)                                                            \
    ACCESS(read, size, READ)                                                   \
    ACCESS(write, size, WRITE)                                                 \
    ACCESS(read_write, size, WRITE)                                            \
    ACCESS(unaligned_read, size, READ)                                         \
    ACCESS(unaligned_write, size, WRITE)                                       \
    ACCESS(unaligned_read_write, size, WRITE)                                  \
    ACCESS(volatile_read, size, READ)                                          \
    ACCESS(volatile_write, size, WRITE)
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *at, size_t size) {
    check(at, size, READ, CODE);
}

void __tsan_write_range(void *at, size_t size) {
    check(at, size, WRITE, CODE);
}

void *__tsan_memcpy(void *to, const void *from, size_t size) {
    if (size > 0) {
        check(from, size, READ, CODE);
        check(to, size, WRITE, CODE);
    }
    return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size) {
    if (size > 0) {
        check(from, size, READ, CODE);
        check(to, size, WRITE, CODE);
    }
    return memmove(to, from, size);
}

void *__tsan_memset(void *at, int byte, size_t size) {
    if (size > 0) {
        check(at, size, WRITE, CODE);
    }
    return memset(at, byte, size);
}

/* ---- atomic operations -------------------------------------------------- */

void __tsan_atomic_thread_fence(int order) {
    (void)order;
    orders_fence();
}
void __tsan_atomic_signal_fence(int order) { (void)order; }

#define CHANGE(type, bits, name, doing, value)                                 \
    type __tsan_atomic##bits##_##name(volatile type *at, type with,            \
                                      int order) {                             \
        schedule_point(doing, (const void *)at);                               \
        orders_access((const void *)at, sizeof *at, ATOMIC | WRITE, CODE);     \
        type before = *at;                                                     \
        *at = (type)(value);                                                   \
        orders_load((const void *)at, before, order, true);                    \
        orders_store((const void *)at, before, *at, order, true);              \
        return before;                                                         \
    }

#define ATOMIC(type, bits)                                                     \
    type __tsan_atomic##bits##_load(const volatile type *at, int order) {      \
        schedule_point_to_read("atomic load", (const void *)at);               \
        orders_access((const void *)at, sizeof *at, ATOMIC, CODE);             \
        return (type)orders_load((const void *)at, *at, order, false);         \
    }                                                                          \
    void __tsan_atomic##bits##_store(volatile type *at, type value,            \
                                     int order) {                              \
        schedule_point("atomic store", (const void *)at);                      \
        orders_access((const void *)at, sizeof *at, ATOMIC | WRITE, CODE);     \
        orders_store((const void *)at, *at, value, order, false);              \
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
        schedule_point("compare and exchange", (const void *)at);              \
        orders_access((const void *)at, sizeof *at, ATOMIC | WRITE, CODE);     \
        bool fails = *at != *expected;                                         \
        orders_load((const void *)at, *at, fails ? other : order, true);       \
        if (fails) {                                                           \
            *expected = *at;                                                   \
            return 0;                                                          \
        }                                                                      \
        orders_store((const void *)at, *at, value, order, true);               \
        *at = value;                                                           \
        return 1;                                                              \
    }                                                                          \
    int __tsan_atomic##bits##_compare_exchange_weak(                           \
        volatile type *at, type *expected, type value, int order, int other) { \
        if (schedule_fault("weak exchange")) {                                 \
            *expected = (type)orders_load((const void *)at, *at, other, true); \
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
