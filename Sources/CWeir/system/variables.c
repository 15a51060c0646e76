/* variables.c: the environment of the process. */
#include "system/variables.h"

#include <unistd.h>

#if WEIR_SYSTEM_DARWIN

/* A library of Darwin cannot refer to `environ`. */
#include <crt_externs.h>

char **weir__environment(void) { return *_NSGetEnviron(); }

#else

extern char **environ;

char **weir__environment(void) { return environ; }

#endif

#if WEIR_SYSTEM_LINUX

const char *weir__trusted_variable(const char *name) {
    return secure_getenv(name);
}

#else

const char *weir__trusted_variable(const char *name) {
    bool is_own = getuid() == geteuid() && getgid() == getegid();
    return is_own ? getenv(name) : NULL;
}

#endif
