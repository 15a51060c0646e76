/* orders.h: what happens before what, data races, and old values. */
#pragma once

#include "schedule.h"

enum { READ = 0, WRITE = 1, ATOMIC = 2 }; /* kinds of access, as bits */

void orders_setup(void);
void orders_begin(void);
void orders_begin_fiber(const struct fiber *fiber);

/* What a fiber does before it releases an object happens before what another
   one does after it acquires the object. */
void orders_release(const void *object);
void orders_acquire(const void *object);

/* Fails if an access races with one of another fiber. */
void orders_access(const void *at, size_t size, int kind, const void *code);

/* Atomic operations where the newest value is `now`. A load returns the value
   that it reads; a change reads the newest before it stores. */
uint64_t orders_load(const void *at, uint64_t now, int order, bool is_change);
void orders_store(const void *at, uint64_t now, uint64_t value, int order,
                  bool is_change);
void orders_fence(void);
