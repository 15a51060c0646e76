/*
 * links.c: files with several names (hard links) are read once.
 *
 * DESIGN. A job asks first whether its file is known by another name; if not it
 * reads, and leaves a memo for the others. Read once must hold also where two
 * lanes meet two names at the same moment; and it must cost next to nothing for
 * the many files that have one name, above all no fstat before the read, which
 * alone would say how many names there are.
 *
 * So a lane marks the inode number, which the walk knows, in a small array of
 * counters before it reads. Where nobody else is at that place it reads, and
 * looks behind that. If there turn out to be several names, it claims the inode
 * in the table before it takes its mark away. Where somebody is there, which
 * for files with one name is chance, or the number is in the table already, the
 * lane is careful: it looks before it reads; finds mostly that there is one
 * name, and reads. Else it waits until none of those is there that read before
 * they looked (they are at a read and an fstat, and wait for nobody), and then
 * the table tells: the memo is there, or somebody is at the file, who is waited
 * for, or it is claimed here. Who has claimed an inode has one file open and
 * waits for no other claim, so there is no circle.
 *
 * A name that nobody has looked at has no number yet. It is read as if it were
 * the only one, as long as no file with several names was met; from then on such
 * names are looked at first. So at most one piece a lane and run may be read in
 * vain, where all files are named and none is walked to.
 *
 * Rejected: an fstat before each read (5 to 9 % of a run); a lock for each
 * inode number in the table from the start (two locked operations and an
 * allocation a file); to read and then see that another lane had read it too
 * (twice is not once); to put the second name off to the end of the run (the
 * results come in order, and what follows would pile up behind it).
 *
 * A memo is good for the same device, inode, size and times. Of the times also
 * st_ctime: a file that was written to and had its st_mtime set back is another
 * one. Making or removing a name changes st_ctime too; a file whose names
 * change during the run may be read again. Of a job that failed, or a file that
 * changed, there is no memo.
 *
 * Memory: 8 MiB of memos, the oldest go first. When as many names have been met
 * as an inode has, it is forgotten. Nothing is kept from run to run.
 */
#include "files/links.h"

#include "files/reader.h"

/* Memos take so much together. */
#define MEMORY_MAX ((size_t)8 << 20)

/* The lists that the table is made of. */
#define CHAINS ((size_t)16384)

/* What malloc adds to two pieces. */
#define OVERHEAD ((size_t)32)

#define ONE_LANE ((uint64_t)1 << 32)
#define ONE_READING ((uint64_t)1)

/* An inode with several names. */
struct link {
    struct link *next;  /* in its chain */
    struct link *newer; /* where it is known: in the order they became so */
    struct link *older;
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec modified, status_changed;
    nlink_t met; /* names */
    bool is_known;
    size_t length;
    char *memo;
};

struct chain {
    _Atomic(struct link *) first;
};

/* ---- life -------------------------------------------------------------- */

void weir__links_create(struct links *links) {
    pthread_mutex_init(&links->lock, NULL);
    pthread_cond_init(&links->changed, NULL);
}

void weir__links_destroy(struct links *links) {
    weir__links_clear(links);
    free(atomic_load_explicit(&links->chains, memory_order_relaxed));
    pthread_cond_destroy(&links->changed);
    pthread_mutex_destroy(&links->lock);
}

/* ---- the table: with the lock held ------------------------------------- */

/* Numbers of neighbours differ in their low bits; those of trees that were
   copied by steps of a power of two. */
