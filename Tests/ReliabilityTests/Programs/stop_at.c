/*
 * stop_at.c: runs a command, stops all its threads at chosen system calls, and
 * changes files meanwhile.
 *
 *     stop_at REPORT do ACTION WORD ... at enter|leave CALL N PATH do ACTION WORD ...
 *             -- COMMAND ...
 *
 * The actions before the first `at` are done before the command starts. The
 * N-th CALL (counted from 1, over all threads) on PATH is the stop; `enter` is
 * before the call, `leave` after it. PATH is compared with the path that the
 * call names, or that its descriptor was opened by. The actions after it are
 * done while every thread of the command stands still. A further `at` takes
 * effect after the first one was reached. REPORT gets a line for each stop that
 * was reached and for each action that failed. The exit status is that of the
 * command; 128 and the signal if a signal ended it.
 *
 * Long because it is one program: what it does at a stop needs what it knows of
 * the threads.
 *
 * CALL is one of the names in `calls`, ACTION one of those in `actions`.
 *
 * The command is traced by PTRACE_SEIZE: a thread can then be stopped at any
 * moment (PTRACE_INTERRUPT), and goes on as if nothing had happened. Children
 * of the command are not traced.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* linux/ptrace.h cannot be included beside sys/ptrace.h. */
struct call_info {
    uint8_t op; /* 1: before the call, 2: after it */
    uint8_t pad[3];
    uint32_t arch;
    uint64_t instruction, stack;
    uint64_t number, arguments[6];
};

#define GET_SYSCALL_INFO ((enum __ptrace_request)0x420e)

static FILE *report;

static void die(const char *what) {
    fprintf(stderr, "stop_at: %s: %s\n", what, strerror(errno));
    exit(125);
}

/* ---- actions ----------------------------------------------------------- */

static int fill_open(int fd, char byte, off_t offset, size_t length) {
    char *bytes = malloc(length);
    memset(bytes, byte, length);
    ssize_t written = pwrite(fd, bytes, length, offset);
    free(bytes);
    return written == (ssize_t)length ? 0 : -1;
}

/* Writes bytes into a file, which may be new. */
static int fill(char **word) {
    int fd = open(word[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    int result = fd < 0 ? -1
                        : fill_open(fd, word[1][0], atoll(word[2]),
                                    (size_t)atoll(word[3]));
    close(fd);
    return result;
}

/* Does the same, and sets the time of modification back. */
static int fill_silently(char **word) {
    struct stat before;
    if (stat(word[0], &before) != 0 || fill(word) != 0) {
        return -1;
    }
    struct timespec times[] = {before.st_atim, before.st_mtim};
    return utimensat(AT_FDCWD, word[0], times, 0);
}

/* The mapping that `map` has made and `store` writes to. */
static char *mapping;
static size_t mapped;

/* Maps a file, and writes its first bytes as they are, page by page. */
static int map(char **word) {
    struct stat status;
    int fd = open(word[0], O_RDWR | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0) {
        return -1;
    }
    mapped = (size_t)status.st_size;
    mapping = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return mapping == MAP_FAILED ? -1 : 0;
}

static int store(char **word) {
    memset(mapping, word[0][0], mapped);
    return 0;
}

static int punch(char **word) {
    int fd = open(word[0], O_WRONLY | O_CLOEXEC);
    int how = 3; /* FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE */
    int result = fallocate(fd, how, atoll(word[1]), atoll(word[2]));
    close(fd);
    return result;
}

static int do_rename(char **word) { return rename(word[0], word[1]); }
static int do_symlink(char **word) { return symlink(word[0], word[1]); }
static int do_link(char **word) { return link(word[0], word[1]); }
static int do_unlink(char **word) { return unlink(word[0]); }
static int do_mkdir(char **word) { return mkdir(word[0], 0755); }
static int do_mkfifo(char **word) { return mkfifo(word[0], 0644); }
static int do_truncate(char **word) {
    return truncate(word[0], atoll(word[1]));
}
static int do_chmod(char **word) {
    return chmod(word[0], (mode_t)strtol(word[1], NULL, 8));
}
static const struct action {
    const char *name;
    int words;
    int (*run)(char **word);
} actions[] = {
    {"chmod", 2, do_chmod}, /* PATH MODE */
    {"fill", 4, fill},      /* PATH BYTE OFFSET LENGTH */
    {"fill-silently", 4, fill_silently},
    {"link", 2, do_link},         /* OLD NEW */
    {"map", 1, map},              /* PATH */
    {"store", 1, store},          /* BYTE */
    {"mkdir", 1, do_mkdir},       /* PATH */
    {"mkfifo", 1, do_mkfifo},     /* PATH */
    {"punch", 3, punch},          /* PATH OFFSET LENGTH */
    {"rename", 2, do_rename},     /* OLD NEW */
    {"symlink", 2, do_symlink},   /* TARGET PATH */
    {"truncate", 2, do_truncate}, /* PATH LENGTH */
    {"unlink", 1, do_unlink},     /* PATH */
};

static const struct action *action_named(const char *name) {
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(actions[i].name, name) == 0) {
            return &actions[i];
        }
    }
    errno = EINVAL;
    die(name);
    return NULL;
}

