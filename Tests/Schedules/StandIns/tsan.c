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

#define CODE __builtin_return_address(0)
#define check(at, use) check_access(at, size, CODE, use)

static void check_access(const void *address, size_t size, const void *code,
                         const char *use) {
    if (memory_is_own(address) && STATE->is_running) {
        memory_check(address, use);
    }
    orders_access(address, size, code, use[0] == 'w' ? WRITE : READ);
}

#define ACCESS(name, bytes, use)                                               \
    void __tsan_##name##bytes(void *at) { check_access(at, bytes, CODE, use); }
#define BOTH(name, size)                                                       \
    ACCESS(name##read, size, "read")                                           \
    ACCESS(name##write, size, "write")                                         \
    ACCESS(name##read_write, size, "write")
#define PLAIN(size) BOTH(, size) BOTH(unaligned_, size) BOTH(volatile_, size)
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *at, size_t size) { check(at, "read"); }

void __tsan_write_range(void *at, size_t size) { check(at, "write"); }

#define COPY(name)                                                             \
    void *__tsan_##name(void *to, const void *from, size_t size) {             \
        if (size > 0) {                                                        \
            check(from, "read");                                               \
            check(to, "write");                                                \
        }                                                                      \
        return name(to, from, size);                                           \
    }
COPY(memcpy)
COPY(memmove)

void *__tsan_memset(void *at, int byte, size_t size) {
    if (size > 0) {
        check(at, "write");
    }
    return memset(at, byte, size);
}

/* ---- atomic operations -------------------------------------------------- */

void __tsan_atomic_thread_fence(int order) { schedule_fail("fence %d", order); }
void __tsan_atomic_signal_fence(int order) { (void)order; }

#define AT (const void *)at, sizeof *at, CODE
#define CHANGE(type, bits, name, doing, value)                                 \
    type __tsan_atomic##bits##_##name(volatile type *at, type with,            \
                                      int order) {                             \
        schedule_point(doing, (const void *)at);                               \
        type before = *at;                                                     \
        *at = (type)(value);                                                   \
        orders_atomic(AT, ATOMIC | WRITE | NEWEST, order, before, *at);        \
        return before;                                                         \
    }

#define ATOMIC(type, bits)                                                     \
    type __tsan_atomic##bits##_load(const volatile type *at, int order) {      \
        schedule_point("atomic load", (const void *)at);                       \
        return (type)orders_atomic(AT, ATOMIC, order, *at, 0);                 \
    }                                                                          \
    void __tsan_atomic##bits##_store(volatile type *at, type value,            \
                                     int order) {                              \
        schedule_point("atomic store", (const void *)at);                      \
        orders_atomic(AT, ATOMIC | WRITE, order, *at, value);                  \
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
        if (*at != *expected) {                                                \
            *expected = *at;                                                   \
            orders_atomic(AT, ATOMIC | NEWEST, other, *at, 0);                 \
            return 0;                                                          \
        }                                                                      \
        orders_atomic(AT, ATOMIC | WRITE | NEWEST, order, *at, value);         \
        *at = value;                                                           \
        return 1;                                                              \
    }                                                                          \
    int __tsan_atomic##bits##_compare_exchange_weak(                           \
        volatile type *at, type *expected, type value, int order, int other) { \
        if (schedule_fault("weak exchange")) {                                 \
            orders_atomic(AT, ATOMIC | NEWEST, other, *at, 0);                 \
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
