/*
 * scopes.c: the permits that a task or a thread holds until a scope ends.
 *
 * DESIGN. A scope returns its permits itself, and its owner runs the scope's
 * body. So while the owner waits for more, those permits stay out: that is a
 * certainty. The records show waits that can never be served (gate_park.c),
 * name the holders in an inspection, and find the scope that lends its permits
 * to a map.
 *
 * A record of a task costs one compare-and-swap and a store; that store
 * releases and that swap acquires, so that the next owner finds no loans. The
 * record is in the gate, not in a task-local value: to bind one costs as much
 * as a permit, and unstructured tasks inherit it. Those of a thread are a stack
 * of its own, until the program is inspected. The number of a task is never
 * used again. Records are in tables of 8, 16, 32... entries, each made when the
 * smaller ones had no room, and freed with the gate: an owner has one group of
 * 8 entries in each.
 */
#include "permits/gate_state.h"
#include "system/threads.h"

#define GROUP ((size_t)8)
#define OF_A_THREAD ((uint64_t)1 << 63) /* more than the number of any task */

static uint64_t owner_of(const weir_caller_t *caller) {
    return caller->task ? caller->task
                        : OF_A_THREAD | (uint64_t)weir__thread_number();
}

/* Returns the owner's entries in a table, or NULL if there is no such table. */
static struct weir_gate_scope_s *group_of(weir_gate_t gate, unsigned table,
                                          uint64_t owner) {
    struct weir_gate_scope_s *entries =
        atomic_load_explicit(&gate->scopes[table], memory_order_acquire);
    size_t number = owner & (((size_t)1 << table) - 1);
    return entries ? entries + number * GROUP : NULL;
}

static struct weir_gate_scope_s *make_table(weir_gate_t gate, unsigned table,
                                            uint64_t owner) {
    struct weir_gate_scope_s *none = NULL;
    struct weir_gate_scope_s *made =
        calloc(GROUP << table, sizeof(struct weir_gate_scope_s));
    if (made &&
        !atomic_compare_exchange_strong(&gate->scopes[table], &none, made)) {
        free(made);
    }
    return group_of(gate, table, owner);
}

static struct weir_gate_scope_s *take_entry(weir_gate_t gate, uint64_t owner) {
    for (unsigned table = 0; table < WEIR_SCOPE_TABLES; table++) {
        struct weir_gate_scope_s *group = group_of(gate, table, owner);
        if (!group && !(group = make_table(gate, table, owner))) {
            return NULL;
        }
        for (size_t i = 0; i < GROUP; i++) {
            uint64_t none = 0;
            _Atomic uint64_t *place = &group[(owner + i) % GROUP].owner;
            if (load_relaxed(place) == 0 &&
                atomic_compare_exchange_strong_explicit(place, &none, owner,
                                                        memory_order_acquire,
                                                        memory_order_relaxed)) {
                return &group[(owner + i) % GROUP];
            }
        }
    }
    return NULL;
}

static void set_name(weir_gate_t gate, weir_gate_scope_t scope,
                     const char *name) {
    pthread_mutex_lock(&gate->lock);
    free(scope->name);
    scope->name = name ? strdup(name) : NULL;
    pthread_mutex_unlock(&gate->lock);
}

/* The scopes of this thread, unless the program is inspected. */
static _Thread_local struct {
    struct weir_gate_scope_s scopes[8];
    const void *gates[8];
    size_t count;
} own;

#define OWN_MAX (sizeof own.gates / sizeof *own.gates)

static bool is_own(weir_gate_scope_t scope) {
    return own.count > 0 && scope == &own.scopes[own.count - 1];
}

weir_gate_scope_t weir_gate_scope(weir_gate_t gate, size_t count,
                                  const weir_caller_t *caller) {
    if (count == 0) {
        return NULL;
    }
    uint64_t since = weir__begin_time();
    bool is_shown = since != 0 && !weir__top_holder; /* a job shows its own */
    if (!caller->task && !is_shown && own.count < OWN_MAX) {
        size_t place = own.count++;
        own.gates[place] = gate;
        atomic_init(&own.scopes[place].count, count);
        return &own.scopes[place];
    }
    weir_gate_scope_t scope = take_entry(gate, owner_of(caller));
    if (!scope) {
        return NULL;
    }
    store_relaxed(&scope->count, count);
    store_relaxed(&scope->file, caller->file);
    store_relaxed(&scope->line, caller->line);
    store_relaxed(&scope->since, since);
    if (WEIR_UNLIKELY(caller->name != NULL)) {
        set_name(gate, scope, caller->name);
    }
    return scope;
}

