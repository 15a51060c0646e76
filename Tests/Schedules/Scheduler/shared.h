/* shared.h: the objects that several fibers use. */
#pragma once

#include "schedule.h"

void shared_setup(void);

/* Forgets all objects, before another scenario. */
void shared_forget(void);

/* Called before each schedule. */
void shared_begin(bool may_skip);

/* Records that the current fiber uses an object. Returns true if the point there
   can be left out. */
bool shared_skips(const void *object, bool is_change);

/* True if an object turned out to be shared since the last call. */
bool shared_has_grown(void);
