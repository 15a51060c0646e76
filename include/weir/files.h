/*
 * weir/files.h: a job for every file of a set: many files through few
 * descriptors.
 *
 * Files are cut into strides, of many small files or of one big one. For each
 * stride the descriptors it needs are taken from weir_descriptor_gate before
 * it is submitted to the lanes; a lane opens each file, checks on the open
 * descriptor what it is, and calls the job. Whether a file changed while it was
 * read is found out at almost no cost: a small file takes four system calls.
 * What the jobs of a stride wrote is delivered in one piece, in the order of the
 * files (or as completed), never two pieces at a time. Nothing grows with the number of files.
 *
 * What is to be processed is named beforehand (paths, trees, descriptors), or
 * comes bit by bit: as a list of names, or from a function, which can send a
 * note along with each file, for its job and its delivery.
 */
#ifndef WEIR_FILES_H
#define WEIR_FILES_H

#include <sys/stat.h>

#include <weir/base.h>
#include <weir/walk.h>

WEIR_BEGIN_DECLS

/*! @typedef weir_files_t  @abstract A file processor; counted. */
typedef struct weir_files_s *weir_files_t;

/*! @typedef weir_file_t  @abstract One open file, during a job. */
typedef struct weir_file_s weir_file_t;

/*!
 * @enum weir_source_kind_t
 *
 * @constant WEIR_SOURCE_PATH
 * A path: a directory is walked, anything else is one file. A symbolic link is
 * followed. A FIFO, a socket or a character device is refused.
 *
 * @constant WEIR_SOURCE_DESCRIPTOR
 * A descriptor of any kind that is open before the run begins, read from where
 * it stands to its end, and not closed; path is the name to show for it. What
 * is behind it waits for a descriptor that is there a second time.
 *
 * @constant WEIR_SOURCE_LIST
 * Names that stand one after the other in what a descriptor gives, from where
 * it stands to its end. Each ends with the separator, the last one may lack it,
 * and each is as a WEIR_SOURCE_PATH, "-" too. An empty one fails with ENOENT,
 * one with a NUL in it with EINVAL, one of more than 1 MiB with ENAMETOOLONG
 * and is cut. They are read as they are needed, so a list may be longer than
 * memory; what was listed does not wait for what is not there yet. path is the
 * list's own name: a failed file has it where the list cannot be read.
 *
 * @constant WEIR_SOURCE_LIST_FILE
 * The same, from the file that path names. It is opened when its turn comes, and
 * closed behind its last name, so that of many lists one is open at a time; that
 * one descriptor is the caller's thread's, besides those of the lanes. A FIFO
 * waits for its writer.
 *
 * @constant WEIR_SOURCE_ITEMS
 * What a function gives, one after the other, as long as it gives any.
 */
typedef enum {
    WEIR_SOURCE_PATH = 0,
    WEIR_SOURCE_DESCRIPTOR = 1,
    WEIR_SOURCE_LIST = 2,
    WEIR_SOURCE_ITEMS = 3,
    WEIR_SOURCE_LIST_FILE = 4
} weir_source_kind_t;

/*!
 * @enum weir_item_kind_t
 *
 * @constant WEIR_ITEM_PATH
 * As WEIR_SOURCE_PATH: a directory is walked, and each of its files has the
 * note.
 *
 * @constant WEIR_ITEM_DESCRIPTOR
 * As WEIR_SOURCE_DESCRIPTOR.
 *
 * @constant WEIR_ITEM_NOTE
 * Nothing to read: delivered in its place with the outcome WEIR_FILE_NOTED.
 *
 * @constant WEIR_ITEM_FAILURE
 * A file that is known to be out of reach: delivered in its place as failed.
 *
 * @constant WEIR_ITEM_FILE
 * A path that is not walked: a directory fails with EISDIR. It costs less than
 * WEIR_ITEM_PATH, since nobody looks at it before it is opened.
 *
 * @constant WEIR_ITEM_FLUSH
 * No item: what was given so far is worked on without waiting for more to go
 * with it. To be given before what may take its time.
 */
