/*
 * scenario_answers.c: compares the answers of a run with a fault and of one
 * without.
 *
 * DESIGN. A run over files answers with a line a file, "F", path, outcome, error
 * and content, and a last line "R" with the result of the run. A file may have
 * the injected error in place of its content, a directory in place of all that
 * is below it, and a list of names in place of all that follows. A run that ends
 * with the injected error may lack the end. Nothing else may differ: neither
 * the order, nor the content, nor a file that is missing without a word. Every
 * other scenario has the same answer unless a call has reported the error.
 */
#include "scenario_answers.h"

#include "scenarios.h"

const struct fault_errors fault_kinds[FAULT_KINDS] = {
    [FAULT_MEMORY] = {"malloc", {ENOMEM}},
    [FAULT_THREAD] = {"pthread_create", {EAGAIN}},
    [FAULT_KEY] = {"pthread_key", {ENOMEM}},
    [FAULT_OPEN] = {"openat",
                    {EIO, EINTR, EAGAIN, ENOMEM, EMFILE, ENFILE, ESTALE,
                     ETIMEDOUT}},
    [FAULT_BENEATH] = {"openat2",
                       {EIO, EINTR, EAGAIN, ENOMEM, EMFILE, ENFILE, ESTALE,
                        ETIMEDOUT, EPERM, ENOSYS}},
    [FAULT_DIRECTORY] = {"getdents64",
                         {EIO, EINTR, ENOMEM, ESTALE, ETIMEDOUT, FAULT_SHORT}},
    [FAULT_STAT] = {"fstat", {EIO, EINTR, ENOMEM, ESTALE, ETIMEDOUT}},
    [FAULT_STATFS] = {"fstatfs", {EIO, EINTR, ENOMEM, ESTALE}},
    [FAULT_READ] = {"read",
                    {EIO, EINTR, EAGAIN, ENOMEM, ESTALE, ETIMEDOUT,
                     FAULT_SHORT}},
    [FAULT_PREAD] = {"pread",
                     {EIO, EINTR, EAGAIN, ENOMEM, ESTALE, ETIMEDOUT,
                      FAULT_SHORT}},
    [FAULT_WRITE] = {"write",
                     {EIO, EINTR, EAGAIN, ENOSPC, EDQUOT, FAULT_SHORT}},
    [FAULT_SEEK] = {"lseek", {EIO, ESPIPE}},
    [FAULT_POLL] = {"poll", {EINTR, ENOMEM}},
    [FAULT_FCNTL] = {"fcntl", {EMFILE, EAGAIN}},
    [FAULT_PIPE] = {"pipe2", {EMFILE, ENFILE}},
    [FAULT_CLONE] = {"clone", {EAGAIN, ENOMEM}},
    [FAULT_WAIT] = {"waitpid", {EINTR}},
    [FAULT_CHILD] = {"dup2", {EIO, EMFILE, ENOMEM}},
    [FAULT_EXEC] = {"execve", {EIO, ENOMEM, EAGAIN, EMFILE}},
    [FAULT_PIDFD] = {"pidfd_open", {EMFILE, ENOMEM, ENOSYS}},
    [FAULT_LINK] = {"readlink", {EIO, ENOMEM, ESTALE, ETIMEDOUT}},
    [FAULT_LIMIT] = {"getrlimit", {EPERM, EINVAL}},
    [FAULT_AFFINITY] = {"sched_getaffinity", {EINVAL, EPERM}},
    [FAULT_USAGE] = {"getrusage", {EINVAL}},
    [FAULT_STREAM] = {"fopen",
                      {EIO, EMFILE, ENFILE, ENOMEM, ETIMEDOUT, EACCES}},
    [FAULT_RENAME] = {"rename", {EIO, ENOSPC, EROFS}},
};

enum fault_kind find_kind(const char *name) {
    for (int i = 0; i < FAULT_KINDS; i++) {
        if (strcmp(fault_kinds[i].name, name) == 0) {
            return (enum fault_kind)i;
        }
    }
    return FAULT_KINDS;
}

