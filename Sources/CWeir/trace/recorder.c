/*
 * recorder.c: a recorder keeps the events of all threads and writes them.
 *
 * DESIGN. Each thread writes to a buffer of its own, which belongs to the
 * recorder. A thread finds its buffer by a thread-local pointer together with
 * the number of the session that it was made in. Buffers outlive their threads.
 * They are linked into the recorder's list by one exchange that releases, so
 * that who acquires the list finds the older ones too; they grow in pieces up
 * to the requested number of events, and then wrap round. No thread reads
 * events before recording has stopped and observers.c has seen that no thread
 * is within the recorder, so there is no lock and no barrier on the way; only
 * the atomic counts are read meanwhile. A label is valid only during the call,
 * so each record has a copy.
 */
#include "trace/recorder.h"
#include "system/threads.h"
#include "trace/timeline.h"

#include <pthread.h>
#include <unistd.h>

enum {
    EVENTS_DEFAULT = 65536,
    PIECE_FIRST = 64,
    PIECE_MAX = 4096,
};

_Static_assert(sizeof(struct weir__trace_record) == 128, "as trace.h says");

struct piece {
    struct piece *next;
    size_t size;
    struct weir__trace_record records[];
};

struct buffer {
    struct buffer *next; /* the next older one */
    _Atomic uint64_t written;
    _Atomic uint64_t lost; /* for want of memory */
    bool is_main;
    size_t room; /* in all pieces */
    struct piece *first;
    struct piece *current;
    size_t used; /* in the current piece */
};

struct weir_trace_recorder_s {
    struct weir__object object;
    weir_trace_observer_t observer;
    enum weir__recorder_place place;
    size_t capacity;
    pthread_mutex_t mutex; /* of all below; not held while it writes */
    bool is_recording;
    size_t writing; /* the number of writers */
    uint64_t session;
    uint64_t lost_before;
    _Atomic(struct buffer *) buffers; /* the newest */
    _Atomic uint64_t lost;            /* by threads that got no buffer */
};

static _Atomic uint64_t sessions;

static _Thread_local struct {
    uint64_t session;
    struct buffer *buffer;
} own[WEIR_RECORDERS];

/* ---- buffers ----------------------------------------------------------- */

/* Copies the whole characters that fit. Returns the length with the zero. */
static size_t copy_text(char *to, size_t room, const char *text) {
    size_t length = strnlen(text, room);
    if (length == room) {
        do {
            length--;
        } while (length > 0 && (text[length] & 0xC0) == 0x80);
    }
    memcpy(to, text, length);
    to[length] = '\0';
    return length + 1;
}

/* The caller has the room that the label leaves. */
static void copy_label(struct weir__trace_record *record,
                       const weir_trace_event_t *event) {
    size_t used = copy_text(record->label, WEIR_TRACE_LABEL,
                            event->label ? event->label : "");
    record->caller = 0;
    if (event->caller && used < WEIR_TRACE_LABEL) {
        record->caller = (uint32_t)used;
        copy_text(record->label + used, WEIR_TRACE_LABEL - used, event->caller);
    }
}

static void free_buffers(struct buffer *buffer) {
    while (buffer) {
        struct buffer *older = buffer->next;
        for (struct piece *piece = buffer->first, *next; piece; piece = next) {
            next = piece->next;
            free(piece);
        }
        free(buffer);
        buffer = older;
    }
}

static struct buffer *own_buffer(weir_trace_recorder_t recorder) {
    if (own[recorder->place].session == recorder->session) {
        return own[recorder->place].buffer;
    }
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer) {
        return NULL;
    }
    buffer->is_main = weir__thread_number() == getpid();
    buffer->next = load_relaxed(&recorder->buffers);
    while (!atomic_compare_exchange_weak_explicit(
        &recorder->buffers, &buffer->next, buffer, memory_order_release,
        memory_order_relaxed)) {
    }
    own[recorder->place].session = recorder->session;
    own[recorder->place].buffer = buffer;
    return buffer;
}

static bool add_piece(struct buffer *buffer, size_t capacity) {
    size_t size = buffer->room < PIECE_FIRST ? PIECE_FIRST : buffer->room;
    size = size > PIECE_MAX ? PIECE_MAX : size;
    size = size > capacity - buffer->room ? capacity - buffer->room : size;
    struct piece *piece =
        malloc(sizeof *piece + size * sizeof(struct weir__trace_record));
    if (!piece) {
        return false;
    }
    piece->next = NULL;
    piece->size = size;
    *(buffer->current ? &buffer->current->next : &buffer->first) = piece;
    buffer->current = piece;
    buffer->room += size;
    buffer->used = 0;
    return true;
}

