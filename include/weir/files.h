/*
 * weir/files.h: a job for every file of a set: many files through few
 * descriptors.
 *
 * The files are packed into batches. Before a batch is submitted to the lanes,
 * the descriptors it needs are taken from weir_descriptor_gate; a lane opens
 * each file, checks the type of the open file, and calls the job. A lane
 * without work takes files of another lane's batch, after a millisecond, if
 * there are descriptors for them. The output of a batch, or of the part of a
 * lane, is delivered in one piece, in the order of the files (or as they are
 * completed), never two pieces at a time. Nothing grows with the number of
 * files.
 *
 * A file that a walk has found is opened below the root of that walk: it fails
 * with ELOOP or ENOTDIR if a symbolic link has replaced it, or a directory
 * above it. A small file takes four system calls, and up to two more below the
 * first level of a tree.
 *
 * weir/sources.h has the ways to name the files, and weir/file.h the calls that
 * a job makes on its file, and the result.
 */
#ifndef WEIR_FILES_H
#define WEIR_FILES_H

#include <sys/stat.h>

#include <weir/base.h>
#include <weir/file.h>
#include <weir/sources.h>
#include <weir/walk.h>

WEIR_BEGIN_DECLS

/*! A file processor; counted. */
typedef struct weir_files_s *weir_files_t;

/* ---- creating ---------------------------------------------------------- */

/*!
 * @constant WEIR_FILES_FOLLOW     follow symbolic links that a walk meets;
 *                                 without it they are skipped and counted
 * @constant WEIR_FILES_UNORDERED  deliver batches as they are completed
 * @constant WEIR_FILES_ONE_FILE_SYSTEM do not enter other devices
 * @constant WEIR_FILES_LITERAL    treat names as open(2) and read(2) do: a
 *                                 directory is not walked, and its job reads
 *                                 EISDIR; a FIFO or a device is opened, and may
 *                                 be waited for, after all files before it and
 *                                 before all that follow; nothing is excluded
 *                                 or mapped
 * @constant WEIR_FILES_OPEN_LATE  open the file of a path when its job first
 *                                 reads it, or asks for its descriptor, its
 *                                 status or the bytes remembered for it. If a
 *                                 job does none of these, its file is done if
 *                                 the job returns 0, whatever the path leads
 *                                 to, unless weir_file_stat_path has found
 *                                 nothing to be read.
 * @constant WEIR_FILES_WHOLE_TREE deliver the directories of a walk too, and
 *                                 the symbolic links that it does not follow,
 *                                 in their places, without a job or `annotate`
 * @constant WEIR_FILES_WITH_GAPS  after weir_files_cancel, deliver each file
 *                                 that has ended, in order, also after files
 *                                 that have not
 * @constant WEIR_FILES_MAPPED     map files of several mebibytes, after a call
 *                                 of weir_files_handle_bus_errors, if they are
 *                                 in the page cache of a local file system in
 *                                 pages so large that this is faster than
 *                                 reading (Linux 6.5). A mapped piece cannot be
 *                                 written to, and it changes if the file does,
 *                                 which then ends as WEIR_FILE_CHANGED.
 */
typedef enum {
    WEIR_FILES_FOLLOW = 1,
    WEIR_FILES_UNORDERED = 2,
    WEIR_FILES_ONE_FILE_SYSTEM = 4,
    WEIR_FILES_LITERAL = 8,
    WEIR_FILES_OPEN_LATE = 16,
    WEIR_FILES_WHOLE_TREE = 32,
    WEIR_FILES_WITH_GAPS = 64,
    WEIR_FILES_MAPPED = 128
} weir_files_flags_t;

/*!
 * The answer of `select` to an entry.
 *
 * @constant WEIR_SELECT_TAKE  process the entry
 * @constant WEIR_SELECT_SKIP  skip the entry; the content of a directory is
 *                             still walked
 * @constant WEIR_SELECT_PRUNE skip the entry and the content of a directory
 */
typedef enum {
    WEIR_SELECT_TAKE = 0,
    WEIR_SELECT_SKIP = 1,
    WEIR_SELECT_PRUNE = 2
} weir_selection_t;

