/*
 * links.c: reading a file with several names (hard links) once.
 *
 * DESIGN. A file has to be read once even if two lanes meet two names at the
 * same moment. And that has to cost next to nothing for the many files with one
 * name: above all no fstat before the read, though only fstat knows the number
 * of names.
 *
 * So before a lane reads, it marks the inode number, which the walk knows, in a
 * small array of counters. If no other lane has marked that place, the lane
 * reads and asks for the status afterwards. If there are several names, it
 * claims the inode in the table before it removes its mark. If another lane has
 * marked the place (by chance, for a file with one name), or if the number is
 * in the table, the lane asks for the status before it reads; it mostly finds
 * one name, and reads. Else it waits until no lane is left there that reads
 * before it has the status. Then the table decides: the memo is there; or
 * another lane has the claim, and this one waits for it; or this lane claims
 * the inode. A lane with a claim has one file open and waits for no other
 * claim, so lanes cannot wait in a circle.
 *
 * A name that no walk has found has no number yet. It is read as if it were the
 * only one until a file with several names has been met; from then on the
 * status of such a name is asked for first.
 *
 * Marks are read-modify-writes of one counter, so of two lanes one sees the
 * other; they acquire and release, so that a lane that finds another one's mark
 * removed finds its claim in the table.
 *
 * Rejected: an fstat before each read; a lock and a place in the table for each
 * inode number from the start (two locked operations and an allocation per
 * file); to put the second name off to the end of the run (results come in
 * order).
 *
 * A memo is valid for the same device, inode, size and times, st_ctime
 * included. Memos take 8 MiB together; the oldest are forgotten first. An inode
 * is forgotten when all its names have been met.
 */
#include "files/file/links.h"

#include <pthread.h>

#define MEMORY_MAX ((size_t)8 << 20)

#define CHAINS ((size_t)16384)

/* The counters of lanes at an inode number. */
#define BUCKETS ((size_t)1024)

/* The memory that malloc adds to two allocations. */
#define OVERHEAD ((size_t)32)

/* A bucket counts all lanes at it in the upper half, and in the lower half
   those that read before they have the status. */
#define ONE_LANE ((uint64_t)1 << 32)
#define ONE_READING ((uint64_t)1)

/* An inode with several names. */
struct link {
    struct link *next;  /* in its chain */
    struct link *newer; /* of a known one: in the order they became known */
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

typedef _Atomic(struct link *) chain_t; /* its first link */

struct links {
    _Atomic uint64_t buckets[BUCKETS];
    _Atomic(chain_t *) chains; /* made when first needed */
    _Atomic bool is_used;      /* in this run */

