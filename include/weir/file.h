/*
 * weir/file.h: one file of a file processor: its result, and the calls that its
 * job makes on it.
 *
 * A job makes the calls while it runs, on its thread (weir_file_read_at on
 * any). The file is classified when the job first reads it, or asks for its
 * status or its descriptor. If it is not to be read after all (a FIFO has taken
 * its place, or it is excluded), or with WEIR_FILES_OPEN_LATE cannot be opened,
 * reading reports an error, and the result of the job counts for nothing.
 */
#ifndef WEIR_FILE_H
#define WEIR_FILE_H

#include <sys/stat.h>

#include <weir/base.h>
#include <weir/walk.h>

WEIR_BEGIN_DECLS

/*! One open file, during a job. */
typedef struct weir_file_s weir_file_t;

/* ---- results ----------------------------------------------------------- */

/*!
 * @constant WEIR_FILE_DONE    the job ran and returned 0
 * @constant WEIR_FILE_FAILED  the file could not be opened or read, or the job
 *                             returned an error, or a directory (by its type)
 *                             could not be read
 * @constant WEIR_FILE_SPECIAL a FIFO, a socket or a device, which was not read
 *                             (but opened if it is a WEIR_ITEM_FILE)
 * @constant WEIR_FILE_NOTED   no file: a WEIR_ITEM_NOTE
 * @constant WEIR_FILE_CHANGED the job returned 0, but the regular file that it
 *                             read from, or asked for the descriptor of, was
 *                             written to, cut short or (error is ENOENT)
 *                             removed or replaced meanwhile; or it took several
 *                             reads and its st_ctime changed: a rename, or a
 *                             new name, mode or owner, is like a write that set
 *                             the time back. The output is dropped.
 * @constant WEIR_FILE_DIRECTORY a directory of a walk, before its entries; with
 *                             WEIR_FILES_WHOLE_TREE alone
 * @constant WEIR_FILE_LINK    a symbolic link that a walk did not follow; with
 *                             WEIR_FILES_WHOLE_TREE alone. Its output is its
 *                             target.
 */
typedef enum {
    WEIR_FILE_DONE = 0,
    WEIR_FILE_FAILED = 1,
    WEIR_FILE_SPECIAL = 2,
    WEIR_FILE_NOTED = 3,
    WEIR_FILE_CHANGED = 4,
    WEIR_FILE_DIRECTORY = 5,
    WEIR_FILE_LINK = 6
} weir_file_outcome_t;

/*!
 * @field path          as it was named, or the named root and the relative path
 *                      from there; ends in NUL
 * @field path_length   in bytes, without the NUL
 * @field outcome       see above
 * @field type          as far as known
 * @field error         an errno value for WEIR_FILE_FAILED; 0 or ENOENT for
 *                      WEIR_FILE_CHANGED
 * @field named         true for a source itself, false for a file that a walk
 *                      has found
 * @field bytes         the number of bytes read
 * @field size          of a regular file whose status was asked for: the last
 *                      one known; else 0
 * @field output        the output of the job; for a WEIR_FILE_LINK the target,
 *                      which is not in the output of the batch; not
 *                      NUL-terminated
 * @field output_length in bytes; 0 unless outcome is WEIR_FILE_DONE or
 *                      WEIR_FILE_LINK
 * @field note          the note of its item, or by `annotate`; aligned to 8;
 *                      NULL for none
 * @field note_length   in bytes
 * @field source        the index of its source in the run
 */
typedef struct {
    const char *path;
    size_t path_length;
    weir_file_outcome_t outcome;
    weir_entry_type_t type;
    int error;
    bool named;
    uint64_t bytes;
    uint64_t size;
    const char *WEIR_NULLABLE output;
    size_t output_length;
    const void *WEIR_NULLABLE note;
    size_t note_length;
    size_t source;
    uintptr_t reserved[4];
} weir_file_result_t;

/*!
 * Files that are read by one lane and delivered together.
 *
 * @field results       one per file, in order
 * @field count         the number of results
 * @field output        the output of all jobs, one after the other, so that one
 *                      write can send it
 * @field output_length in bytes
 */
typedef struct {
    const weir_file_result_t *results;
    size_t count;
    const char *WEIR_NULLABLE output;
    size_t output_length;
    uintptr_t reserved[4];
} weir_files_batch_t;

/*!
 * @param batch The batch that `deliver` was called with, not a copy, during
 *              that call.
 * @param index The index of a result.
 *
 * @result The value that the job set before it returned 0, or the error of a
 * WEIR_FILE_FAILED, which the value may then explain; NULL for any other file.
 * The processor keeps owning it.
 */
WEIR_EXPORT void *WEIR_NULLABLE
weir_files_batch_value(const weir_files_batch_t *batch, size_t index);

/* ---- the job's calls --------------------------------------------------- */

/*!
 * @result The path as in weir_file_result_t. Its length, in bytes, is written
 * unless length is NULL.
 */
WEIR_EXPORT const char *weir_file_path(const weir_file_t *file,
                                       size_t *WEIR_NULLABLE length);

/*!
 * @result The note as in weir_file_result_t. Its length, in bytes, is written
 * unless length is NULL.
 */
