/* threads.c: the system's numbers of threads. */
#include "system/threads.h"

#include <sys/syscall.h>
#include <unistd.h>

int weir__thread_number(void) {
    static _Thread_local int number; /* a fork does nothing that needs it */
    if (number == 0) {
        number = (int)syscall(SYS_gettid);
    }
    return number;
}