    pthread_mutex_t lock; /* guards the fields that follow, and all links */
    pthread_cond_t changed;
    struct link *oldest; /* of the known ones */
    struct link *newest;
    size_t bytes; /* of the known ones */
};

/* ---- life -------------------------------------------------------------- */

struct links *weir__links_create(void) {
    struct links *links = calloc(1, sizeof *links);
    if (links) {
        pthread_mutex_init(&links->lock, NULL);
        pthread_cond_init(&links->changed, NULL);
    }
    return links;
}

void weir__links_destroy(struct links *links) {
    if (links) {
        weir__links_clear(links);
        free(load_relaxed(&links->chains));
        pthread_cond_destroy(&links->changed);
        pthread_mutex_destroy(&links->lock);
        free(links);
    }
}

/* ---- the table: with the lock held ------------------------------------- */

/* Inode numbers differ in low bits, or by steps of a power of two. */
static uint64_t scatter(uint64_t inode) {
    return (inode * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
}

static chain_t *chain_of(struct links *links, uint64_t inode) {
    chain_t *chains =
        atomic_load_explicit(&links->chains, memory_order_acquire);
    return chains ? &chains[scatter(inode) % CHAINS] : NULL;
}

static struct link *first_of(struct links *links, uint64_t inode) {
    chain_t *chain = chain_of(links, inode);
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

/* Removes a link from the order of the known ones. */
static void unlist(struct links *links, struct link *link) {
    *(link->older ? &link->older->newer : &links->oldest) = link->newer;
    *(link->newer ? &link->newer->older : &links->newest) = link->older;
    links->bytes -= weight(link);
}

static void forget(struct links *links, struct link *link) {
    chain_t *chain = chain_of(links, link->inode);
    struct link *at = load_relaxed(chain);
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
    store_relaxed(&links->is_used, false);
    while (links->oldest) {
        forget(links, links->oldest);
    }
}

bool weir__links_is_used(struct links *links) {
    return load_relaxed(&links->is_used);
}

/* Adds the inode as one that this lane reads, if there is memory. */
static void add_claim(struct links *links, struct link_claim *claim,
                      const struct stat *status) {
    if (!load_relaxed(&links->chains)) {
        chain_t *chains = calloc(CHAINS, sizeof *chains);
        if (!chains) {
            return;
        }
        atomic_store_explicit(&links->chains, chains, memory_order_release);
    }
    store_relaxed(&links->is_used, true);
    struct link *link = calloc(1, sizeof *link);
    if (link) {
        link->device = status->st_dev;
        link->inode = status->st_ino;
        chain_t *chain = chain_of(links, link->inode);
        link->next = load_relaxed(chain);
        atomic_store_explicit(chain, link, memory_order_release);
        claim->link = link;
        claim->state = LINK_CLAIMED;
    }
}

static bool has_same_content(const struct link *link,
                             const struct stat *status) {
    return link->size == status->st_size &&
           weir__is_same_time(link->modified, status->st_mtim) &&
           weir__is_same_time(link->status_changed, status->st_ctim);
}

/* ---- buckets ----------------------------------------------------------- */

static _Atomic uint64_t *bucket_of(struct links *links, uint64_t inode) {
    return &links->buckets[scatter(inode) % BUCKETS];
}

/* Marks the bucket. True if no other lane has. */
static bool mark(_Atomic uint64_t *bucket) {
    uint64_t seen = load_relaxed(bucket);
    for (;;) {
        bool is_empty = seen == 0;
        uint64_t marked = seen + ONE_LANE + (is_empty ? ONE_READING : 0);
        if (atomic_compare_exchange_weak_explicit(bucket, &seen, marked,
                                                  memory_order_acq_rel,
                                                  memory_order_relaxed)) {
            return is_empty;
        }
    }
}

static bool is_read_first(_Atomic uint64_t *bucket) {
    return (uint32_t)atomic_load_explicit(bucket, memory_order_acquire) != 0;
}

/* Removes marks. Other lanes at the bucket may wait for that. */
static void unmark(struct links *links, _Atomic uint64_t *bucket,
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

bool weir__links_may_read(struct links *links, struct link_claim *claim,
                          uint64_t inode) {
    _Atomic uint64_t *bucket = claim->bucket = bucket_of(links, inode);
    if (!mark(bucket)) {
        return false;
    }
    if (is_in_table(links, inode)) {
        unmark(links, bucket, ONE_READING);
        return false;
    }
    return true;
}

void weir__links_claim(struct links *links, struct link_claim *claim,
                       const struct stat *status) {
    if (status) {
        pthread_mutex_lock(&links->lock);
        if (!find(links, status)) {
            add_claim(links, claim, status);
        }
        pthread_mutex_unlock(&links->lock);
    }
    unmark(links, claim->bucket, ONE_LANE + ONE_READING);
}

static void wait_and_resolve(struct links *links, struct link_claim *claim,
                             const struct stat *status, struct bytes *memo) {
    pthread_mutex_lock(&links->lock);
    struct link *link = NULL;
    while (is_read_first(claim->bucket) ||
           ((link = find(links, status)) && !link->is_known)) {
        pthread_cond_wait(&links->changed, &links->lock);
    }
    if (link && has_same_content(link, status) &&
        weir__bytes_set(memo, link->memo, link->length)) {
        claim->state = LINK_KNOWN;
        if (++link->met >= status->st_nlink) {
            forget(links, link);
        }
    } else {
        if (link) {
            forget(links, link);
        }
        add_claim(links, claim, status);
    }
    pthread_mutex_unlock(&links->lock);
}

void weir__links_resolve(struct links *links, struct link_claim *claim,
                         const struct stat *status, struct bytes *memo) {
    if (status) {
        if (!claim->bucket) {
            claim->bucket = bucket_of(links, status->st_ino);
            atomic_fetch_add_explicit(claim->bucket, ONE_LANE,
                                      memory_order_acq_rel);
        }
        wait_and_resolve(links, claim, status, memo);
    }
    if (claim->bucket) {
        unmark(links, claim->bucket, ONE_LANE);
    }
}

/* ---- remembering ------------------------------------------------------- */

void weir__links_remember(struct link_claim *claim, struct bytes *memo,
                          const void *bytes, size_t length) {
    if (claim->link && length <= MEMORY_MAX / 16) {
        claim->state = weir__bytes_set(memo, bytes, length) ? LINK_REMEMBERED
                                                            : LINK_CLAIMED;
    }
}

/* Called with the lock held. False if memory is short. */
static bool set_memo(struct links *links, struct link *link,
                     const struct stat *status, const struct bytes *memo) {
    link->memo = malloc(memo->used + 1);
    if (!link->memo) {
        return false;
    }
    memcpy(link->memo, memo->data, memo->used);
    link->length = memo->used;
    link->size = status->st_size;
    link->modified = status->st_mtim;
    link->status_changed = status->st_ctim;
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

void weir__links_publish(struct links *links, struct link_claim *claim,
                         const struct stat *status, const struct bytes *memo,
                         bool may_keep) {
    struct link *link = claim->link;
    bool is_kept = may_keep && claim->state == LINK_REMEMBERED;
    pthread_mutex_lock(&links->lock);
    if (!is_kept || !set_memo(links, link, status, memo)) {
        forget(links, link);
    }
    pthread_cond_broadcast(&links->changed);
    pthread_mutex_unlock(&links->lock);
}