/*!
 * The options of a processor. Zeroed fields mean the default.
 *
 * @field label        a name for messages and traces; copied
 * @field jobs         the number of lanes: 0 for one per core, or
 *                     WEIR_LANES_INLINE to do everything on the caller's thread
 * @field descriptors  the limit on open descriptors of the lanes, within the
 *                     process-wide budget; 0 for that budget alone
 * @field flags        of weir_files_flags_t
 * @field files_per_batch the most files of a batch; 0 for 64
 * @field user         passed to all functions below
 * @field lane_create  makes the context of a lane, from user and the number of
 *                     the lane, before weir_files_create returns, or during a
 *                     run for a lane that jobs_max adds
 * @field lane_destroy frees one, on any thread, soon after the last reference
 *                     to the processor is gone
 * @field job          called on a lane for each file; returns 0 or an errno
 *                     value. Required. A job that takes descriptors of its own
 *                     must not wait for them at weir_descriptor_gate without a
 *                     time-out, since the files of the lanes may hold all
 *                     permits: set `permits`.
 * @field deliver      called with each batch, never two at a time, on any
 *                     thread; returns 0, or an errno value to stop the run. A
 *                     slow one slows the lanes.
 * @field exclude      files (by device and inode) that are skipped without a
 *                     result, even if they are named: the output file, for
 *                     instance. Copied.
 * @field exclude_count the number of files to exclude
 * @field begun        called once per run, on the caller's thread, when
 *                     weir_files_cancel takes effect
 * @field value_drop   called for every value that a job has set, on any thread,
 *                     after the delivery of its file or instead of it
 * @field admit        called on the caller's thread before descriptors are
 *                     taken for a batch; returns 0, or an errno value to stop
 *                     the run. May wait for a slow receiver. `deliver` should
 *                     not: while it waits, the batches in the backlog hold
 *                     descriptors that the receiver may need. While `admit`
 *                     waits, the files of up to 64 batches are delivered (with
 *                     more than 32 lanes, of 32 batches more than lanes; and of
 *                     one more for each lane that jobs_max may add).
 *                     weir_files_cancel does not wake it.
 * @field filters      the names that a walk skips or takes; copied
 * @field filter_count the number of filters
 * @field max_depth    the depth of a walk: 1 for the entries of a named
 *                     directory, 0 for no limit
 * @field annotate     called on the caller's thread, in order, for each path
 *                     before its job, unless it has the note of an item or is
 *                     known to fail or to be special. `source` is the index of
 *                     its source, found->depth is 0 for a named file, and the
 *                     numbers in found->directory are unique in the run.
 *                     Returns the file's note, which is copied, and writes its
 *                     length; or NULL for none. Delays the search for files.
 * @field permits      the number of descriptors that a batch with files to open
 *                     takes from the budget, or as many as the budget has; 0
 *                     for two, a directory and a file. For a job that opens
 *                     more itself.
 * @field jobs_max     the most lanes, if their number may follow the storage: a
 *                     run begins with `jobs` lanes, gets more while these wait
 *                     for the storage and cores are idle, and fewer when that
 *                     stops. Three quarters of the descriptors may limit the
 *                     number further. 0 keeps it at `jobs`. lane_create is
 *                     called for an added lane on a lane, one at a time, and if
 *                     it returns NULL, no more are added. A job that waits for
 *                     anything but files counts as waiting for the storage.
 * @field select       called as `annotate`, but for each entry of a walk and
 *                     each named path whose status was read, also for
 *                     directories, links, special files and failures, and not
 *                     for items of other kinds. An entry that it does not take
 *                     has no result and is not counted, except among the
 *                     directories walked.
 * @field done         called for each file with WEIR_FILE_DONE, on its lane,
 *                     after the last look at its status: with the context of
 *                     the lane and the value that the job has set, which stays
 *                     of the processor
 */
typedef struct {
    const char *WEIR_NULLABLE label;
    size_t jobs;
    size_t descriptors;
    unsigned flags;
    size_t files_per_batch;
    void *WEIR_NULLABLE user;
    void *WEIR_NULLABLE (*WEIR_NULLABLE lane_create)(void *WEIR_NULLABLE user,
                                                     size_t lane);
    void (*WEIR_NULLABLE lane_destroy)(void *WEIR_NULLABLE lane_context);
    int (*WEIR_NULLABLE job)(void *WEIR_NULLABLE user,
                             void *WEIR_NULLABLE lane_context,
                             weir_file_t *file);
    int (*WEIR_NULLABLE deliver)(void *WEIR_NULLABLE user,
                                 const weir_files_batch_t *batch);
    const struct stat *WEIR_NULLABLE exclude;
    size_t exclude_count;
    void (*WEIR_NULLABLE begun)(void *WEIR_NULLABLE user);
    void (*WEIR_NULLABLE value_drop)(void *WEIR_NULLABLE user, void *value);
    int (*WEIR_NULLABLE admit)(void *WEIR_NULLABLE user);
    const weir_walk_filter_t *WEIR_NULLABLE filters;
    size_t filter_count;
    size_t max_depth;
    const void *WEIR_NULLABLE (*WEIR_NULLABLE annotate)(
        void *WEIR_NULLABLE user, size_t source, const weir_walk_entry_t *found,
        size_t *length);
    size_t permits;
    size_t jobs_max;
    weir_selection_t (*WEIR_NULLABLE select)(void *WEIR_NULLABLE user,
                                             size_t source,
                                             const weir_walk_entry_t *found);
    void (*WEIR_NULLABLE done)(void *WEIR_NULLABLE user,
                               void *WEIR_NULLABLE lane_context,
                               void *WEIR_NULLABLE value);
    uintptr_t reserved[5];
} weir_files_options_t;