typedef enum {
    WEIR_ITEM_PATH = 0,
    WEIR_ITEM_DESCRIPTOR = 1,
    WEIR_ITEM_NOTE = 2,
    WEIR_ITEM_FAILURE = 3,
    WEIR_ITEM_FILE = 4,
    WEIR_ITEM_FLUSH = 5
} weir_item_kind_t;

/*!
 * @struct weir_files_item_t
 *
 * @abstract
 * One of WEIR_SOURCE_ITEMS. What its pointers lead to is copied at once.
 *
 * @field kind        see above
 * @field descriptor  for WEIR_ITEM_DESCRIPTOR
 * @field error       for WEIR_ITEM_FAILURE: an errno value
 * @field path        any bytes; no NUL at the end is needed. With a NUL among
 *                    them it is nobody's name, and fails with EINVAL. May be
 *                    NULL where path_length is 0.
 * @field path_length in bytes
 * @field note        goes with the file to its job and to its delivery: any
 *                    bytes, of whose copy the first is aligned to 8. May be
 *                    NULL where note_length is 0.
 * @field note_length in bytes
 * @field reserved    zero
 */
typedef struct {
    weir_item_kind_t kind;
    int descriptor;
    int error;
    const char *WEIR_NULLABLE path;
    size_t path_length;
    const void *WEIR_NULLABLE note;
    size_t note_length;
    uintptr_t reserved[4];
} weir_files_item_t;

/*!
 * @enum weir_source_flags_t
 *
 * @constant WEIR_SOURCE_BY_INODE
 * Files are read in the order of their inodes, as is good for disks that turn;
 * they are delivered in their own. Strides are of 1024 files, where options do
 * not say else, or of 64 MiB: what comes to more is cut. Costs a look at each
 * file.
 */
typedef enum { WEIR_SOURCE_BY_INODE = 1 } weir_source_flags_t;

/*!
 * @struct weir_files_source_t
 *
 * @field kind       see above
 * @field descriptor for WEIR_SOURCE_DESCRIPTOR and WEIR_SOURCE_LIST; it is not
 *                   closed
 * @field path       ends in NUL; NULL for WEIR_SOURCE_ITEMS
 * @field separator  for lists: the byte that ends a name, of which there are two
 *                   in use, a newline and NUL
 * @field next       for WEIR_SOURCE_ITEMS: called on the caller's thread, with a
 *                   zeroed item to fill in; returns false, and is not called
 *                   again, where there are no more. weir_files_cancel does not
 *                   wake it.
 * @field context    handed to next
 * @field readers    strides of this source and others of the same device that
 *                   are read at once, at most; 0 for no limit but the lanes.
 *                   Sources of one device should say the same.
 * @field flags      of weir_source_flags_t
 * @field device     which sources share their readers: as weir_storage_of has
 *                   it, or any number
 * @field reserved   zero
 */
typedef struct {
    weir_source_kind_t kind;
    int descriptor;
    const char *WEIR_NULLABLE path;
    int separator;
    bool (*WEIR_NULLABLE next)(void *WEIR_NULLABLE context,
                               weir_files_item_t *item);
    void *WEIR_NULLABLE context;
    unsigned readers;
    unsigned flags;
    uint64_t device;
    uintptr_t reserved[1];
} weir_files_source_t;

