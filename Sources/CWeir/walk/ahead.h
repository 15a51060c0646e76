/* ahead.h: lists the directories that a walk will enter soon, on threads. */
#pragma once

#include "walk/state.h"

/* The limits of a look-ahead. */
struct ahead_limits {
    size_t window;        /* the directories ahead that are listed */
    size_t threads;       /* the listings in progress */
    size_t bytes;         /* of all that is stored, at least listing_bytes */
    size_t listing_bytes; /* of a listing; the walk reads a larger one itself */
    bool is_constant;     /* also while listings are fast */
};

/* Begins a look-ahead, with limits or, if NULL, with those of the descriptor
   budget. Does nothing if nothing is allowed, or if memory is short. */
WEIR_HIDDEN void weir__ahead_begin(weir_walk_t walk,
                                   const struct ahead_limits *limits);

/* Called in a new directory: plans the next ones if listings are slow. */
WEIR_HIDDEN void weir__ahead_plan(weir_walk_t walk);

/* Moves the listing of the directory at the walk's path to `listing`. May wait.
   False if the walk must list the directory itself, or is stopped. */
WEIR_HIDDEN bool weir__ahead_take(weir_walk_t walk, size_t path_length,
                                  struct listing *listing,
                                  struct pace_sample *sample);

/* Ends the look-ahead. Does not wait for the listings in progress. */
WEIR_HIDDEN void weir__ahead_end(struct weir__ahead *ahead);

/* ---- for the file processor -------------------------------------------- */

/* Makes a walk end soon after `*stop_reason` is not 0, and makes listings ahead
   take permits of `gate`, too. Called before the first entry. */
WEIR_HIDDEN void weir__walk_attach(weir_walk_t walk,
                                   const _Atomic int *stop_reason,
                                   weir_gate_t gate);
