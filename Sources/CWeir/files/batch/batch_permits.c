/*
 * batch_permits.c: the descriptor permits of a batch.
 *
 * DESIGN. Permits that other code holds may never be released. So the feed
 * requests them, and withdraws the request if the run is stopped.
 *
 * The processor's own gate, if the caller asked for a limit, comes before that
 * of the process, and a holder of permits of the second waits for nothing.
 */
#include "files/batch/submission.h"

#include "permits/holder.h"

#include <weir/descriptors.h>

struct permit_request {
    weir_files_t files;
    bool is_answered; /* guarded by the processor's lock, as is `error` */
    int error;
};

static void answer(void *context, int error) {
    struct permit_request *request = context;
    weir_files_t files = request->files;
    pthread_mutex_lock(&files->lock);
    request->is_answered = true;
    request->error = error;
    pthread_cond_signal(&files->answered);
    pthread_mutex_unlock(&files->lock);
}

/* Waits for the answer. A stop of the run withdraws the request. */
static void await_answer(struct permit_request *request,
                         weir_gate_request_t handle) {
    weir_files_t files = request->files;
    bool is_withdrawn = false;
    pthread_mutex_lock(&files->lock);
    while (!request->is_answered) {
        if (files_is_stopped(files) && !is_withdrawn) {
            is_withdrawn = true;
            pthread_mutex_unlock(&files->lock);
            weir_gate_request_cancel(handle);
            pthread_mutex_lock(&files->lock);
        } else {
            pthread_cond_wait(&files->answered, &files->lock);
        }
    }
    pthread_mutex_unlock(&files->lock);
}

/* Waits at the gate. A job on this thread counts as waiting. */
static int wait_for_permits(weir_files_t files, weir_gate_t gate,
                            size_t count) {
    struct permit_request request = {.files = files};
    weir_gate_request_t handle;
    if (weir_gate_request_f(gate, count, &request, answer, &handle) != 0) {
        return ENOMEM;
    }
    struct weir__holder *job = weir__top_holder;
    _Atomic size_t *at_gates = job ? job->at_gates : NULL;
    if (at_gates) {
        add_relaxed(at_gates, 1);
    }
    uint64_t begun = weir__nanoseconds();
    await_answer(&request, handle);
    files_count_time(&files->counts.waited_permits, begun);
    if (at_gates) {
        subtract_relaxed(at_gates, 1);
    }
    weir_gate_request_release(handle);
    return request.error;
}

static int take(weir_files_t files, weir_gate_t gate, size_t count, bool wait) {
    if (!gate || count == 0) {
        return 0;
    }
    int error = weir_gate_try(gate, count);
    if (error != EAGAIN || !wait) {
        return error;
    }
    /* Work that keeps permits and waits for more than the others waits for
       itself: misuse, which a wait finds and a request does not. */
    weir_gate_stats_t stats;
    weir_gate_stats(gate, &stats, sizeof stats);
    size_t kept = weir__scopes_keep(gate);
    return kept > 0 && stats.permits >= kept && count > stats.permits - kept
               ? weir_gate_wait(gate, count, DISPATCH_TIME_FOREVER)
               : wait_for_permits(files, gate, count);
}

/* Takes `*count` permits from the budget of the process, or all it has. */
static int take_from_budget(weir_files_t files, size_t *count, bool wait) {
    for (;;) {
        int error = take(files, weir_descriptor_gate(), *count, wait);
        if (error != EINVAL || *count < 2) {
            return error;
        }
        size_t most = weir_descriptor_budget();
        *count = most < *count ? most : *count - 1;
    }
}

bool weir__batch_take_permits(struct batch *batch, bool wait) {
    weir_files_t files = batch->files;
    size_t own = batch->to_open ? files->permits_per_batch : 0, count = own;
    if (take(files, files->own_gate, own, wait) != 0) {
        return false;
    }
    if (take_from_budget(files, &count, wait) != 0) {
        if (files->own_gate) {
            weir_gate_signal(files->own_gate, own);
        }
        return false;
    }
    if (files->own_gate && count < own) {
        weir_gate_signal(files->own_gate, own - count);
    }
    batch->permits = count;
    size_t out = add_relaxed(&files->permits_out, count);
    weir__raise_size(&files->permits_peak, out + count);
    return true;
}

void weir__batch_release_permits(struct batch *batch) {
    weir_files_t files = batch->files;
    subtract_relaxed(&files->permits_out, batch->permits);
    weir_gate_signal(weir_descriptor_gate(), batch->permits);
    if (files->own_gate) {
        weir_gate_signal(files->own_gate, batch->permits);
    }
    batch->permits = 0;
}