/*!
 * @enum weir_file_outcome_t
 *
 * @constant WEIR_FILE_DONE    the job ran and returned 0
 * @constant WEIR_FILE_FAILED  the file could not be opened or read, or the job
 *                             returned an error, or (type is
 *                             WEIR_ENTRY_DIRECTORY) a directory could not be
 *                             read
 * @constant WEIR_FILE_SPECIAL a FIFO, a socket or a device, which was not
 *                             read; one that came as a WEIR_ITEM_FILE, which
 *                             nobody looks at before, has been opened
 * @constant WEIR_FILE_NOTED   no file: a WEIR_ITEM_NOTE
 * @constant WEIR_FILE_CHANGED the job returned 0, but the file was written to
 *                             or cut short while it was read, or (error is
 *                             ENOENT) removed or replaced: what the job made
 *                             of it is dropped. So is what was read in several
 *                             pieces of a file that was renamed meanwhile, or
 *                             whose status changed without a visible reason.
 *                             For regular files, and where the job read
 *                             anything, or asked for the descriptor.
 * @constant WEIR_FILE_DIRECTORY a directory of a walk, before what is in it, also
 *                             the one that was named; under
 *                             WEIR_FILES_WHOLE_TREE alone
 * @constant WEIR_FILE_LINK    a symbolic link that a walk met and did not follow;
 *                             under WEIR_FILES_WHOLE_TREE alone. Its output is
 *                             what stands in it.
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
 * @struct weir_file_result_t
 *
 * @field path          as it was named, or the root as it was named and the
 *                      way from there; ends in NUL
 * @field path_length   in bytes, without the NUL
 * @field outcome       see above
 * @field type          what it was, as far as known
 * @field error         an errno value where outcome is WEIR_FILE_FAILED; 0 or
 *                      ENOENT where it is WEIR_FILE_CHANGED
 * @field named         whether it is one of the sources itself, not found in
 *                      a walk
 * @field bytes         how many bytes were read from it
 * @field size          of a regular file that was opened, or looked at, when it
 *                      was last looked at; else 0
 * @field output        what the job wrote for it; of a WEIR_FILE_LINK where it
 *                      leads to, which is not among the batch's output; not
 *                      NUL-terminated
 * @field output_length in bytes; 0 unless outcome is WEIR_FILE_DONE or
 *                      WEIR_FILE_LINK
 * @field note          what came with the item that it is or was found below,
 *                      or what annotate gave; aligned to 8, NULL where there
 *                      was none
 * @field note_length   in bytes
 * @field source        which of the run's sources it is, or came from: 0 for the
 *                      first
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
} weir_file_result_t;

/*!
 * @struct weir_files_batch_t
 *
 * @abstract
 * Files that are delivered together: one stride's.
 *
 * @field results       one a file, in order
 * @field count         how many
 * @field output        what all of them wrote, one after the other, so that it
 *                      can go out in one write
 * @field output_length in bytes
 */
typedef struct {
    const weir_file_result_t *results;
    size_t count;
    const char *WEIR_NULLABLE output;
    size_t output_length;
} weir_files_batch_t;

/*!
 * @function weir_files_batch_value
 *
 * @param batch
 * What deliver was called with: that itself, not a copy, and during the call.
 *
 * @param index
 * Which of its results.
 *
 * @result
 * What the job set with weir_file_set_value; NULL where it set nothing, or did
 * not run to its end. Still the processor's, for value_drop.
 */
WEIR_EXPORT void *WEIR_NULLABLE
weir_files_batch_value(const weir_files_batch_t *batch, size_t index);

/*!
 * @enum weir_files_flags_t
 *
 * @constant WEIR_FILES_FOLLOW     follow symbolic links that a walk meets;
 *                                 without it they are passed over and counted
 * @constant WEIR_FILES_UNORDERED  deliver strides as they are completed
 * @constant WEIR_FILES_ONE_FILE_SYSTEM do not enter other devices
 * @constant WEIR_FILES_LITERAL    what is named is what open(2) and read(2) make
 *                                 of it: a directory is not walked, its job
 *                                 reads EISDIR; a FIFO and a device are opened,
 *                                 and may be waited for; nothing is excluded.
 *                                 What is no regular file is read when all
 *                                 before it is, and all behind it afterwards:
 *                                 so two names of one pipe give what they give
 *                                 to who reads them in turn.
 * @constant WEIR_FILES_OPEN_LATE  a file of a path is opened when its job first
 *                                 reads it, or asks for its descriptor, its
 *                                 status or what is remembered of it. Of a job
 *                                 that does none of these the file is neither
 *                                 opened nor checked: it is done where the job
 *                                 returns 0, whatever the path leads to, unless
 *                                 weir_file_stat_path has found that it is nothing to
 *                                 be read.
 * @constant WEIR_FILES_WHOLE_TREE the directories of a walk and the symbolic links
 *                                 that it does not follow are delivered too, in
 *                                 their places. No job is called for them, nor
 *                                 annotate.
 */
