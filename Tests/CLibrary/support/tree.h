/*
 * tree.h: directories of tests, with files of any names.
 *
 * A tree is the path of a new directory, which is removed when the process of the
 * test ends, unless by a signal. The functions below end the test if they fail.
 * The strings they return stay until the process ends.
 */
#pragma once

#include "threads.h"
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the path of a new directory, which is empty, or has what a text lists: "d/"
   a directory, "d/f" an empty file, "d/f:3" one of 3 bytes 1, "p|" a FIFO, "s=" a
   socket, "l>d/f" a link. */
const char *tree_create(void);
const char *tree_of(const char *list);
/* A tree of a number of files of one byte 1: f1000, f1001, ... */
const char *tree_of_files(int count);

/* Return a formatted text; the path of a name in a directory; the part of a path
   before its last slash. */
char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text_of(void (^write)(FILE *to));
char *join(const char *directory, const char *name);
char *parent(const char *path);

/* Make something in a directory, or if it is "" at a path, and return its path. A
   file gets a number of equal bytes, or of bytes that vary, or a content. */
char *make_directory(const char *root, const char *name);
char *make_file(const char *root, const char *name, int byte, size_t size);
char *make_varied_file(const char *root, const char *name, size_t size);
char *make_content(const char *root, const char *name, const void *bytes,
                   size_t size);
/* Makes the missing directories, too. */
char *make_text(const char *root, const char *name, const char *content);
char *make_link(const char *root, const char *name, const char *target);
char *make_fifo(const char *root, const char *name);
char *make_socket(const char *root, const char *name);
char *make_name(const char *root, const char *name, const char *path);

/* Makes a chain of directories, each in the one before, with a file in each. Returns
   the path of the deepest one, which may be too long for the system. */
char *make_chain(const char *root, const char *name, int depth);
/* Opens the deepest directory of a chain. */
int open_chain(const char *root, const char *name, int depth);

/* Fills a directory at random with about a number of entries: directories, dangling
   links, and files of up to a number of bytes, with names that programs get wrong. */
void tree_fill(const char *root, struct check_random *random, int entries,
               size_t file_bytes);
/* Returns a new tree that is filled so, the same one for each purpose and seed. */
const char *tree_at_random(const char *purpose, int entries, size_t file_bytes);

/* Makes files in new directories, with up to a number of names each, anywhere among
   these. Counts the names and the bytes of the files. */
struct named_files {
    size_t files, names, bytes;
};
struct named_files tree_fill_names(const char *root,
                                   struct check_random *random, size_t files,
                                   size_t names);

void rewrite(const char *path, bool keep_time);

/* ---- What is there ----------------------------------------------------- */

/* Return the content of a file, which the caller frees, and its status, following
   links. */
char *contents(const char *path, size_t *size);
struct stat status_of(const char *path);

/* Paths; every entry of a find has the letter of its type, as find(1) prints it. */
struct paths {
    size_t count;
    char **paths;
    char *types;
};

struct paths find(const char *root, const char *conditions);
/* Returns those that a shell command writes: each a letter, a path and a NUL. */
struct paths paths_from(const char *command);

/* Compares paths in the order of a walk: byte order within each directory, and its
   contents after it. */
int compare_paths(const char *left, const char *right);

size_t bytes_read_by_process(void);

size_t heap_bytes_in_use(void);

/* Waits until all files that exist are older than the clock of file times. */
void let_files_age(void);