/* Returns the place for the next event: the oldest if the buffer is full. */
static struct weir__trace_record *next_record(struct buffer *buffer,
                                              size_t capacity) {
    if (!buffer->current || buffer->used == buffer->current->size) {
        if (buffer->room < capacity) {
            if (!add_piece(buffer, capacity)) {
                return NULL;
            }
        } else {
            struct piece *next = buffer->current->next;
            buffer->current = next ? next : buffer->first;
            buffer->used = 0;
        }
    }
    return &buffer->current->records[buffer->used];
}

/* Called only by the thread that writes this counter. */
static void increment(_Atomic uint64_t *counter) {
    store_relaxed(counter, load_relaxed(counter) + 1);
}

static bool keep_event(struct buffer *buffer, size_t capacity,
                       const weir_trace_event_t *event) {
    struct weir__trace_record *record = next_record(buffer, capacity);
    if (!record) {
        return false;
    }
    record->nanoseconds = event->nanoseconds;
    record->job = event->job;
    record->lane = event->lane;
    record->count = event->count;
    record->kind = (uint32_t)event->kind;
    record->serial = event->serial;
    copy_label(record, event);
    buffer->used++;
    increment(&buffer->written);
    return true;
}

static void record_event(void *context, const weir_trace_event_t *event) {
    weir_trace_recorder_t recorder = context;
    struct buffer *buffer = own_buffer(recorder);
    if (!buffer) {
        add_relaxed(&recorder->lost, 1);
    } else if (!keep_event(buffer, recorder->capacity, event)) {
        increment(&buffer->lost);
    }
}

static uint64_t trace_lost(weir_trace_recorder_t recorder) {
    return load_relaxed(&weir__trace_lost) - recorder->lost_before;
}

/* Returns the number of events that a buffer keeps of those written. */
static size_t kept_count(uint64_t written, size_t capacity) {
    return written < capacity ? (size_t)written : capacity;
}

/* ---- life -------------------------------------------------------------- */

weir_trace_recorder_t weir__recorder_create(enum weir__recorder_place place,
                                            size_t events) {
    weir_trace_recorder_t recorder =
        weir__object_create(sizeof *recorder, "the trace recorder", NULL);
    if (!recorder) {
        return NULL;
    }
    recorder->place = place;
    recorder->capacity = events == 0 ? EVENTS_DEFAULT : events;
    recorder->observer =
        (weir_trace_observer_t){.context = recorder, .observe = record_event};
    pthread_mutex_init(&recorder->mutex, NULL);
    return recorder;
}

weir_trace_recorder_t weir_trace_recorder_create(size_t events) {
    return weir__recorder_create(WEIR_RECORDER_OF_PROGRAM, events);
}

static void stop_recording(weir_trace_recorder_t recorder) {
    pthread_mutex_lock(&recorder->mutex);
    if (recorder->is_recording) {
        weir__observers_detach(recorder->place, &recorder->observer);
        recorder->is_recording = false;
        atomic_fetch_add(&recorder->lost, trace_lost(recorder));
    }
    pthread_mutex_unlock(&recorder->mutex);
}

void weir_trace_recorder_release(weir_trace_recorder_t recorder) {
    if (weir__object_release(&recorder->object)) {
        stop_recording(recorder);
        free_buffers(atomic_load(&recorder->buffers));
        pthread_mutex_destroy(&recorder->mutex);
        weir__object_bury(&recorder->object);
    }
}

/* Begins a new session, or returns EBUSY and leaves all as it was. */
static int begin_session(weir_trace_recorder_t recorder) {
    struct buffer *before = atomic_exchange(&recorder->buffers, NULL);
    uint64_t lost = atomic_exchange(&recorder->lost, 0);
    recorder->session = atomic_fetch_add(&sessions, 1) + 1;
    recorder->lost_before = load_relaxed(&weir__trace_lost);
    if (!weir__observers_attach(recorder->place, &recorder->observer)) {
        atomic_store(&recorder->buffers, before);
        atomic_store(&recorder->lost, lost);
        return EBUSY;
    }
    free_buffers(before);
    return 0;
}

int weir_trace_recorder_start(weir_trace_recorder_t recorder) {
    weir__object_check(&recorder->object);
    pthread_mutex_lock(&recorder->mutex);
    bool is_busy = recorder->is_recording || recorder->writing > 0;
    int error = is_busy ? EBUSY : begin_session(recorder);
    recorder->is_recording = recorder->is_recording || error == 0;
    pthread_mutex_unlock(&recorder->mutex);
    return error;
}