typedef enum {
    WEIR_FILES_FOLLOW = 1,
    WEIR_FILES_UNORDERED = 2,
    WEIR_FILES_ONE_FILE_SYSTEM = 4,
    WEIR_FILES_LITERAL = 8,
    WEIR_FILES_OPEN_LATE = 16,
    WEIR_FILES_WHOLE_TREE = 32
} weir_files_flags_t;

/*!
 * @struct weir_files_options_t
 *
 * @abstract
 * How to process. Zeroed fields mean the default.
 *
 * @field label        a name for messages and traces; copied
 * @field jobs         how many lanes: 0 for one a core, or WEIR_LANES_INLINE
 *                     to do everything on the caller
 * @field descriptors  how many descriptors the lanes may have open at once,
 *                     within what the process-wide budget allows: 0 for that
 *                     budget alone
 * @field flags        of weir_files_flags_t
 * @field files_per_batch files a batch at most; 0 for 64
 * @field user         handed to everything below
 * @field lane_create  makes a lane's own context; may be NULL
 * @field lane_destroy frees one
 * @field job          called on a lane for each file; returns 0 or an errno
 *                     value. Required. One that takes descriptors of its own
 *                     must not wait for them at weir_descriptor_gate without
 *                     a time-out, unless there are far more than two a lane:
 *                     the lanes' files may hold all permits there are. It is
 *                     better to have them taken beforehand, by permits.
 * @field deliver      called with each batch, never two at a time, on any
 *                     thread; returns 0, or an errno value to stop the run.
 *                     A slow one slows the lanes. May be NULL.
 * @field exclude      files (by device and inode) that are passed over without
 *                     a result, also where they are named: where the output
 *                     goes, for instance. Copied.
 * @field exclude_count how many
 * @field begun        called once a run, on the caller's thread, as soon as
 *                     weir_files_cancel has something to cancel. May be NULL.
 * @field value_drop   called for every value that a job has set, when it is of
 *                     no more use: after the delivery of its file, or instead
 *                     of it. On any thread. May be NULL.
 * @field admit        called on the caller's thread before descriptors are taken
 *                     for a stride; returns 0, or an errno value to stop the
 *                     run. It may wait for somebody to whom deliver hands on
 *                     and who is behind. Where deliver itself waits, strides
 *                     that wait for a lane keep the descriptors that he may
 *                     need. While it waits no more is delivered than the
 *                     files of 64 strides (with more than 32 lanes, of 32 more
 *                     than there are lanes). weir_files_cancel does not wake it.
 *                     May be NULL.
 * @field filters      what a walk passes over; copied
 * @field filter_count how many
 * @field max_depth    how deep a walk goes: 1 for what is in a named directory,
 *                     0 for no limit
 * @field annotate     called on the caller's thread for each path that is about
 *                     to be handed to a job, in their order: not for one that
 *                     has the note of an item already, and not for what is known
 *                     to fail, or to be special. `source` is which of the run's
 *                     sources it comes from, found->depth 0 for one that was
 *                     named, and the numbers in found->directory hold for the
 *                     whole run. Returns the file's note, which is copied, and
 *                     writes its length; or NULL for none. While it runs no
 *                     more is found. May be NULL.
 * @field permits      how many descriptors are taken from the budget for a
 *                     stride with files to open, or as many as the budget has:
 *                     0 for two, a directory and a file. For a job that opens
 *                     more itself: it need not wait for them then.
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
} weir_files_options_t;

/*!
 * @function weir_files_create
 *
 * @result
 * A processor with one reference; NULL with errno EINVAL (no job, or more jobs
 * than WEIR_LANES_WIDTH_MAX) or ENOMEM.
 */
WEIR_EXPORT WEIR_WARN_RESULT weir_files_t WEIR_NULLABLE
weir_files_create(const weir_files_options_t *options);

/*! @function weir_files_retain  @result The processor itself. */
WEIR_EXPORT weir_files_t weir_files_retain(weir_files_t files);

/*! @function weir_files_release  @abstract Drops a reference. */
WEIR_EXPORT void weir_files_release(weir_files_t files);