/* weir_descriptor_retry, weir_file_read and a short read, by their contracts. */
bool must_be_handled(const char *scenario, struct fault fault) {
    bool has_files =
        strncmp(scenario, "files", 5) == 0 || strncmp(scenario, "walk", 4) == 0;
    if (fault.first != fault.last) {
        return false;
    }
    switch (fault.kind) {
    case FAULT_OPEN:
    case FAULT_BENEATH:
        return has_files && (fault.error == EINTR || fault.error == EMFILE ||
                             fault.error == ENFILE || fault.error == EPERM ||
                             fault.error == ENOSYS);
    case FAULT_READ:
    case FAULT_PREAD:
    case FAULT_POLL:
        return has_files &&
               (fault.error == EINTR || fault.error == FAULT_SHORT);
    case FAULT_WAIT:
        return true;
    case FAULT_THREAD: /* EAGAIN is a result of weir_inspect_on_signal */
        return strcmp(scenario, "inspect") != 0;
    default:
        return fault.error == FAULT_SHORT;
    }
}

struct line {
    const char *text;
    size_t length;
    const char *path; /* in a line of a file */
    size_t path_length;
    int outcome;
    int error;
};

/* Reads the line at a place. Returns false at the end. */
static bool read_line(const char *at, struct line *line) {
    *line = (struct line){.text = at, .length = strcspn(at, "\n")};
    if (strncmp(at, "F\t", 2) == 0) {
        line->path = at + 2;
        line->path_length = strcspn(line->path, "\t");
        sscanf(line->path + line->path_length, "%d %d", &line->outcome,
               &line->error);
    } else if (strncmp(at, "R\t", 2) == 0) {
        line->error = atoi(at + 2);
    }
    return *at != '\0';
}

static const char *after(const struct line *line) {
    return line->text + line->length + (line->text[line->length] == '\n');
}

static bool is_same(const struct line *a, const struct line *b) {
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* True if the failure of a path stands for a line: that of the path, of what is
   below it, or of any name in the list of names. */
static bool stands_for(const struct line *failed, const struct line *line) {
    if (strncmp(failed->path, "names\t", 6) == 0) { /* the next source */
        return line->path && strncmp(line->path, "single\t", 7) != 0;
    }
    size_t length = failed->path_length;
    return line->path && line->path_length >= length &&
           memcmp(line->path, failed->path, length) == 0 &&
           (line->path[length] == '/' || line->path[length] == '\t');
}

/* WEIR_FILE_CHANGED tells that the content is not certain; EBADF is the job's
   own error if it gets no descriptor. */
static bool is_failure(const struct line *line) {
    return line->path && (is_injected(line->error) || line->outcome == 4 ||
                          line->error == EBADF);
}

static void check_files(const struct shared *shared) {
    struct line normal, now;
    const char *at = shared->normal_answer, *place = shared->answer;
    long failures = 0;
    bool is_cut = false;
    /* A run without an order that was ended lacks files anywhere. */
    bool is_sparse = shared->is_unordered && shared->result != 0 &&
                     is_injected(shared->result);
    for (; read_line(place, &now); place = after(&now)) {
        (void)read_line(at, &normal);
        while (is_sparse && *at && !is_same(&now, &normal)) {
            at = after(&normal);
            (void)read_line(at, &normal);
        }
        if (is_same(&now, &normal)) {
            at = after(&normal);
        } else if (is_failure(&now)) {
            failures++;
            while (read_line(at, &normal) && stands_for(&now, &normal)) {
                at = after(&normal);
            }
        } else if (now.text[0] == 'R' && is_injected(now.error)) {
            is_cut = true;
        } else {
            wrong("got: %.*s\nin place of: %.*s", (int)now.length, now.text,
                  (int)normal.length, normal.text);
            return;
        }
    }
    if (*at && !is_cut && shared->failures == 0) {
        wrong("without a word, from here on: %.80s", at);
    }
    if (shared->is_whole_answer && (failures || is_cut)) {
        wrong("reported an error that was to be handled");
    }
    if (failures > shared->injected) {
        wrong("%ld failures of %ld faults", failures, shared->injected);
    }
}

void check_answer(const struct shared *shared) {
    if (strncmp(shared->normal_answer, "F\t", 2) == 0) {
        check_files(shared);
    } else if (shared->failures == 0 &&
               strcmp(shared->answer, shared->normal_answer) != 0) {
        wrong("another answer, without a word: %.300s", shared->answer);
    }
    if (shared->is_whole_answer && shared->failures > 0) {
        wrong("reported an error that was to be handled");
    }
}
