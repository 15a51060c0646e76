/*
 * faults.h: the fault that a run asks for, shared by the files of the library for LD_PRELOAD, which
 * counts the calls of a program to libc and makes some of them fail, or changes files at them.
 *
 * DESIGN. One library serves two kinds of runs. Under the tool the variables FAULT_... say which
 * call fails (calls.c), and the plan lies in a mapped file, which FaultReport.swift reads even after
 * a SIGKILL. A program of scenarios (Programs/scenarios.c) defines the plan itself. Then only calls
 * of the C library under test are counted, and made to fail: calls whose return address lies in its
 * text, or, for the memory of a block, in that of the blocks runtime. libdispatch must get its
 * memory: it waits for ever if a thread cannot be created and traps if memory is short, by design,
 * and no caller could do anything about it. pthread_create is the exception: there libdispatch
 * retries, once a second, until it succeeds; so those of libdispatch are counted too, and its pause
 * is cut to milliseconds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The calls, by the names that FAULT_CALL has. */
/* clang-format off */
#define FAULT_CALLS(X) \
    X(access) X(chdir) X(close) X(closedir) X(clone) X(dprintf) X(dup) \
    X(dup2) X(dup3) X(execve) X(fchmod) X(fchown) X(fclose) X(fcntl) \
    X(fdatasync) X(fdopendir) X(flock) X(fopen) X(fstat) X(fstatat) \
    X(fstatfs) X(fsync) X(ftruncate) X(fwrite) X(getcwd) X(getdents64) \
    X(getline) X(gethostname) X(getrlimit) X(getrusage) X(ioctl) X(link) \
    X(lseek) X(lstat) X(mkdir) X(mkostemp) X(mmap) X(nanosleep) X(open) \
    X(openat) X(openat2) X(opendir) X(pidfd_open) X(pipe) X(pipe2) X(poll) \
    X(pread) X(pthread_attr_init) X(pthread_create) X(pthread_key_create) \
    X(pthread_setspecific) X(pwrite) X(readdir) X(read) X(readlink) \
    X(readlinkat) X(realpath) X(rename) X(renameat) X(renameat2) X(scandir) \
    X(sched_getaffinity) X(sched_setaffinity) X(setlocale) X(setrlimit) \
    X(sigtimedwait) X(stat) X(statfs) X(statx) X(strdup) X(unlink) \
    X(unlinkat) X(waitid) X(waitpid) X(write) X(malloc) X(calloc) X(realloc) \
    X(aligned_alloc) X(posix_memalign)
/* clang-format on */

#define FAULT_NUMBER(name) CALL_##name,
enum fault_call { FAULT_CALLS(FAULT_NUMBER) CALL_COUNT };

struct fault_place {
    uintptr_t begin;
    uintptr_t end;
};

struct fault_plan {
    /* FaultReport.swift reads these from the file. */
    uint32_t calls;        /* in the two tables */
    _Atomic uint32_t hits; /* calls that failed */
    int32_t open_at_end;   /* open descriptors at exit; -1 if not reached */
    char path[1024];       /* of the file of the first hit; empty if none */
    char name[128][24];
    _Atomic uint32_t counts[128];
    _Atomic uint32_t later_length;
    char later[3072]; /* the paths of later hits, each with a NUL */

    uint8_t kind[128]; /* of each call: calls of a kind are counted together */
    int call;          /* the kind that fails; -1 for none */
    int error;
    uint32_t first;        /* its number, from 1; 0 for none */
    uint32_t last;         /* of the last one that fails */
    long short_length;     /* bytes that are transferred in place of an error */
    bool kills;            /* the process ends before the call */
    _Atomic bool is_begun; /* calls are counted, and may fail */

    struct fault_place library; /* the text of the library under test */
    struct fault_place blocks;  /* the text of the blocks runtime */
    struct fault_place program; /* whose dispatch objects are counted, too */
    _Atomic long blocks_alive;  /* memory and dispatch objects of the library */
    _Atomic long threads_alive; /* that the library created */
};

/* A program of scenarios defines it and exports it. */
extern struct fault_plan fault_plan __attribute__((weak));

static inline bool fault_is_from(struct fault_place place, const void *caller) {
    return (uintptr_t)caller >= place.begin && (uintptr_t)caller < place.end;
}

static inline bool fault_is_of_library(const void *caller) {
    return &fault_plan && (fault_is_from(fault_plan.library, caller) ||
                           fault_is_from(fault_plan.blocks, caller));
}

/* ---- of calls.c ----------------------------------------------------------------------- */

#define CALLER __builtin_return_address(0)

/* Counts a call. Returns true with errno set if it is to fail with an error. A NULL caller stands
   for any. */
bool fault_fails(enum fault_call call, const void *caller, int fd,
                 const char *path);

void fault_describe(int fd, const char *path, char *to, size_t room);

/* ---- of stops.c ----------------------------------------------------------------------- */

bool stops_are_set(void);

/* Called before each call that a fault can be in, and after those on files. */
void stops_enter(enum fault_call call, int fd, const char *path);
void stops_leave(void);

/* ---- of memory.c ---------------------------------------------------------------------- */

/* Tells that the program has started: before that it has no memory to spare, nor a way to say so. */
void fault_memory_begins(void);

/* Keeps the address of memory of the library, until it is freed. */
void *fault_track(void *memory, size_t size, const void *site);

/* Prints the places in the library that memory alive was allocated at, for a report. */
extern void faults_print_alive(int descriptor) __attribute__((weak));
