/*
 * weir/libdispatch.h: libdispatch, with or without its headers.
 *
 * If <dispatch/dispatch.h> is installed, it is included, and made readable for
 * compilers without __has_feature (gcc before 14). Otherwise, as in every C
 * target of a Swift package on Linux (swift-package-manager#8149), the types
 * and functions that users of Weir need are declared here. Their meaning is
 * libdispatch's. A test compiles this file after the real headers with
 * WEIR_LIBDISPATCH_CHECK defined, so that a declaration that differs does not
 * compile.
 */
#ifndef WEIR_LIBDISPATCH_H
#define WEIR_LIBDISPATCH_H

#if !defined(WEIR_NO_DISPATCH_HEADERS) && defined(__has_include)
#if __has_include(<dispatch/dispatch.h>)
#define WEIR_HAS_DISPATCH_HEADERS 1
#endif
#endif

#ifdef WEIR_HAS_DISPATCH_HEADERS
#ifndef __has_feature
#define __has_feature(x) 0
#define WEIR_DEFINED_HAS_FEATURE 1
#endif
#ifndef __has_extension
#define __has_extension(x) 0
#define WEIR_DEFINED_HAS_EXTENSION 1
#endif
/* g++ prints a note, even for a system header, for each of the attributes that
   these headers put before extern "C". So C linkage comes from around them. */
#if defined(__cplusplus) && defined(__GNUC__) && !defined(__clang__) &&        \
    !defined(DISPATCH_EXTERN)
#define DISPATCH_EXTERN extern
#define WEIR_DEFINED_DISPATCH_EXTERN 1
extern "C" {
#endif
#include <dispatch/dispatch.h>
#ifdef WEIR_DEFINED_DISPATCH_EXTERN
}
#undef DISPATCH_EXTERN
#define DISPATCH_EXTERN extern "C"
#undef WEIR_DEFINED_DISPATCH_EXTERN
#endif
#ifdef WEIR_DEFINED_HAS_FEATURE
#undef __has_feature
#undef WEIR_DEFINED_HAS_FEATURE
#endif
#ifdef WEIR_DEFINED_HAS_EXTENSION
#undef __has_extension
#undef WEIR_DEFINED_HAS_EXTENSION
#endif
#endif

#if !defined(WEIR_HAS_DISPATCH_HEADERS) || defined(WEIR_LIBDISPATCH_CHECK)

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#ifndef WEIR_LIBDISPATCH_CHECK
#ifdef __cplusplus
/* clang-format off */
typedef struct dispatch_object_s {
} *dispatch_object_t;
#define WEIR_DISPATCH_TYPE(name)                                               \
    typedef struct name##_s : public dispatch_object_s {                       \
    } *name##_t
/* clang-format on */
#else
struct dispatch_object_s;
struct dispatch_queue_s;
struct dispatch_group_s;
struct dispatch_semaphore_s;
struct dispatch_queue_attr_s;
typedef union {
    struct dispatch_object_s *any;
    struct dispatch_queue_s *queue;
    struct dispatch_group_s *group;
    struct dispatch_semaphore_s *semaphore;
    struct dispatch_queue_attr_s *attribute;
} dispatch_object_t __attribute__((__transparent_union__));
#define WEIR_DISPATCH_TYPE(name) typedef struct name##_s *name##_t
#endif

WEIR_DISPATCH_TYPE(dispatch_queue);
WEIR_DISPATCH_TYPE(dispatch_queue_attr);
WEIR_DISPATCH_TYPE(dispatch_group);
WEIR_DISPATCH_TYPE(dispatch_semaphore);
typedef dispatch_queue_t dispatch_queue_global_t;
typedef dispatch_queue_t dispatch_queue_serial_t;
typedef dispatch_queue_t dispatch_queue_main_t;
#undef WEIR_DISPATCH_TYPE
#endif /* WEIR_LIBDISPATCH_CHECK */

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*dispatch_function_t)(void *);
typedef uint64_t dispatch_time_t;
typedef unsigned int dispatch_qos_class_t;
typedef intptr_t dispatch_once_t;

#ifndef WEIR_LIBDISPATCH_CHECK
#define DISPATCH_TIME_NOW (0ull)
#define DISPATCH_TIME_FOREVER (~0ull)
#ifndef NSEC_PER_SEC
#define NSEC_PER_SEC 1000000000ull
#define NSEC_PER_MSEC 1000000ull
#define USEC_PER_SEC 1000000ull
#define NSEC_PER_USEC 1000ull
#endif
#define DISPATCH_QUEUE_SERIAL ((dispatch_queue_attr_t)0)
#define DISPATCH_QUEUE_CONCURRENT                                              \
    ((dispatch_queue_attr_t)&_dispatch_queue_attr_concurrent)
#define DISPATCH_APPLY_AUTO ((dispatch_queue_t)0)
#define DISPATCH_TARGET_QUEUE_DEFAULT ((dispatch_queue_t)0)
#define DISPATCH_QUEUE_PRIORITY_HIGH 2
#define DISPATCH_QUEUE_PRIORITY_DEFAULT 0
#define DISPATCH_QUEUE_PRIORITY_LOW (-2)
#define DISPATCH_QUEUE_PRIORITY_BACKGROUND INT16_MIN