/* ---- stops ------------------------------------------------------------- */

struct stop {
    bool is_leave;
    const char *call;
    int left; /* calls up to this one */
    char path[PATH_MAX];
    char **actions; /* up to the next stop */
};

static struct stop stops[8];
static char **first_actions; /* before the command starts */
static size_t stop_count, stops_done;

/* Writes the absolute path, without `.`, `//` and a slash at its end. Links are
   left as they are. */
static void normalize(char *to, const char *base, const char *path) {
    char whole[2 * PATH_MAX];
    snprintf(whole, sizeof whole, "%s/%s", path[0] == '/' ? "" : base, path);
    char *end = to, *rest = whole, *part;
    while ((part = strtok_r(rest, "/", &rest))) {
        if (strcmp(part, ".") != 0) {
            end += snprintf(end, (size_t)(to + PATH_MAX - end), "/%s", part);
        }
    }
    *end = '\0';
}

static void read_proc_link(char *to, pid_t pid, const char *entry) {
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/%s", pid, entry);
    ssize_t length = readlink(link, to, PATH_MAX - 1);
    to[length < 0 ? 0 : length] = '\0';
}

static void read_directory(char *to, pid_t pid, int fd) {
    char entry[32] = "cwd";
    if (fd != AT_FDCWD) {
        snprintf(entry, sizeof entry, "fd/%d", fd);
    }
    read_proc_link(to, pid, entry);
}

static void read_string(char *to, pid_t pid, uint64_t address) {
    size_t done = 0;
    while (done < PATH_MAX - 1) { /* not across a page that may be absent */
        size_t piece = 4096 - (address + done) % 4096;
        piece = piece < PATH_MAX - 1 - done ? piece : PATH_MAX - 1 - done;
        struct iovec local = {to + done, piece};
        struct iovec remote = {(void *)(uintptr_t)(address + done), piece};
        ssize_t got = process_vm_readv(pid, &local, 1, &remote, 1, 0);
        if (got <= 0) {
            break;
        }
        if (memchr(to + done, 0, (size_t)got)) {
            return;
        }
        done += (size_t)got;
    }
    to[done] = '\0';
}

/* The arguments of a call that lead to a path; -1 for none. */
static const struct call {
    const char *name;
    long number;
    int directory, path, descriptor;
} calls[] = {
    {"list", SYS_getdents64, -1, -1, 0}, {"open", SYS_openat, 0, 1, -1},
    {"open", SYS_openat2, 0, 1, -1},     {"stat", SYS_newfstatat, 0, 1, -1},
    {"stat", SYS_statx, 0, 1, -1},       {"read", SYS_read, -1, -1, 0},
    {"read", SYS_pread64, -1, -1, 0},    {"close", SYS_close, -1, -1, 0},
    {"rename", SYS_renameat, 2, 3, -1},  {"rename", SYS_renameat2, 2, 3, -1},
#ifdef SYS_rename
    {"rename", SYS_rename, -1, 1, -1},
#endif
    {"fstat", SYS_fstat, -1, -1, 0},
};

