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

/*! @function weir_walk_destroy  @abstract Ends a walk, at any point. */
WEIR_EXPORT void weir_walk_destroy(weir_walk_t walk);

WEIR_END_DECLS

#endif /* WEIR_WALK_H */
