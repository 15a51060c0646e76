/*
 * weir/walk.h: walking a tree.
 *
 * Names are bytes, exactly as the file system has them. The entries of a
 * directory come in byte order, the contents of a subdirectory directly after
 * it. Memory is bounded by the names of the directories from the root down to
 * the current one. A walk has at most two descriptors open, and none between
 * two calls. An unreadable directory is an entry with an error, and the walk
 * goes on.
 *
 * While listing directories takes long, as on a server, up to 16 threads of
 * libdispatch list those ahead that the walk will enter next, which changes
 * neither the order nor the entries of an unchanging tree. The names listed
 * ahead take up to 4 MiB. Each listing has two permits of weir_descriptor_gate,
 * and begins only if they are free. It may be in progress between two calls,
 * and may end after the walk. The threads have the process's working directory
 * and credentials; WEIR_WALK_ONE_THREAD is for a caller whose thread has its
 * own.
 *
 * The path of the root may lead through symbolic links. Below the root a walk
 * never enters a directory through one, also if it has replaced a directory
 * that the walk saw before: that directory is an entry with ELOOP or ENOTDIR. A
 * file that the caller opens by the path of its entry has no such protection.
 */
#ifndef WEIR_WALK_H
#define WEIR_WALK_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*! A walk. It has one owner, and is used by one thread at a time. */
typedef struct weir_walk_s *weir_walk_t;

/*! The type of an entry. */
typedef enum {
    WEIR_ENTRY_UNKNOWN = 0,
    WEIR_ENTRY_FILE = 1,
    WEIR_ENTRY_DIRECTORY = 2,
    WEIR_ENTRY_SYMLINK = 3,
    WEIR_ENTRY_FIFO = 4,
    WEIR_ENTRY_SOCKET = 5,
    WEIR_ENTRY_CHARACTER_DEVICE = 6,
    WEIR_ENTRY_BLOCK_DEVICE = 7
} weir_entry_type_t;

/*!
 * @constant WEIR_WALK_FOLLOW          follow symbolic links below the root: the
 *                                     entry has the type of the target. A link
 *                                     without a target is an entry with ENOENT;
 *                                     a link back to a directory that the walk
 *                                     is in is an entry with ELOOP. Without
 *                                     this flag a link is an entry of type
 *                                     WEIR_ENTRY_SYMLINK. A link as the root is
 *                                     always followed.
 * @constant WEIR_WALK_ONE_FILE_SYSTEM do not enter directories on another
 *                                     device than the root's: they are entries
 * @constant WEIR_WALK_ONE_THREAD      list every directory on the calling
 *                                     thread at the moment the walk enters it
 */
typedef enum {
    WEIR_WALK_FOLLOW = 1,
    WEIR_WALK_ONE_FILE_SYSTEM = 2,
    WEIR_WALK_ONE_THREAD = 4
} weir_walk_flags_t;

/*!
 * One of a list of filters, which decide what a walk skips. The last filter
 * that matches decides. If none matches, a file is taken unless the first
 * filter that applies to files is an include; a directory is always taken.
 *
 * @discussion
 * Filters apply below the root, not to the root. A skipped file or directory is
 * no entry, and a skipped directory is not read.
 *
 * A pattern without a slash is matched with the name, a pattern with a slash
 * with the path relative to the root of the walk. "/" or "./" at its beginning
 * has no other effect than that. A slash at its end restricts it to
 * directories.
 *
 * Patterns are matched byte by byte. ? is any byte and * any number of bytes,
 * both within a component. ** is any number of bytes, slashes included; with a
 * slash after it, it stands for any number of whole components, or none. [a-z]
 * is one of these bytes, [!a-z] any other, and [[:digit:]] one of a class of
 * the C locale. A backslash makes the next byte an ordinary one. A dot at the
 * beginning of a name is a byte like any other.
 *
 * @field include  true to take what the pattern matches, false to skip it
 * @field pattern  the pattern; ends in NUL; copied
 */
typedef struct {
    bool include;
    const char *pattern;
    uintptr_t reserved[2];
} weir_walk_filter_t;

/*!
 * Options of a walk. Zeroed fields mean the default.
 *
 * @field flags        flags of weir_walk_flags_t
 * @field max_depth    the depth of the deepest entries below the root: 1 for
 *                     the root's own. Directories at this depth are entries and
 *                     are not read. 0 for no limit
 * @field filters      the filters; copied
 * @field filter_count the number of filters
 */
typedef struct {
    unsigned flags;
    size_t max_depth;
    const weir_walk_filter_t *WEIR_NULLABLE filters;
    size_t filter_count;
    uintptr_t reserved[4];
} weir_walk_options_t;

/*!
 * An entry: the root, or a file or directory below it.
 *
 * @field path        the root as given, a slash unless it ends in one, and the
 *                    relative path; ends in NUL. Valid until the next call.
 * @field path_length the length of path in bytes, without the NUL
 * @field name_offset the offset of the last component in path
 * @field depth       0 for the root, 1 for its entries
 * @field type        the type; under WEIR_WALK_FOLLOW that of a link's target
 * @field error       0, or the errno value of an entry that could not be read:
 *                    then type is what is known of it
 * @field directory   a number that consecutive entries of one directory share
 * @field inode       the inode number on its file system, or 0 if unknown; that
 *                    of the target if a link was followed. For a mount point,
 *                    the number of the directory below the mounted file system.
 */
typedef struct {
    const char *path;
    size_t path_length;
    size_t name_offset;
    size_t depth;
    weir_entry_type_t type;
    int error;
    uint64_t directory;
    uint64_t inode;
    uintptr_t reserved[4];
} weir_walk_entry_t;

/*!
 * Creates a walk. Touches no file.
 *
 * @param root  The directory to begin with, of any length. If it is no
 *              directory, it is the only entry.
 * @param flags Flags of weir_walk_flags_t, or 0.
 *
 * @result A walk before its first entry; NULL with errno ENOMEM, or EINVAL for
 * an empty root.
 */
WEIR_EXPORT WEIR_WARN_RESULT weir_walk_t WEIR_NULLABLE
weir_walk_create(const char *root, unsigned flags);

/*! weir_walk_create with options. */
WEIR_EXPORT WEIR_WARN_RESULT weir_walk_t WEIR_NULLABLE
weir_walk_create_with(const char *root, const weir_walk_options_t *options);

/*!
 * Reads the next entry, which is valid until the next call. A directory comes
 * before its contents; an unreadable one comes once, with the error. Blocks as
 * the file system does.
 *
 * @result False after the last entry. If memory is short, the entry has the
 * error ENOMEM and its contents are skipped.
 */
WEIR_EXPORT bool weir_walk_next(weir_walk_t walk, weir_walk_entry_t *entry);

/*! Skips the contents of the directory that was the last entry. Does nothing if
 *  that entry was no directory, or could not be read. */
WEIR_EXPORT void weir_walk_skip(weir_walk_t walk);

/*! @result The number of files and directories that the filters have skipped so
 *  far, without the contents of skipped directories. */
WEIR_EXPORT uint64_t weir_walk_filtered(weir_walk_t walk);

/*! @result The number of directories so far that had been listed ahead when the
 *  walk entered them: 0 unless listing takes long. */
WEIR_EXPORT uint64_t weir_walk_listed_ahead(weir_walk_t walk);

/*! Ends a walk, at any point, and frees it. Does not wait for listings ahead in
 *  progress. */
WEIR_EXPORT void weir_walk_destroy(weir_walk_t walk);

WEIR_END_DECLS

#endif /* WEIR_WALK_H */