/* Finds the name of a call (fstat for a status by descriptor) and its path. */
static const char *identify(const struct call_info *info, pid_t pid,
                            char *path) {
    const struct call *call = NULL;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if ((uint64_t)calls[i].number == info->number) {
            call = &calls[i];
        }
    }
    path[0] = '\0';
    if (!call) {
        return NULL;
    }
    if (call->descriptor >= 0) {
        read_directory(path, pid, (int)info->arguments[call->descriptor]);
        return call->name;
    }
    char base[PATH_MAX], name[PATH_MAX];
    read_string(name, pid, info->arguments[call->path]);
    read_directory(base, pid,
                   call->directory < 0 ? AT_FDCWD
                                       : (int)info->arguments[call->directory]);
    if (name[0] == '\0') {
        strcpy(path, base);
        return "fstat";
    }
    normalize(path, base, name);
    return call->name;
}

/* True if this call is the one to stop at. */
static bool is_at_stop(const struct call_info *info, pid_t pid) {
    char path[PATH_MAX];
    if (stops_done == stop_count) {
        return false;
    }
    struct stop *stop = &stops[stops_done];
    const char *name = identify(info, pid, path);
    return name && strcmp(name, stop->call) == 0 &&
           strcmp(path, stop->path) == 0 && --stop->left == 0;
}

/* ---- threads ----------------------------------------------------------- */

struct thread {
    pid_t id;
    bool is_stopped;
    int status; /* of a stop that is not yet handled */
    bool is_to_handle;
    bool is_leaving; /* the call that it is in is the one to stop at */
};

static struct thread threads[512];
static size_t thread_count;

static struct thread *thread_of(pid_t id) {
    for (size_t i = 0; i < thread_count; i++) {
        if (threads[i].id == id) {
            return &threads[i];
        }
    }
    if (thread_count == sizeof threads / sizeof *threads) {
        errno = EAGAIN;
        die("threads");
    }
    threads[thread_count] = (struct thread){.id = id};
    return &threads[thread_count++];
}

static void forget(struct thread *thread) { *thread = threads[--thread_count]; }

/* Stops all other threads, and keeps what they have to report. */
static void stop_others(const struct thread *but) {
    for (size_t i = 0; i < thread_count; i++) {
        struct thread *thread = &threads[i];
        if (thread == but || thread->is_stopped || thread->is_to_handle) {
            continue;
        }
        ptrace(PTRACE_INTERRUPT, thread->id, NULL, NULL);
        int status;
        if (waitpid(thread->id, &status, __WALL) == thread->id) {
            thread->status = status;
            thread->is_to_handle = true;
        }
    }
}

static void run_actions(char **word) {
    while (*word && strcmp(*word, "do") == 0) {
        const struct action *action = action_named(word[1]);
        if (action->run(word + 2) != 0) {
            fprintf(report, "failed: %s %s: %s\n", action->name,
                    action->words ? word[2] : "", strerror(errno));
        }
        word += 2 + action->words;
    }
}

static void reach(const struct thread *thread) {
    struct stop *stop = &stops[stops_done++];
    stop_others(thread);
    fprintf(report, "reached: %s %s\n", stop->call, stop->path);
    run_actions(stop->actions);
    fflush(report);
}