/*! Makes a processor; NULL with errno EINVAL (no job, or jobs or jobs_max above
 *  WEIR_LANES_WIDTH_MAX) or ENOMEM. */
WEIR_EXPORT WEIR_WARN_RESULT weir_files_t WEIR_NULLABLE
weir_files_create(const weir_files_options_t *options);

/*! Drops a reference. */
WEIR_EXPORT void weir_files_release(weir_files_t files);

/*!
 * Installs a handler of SIGBUS for the whole process, which WEIR_FILES_MAPPED
 * needs.
 *
 * @discussion A mapped file that is cut short, or whose storage fails, is a
 * SIGBUS on the thread that reads the mapped bytes. The handler puts zeros in
 * their place: the job goes on, and its file ends as WEIR_FILE_CHANGED, or as
 * WEIR_FILE_FAILED with the error of reading these bytes, whatever the job
 * returns. A system call that is given such bytes fails with EFAULT instead.
 * Any other SIGBUS has the effect that it had before.
 *
 * A program that installs a handler of its own calls this afterwards. The call
 * unblocks SIGBUS on the calling thread, which threads that it starts inherit;
 * no thread that runs jobs may block it.
 *
 * @result 0, also if the handler was installed before; ENOTSUP if the system
 * does not map files (other than Linux); the error of sigaction(2).
 */
WEIR_EXPORT int weir_files_handle_bus_errors(void);

/* ---- running ----------------------------------------------------------- */

/*!
 * Processes the sources in order and returns when everything is delivered.
 *
 * @param files   The processor. One run at a time; runs may follow each other.
 * @param sources The sources; everything they lead to has to stay until the
 *                call returns.
 * @param count   The number of sources.
 *
 * @result 0, even if files failed; ECANCELED; the result of admit or deliver,
 * if that is not 0; EBUSY; EINVAL for an unknown kind of source or item, a
 * missing path or `next`, or a separator that is not a byte; ENOMEM. Blocks the
 * caller, whose thread does the walking.
 */
WEIR_EXPORT WEIR_WARN_RESULT int
weir_files_run(weir_files_t files, const weir_files_source_t *sources,
               size_t count);

/*!
 * Ends the present run soon: no more files are opened, and the results before
 * the first unprocessed file are delivered. Files that are open have a second
 * to end. Then weir_file_read and weir_file_read_at fail with ECANCELED; a file
 * that they fail for counts as unprocessed, whatever its job returns. A run
 * that waits for descriptors stops waiting (after ten seconds at most, if the
 * system itself has none left). Does nothing without a run.
 *
 * The same happens to open files if `admit` or `deliver` ends the run. A job
 * that does not read, or reads from the descriptor itself, is not interrupted.
 */
WEIR_EXPORT void weir_files_cancel(weir_files_t files);

/*!
 * Opens no more files: those that are open are finished, and the caller's
 * thread goes on finding files until there is no more room. Without a run the
 * next one waits before its first file. Pauses do not add up. weir_files_cancel
 * ends a paused run, and the pause stays.
 */
WEIR_EXPORT void weir_files_pause(weir_files_t files);

/*! Ends a pause, if there is one. */
WEIR_EXPORT void weir_files_resume(weir_files_t files);

/* ---- observing --------------------------------------------------------- */

/*!
 * The reason for the present number of lanes that read at once.
 *
 * @constant WEIR_READERS_AS_GIVEN `jobs`: nothing was measured yet, or the
 *                                number does not change
 * @constant WEIR_READERS_CORES   the cores were busy, or the lanes hardly waited
 * @constant WEIR_READERS_WORK    the lanes waited for files, not for storage
 * @constant WEIR_READERS_WAITING the lanes waited for the storage while cores
 *                                were idle, so there are more of them
 * @constant WEIR_READERS_NO_GAIN no longer reported
 */
