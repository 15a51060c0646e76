/* descriptors.h: the descriptors that a process has open, and may open. */
#pragma once

#include "check.h"

/* Lets libdispatch begin, and waits until it has its descriptors: the last is that of
   the timer that watches its threads. */
void settle_descriptors(void);

void limit_descriptors(size_t limit);

/* Leaves a number of descriptors that can be opened, and occupies all others. Returns
   the first one occupied, for close_range(2). */
int take_descriptors(int left);

struct open_descriptors {
    int count, largest;
};

struct open_descriptors open_descriptors(void);

/* The numbers of open descriptors that lead below a directory: those of lanes, and
   those of the walk, which alone opens directories to read them. Others open and close
   meanwhile: those count that several looks in a row see. */
struct open_below {
    int lanes, walk;
};

struct open_below open_below(const char *directory);