WEIR_EXPORT const void *WEIR_NULLABLE
weir_file_note(const weir_file_t *file, size_t *WEIR_NULLABLE length);

/*!
 * Reads the status of a file that is not open yet, under WEIR_FILES_OPEN_LATE,
 * by one fstatat, which follows a symbolic link if an open would; of an open
 * file as weir_file_status. A job that finds its file as it was need not open
 * it. If the path leads to nothing to be read (special, excluded, a directory,
 * a link that is not to be followed), the file is not opened any more, and its
 * outcome is as if it had been.
 *
 * @result 0 or an errno value, which does not decide the outcome of the file.
 * Blocks as the file system does.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_file_stat_path(weir_file_t *file,
                                                     struct stat *status);

/*! @result The open descriptor, which Weir closes; -1 if the file could not be
 *  opened or the descriptor moved. It stands after the bytes of weir_file_read,
 *  a source's own as it was. Blocks as the file system does. */
WEIR_EXPORT int weir_file_descriptor(const weir_file_t *file);

/*! @result The last status by fstat; all zero if the file could not be opened.
 *  Costs an fstat before the first read. Blocks as the file system does. */
WEIR_EXPORT const struct stat *weir_file_status(const weir_file_t *file);

/*!
 * Reads the next piece of the file into the lane's buffer, or with
 * WEIR_FILES_MAPPED, maps it.
 *
 * @param bytes  Receives the address of the piece; valid until the next read.
 * @param length Receives its length, at most that of the buffer (256 KiB to 1
 *               MiB); 0 at the end of the file.
 *
 * @result 0 or an errno value, which the job returns to make it the outcome of
 * the file. EINTR is handled, and ESTALE as far as possible. ECANCELED some
 * time after the run was stopped: see weir_files_cancel. Blocks as the file
 * system does.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_file_read(weir_file_t *file, const void *WEIR_NULLABLE *WEIR_NONNULL bytes,
               size_t *length);

/*!
 * Reads at an offset: for jobs that read a large file by several threads. May
 * be called from any thread, and from several at once, after a call of
 * weir_file_descriptor on the job's own thread, whose offset stays. The job
 * must not return before all calls have.
 *
 * @param file   A file that can be read at any offset: a regular file or a
 *               block device.
 * @param offset From the beginning of the file.
 * @param bytes  Receives the bytes.
 * @param size   The most bytes to read.
 * @param length Receives the number of bytes read; 0 after the end.
 *
 * @result 0 or an errno value as from weir_file_read; EBADF if the descriptor
 * was not asked for, or the file is not to be read. Blocks as the file system
 * does.
 */
WEIR_EXPORT WEIR_WARN_RESULT int weir_file_read_at(const weir_file_t *file,
                                                   uint64_t offset, void *bytes,
                                                   size_t size, size_t *length);

/*!
 * Reserves room for at least `length` bytes of output of this file, after its
 * output so far.
 *
 * @result The place to write to; valid until the next reserve. NULL if memory
 * is short.
 */
WEIR_EXPORT char *WEIR_NULLABLE weir_file_reserve(weir_file_t *file,
                                                  size_t length);

/*! Adds the first `length` bytes of the reserved room to the output. */
WEIR_EXPORT void weir_file_commit(weir_file_t *file, size_t length);

/*! Reserves, copies and commits. @result 0 or ENOMEM. */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_file_write(weir_file_t *file, const void *bytes, size_t length);

/*!
 * Keeps a value of the job for weir_files_batch_value.
 *
 * @param value Any pointer but NULL, which the processor owns from here on:
 *              value_drop is called with it exactly once, at the latest before
 *              the run ends. A second value replaces the first. Without
 *              value_drop a number may stand for the pointer: (void
 *              *)(uintptr_t)(count + 1).
 */
WEIR_EXPORT void weir_file_set_value(weir_file_t *file, void *value);

/*!
 * Returns the bytes that a job of this run has left with weir_file_remember for
 * another name of the same file (a hard link), so that this job need not read
 * it.
 *
 * @discussion To be called before the file is read. If there are no such bytes,
 * this job reads the file, and jobs that meet another name of it meanwhile wait
 * for this job to end, which must not wait for theirs.
 *
 * For a file with one name this costs no system call. The bytes are for the
 * same device, inode, size and times. They take 8 MiB together; the oldest are
 * forgotten first.
 *
 * @result The bytes, valid until the job ends, and their number; NULL if there
 * are none. May wait.
 */
WEIR_EXPORT const void *WEIR_NULLABLE weir_file_remembered(weir_file_t *file,
                                                           size_t *length);

/*!
 * True if weir_file_remember is of use: weir_file_remembered gave nothing, and
 * the file has other names. Known after the first read.
 */
WEIR_EXPORT bool weir_file_is_awaited(const weir_file_t *file);

/*!
 * Leaves some bytes, for example a digest, for the other names of the file;
 * copied. They are kept if weir_file_is_awaited, the job returns 0 and the file
 * has not changed meanwhile; more than 512 KiB are not. A second call replaces
 * the bytes of the first.
 */
WEIR_EXPORT void weir_file_remember(weir_file_t *file, const void *bytes,
                                    size_t length);

WEIR_END_DECLS

#endif /* WEIR_FILE_H */
