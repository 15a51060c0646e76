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

const struct fault_kind fault_kinds[] = {
    {{CALL_malloc, CALL_calloc, CALL_realloc, CALL_aligned_alloc,
      CALL_posix_memalign, CALL_strdup, CALL_realpath},
     {ENOMEM}},
    {{CALL_pthread_create}, {EAGAIN}},
    {{CALL_pthread_key_create, CALL_pthread_setspecific,
      CALL_pthread_attr_init},
     {ENOMEM}},
    {{CALL_openat, CALL_open, CALL_mkostemp},
     {EIO, EINTR, EAGAIN, ENOMEM, EMFILE, ENFILE, ESTALE, ETIMEDOUT}},
    {{CALL_openat2},
     {EIO, EINTR, EAGAIN, ENOMEM, EMFILE, ENFILE, ESTALE, ETIMEDOUT, EPERM,
      ENOSYS}},
    {{CALL_getdents64}, {EIO, EINTR, ENOMEM, ESTALE, ETIMEDOUT, FAULT_SHORT}},
    {{CALL_fstat, CALL_fstatat, CALL_stat},
     {EIO, EINTR, ENOMEM, ESTALE, ETIMEDOUT}},
    {{CALL_fstatfs, CALL_statfs}, {EIO, EINTR, ENOMEM, ESTALE}},
    {{CALL_read}, {EIO, EINTR, EAGAIN, ENOMEM, ESTALE, ETIMEDOUT, FAULT_SHORT}},
    {{CALL_pread},
     {EIO, EINTR, EAGAIN, ENOMEM, ESTALE, ETIMEDOUT, FAULT_SHORT}},
    {{CALL_write}, {EIO, EINTR, EAGAIN, ENOSPC, EDQUOT, FAULT_SHORT}},
    {{CALL_lseek}, {EIO, ESPIPE}},
    {{CALL_poll}, {EINTR, ENOMEM}},
    {{CALL_fcntl}, {EMFILE, EAGAIN}},
    {{CALL_pipe2}, {EMFILE, ENFILE}},
    {{CALL_clone}, {EAGAIN, ENOMEM}},
    {{CALL_waitpid}, {EINTR}},
    {{CALL_dup2, CALL_chdir}, {EIO, EMFILE, ENOMEM}},
    {{CALL_execve}, {EIO, ENOMEM, EAGAIN, EMFILE}},
    {{CALL_pidfd_open}, {EMFILE, ENOMEM, ENOSYS}},
    {{CALL_readlink, CALL_readlinkat}, {EIO, ENOMEM, ESTALE, ETIMEDOUT}},
    {{CALL_getrlimit, CALL_setrlimit}, {EPERM, EINVAL}},
    {{CALL_sched_getaffinity, CALL_sched_setaffinity}, {EINVAL, EPERM}},
    {{CALL_getrusage}, {EINVAL}},
    {{CALL_fopen, CALL_opendir, CALL_readdir, CALL_getline},
     {EIO, EMFILE, ENFILE, ENOMEM, ETIMEDOUT, EACCES}},
    {{CALL_rename}, {EIO, ENOSPC, EROFS}},
    {{0}, {0}}};

/* weir_descriptor_retry, weir_file_read and a short read, by their contracts. */
bool must_be_handled(const char *scenario, struct fault fault) {
    bool has_files =
        strncmp(scenario, "files", 5) == 0 || strncmp(scenario, "walk", 4) == 0;
    if (fault.first != fault.last) {
        return false;
    }
    switch (fault.kind) {
    case CALL_openat:
    case CALL_openat2:
        return has_files && (fault.error == EINTR || fault.error == EMFILE ||
                             fault.error == ENFILE || fault.error == EPERM ||
                             fault.error == ENOSYS);
    case CALL_read:
    case CALL_pread:
    case CALL_poll:
        return has_files &&
               (fault.error == EINTR || fault.error == FAULT_SHORT);
    case CALL_waitpid:
        return true;
    case CALL_pthread_create: /* EAGAIN is a result of weir_inspect_on_signal */
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