/* Handles a stop before or after a system call. */
static void handle_call(struct thread *thread) {
    struct call_info info;
    if (ptrace(GET_SYSCALL_INFO, thread->id, (void *)sizeof info, &info) < 0) {
        return;
    }
    if (info.op == 1 && is_at_stop(&info, thread->id)) {
        if (stops[stops_done].is_leave) {
            thread->is_leaving = true;
        } else {
            reach(thread);
        }
    } else if (info.op == 2 && thread->is_leaving) {
        thread->is_leaving = false;
        reach(thread);
    }
}

/* Handles what a thread reports, and lets it go on. Returns false for the end
   of the thread. */
static bool handle(struct thread *thread, int status) {
    if (!WIFSTOPPED(status)) {
        return false;
    }
    int signal = WSTOPSIG(status), event = status >> 16;
    thread->is_stopped = true;
    if (signal == (SIGTRAP | 0x80)) {
        handle_call(thread);
        signal = 0;
    } else if (event == PTRACE_EVENT_CLONE) {
        unsigned long id;
        ptrace(PTRACE_GETEVENTMSG, thread->id, NULL, &id);
        thread_of((pid_t)id);
        signal = 0;
    } else if (event) {
        signal = 0;
    }
    thread->is_stopped = false;
    ptrace(PTRACE_SYSCALL, thread->id, NULL, (void *)(uintptr_t)signal);
    return true;
}

/* Traces the command to its end. Returns its status. */
static int trace(pid_t pid) {
    for (;;) {
        struct thread *thread = NULL;
        int status;
        for (size_t i = 0; i < thread_count && !thread; i++) {
            thread = threads[i].is_to_handle ? &threads[i] : NULL;
        }
        if (thread) {
            status = thread->status;
            thread->is_to_handle = false;
        } else {
            pid_t id = waitpid(-1, &status, __WALL);
            if (id < 0) {
                die("waitpid");
            }
            thread = thread_of(id);
        }
        pid_t id = thread->id;
        if (!handle(thread, status)) {
            if (id == pid) {
                return status;
            }
            forget(thread);
        }
    }
}

/* ---- command line ------------------------------------------------------ */

static char **skip_actions(char **word) {
    while (word[0] && strcmp(word[0], "do") == 0) {
        word += 2 + action_named(word[1])->words;
    }
    return word;
}

/* Reads the stops; returns the command. */
static char **parse(char **word) {
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here)) {
        die("getcwd");
    }
    first_actions = word;
    word = skip_actions(word);
    while (word[0] && strcmp(word[0], "at") == 0) {
        struct stop *stop = &stops[stop_count++];
        stop->is_leave = strcmp(word[1], "leave") == 0;
        stop->call = word[2];
        stop->left = atoi(word[3]);
        normalize(stop->path, here, word[4]);
        stop->actions = word + 5;
        word = skip_actions(word + 5);
    }
    if (!word[0] || strcmp(word[0], "--") != 0 || !word[1]) {
        errno = EINVAL;
        die("command line");
    }
    return word + 1;
}

/* Lets the command read what it would map: bytes of a mapping come without a call to stop at. */
static void forbid_mapping(void) {
    enum { CACHESTAT = 451 };
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CACHESTAT, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        _exit(126);
    }
}

int main(int count, char **word) {
    if (count < 4) {
        errno = EINVAL;
        die("command line");
    }
    char **command = parse(word + 2);
    report = fopen(word[1], "we");
    int ready[2];
    if (!report || pipe2(ready, O_CLOEXEC) != 0) {
        die(word[1]);
    }
    run_actions(first_actions);
    fflush(report);
    pid_t pid = fork();
    if (pid == 0) {
        char byte;
        if (read(ready[0], &byte, 1) == 1) {
            forbid_mapping();
            execvp(command[0], command);
        }
        _exit(127);
    }
    long options = PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE |
                   PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;
    if (pid < 0 || ptrace(PTRACE_SEIZE, pid, NULL, (void *)options) != 0 ||
        ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0) {
        die("ptrace");
    }
    thread_of(pid);
    if (write(ready[1], "", 1) != 1) {
        die("write");
    }
    int status = trace(pid);
    fclose(report);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
