/* The watch over a kernel of somebody else, in memory that its process shares with the one that
 * waits for it: which of its functions is running, how far it is, and what ended it. */
#ifndef SP_KERNELS_OWN_WATCH_H
#define SP_KERNELS_OWN_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"

/* Code of others that may be running. */
enum sp_own_call {
    SP_OWN_NONE,
    SP_OWN_LOAD, /* what a library does when it is opened */
    SP_OWN_PREPARE,
    SP_OWN_RUN,
    SP_OWN_FINISH,
    SP_OWN_TRACE,
    SP_OWN_STORES,
    SP_OWN_N_CALLS
};

/* An array that the kernel is given, between pages that nobody may touch. */
struct sp_own_array {
    char name[16];         /* "row_ptr", "x" */
    uintptr_t map, map_to; /* with those pages; map 0: no array */
    uintptr_t at, to;
    bool read_only;
};
enum { SP_OWN_ARRAYS = 8 };

struct sp_own_watch {
    char name[80];        /* of the kernel */
    atomic_int call;      /* enum sp_own_call */
    atomic_llong n_moves; /* calls and executions so far: it moves on as long as this grows */
    atomic_bool stop;     /* set by the one that waits: the user has had enough */
    double execution_s;   /* what a built-in kernel took for one; 0: not known yet */
    atomic_int exited;    /* 1: it ended the process, with `code`; 2: its thread; 3: another process came
                             back from a call */
    atomic_bool wrong;    /* what it computed is wrong, or it wrote beside y */
    int code;
    int signal; /* 0: none was seen */
    uintptr_t address;
    int access;     /* 1: read, 2: written, 0: not known */
    bool no_stack;  /* what it is to lie on was used up */
    bool of_thread; /* beside the first one */
    struct sp_own_array array[SP_OWN_ARRAYS];
};

/* Shared with all processes that are forked from now on. */
enum sp_status sp_own_watch_new(struct sp_own_watch **watch, struct sp_error *err);
void sp_own_watch_free(struct sp_own_watch *watch); /* accepts NULL */

/* Nothing has happened so far: for the next process that is watched. Accepts NULL. */
void sp_own_watch_again(struct sp_own_watch *watch);

/* In the process of the kernel: from now on signals and exits are noted in it. */
void sp_own_watch_begin(struct sp_own_watch *watch);

/* Calls body(context), code of others, under the watch (NULL: nobody looks); its result. */
int sp_own_watched(struct sp_own_watch *watch, enum sp_own_call call, int (*body)(void *context),
                   void *context);

/* In a process that code of others has forked: says so in the watch, and ends it. */
extern bool sp_own_is_forked;
void sp_own_end_forked(struct sp_own_watch *watch);

/* One execution is done. */
static inline void sp_own_moved(struct sp_own_watch *watch)
{
    if (sp_own_is_forked)
        sp_own_end_forked(watch);
    if (watch)
        atomic_store_explicit(&watch->n_moves,
                              atomic_load_explicit(&watch->n_moves, memory_order_relaxed) + 1,
                              memory_order_relaxed);
}

/* Its result was looked at, and is wrong. Accepts NULL. */
void sp_own_watch_wrong(struct sp_own_watch *watch);

void sp_own_watch_array(struct sp_own_watch *watch, const struct sp_own_array *array);

/* What the process with this status of waitpid() died of, a sentence about the kernel: SP_WRONG. */
enum sp_status sp_own_watch_ended(const struct sp_own_watch *watch, int wait_status, struct sp_error *err);
/* SP_WRONG: nothing can be read of it any more, though it still runs, or ended well. */
enum sp_status sp_own_watch_cut_off(const struct sp_own_watch *watch, struct sp_error *err);
/* The sentence about a call that does not return. */
enum sp_status sp_own_watch_hangs(const struct sp_own_watch *watch, double limit_s, struct sp_error *err);

/* Arrays for a kernel of somebody else: on pages of their own between two that nobody may touch,
 * the end of the array (in whole lines of 64 bytes) at the second one. What is left of the pages
 * holds a pattern. */

/* Large ones ask for huge pages; the second never does. */
extern const struct sp_allocator sp_own_pages_huge, sp_own_pages_small;
bool sp_own_pages_are(const struct sp_allocator *allocator);

/* Where an array of theirs lies. */
void sp_own_pages_array(const void *p, size_t size_B, const char *name, struct sp_own_array *array);
/* Nobody may write it from now on, or may again. */
void sp_own_pages_protect(struct sp_own_array *array, bool read_only);

/* Bytes of the pattern that were written over: before the start, behind the end; 0: none. The
 * distance of the furthest one from the array. */
void sp_own_pages_look(const struct sp_own_array *array, size_t *before_B, size_t *behind_B);

#endif