typedef enum {
    WEIR_READERS_AS_GIVEN = 0,
    WEIR_READERS_CORES = 1,
    WEIR_READERS_WORK = 2,
    WEIR_READERS_WAITING = 3,
    WEIR_READERS_NO_GAIN = 4
} weir_readers_reason_t;

/*!
 * Statistics of the present run, or the last one. A run that was cancelled may
 * have counted files that it did not deliver. Times are in nanoseconds.
 *
 * @field files       files whose job returned 0
 * @field bytes       bytes read, those of failed files included
 * @field failed      files and directories that could not be read
 * @field special     FIFOs, sockets and devices that were not read
 * @field special_named of these, the ones that were sources themselves
 * @field links       symbolic links that a walk did not follow
 * @field excluded    files skipped because of `exclude`
 * @field directories directories walked
 * @field lanes       the number of lanes; with `jobs_max`, the most that were
 *                    allowed to read at once
 * @field lanes_peak  the most lanes that were busy at once
 * @field descriptors_peak the most descriptors that the lanes had permits for
 *                    at once; the walk has two more at most, and two for each
 *                    directory that is being listed ahead
 * @field filtered    entries that a walk skipped because of filters, without
 *                    those in skipped directories
 * @field found       files found so far, failed and special ones included
 * @field feeding     1 while there may be more to find, else 0
 * @field changed     files that changed while they were read; not in `failed`
 * @field linked      files that were not read, since they were known by another
 *                    name; included in `files`
 * @field opened      files opened so far
 * @field bytes_expected the sizes of the regular files opened so far, without
 *                    those known by another name
 * @field unread      files whose job returned 0 and that were never opened;
 *                    included in `files`
 * @field waited_permits the time that the caller's thread, which finds the
 *                    files, has waited for descriptors
 * @field waited_readers its time for a slot of a device with no more readers
 * @field waited_lanes its time for lanes, with enough batches ready
 * @field waited_delivery its time for deliveries, or for `admit`
 * @field feeding_time the time so far to find all files, waits included; the
 *                    rest of a run is that of the lanes alone
 * @field readers     the number of lanes that are allowed to read now
 * @field readers_reason the reason for that number
 * @field listed_ahead directories that were listed ahead (weir/walk.h), since
 *                    listing takes long
 */
typedef struct {
    uint64_t files;
    uint64_t bytes;
    uint64_t failed;
    uint64_t special;
    uint64_t special_named;
    uint64_t links;
    uint64_t excluded;
    uint64_t directories;
    size_t lanes;
    size_t lanes_peak;
    size_t descriptors_peak;
    uint64_t filtered;
    uint64_t found;
    uint64_t feeding;
    uint64_t changed;
    uint64_t linked;
    uint64_t opened;
    uint64_t bytes_expected;
    uint64_t unread;
    uint64_t waited_permits;
    uint64_t waited_readers;
    uint64_t waited_lanes;
    uint64_t waited_delivery;
    uint64_t feeding_time;
    size_t readers;
    weir_readers_reason_t readers_reason;
    uint64_t listed_ahead;
} weir_files_stats_t;

/*! Reads the statistics at any time. The size is sizeof *stats, so that the
 *  struct can grow. Never blocks for long. */
WEIR_EXPORT void weir_files_stats(weir_files_t files, weir_files_stats_t *stats,
                                  size_t size);

/*!
 * @field lane        the number of the lane
 * @field path        of its present file; ends in NUL
 * @field path_length in bytes
 * @field nanoseconds the time with this file, to within some milliseconds
 */
typedef struct {
    size_t lane;
    const char *path;
    size_t path_length;
    uint64_t nanoseconds;
    uintptr_t reserved[2];
} weir_files_busy_t;

/*!
 * Reports the files that lanes are working on, and for how long, at any time:
 * the reason if a run makes no progress.
 *
 * @param least   Only lanes that have worked on their file for this many
 *                nanoseconds are reported.
 * @param report  Called for each such lane, on this thread; its argument is
 *                valid during the call. Lanes may wait for it, so it must not
 *                wait for anything, nor call the processor.
 *
 * @result The number of reports. Never blocks for long.
 */
WEIR_EXPORT size_t weir_files_busy(
    weir_files_t files, uint64_t least, void *WEIR_NULLABLE context,
    void (*report)(void *WEIR_NULLABLE context, const weir_files_busy_t *busy));

WEIR_END_DECLS

#endif /* WEIR_FILES_H */