void *weir__scope_end(weir_gate_t gate, weir_gate_scope_t scope) {
    if (!scope) {
        return NULL;
    }
    if (is_own(scope)) {
        own.count--;
        return NULL;
    }
    void *loans = scope->loans;
    scope->loans = NULL;
    if (WEIR_UNLIKELY(scope->name != NULL)) {
        set_name(gate, scope, NULL);
    }
    atomic_store_explicit(&scope->owner, 0, memory_order_release);
    return loans;
}

/* Returns the owner's next scope from a position on, which begins at 0. */
static struct weir_gate_scope_s *next_of(weir_gate_t gate, uint64_t owner,
                                         size_t *position) {
    for (; *position < WEIR_SCOPE_TABLES * GROUP; *position += 1) {
        struct weir_gate_scope_s *group =
            group_of(gate, (unsigned)(*position / GROUP), owner);
        if (!group) {
            return NULL; /* nor is there a greater one */
        }
        struct weir_gate_scope_s *scope = &group[*position % GROUP];
        if (load_relaxed(&scope->owner) == owner) {
            *position += 1;
            return scope;
        }
    }
    return NULL;
}

/* The owner is a task or a thread. A scope that lends does not count: its
   permits may come back while the owner waits. */
size_t weir_gate_scopes_hold(weir_gate_t gate, uint64_t owner) {
    size_t count = 0, position = 0;
    for (struct weir_gate_scope_s *scope;
         (scope = next_of(gate, owner, &position));) {
        count += scope->loans ? 0 : load_relaxed(&scope->count);
    }
    return count;
}

size_t weir__scopes_keep(weir_gate_t gate) {
    size_t count = weir_gate_scopes_hold(
        gate, OF_A_THREAD | (uint64_t)weir__thread_number());
    for (size_t i = 0; i < own.count; i++) {
        count += own.gates[i] == gate ? load_relaxed(&own.scopes[i].count) : 0;
    }
    return count;
}

void **weir_gate_scope_loans(weir_gate_t gate, uint64_t task, size_t *count) {
    size_t position = 0;
    struct weir_gate_scope_s *most = NULL; /* the scope with most permits */
    *count = 0;
    for (struct weir_gate_scope_s *scope;
         (scope = next_of(gate, task, &position));) {
        if (load_relaxed(&scope->count) > *count) {
            *count = load_relaxed(&scope->count);
            most = scope;
        }
    }
    return most ? &most->loans : NULL;
}

/* ---- inspection --------------------------------------------------------- */

static void describe(const struct weir_gate_scope_s *scope, uint64_t owner,
                     struct weir__inspection *inspection) {
    struct weir__caller caller = {
        .task = owner & OF_A_THREAD ? 0 : owner,
        .thread = (int)(owner & ~OF_A_THREAD),
        .file = load_relaxed(&scope->file),
        .line = load_relaxed(&scope->line),
        .name = scope->name,
    };
    char text[WEIR_CALLER_TEXT];
    weir__inspection_print(inspection, "  %s holds %zu",
                           weir__caller_text(&caller, text),
                           load_relaxed(&scope->count));
    weir__inspection_age(inspection, ",", load_relaxed(&scope->since));
    weir__inspection_print(inspection, "\n");
}

size_t weir__scopes_describe(weir_gate_t gate,
                             struct weir__inspection *inspection) {
    size_t count = 0;
    for (unsigned table = 0; table < WEIR_SCOPE_TABLES; table++) {
        struct weir_gate_scope_s *entries =
            atomic_load_explicit(&gate->scopes[table], memory_order_acquire);
        for (size_t i = 0; entries && i < GROUP << table; i++) {
            uint64_t owner = load_relaxed(&entries[i].owner);
            if (owner != 0) {
                describe(&entries[i], owner, inspection);
                count += load_relaxed(&entries[i].count);
            }
        }
    }
    return count;
}

void weir__scopes_free(weir_gate_t gate) {
    for (unsigned table = 0; table < WEIR_SCOPE_TABLES; table++) {
        free(load_relaxed(&gate->scopes[table]));
    }
}
