/*
 * weir/walk.h: walking a tree.
 *
 * Names come as bytes, exactly as the file system has them; the entries of a
 * directory in byte order, a directory's contents in its place among them. So
 * two walks of one tree give one order. Memory is what the names of the
 * directories from the root down to the current one take, and the walk has at
 * most one descriptor open (two for a moment where a path is longer than the
 * system's limit), and none between two calls. What cannot be read is
 * an entry like any other, with an error in it, and the walk goes on.
 */
#ifndef WEIR_WALK_H
#define WEIR_WALK_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*! @typedef weir_walk_t  @abstract A walk; one owner, one thread at a time. */
typedef struct weir_walk_s *weir_walk_t;

/*! @enum weir_entry_type_t  @abstract What a name stands for. */
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
 * @enum weir_walk_flags_t
 *
 * @constant WEIR_WALK_FOLLOW
 * Follow symbolic links that are met: the entry has the type of the target. A
 * link that leads nowhere is an entry with ENOENT, one back to a directory
 * that the walk is in an entry with ELOOP. Without this flag a link is an
 * entry of type WEIR_ENTRY_SYMLINK. The root is followed in any case.
 *
 * @constant WEIR_WALK_ONE_FILE_SYSTEM
 * Do not enter directories on another device than the root: they are entries,
 * and their contents are passed over.
 */
typedef enum {
    WEIR_WALK_FOLLOW = 1,
    WEIR_WALK_ONE_FILE_SYSTEM = 2
} weir_walk_flags_t;

/*!
 * @struct weir_walk_filter_t
 *
 * @abstract
 * One of a list of filters, which say what a walk passes over. The last one
 * that matches decides. Where none does a file is taken, unless the first
 * filter that speaks of files is an include; a directory is taken in any case.
 *
 * @discussion
 * They are for what a walk meets, not for its root. What is passed over is no
 * entry, and a directory that is passed over is not read.
 *
 * A pattern without a slash is matched with the name, one with a slash with the
 * way from the root of the walk. A slash at its beginning, or "./", does
 * nothing but that. A slash at its end makes it speak of directories alone.
 *
 * It is matched byte by byte: ? is any byte and * any number of them, of one
 * component; ** is any number of bytes, slashes too, and where it stands for
 * whole components it may be none; [a-z] is a byte of those, [!a-z] another
 * one, and [[:digit:]] one of a class of the C locale; a backslash makes
 * an ordinary byte of the one behind it. A dot at the beginning is a byte like
 * any other.
 *
 * @field include whether what it matches is taken
 * @field pattern ends in NUL; copied
 */
typedef struct {
    bool include;
    const char *pattern;
} weir_walk_filter_t;

/*!
 * @struct weir_walk_options_t
 *
 * @abstract
 * How to walk. Zeroed fields mean the default.
 *
 * @field flags        of weir_walk_flags_t
 * @field max_depth    how far below the root it goes: 1 for what is in the root.
 *                     Directories there are entries, and are not read. 0 for no
 *                     limit
 * @field filters      see above; copied
 * @field filter_count how many
 * @field reserved     zero
 */
typedef struct {
    unsigned flags;
    size_t max_depth;
    const weir_walk_filter_t *WEIR_NULLABLE filters;
    size_t filter_count;
    uintptr_t reserved[4];
} weir_walk_options_t;

/*!
 * @struct weir_walk_entry_t
 *
 * @field path        the root as it was given, a slash unless it ends in one,
 *                    and the way from there; ends in NUL. Valid until the next
 *                    call.
 * @field path_length its length in bytes, without the NUL
 * @field name_offset where the last component begins in path
 * @field depth       0 for the root, 1 for what is in it
 * @field type        what it is; under WEIR_WALK_FOLLOW what it leads to
 * @field error       0, or why it could not be read: then type is what was
 *                    known of it
 * @field directory   a number that is the same for entries that the walk gives
 *                    one after the other from one directory
 * @field inode       its number on its file system, of a link that was followed
 *                    the target's; 0 where it is not known. Of a directory on
 *                    which another file system stands it is the one beneath.
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
} weir_walk_entry_t;

/*!
 * @function weir_walk_create
 *
 * @param root
 * Where to begin: a directory, or anything else, which is then the only entry.
 * Any length.
 *
 * @param flags
 * Of weir_walk_flags_t, or 0.
 *
 * @result
 * A walk before its first entry; NULL with errno ENOMEM, or EINVAL for an
 * empty root. Touches no file.
 */
WEIR_EXPORT WEIR_WARN_RESULT weir_walk_t WEIR_NULLABLE
weir_walk_create(const char *root, unsigned flags);

/*!
 * @function weir_walk_create_with
 *
 * @abstract
 * As weir_walk_create, with more to choose.
 *
 * @param root    Where to begin.
 * @param options How to walk.
 *
 * @result
 * As of weir_walk_create.
 */
WEIR_EXPORT WEIR_WARN_RESULT weir_walk_t WEIR_NULLABLE
weir_walk_create_with(const char *root, const weir_walk_options_t *options);

/*!
 * @function weir_walk_next
 *
 * @abstract
 * Goes to the next entry. A directory comes before its contents; one that
 * cannot be read comes once, with the error.
 *
 * @param walk  The walk.
 * @param entry Where to write; valid until the next call.
 *
 * @result
 * Whether there was one. Blocks as the file system does. Where memory is short
 * the entry has ENOMEM and is passed over.
 */
WEIR_EXPORT bool weir_walk_next(weir_walk_t walk, weir_walk_entry_t *entry);

/*!
 * @function weir_walk_skip
 *
 * @abstract
 * Passes over the contents of the directory that the last entry is: the next
 * entry is what follows them. Where it is no directory, or could not be read,
 * it does nothing.
 *
 * @discussion
 * The names in that directory have been read already; what is below them has
 * not. Never blocks.
 */
WEIR_EXPORT void weir_walk_skip(weir_walk_t walk);

/*! @function weir_walk_filtered  @result How many things the filters have made
 *  it pass over so far; what is in a directory that it passed over is not
 *  counted. */
WEIR_EXPORT uint64_t weir_walk_filtered(weir_walk_t walk);

/*! @function weir_walk_destroy  @abstract Ends a walk, at any point. */
WEIR_EXPORT void weir_walk_destroy(weir_walk_t walk);

WEIR_END_DECLS

#endif /* WEIR_WALK_H */
