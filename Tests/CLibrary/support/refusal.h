/* refusal.h: system calls that fail or never return, for the rest of the process. */
#pragma once

#include <sys/syscall.h>

/* From now on, the calls of a system call (SYS_...) by this process fail with an
   errno value: all of them, or those whose argument of an index is a value.
   Return 0 or an errno value. */
int refuse_calls(long number, int error);
int refuse_calls_with(long number, unsigned argument, unsigned value,
                      int error);

/* From now on, the calls of a system call by this process never return. Leaves
   a descriptor open. Returns 0 or an errno value. */
int hold_calls(long number);