typedef unsigned long dispatch_autorelease_frequency_t;
#define DISPATCH_AUTORELEASE_FREQUENCY_INHERIT 0ul
#define DISPATCH_AUTORELEASE_FREQUENCY_WORK_ITEM 1ul
#define DISPATCH_AUTORELEASE_FREQUENCY_NEVER 2ul

extern struct dispatch_queue_s _dispatch_main_q;
extern struct dispatch_queue_attr_s _dispatch_queue_attr_concurrent;

static inline dispatch_queue_main_t dispatch_get_main_queue(void) {
    return (dispatch_queue_main_t)&_dispatch_main_q;
}
#endif

/* Objects. */
void dispatch_retain(dispatch_object_t object);
void dispatch_release(dispatch_object_t object);
void *dispatch_get_context(dispatch_object_t object);
void dispatch_set_context(dispatch_object_t object, void *context);
void dispatch_set_finalizer_f(dispatch_object_t object,
                              dispatch_function_t finalizer);
void dispatch_suspend(dispatch_object_t object);
void dispatch_resume(dispatch_object_t object);
void dispatch_set_target_queue(dispatch_object_t object,
                               dispatch_queue_t queue);

/* Queues. */
dispatch_queue_t dispatch_queue_create(const char *label,
                                       dispatch_queue_attr_t attr);
dispatch_queue_global_t dispatch_get_global_queue(intptr_t identifier,
                                                  uintptr_t flags);
dispatch_queue_t dispatch_get_current_queue(void);
const char *dispatch_queue_get_label(dispatch_queue_t queue);
dispatch_queue_attr_t
dispatch_queue_attr_make_with_qos_class(dispatch_queue_attr_t attr,
                                        dispatch_qos_class_t qos_class,
                                        int relative_priority);
dispatch_queue_attr_t
dispatch_queue_attr_make_initially_inactive(dispatch_queue_attr_t attr);
dispatch_queue_attr_t dispatch_queue_attr_make_with_autorelease_frequency(
    dispatch_queue_attr_t attr, dispatch_autorelease_frequency_t frequency);
void dispatch_async_f(dispatch_queue_t queue, void *context,
                      dispatch_function_t work);
void dispatch_sync_f(dispatch_queue_t queue, void *context,
                     dispatch_function_t work);
void dispatch_barrier_async_f(dispatch_queue_t queue, void *context,
                              dispatch_function_t work);
void dispatch_barrier_sync_f(dispatch_queue_t queue, void *context,
                             dispatch_function_t work);
void dispatch_after_f(dispatch_time_t when, dispatch_queue_t queue,
                      void *context, dispatch_function_t work);
void dispatch_apply_f(size_t iterations, dispatch_queue_t queue, void *context,
                      void (*work)(void *context, size_t iteration));
void dispatch_queue_set_specific(dispatch_queue_t queue, const void *key,
                                 void *context, dispatch_function_t destructor);
void *dispatch_queue_get_specific(dispatch_queue_t queue, const void *key);
void *dispatch_get_specific(const void *key);
void dispatch_main(void) __attribute__((__noreturn__));

/* Groups. */
dispatch_group_t dispatch_group_create(void);
void dispatch_group_enter(dispatch_group_t group);
void dispatch_group_leave(dispatch_group_t group);
void dispatch_group_async_f(dispatch_group_t group, dispatch_queue_t queue,
                            void *context, dispatch_function_t work);
void dispatch_group_notify_f(dispatch_group_t group, dispatch_queue_t queue,
                             void *context, dispatch_function_t work);
intptr_t dispatch_group_wait(dispatch_group_t group, dispatch_time_t timeout);

/* Semaphores. */
dispatch_semaphore_t dispatch_semaphore_create(intptr_t value);
intptr_t dispatch_semaphore_wait(dispatch_semaphore_t semaphore,
                                 dispatch_time_t timeout);
intptr_t dispatch_semaphore_signal(dispatch_semaphore_t semaphore);

/* Time. */
dispatch_time_t dispatch_time(dispatch_time_t when, int64_t delta);
dispatch_time_t dispatch_walltime(const struct timespec *when, int64_t delta);

#ifdef __BLOCKS__
#ifndef WEIR_LIBDISPATCH_CHECK
typedef void (^dispatch_block_t)(void);
#endif
void dispatch_async(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_sync(dispatch_queue_t queue,
                   __attribute__((__noescape__)) dispatch_block_t block);
void dispatch_after(dispatch_time_t when, dispatch_queue_t queue,
                    dispatch_block_t block);
void dispatch_apply(size_t iterations, dispatch_queue_t queue,
                    __attribute__((__noescape__)) void (^block)(size_t));
void dispatch_group_async(dispatch_group_t group, dispatch_queue_t queue,
                          dispatch_block_t block);
void dispatch_group_notify(dispatch_group_t group, dispatch_queue_t queue,
                           dispatch_block_t block);
#endif

#ifdef __cplusplus
}
#endif
#endif /* fallback declarations */

/* Only Apple has <sys/qos.h>, which defines these. */
#if !defined(__APPLE__) && !defined(QOS_CLASS_DEFAULT)
#define QOS_CLASS_USER_INTERACTIVE 0x21
#define QOS_CLASS_USER_INITIATED 0x19
#define QOS_CLASS_DEFAULT 0x15
#define QOS_CLASS_UTILITY 0x11
#define QOS_CLASS_BACKGROUND 0x09
#define QOS_CLASS_UNSPECIFIED 0x00
#endif
#endif /* WEIR_LIBDISPATCH_H */
