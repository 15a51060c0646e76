/* tree.h: the small tree of files that the scenarios read. */
#pragma once

/* Makes the tree, which is removed when the program ends. */
void tree_create(void);

/* The files "0" to "4" have as many bytes as their number says; "link" is
   another name of "4"; "large" has 1 MiB; "sub" has the files "a" and "b"; "twins"
   has "x" and "y", two names of one file. */
const char *tree_path(const char *name);