/*!
 * @function weir_files_run
 *
 * @abstract
 * Processes the sources in order and returns when everything is delivered.
 *
 * @param files   The processor. One run at a time; runs may follow each other.
 * @param sources What to process; all they lead to has to stay until it
 *                returns.
 * @param count   How many.
 *
 * @result
 * 0, also where files failed; ECANCELED; what deliver returned; EBUSY; EINVAL
 * for a kind of source that is not known, or one of items without next; ENOMEM.
 * Blocks the caller, whose thread does the walking.
 */
WEIR_EXPORT int weir_files_run(weir_files_t files,
                               const weir_files_source_t *sources,
                               size_t count);

/*!
 * @function weir_files_cancel
 *
 * @abstract
 * Makes the present run end soon: files that are open are finished, no others
 * are opened, and what precedes the first unprocessed one is delivered. A run
 * that waits for descriptors waits no longer (where the system has none left at
 * all, ten seconds at most). May be called from any thread, also
 * from the job. Without a run it does nothing.
 */
WEIR_EXPORT void weir_files_cancel(weir_files_t files);

/*!
 * @function weir_files_pause
 *
 * @abstract
 * From here on no file is opened: those that are open are finished, and those
 * who feed go on until there is no more room. May be called from any thread,
 * also from the job, and also without a run: the next one then waits before
 * its first file. Pauses do not add up. weir_files_cancel ends a run that is
 * paused, and the pause stays.
 */
WEIR_EXPORT void weir_files_pause(weir_files_t files);

/*! @function weir_files_resume  @abstract Ends a pause. Where there is none it
 *  does nothing. */
WEIR_EXPORT void weir_files_resume(weir_files_t files);

/*!
 * @struct weir_files_stats_t
 *
 * @abstract
 * Of the present run, or the last one. A run that was cancelled may have counted
 * what it did not deliver.
 *
 * @field files       files whose job returned 0
 * @field bytes       bytes read, also of files that failed
 * @field failed      files and directories that could not be read
 * @field special     FIFOs, sockets and devices that were not opened
 * @field special_named of these, how many were sources themselves
 * @field links       symbolic links that a walk did not follow
 * @field excluded    files passed over because they were named in exclude
 * @field directories directories walked
 * @field lanes       how many lanes there are
 * @field lanes_peak  the most that were busy at once
 * @field descriptors_peak the most descriptors that the lanes had permits for
 *                    at once; the walk itself has one more
 * @field filtered    things that a walk passed over because of filters; what is
 *                    in a directory that was passed over is not counted
 * @field found       files that were found so far, whatever becomes of them:
 *                    also what failed or is special
 * @field feeding     1 while there may be more to find, else 0
 * @field changed     files that changed while they were read; not among failed
 * @field linked      files that were not read, since they were known by another
 *                    name; among files
 * @field opened      files opened so far
 * @field bytes_expected the sizes of the regular files that were opened so far,
 *                    without those that are known by another name
 * @field unread      files whose job returned 0 and that were never opened; among
 *                    files
 * @field waited_permits how long the caller's thread, which finds the files,
 *                    has waited for descriptors, in nanoseconds
 * @field waited_readers how long for its turn at a device that has no more
 *                    readers
 * @field waited_lanes how long for lanes: so many strides were ready
 * @field waited_delivery how long for what was read to be delivered, or for
 *                    admit
 * @field feeding_time how long it has taken so far to find them all, waits
 *                    included; the rest of a run is the lanes' alone
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
} weir_files_stats_t;

/*!
 * @function weir_files_stats
 *
 * @abstract
 * Reads the figures, at any time, from any thread. Never blocks for long.
 *
 * @param files   The processor.
 * @param figures Where to write.
 * @param size    sizeof *figures, so that the struct can grow.
 */
WEIR_EXPORT void weir_files_stats(weir_files_t files,
                                  weir_files_stats_t *figures, size_t size);

/*!
 * @struct weir_files_busy_t
 *
 * @field lane        which lane
 * @field path        of the file that it is at; ends in NUL
 * @field path_length in bytes
 * @field nanoseconds how long it has been at it, to within some milliseconds
 * @field reserved    zero
 */
typedef struct {
    size_t lane;
    const char *path;
    size_t path_length;
    uint64_t nanoseconds;
    uintptr_t reserved[2];
} weir_files_busy_t;