void weir_trace_recorder_stop(weir_trace_recorder_t recorder) {
    weir__object_check(&recorder->object);
    stop_recording(recorder);
}

uint64_t weir__recorder_lost(weir_trace_recorder_t recorder) {
    pthread_mutex_lock(&recorder->mutex);
    uint64_t lost = load_relaxed(&recorder->lost);
    for (struct buffer *buffer = atomic_load(&recorder->buffers); buffer;
         buffer = buffer->next) {
        lost += load_relaxed(&buffer->lost);
    }
    pthread_mutex_unlock(&recorder->mutex);
    return lost;
}

void weir_trace_recorder_stats(weir_trace_recorder_t recorder,
                               weir_trace_recorder_stats_t *stats,
                               size_t size) {
    weir__object_check(&recorder->object);
    weir_trace_recorder_stats_t totals = {0};
    pthread_mutex_lock(&recorder->mutex);
    totals.dropped = load_relaxed(&recorder->lost) +
                     (recorder->is_recording ? trace_lost(recorder) : 0);
    for (struct buffer *buffer = atomic_load(&recorder->buffers); buffer;
         buffer = buffer->next) {
        uint64_t written = load_relaxed(&buffer->written);
        uint64_t here = kept_count(written, recorder->capacity);
        totals.events += here;
        totals.dropped += written - here + load_relaxed(&buffer->lost);
        totals.threads++;
    }
    pthread_mutex_unlock(&recorder->mutex);
    weir__copy_stats(stats, size, &totals, sizeof totals);
}

/* ---- writing ----------------------------------------------------------- */

/* Adds a buffer's events to the timeline, the oldest first. */
static void add_moments(struct weir__timeline *timeline,
                        const struct buffer *buffer, size_t capacity,
                        size_t thread) {
    uint64_t written = load_relaxed(&buffer->written);
    size_t count = kept_count(written, capacity);
    size_t skip = written > capacity ? (size_t)(written % capacity) : 0;
    struct weir__moment *moments = timeline->moments + timeline->count;
    size_t index = 0;
    for (const struct piece *piece = buffer->first; piece;
         piece = piece->next) {
        for (size_t i = 0; i < piece->size && index < count; i++, index++) {
            size_t order = (index + count - skip) % count;
            moments[order] = (struct weir__moment){
                .record = &piece->records[i], .thread = thread, .order = order};
        }
    }
    if (written > count &&
        timeline->whole_from < moments->record->nanoseconds) {
        timeline->whole_from = moments->record->nanoseconds;
    }
    timeline->count += count;
}

static int collect_events(weir_trace_recorder_t recorder,
                          struct weir__timeline *timeline) {
    size_t events = 0, threads = 0;
    struct buffer *newest = atomic_load(&recorder->buffers), *buffer;
    for (buffer = newest; buffer; buffer = buffer->next) {
        events +=
            kept_count(load_relaxed(&buffer->written), recorder->capacity);
        threads++;
    }
    timeline->thread_count = threads;
    timeline->moments = calloc(events + 1, sizeof *timeline->moments);
    if (!timeline->moments) {
        return ENOMEM;
    }
    for (buffer = newest; buffer; buffer = buffer->next, threads--) {
        if (buffer->is_main) {
            timeline->main_thread = threads;
        }
        add_moments(timeline, buffer, recorder->capacity, threads);
    }
    return weir__timeline_analyze(timeline);
}

static int write_all(weir_trace_recorder_t recorder, int descriptor,
                     weir_trace_format_t format) {
    struct weir__timeline timeline = {0};
    int error = collect_events(recorder, &timeline);
    if (error == 0) {
        error = weir__timeline_write(&timeline, descriptor, format);
    }
    weir__timeline_free(&timeline);
    return error;
}

int weir_trace_recorder_write(weir_trace_recorder_t recorder, int descriptor,
                              weir_trace_format_t format) {
    weir__object_check(&recorder->object);
    if (format != WEIR_TRACE_JSON_LINES && format != WEIR_TRACE_EVENT_JSON) {
        return EINVAL;
    }
    /* A writer prevents a start: the buffers can be read without the mutex. */
    pthread_mutex_lock(&recorder->mutex);
    bool can_begin = !recorder->is_recording;
    recorder->writing += can_begin;
    pthread_mutex_unlock(&recorder->mutex);
    if (!can_begin) {
        return EBUSY;
    }
    int error = write_all(recorder, descriptor, format);
    pthread_mutex_lock(&recorder->mutex);
    recorder->writing--;
    pthread_mutex_unlock(&recorder->mutex);
    return error;
}
