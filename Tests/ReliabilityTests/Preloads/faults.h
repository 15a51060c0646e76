/*
 * faults.h: the fault that a scenario asks for, shared by the program and the
 * libraries in LD_PRELOAD.
 *
 * DESIGN. Only calls that the C library under test makes are counted, and made
 * to fail: calls whose return address lies in its text, or, for the memory of a
 * block, in that of the blocks runtime. libdispatch must get its memory: it
 * waits for ever if a thread cannot be created and traps if memory is short, by
 * design, and no caller could do anything about it. pthread_create is the
 * exception: there libdispatch retries, once a second, until it succeeds; so
 * those of libdispatch are counted too, and its pause is cut to milliseconds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault_kind {
    FAULT_MEMORY, /* malloc and its relatives, strdup, realpath, getline */
    FAULT_THREAD, /* pthread_create */
    FAULT_KEY,  /* pthread_key_create, pthread_setspecific, pthread_attr_init */
    FAULT_OPEN, /* open, openat, mkostemp */
    FAULT_BENEATH,   /* openat2 */
    FAULT_DIRECTORY, /* getdents64 */
    FAULT_STAT,      /* fstat, fstatat, stat */
    FAULT_STATFS,    /* fstatfs, statfs */
    FAULT_READ,      /* read */
    FAULT_PREAD,     /* pread */
    FAULT_WRITE,     /* write */
    FAULT_SEEK,      /* lseek */
    FAULT_POLL,      /* poll */
    FAULT_FCNTL,     /* fcntl */
    FAULT_PIPE,      /* pipe2 */
    FAULT_CLONE,     /* clone */
    FAULT_WAIT,      /* waitpid */
    FAULT_CHILD,     /* dup2, chdir: in a child */
    FAULT_EXEC,      /* execve */
    FAULT_PIDFD,     /* pidfd_open */
    FAULT_LINK,      /* readlink, readlinkat */
    FAULT_LIMIT,     /* getrlimit, setrlimit */
    FAULT_AFFINITY,  /* sched_getaffinity, sched_setaffinity */
    FAULT_USAGE,     /* getrusage */
    FAULT_STREAM,    /* fopen, getline, opendir, readdir: of /proc and /sys */
    FAULT_RENAME,    /* rename */
    FAULT_KINDS
};

/* An error above all errno values: a read returns half of the bytes. */
#define FAULT_SHORT 100000

struct fault_place {
    uintptr_t begin;
    uintptr_t end;
};

struct fault_plan {
    struct fault_place library; /* the text of the library under test */
    struct fault_place blocks;  /* the text of the blocks runtime */
    struct fault_place program; /* whose dispatch objects are counted, too */
    _Atomic bool is_begun;      /* calls are counted, and may fail */
    enum fault_kind kind;       /* of the call that fails */
    long first;                 /* its number, from 1; 0 for none */
    long last;                  /* of the last one that fails */
    int error;
    _Atomic long counts[FAULT_KINDS];
    _Atomic long injected;
    _Atomic long blocks_alive;  /* memory and dispatch objects of the library */
    _Atomic long threads_alive; /* that the library created */
};

/* The program defines it and exports it. */
extern struct fault_plan fault_plan __attribute__((weak));

static inline bool fault_is_from(struct fault_place place, const void *caller) {
    return (uintptr_t)caller >= place.begin && (uintptr_t)caller < place.end;
}

static inline bool fault_is_of_library(const void *caller) {
    return &fault_plan && (fault_is_from(fault_plan.library, caller) ||
                           fault_is_from(fault_plan.blocks, caller));
}

/* Counts a call. Returns true if it is to fail. */
static inline bool fault_counted(enum fault_kind kind) {
    if (!&fault_plan || !fault_plan.is_begun) {
        return false;
    }
    long number = ++fault_plan.counts[kind];
    if (kind != fault_plan.kind || fault_plan.first == 0 ||
        number < fault_plan.first || number > fault_plan.last) {
        return false;
    }
    fault_plan.injected++;
    return true;
}

/* The same for a call of the library; other callers' are not counted. */
static inline bool fault_hits(enum fault_kind kind, const void *caller) {
    return fault_is_of_library(caller) && fault_counted(kind);
}

/* Prints the places in the library that memory alive was allocated at, for a
   report. Defined in allocations.c. */
extern void faults_print_alive(int descriptor) __attribute__((weak));
