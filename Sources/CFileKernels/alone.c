/*
 * alone.c: what a program does otherwise that has everything inside it, libc
 * too (`make dist` makes it, with WEIR_ALONE defined): it may not load, from
 * the system it finds itself on, what was made for another libc; and it runs
 * where there is not even /proc.
 */
#define _GNU_SOURCE
#include "CFileKernels.h"

#include <locale.h>

#ifdef WEIR_ALONE

#include <dlfcn.h>
#include <langinfo.h>
#include <string.h>

/* Swift's runtime asks at its start which file it is in, ends where that cannot
   be said, which libc finds out by /proc, and looks about there for a program
   that shows backtraces. Here the question has one answer, and nothing is ever
   beside that. */
int dladdr(const void *address, Dl_info *info) {
    (void)address;
    memset(info, 0, sizeof *info);
    info->dli_fname = "/proc/self/exe";
    return 1;
}

/* Characters that are not of libc's own two sets would be converted by modules
   of the system's libc. */
void kernel_take_locale(void) {
    if (setlocale(LC_CTYPE, "") && strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
        setlocale(LC_CTYPE, "C");
    }
}

#else

void kernel_take_locale(void) { setlocale(LC_CTYPE, ""); }

#endif