static uint64_t scatter(uint64_t inode) {
    return (inode * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
}

static _Atomic(struct link *) *chain_of(struct links *links, uint64_t inode) {
    struct chain *chains =
        atomic_load_explicit(&links->chains, memory_order_acquire);
    return chains ? &chains[scatter(inode) % CHAINS].first : NULL;
}

static struct link *first_of(struct links *links, uint64_t inode) {
    _Atomic(struct link *) *chain = chain_of(links, inode);
    return chain ? atomic_load_explicit(chain, memory_order_acquire) : NULL;
}

static struct link *find(struct links *links, const struct stat *status) {
    struct link *link = first_of(links, status->st_ino);
    while (link &&
           (link->inode != status->st_ino || link->device != status->st_dev)) {
        link = link->next;
    }
    return link;
}

static size_t weight(const struct link *link) {
    return sizeof *link + link->length + OVERHEAD;
}

/* Takes it out of the order of those that are known. */
static void unlist(struct links *links, struct link *link) {
    *(link->older ? &link->older->newer : &links->oldest) = link->newer;
    *(link->newer ? &link->newer->older : &links->newest) = link->older;
    links->bytes -= weight(link);
}

static void forget(struct links *links, struct link *link) {
    _Atomic(struct link *) *chain = chain_of(links, link->inode);
    struct link *at = atomic_load_explicit(chain, memory_order_relaxed);
    if (at == link) {
        atomic_store_explicit(chain, link->next, memory_order_release);
    } else {
        while (at->next != link) {
            at = at->next;
        }
        at->next = link->next;
    }
    if (link->is_known) {
        unlist(links, link);
    }
    free(link->memo);
    free(link);
}

void weir__links_clear(struct links *links) {
    atomic_store_explicit(&links->is_used, false, memory_order_relaxed);
    while (links->oldest) {
        forget(links, links->oldest);
    }
}

/* Says that this lane is at the file; NULL where memory is short: then others
   read it too. */
static struct link *claim(struct links *links, const struct stat *status) {
    if (!atomic_load_explicit(&links->chains, memory_order_relaxed)) {
        struct chain *chains = calloc(CHAINS, sizeof *chains);
        if (!chains) {
            return NULL;
        }
        atomic_store_explicit(&links->chains, chains, memory_order_release);
    }
    atomic_store_explicit(&links->is_used, true, memory_order_relaxed);
    struct link *link = calloc(1, sizeof *link);
    if (link) {
        link->device = status->st_dev;
        link->inode = status->st_ino;
        _Atomic(struct link *) *chain = chain_of(links, link->inode);
        link->next = atomic_load_explicit(chain, memory_order_relaxed);
        atomic_store_explicit(chain, link, memory_order_release);
    }
    return link;
}

static bool is_same_time(struct timespec a, struct timespec b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool is_of(const struct link *link, const struct stat *status) {
    return link->size == status->st_size &&
           is_same_time(link->modified, status->st_mtim) &&
           is_same_time(link->status_changed, status->st_ctim);
}

/* The lane keeps a copy, since the table may forget it. */
static bool take_memo(weir_file_t *file, const struct link *link) {
    struct bytes *memo = &file->reader->memo;
    memo->used = 0;
    char *copy = weir__bytes_reserve(memo, link->length + 1);
    if (!copy) {
        return false;
    }
    memcpy(copy, link->memo, link->length);
    memo->used = link->length;
    return true;
}

/* ---- buckets ----------------------------------------------------------- */

static _Atomic uint64_t *bucket_of(struct links *links, uint64_t inode) {
    return &links->buckets[scatter(inode) % LINKS_BUCKETS];
}

/* Returns whether nobody else is there: then the file may be read first. */
static bool enter(_Atomic uint64_t *bucket) {
    uint64_t seen = atomic_load_explicit(bucket, memory_order_relaxed);
    for (;;) {
        bool is_empty = seen == 0;
        uint64_t entered = seen + ONE_LANE + (is_empty ? ONE_READING : 0);
        if (atomic_compare_exchange_weak_explicit(bucket, &seen, entered,
                                                  memory_order_acq_rel,
                                                  memory_order_relaxed)) {
            return is_empty;
        }
    }
}

static bool is_read_first(_Atomic uint64_t *bucket) {
    return (uint32_t)atomic_load_explicit(bucket, memory_order_acquire) != 0;
}

/* Takes marks away. Who is there besides may wait for that. */
static void leave(struct links *links, _Atomic uint64_t *bucket,
                  uint64_t marks) {
    uint64_t before =
        atomic_fetch_sub_explicit(bucket, marks, memory_order_acq_rel);
    if (before != ONE_LANE + (before & ONE_READING)) {
        pthread_mutex_lock(&links->lock);
        pthread_cond_broadcast(&links->changed);
        pthread_mutex_unlock(&links->lock);
    }
}

static bool is_in_table(struct links *links, uint64_t inode) {
    if (!first_of(links, inode)) {
        return false;
    }
    pthread_mutex_lock(&links->lock);
    const struct link *link = first_of(links, inode);
    while (link && link->inode != inode) {
        link = link->next;
    }
    pthread_mutex_unlock(&links->lock);
    return link != NULL;
}

/* ---- asking ------------------------------------------------------------ */

static struct links *links_of(const weir_file_t *file) {
    return &file->stride->files->reading.links;
}

/* Whether there are other names, as far as a look has told. */
static bool has_other_names(const weir_file_t *file) {
    return file->status.st_nlink > 1 && !file->is_refused &&
           file->entry->state == ENTRY_PATH && S_ISREG(file->status.st_mode) &&
           !files_are_literal(file->stride->files);
}

/* Behind a read: claims the file, where nobody else has. */
static void claim_read(weir_file_t *file) {
    struct links *links = links_of(file);
    if (has_other_names(file)) {
        pthread_mutex_lock(&links->lock);
        if (!find(links, &file->status)) {
            file->linked.claim = claim(links, &file->status);
        }
        pthread_mutex_unlock(&links->lock);
    }
}

/* Waits until the table tells about the file: it is known, or claimed here. */
static void resolve(weir_file_t *file, _Atomic uint64_t *bucket) {
    struct links *links = links_of(file);
    struct linked *linked = &file->linked;
    pthread_mutex_lock(&links->lock);
    struct link *link = NULL;
    while (is_read_first(bucket) ||
           ((link = find(links, &file->status)) && !link->is_known)) {
        pthread_cond_wait(&links->changed, &links->lock);
    }
    if (link && is_of(link, &file->status) && take_memo(file, link)) {
        linked->is_known = true;
        if (++link->met >= file->status.st_nlink) {
            forget(links, link);
        }
    } else {
        if (link) {
            forget(links, link);
        }
        linked->claim = claim(links, &file->status);
    }
    pthread_mutex_unlock(&links->lock);
}

/* Looks before anything is read. */
static void ask_carefully(weir_file_t *file, _Atomic uint64_t *entered) {
    struct links *links = links_of(file);
    weir__opened_settle(file);
    if (has_other_names(file)) {
        _Atomic uint64_t *bucket = entered;
        if (!bucket) {
            bucket = bucket_of(links, file->status.st_ino);
            atomic_fetch_add_explicit(bucket, ONE_LANE, memory_order_acq_rel);
        }
        resolve(file, bucket);
        if (!entered) {
            leave(links, bucket, ONE_LANE);
        }
    }
    if (entered) {
        leave(links, entered, ONE_LANE);
    }
}

static void ask(weir_file_t *file) {
    struct links *links = links_of(file);
    uint64_t inode = file->entry->inode;
    bool is_used = atomic_load_explicit(&links->is_used, memory_order_relaxed);
    if (file->is_settled || file->looks_first || (inode == 0 && is_used)) {
        ask_carefully(file, NULL);
        return;
    }
    if (inode == 0) {
        weir__opened_settle_ahead(file);
        ask_carefully(file, NULL);
        if (file->linked.is_known) {
            weir__opened_drop_piece(file);
        }
        return;
    }
    _Atomic uint64_t *bucket = bucket_of(links, inode);
    if (!enter(bucket)) {
        ask_carefully(file, bucket);
    } else if (is_in_table(links, inode)) {
        leave(links, bucket, ONE_READING);
        ask_carefully(file, bucket);
    } else {
        weir__opened_settle_ahead(file);
        claim_read(file);
        leave(links, bucket, ONE_LANE + ONE_READING);
    }
}

const void *weir_file_remembered(weir_file_t *file, size_t *length) {
    struct linked *linked = &file->linked;
    if (!linked->is_asked) {
        linked->is_asked = true;
        if (!file->was_opened) { /* others wait for who reads, not who opens */
            weir__opened_open(file);
        }
        ask(file);
        if (linked->is_known) {
            file_expect(file, -file->entry->size);
        }
    }
    *length = linked->is_known ? file->reader->memo.used : 0;
    return linked->is_known ? file->reader->memo.data : NULL;
}

/* ---- remembering ------------------------------------------------------- */

bool weir_file_is_awaited(const weir_file_t *file) {
    return file->linked.claim != NULL;
}

void weir_file_remember(weir_file_t *file, const void *bytes, size_t length) {
    struct bytes *memo = &file->reader->memo;
    if (!file->linked.claim || length > MEMORY_MAX / 16) {
        return;
    }
    memo->used = 0;
    char *copy = weir__bytes_reserve(memo, length + 1);
    file->linked.has_memo = copy != NULL;
    if (copy) {
        memcpy(copy, bytes, length);
        memo->used = length;
    }
}

/* With the lock held. Whether there is a memo now. */
static bool publish(weir_file_t *file, struct link *link) {
    struct links *links = links_of(file);
    const struct bytes *memo = &file->reader->memo;
    link->memo = malloc(memo->used + 1);
    if (!link->memo) {
        return false;
    }
    memcpy(link->memo, memo->data, memo->used);
    link->length = memo->used;
    link->size = file->status.st_size;
    link->modified = file->status.st_mtim;
    link->status_changed = file->status.st_ctim;
    link->met = 1;
    link->is_known = true;
    link->older = links->newest;
    *(links->newest ? &links->newest->newer : &links->oldest) = link;
    links->newest = link;
    links->bytes += weight(link);
    while (links->bytes > MEMORY_MAX && links->oldest != link) {
        forget(links, links->oldest);
    }
    return true;
}

void weir__links_end(weir_file_t *file) {
    struct links *links = links_of(file);
    struct linked *linked = &file->linked;
    struct entry *entry = file->entry;
    bool is_done = !file->is_refused && entry->outcome == WEIR_FILE_DONE;
    if (linked->is_known && is_done && entry->bytes == 0) {
        files_count(&file->stride->files->reading.linked, 1);
    }
    struct link *link = linked->claim;
    if (link) {
        bool is_kept =
            is_done && linked->has_memo && weir__change_is_certain(file);
        pthread_mutex_lock(&links->lock);
        if (!is_kept || !publish(file, link)) {
            forget(links, link);
        }
        pthread_cond_broadcast(&links->changed);
        pthread_mutex_unlock(&links->lock);
    }
}