/*!
 * @function weir_files_busy
 *
 * @abstract
 * Says which files the lanes are at, and for how long: where a run stands still,
 * on what.
 *
 * @param files   The processor.
 * @param least   Those alone that a lane has been at for so many nanoseconds.
 * @param context Handed to tell.
 * @param tell    Called for each, on this thread, with what is valid during the
 *                call. The lanes may have to wait for it, so it must not wait for
 *                anything, nor call the processor.
 *
 * @result
 * How many there were. May be called at any time, from any thread but one that
 * is in tell. Never blocks for long.
 */
WEIR_EXPORT size_t weir_files_busy(weir_files_t files, uint64_t least,
                                   void *WEIR_NULLABLE context,
                                   void (*tell)(void *WEIR_NULLABLE context,
                                                const weir_files_busy_t *busy));

/* What a job can ask of its file. Only during the job, on its thread. What the
   file is, is settled when it first reads it, or asks for the status or the
   descriptor: where it is not to be read after all (a FIFO has taken its place,
   or it is among the excluded) reading says so, and whatever the job returns is
   of no account. So it is where a file that is opened late cannot be opened. */

/*!
 * @function weir_file_path
 *
 * @param length
 * Where to write the length in bytes, or NULL.
 *
 * @result
 * The path as in weir_file_result_t; ends in NUL.
 */
WEIR_EXPORT const char *weir_file_path(const weir_file_t *file,
                                       size_t *WEIR_NULLABLE length);

/*!
 * @function weir_file_note
 *
 * @param length
 * Where to write the length in bytes, or NULL.
 *
 * @result
 * The note as in weir_file_result_t: aligned to 8, NULL where there is none.
 */
WEIR_EXPORT const void *WEIR_NULLABLE
weir_file_note(const weir_file_t *file, size_t *WEIR_NULLABLE length);

/*!
 * @function weir_file_stat_path
 *
 * @abstract
 * Looks at a file that is not open yet, under WEIR_FILES_OPEN_LATE: one
 * fstatat, which follows a symbolic link where opening would.
 *
 * @discussion
 * So a job can see that a file is as it was, and need not open it. What the path
 * leads to may be another file by the time it is opened. Where it turns out to
 * be nothing to be read (special, excluded, a directory, a link that is not to
 * be followed) it is not opened any more, and what becomes of it is as if it had
 * been.
 *
 * Where the file is open already, what is known of it is given, for which it may
 * have to be looked at, as by weir_file_status.
 *
 * @param status
 * Where to write what it is.
 *
 * @result
 * 0 or an errno value: then it says nothing about what becomes of the file.
 * Blocks as the file system does.
 */
WEIR_EXPORT int weir_file_stat_path(weir_file_t *file, struct stat *status);

/*! @function weir_file_descriptor  @result The open descriptor, which Weir
 *  closes; -1 where the file could not be opened. It stands at the beginning,
 *  unless the source was a descriptor, or behind what weir_file_read has given.
 *  The file is looked at once more when the job has returned. */
WEIR_EXPORT int weir_file_descriptor(const weir_file_t *file);

/*! @function weir_file_status  @result What fstat said last; all zero where the
 *  file could not be opened. Asked for before the first read it costs a system
 *  call more. */
WEIR_EXPORT const struct stat *weir_file_status(const weir_file_t *file);

/*!
 * @function weir_file_read
 *
 * @abstract
 * Reads the next piece of the file into the lane's buffer.
 *
 * @param file   The file.
 * @param bytes  Where to write the address of the piece; valid until the next
 *               read.
 * @param length Where to write its length, at most the buffer's (256 KiB to
 *               1 MiB); 0 at the end of the file.
 *
 * @result
 * 0 or an errno value. EINTR is seen to, and ESTALE as far as it can be. An
 * error is the file's outcome where the job returns it.
 */
WEIR_EXPORT int weir_file_read(weir_file_t *file,
                               const void *WEIR_NULLABLE *WEIR_NONNULL bytes,
                               size_t *length);

