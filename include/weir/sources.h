/*
 * weir/sources.h: the files that a file processor works on.
 *
 * A source names files beforehand (a path, a tree, a descriptor), or gives them
 * bit by bit: as a list of names, or from a function, which can send a note
 * along with each file, for its job and its delivery.
 */
#ifndef WEIR_SOURCES_H
#define WEIR_SOURCES_H

#include <weir/base.h>

WEIR_BEGIN_DECLS

/*!
 * @constant WEIR_SOURCE_PATH       a path: a directory is walked, anything else
 *                                  is one file. A symbolic link is followed. A
 *                                  FIFO, a socket or a character device is
 *                                  refused.
 * @constant WEIR_SOURCE_DESCRIPTOR a descriptor of any kind that is open before
 *                                  the run begins. It is read from its present
 *                                  offset to its end, and not closed; `path` is
 *                                  the name to show. If the same descriptor is
 *                                  listed twice, the second source waits for
 *                                  the first.
 * @constant WEIR_SOURCE_LIST       a list of names on a descriptor, from its
 *                                  present offset to its end. Each name ends
 *                                  with the separator, which the last one may
 *                                  lack, and is treated as a WEIR_SOURCE_PATH,
 *                                  "-" too, except that a symbolic link to a
 *                                  directory is skipped unless
 *                                  WEIR_FILES_FOLLOW is set. An empty name
 *                                  fails with ENOENT, one with a NUL in it with
 *                                  EINVAL; one of more than 1 MiB fails with
 *                                  ENAMETOOLONG and is cut. Names are read when
 *                                  they are needed, so a list may be longer
 *                                  than memory. `path` is the list's own name,
 *                                  for a failure to read it.
 * @constant WEIR_SOURCE_LIST_FILE  a list in the file that `path` names, which
 *                                  is opened when its turn comes, and closed
 *                                  after its last name. Its descriptor counts
 *                                  for the caller's thread, besides those of
 *                                  the lanes. A FIFO waits for its writer.
 * @constant WEIR_SOURCE_ITEMS      items from a function, one after the other,
 *                                  until it gives no more
 */
typedef enum {
    WEIR_SOURCE_PATH = 0,
    WEIR_SOURCE_DESCRIPTOR = 1,
    WEIR_SOURCE_LIST = 2,
    WEIR_SOURCE_ITEMS = 3,
    WEIR_SOURCE_LIST_FILE = 4
} weir_source_kind_t;

/*!
 * @constant WEIR_ITEM_PATH       like WEIR_SOURCE_PATH; each file of a
 *                                directory has the note
 * @constant WEIR_ITEM_DESCRIPTOR like WEIR_SOURCE_DESCRIPTOR
 * @constant WEIR_ITEM_NOTE       a note without a file: delivered in its place
 *                                with the outcome WEIR_FILE_NOTED
 * @constant WEIR_ITEM_FAILURE    a file that is known to be out of reach:
 *                                delivered in its place as failed
 * @constant WEIR_ITEM_FILE       a path that is not walked: a directory fails
 *                                with EISDIR. It costs less than
 *                                WEIR_ITEM_PATH, since its status is not asked
 *                                for before it is opened.
 * @constant WEIR_ITEM_FOUND      a file that a walk has found before. It is
 *                                opened beneath the root of that walk, the
 *                                first root_length bytes of the path, and no
 *                                symbolic link is followed from there; with a
 *                                root_length of 0 links are followed.
 * @constant WEIR_ITEM_FLUSH      no item: the items so far are submitted
 *                                without waiting for a full batch. Give it
 *                                before a call that may take long.
 */
typedef enum {
    WEIR_ITEM_PATH = 0,
    WEIR_ITEM_DESCRIPTOR = 1,
    WEIR_ITEM_NOTE = 2,
    WEIR_ITEM_FAILURE = 3,
    WEIR_ITEM_FILE = 4,
    WEIR_ITEM_FLUSH = 5,
    WEIR_ITEM_FOUND = 6
} weir_item_kind_t;

/*!
 * One item of a WEIR_SOURCE_ITEMS. Everything its pointers lead to is copied at
 * once.
 *
 * @field kind        see above
 * @field descriptor  for WEIR_ITEM_DESCRIPTOR
 * @field error       for WEIR_ITEM_FAILURE: an errno value
 * @field path        any bytes; no NUL is needed at the end. A path with a NUL
 *                    in it fails with EINVAL. May be NULL if path_length is 0.
 * @field path_length in bytes
 * @field note        any bytes that go with the file to its job and its
 *                    delivery; their copy is aligned to 8. May be NULL if
 *                    note_length is 0.
 * @field note_length in bytes
 * @field root_length for WEIR_ITEM_FOUND
 */
typedef struct {
    weir_item_kind_t kind;
    int descriptor;
    int error;
    const char *WEIR_NULLABLE path;
    size_t path_length;
    const void *WEIR_NULLABLE note;
    size_t note_length;
    size_t root_length;
    uintptr_t reserved[3];
} weir_files_item_t;

/*!
 * @constant WEIR_SOURCE_BY_INODE read the files in the order of their inodes,
 *                                which suits rotating disks, and deliver them
 *                                in their own order. A batch has up to 1024
 *                                files by default, and is cut after about 64
 *                                MiB. Costs a stat of each file.
 */
typedef enum { WEIR_SOURCE_BY_INODE = 1 } weir_source_flags_t;

/*!
 * @field kind       see above
 * @field descriptor for WEIR_SOURCE_DESCRIPTOR and WEIR_SOURCE_LIST; it is not
 *                   closed
 * @field path       ends in NUL; NULL for WEIR_SOURCE_ITEMS
 * @field separator  for lists: the byte that ends a name, a newline or NUL
 * @field next       for WEIR_SOURCE_ITEMS: called on the caller's thread with a
 *                   zeroed item to fill in, until it returns false.
 *                   weir_files_cancel does not wake it.
 * @field context    passed to next
 * @field readers    the limit on the batches of this device that are read at
 *                   once; 0 for the number of lanes. Sources of one device
 *                   should have the same limit.
 * @field flags      of weir_source_flags_t
 * @field device     sources with the same number share their readers: from
 *                   weir_storage_of, or any number
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

WEIR_END_DECLS

#endif /* WEIR_SOURCES_H */