/*!
 * @function weir_file_read_at
 *
 * @abstract
 * Reads at an offset: for jobs that read a big file by several threads.
 *
 * @discussion
 * During the job, from any thread, and from several at once, behind a call of
 * weir_file_descriptor on the job's own thread. The descriptor stays where it
 * stands. What is read counts among the bytes of the run. The job must not return
 * before all calls have.
 *
 * @param file   The file, which is one that can be read anywhere: a regular one,
 *               or a block device.
 * @param offset Where to begin, from the beginning of the file.
 * @param bytes  Where to write.
 * @param size   How many bytes at most.
 * @param length Where to write how many there were; 0 behind the end.
 *
 * @result
 * 0 or an errno value; EINTR is seen to. EBADF where the descriptor was not asked
 * for, or the file is not to be read. Blocks as the file system does.
 */
WEIR_EXPORT int weir_file_read_at(const weir_file_t *file, uint64_t offset,
                                  void *bytes, size_t size, size_t *length);

/*!
 * @function weir_file_reserve
 *
 * @abstract
 * Room for output of this file, behind what it has written already.
 *
 * @param length
 * How many bytes at least.
 *
 * @result
 * Where to write; valid until the next reserve. NULL where memory is short.
 */
WEIR_EXPORT char *WEIR_NULLABLE weir_file_reserve(weir_file_t *file,
                                                  size_t length);

/*! @function weir_file_commit  @abstract Says how much of what was reserved
 *  was written. */
WEIR_EXPORT void weir_file_commit(weir_file_t *file, size_t length);

/*! @function weir_file_write  @abstract Reserves, copies and commits.
 *  @result 0 or ENOMEM. */
WEIR_EXPORT int weir_file_write(weir_file_t *file, const void *bytes,
                                size_t length);

/*!
 * @function weir_file_set_value
 *
 * @abstract
 * Keeps a value of the job's own for the delivery, which finds it with
 * weir_files_batch_value.
 *
 * @param value
 * Anything but NULL. It is the processor's from here on: value_drop is called
 * with it exactly once, at the latest before the run ends. Of a job that sets
 * several the last one is kept.
 */
WEIR_EXPORT void weir_file_set_value(weir_file_t *file, void *value);

/*!
 * @function weir_file_remembered
 *
 * @abstract
 * What a job has left with weir_file_remember, in this run, for another name of
 * the same file: then this one need not be read.
 *
 * @discussion
 * To be asked before the file is read. Where nobody has left anything the file
 * is this job's to read, and those who meet another name of it meanwhile wait
 * for this job to end: so each file is read once, however many names it has and
 * lanes there are, where each name is met once. It must not wait for the job of
 * another name.
 *
 * For a file with one name this costs no system call. What it tells is of the
 * same device, inode, size and times. Memos take 8 MiB together; where there
 * are more, the oldest go first.
 *
 * @param length
 * Where to write how many bytes there are.
 *
 * @result
 * The bytes, valid until the job ends; NULL where there are none. May wait.
 */
WEIR_EXPORT const void *WEIR_NULLABLE weir_file_remembered(weir_file_t *file,
                                                           size_t *length);

/*!
 * @function weir_file_is_awaited
 *
 * @abstract
 * Whether what weir_file_remember is given would be of use to anybody, so that
 * it need not be made for the many files with one name.
 *
 * @result
 * True where weir_file_remembered was asked before and gave nothing, and the file
 * has other names. Behind the first read, which tells. Never blocks.
 */
WEIR_EXPORT bool weir_file_is_awaited(const weir_file_t *file);

/*!
 * @function weir_file_remember
 *
 * @abstract
 * Leaves something, as a digest, for the other names of the file. It is kept
 * when the job has returned 0 and the file has not changed meanwhile.
 *
 * @param bytes
 * What to keep, copied at once.
 *
 * @param length
 * How many bytes; more than 512 KiB are not kept.
 *
 * @discussion
 * Of use where weir_file_remembered was asked before and gave nothing, and the
 * file has other names; else it does nothing. Of several the last one is kept.
 */
WEIR_EXPORT void weir_file_remember(weir_file_t *file, const void *bytes,
                                    size_t length);

WEIR_END_DECLS

#endif /* WEIR_FILES_H */
