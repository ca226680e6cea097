#include "model/trace/trace.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/trace/kinds.h"

/* Events between two looks of the simulation at a thread that tells. */
enum { CHUNK = 1 << 15 };
/* A turn without a step ends after so many times its steps. */
enum { MOST_EVENTS = 64 };
/* No event is this one: the last line is beyond all regions. */
#define END_OF_TURN UINT32_MAX

enum state { IDLE, TELLS, HAS_EVENTS, IS_DONE };

/* One thread of the kernel, told by a thread of its own: it goes on where the simulation waits for
 * it. */
struct teller {
    struct walk_state *walk;
    int thread;
    pthread_t pthread;
    bool started, drops; /* drops: nobody wants the rest */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum state state;
    struct sp_error error;
    enum sp_status status;
    uint32_t *event; /* [CHUNK] */
    int64_t n_events, at;
    /* of the turn: */
    int64_t steps, in_turn;
    bool x_seen, full;
    int64_t nt_line; /* the last one that was streamed, -1: none */
};

struct walk_state {
    const struct sp_walk *walk;
    struct sp_trace *trace;
    int64_t base_B[SP_WALK_ARRAYS]; /* of array[i] in the simulated addresses */
    struct teller *teller;          /* [n_threads] */
};

static struct walk_state *state_of(const struct sp_trace *t)
{
    return t->walk;
}

static bool is_own_region(enum sp_trace_region r)
{
    return r == SP_REGION_VALUES || r == SP_REGION_INDICES || r == SP_REGION_PTR;
}

/* Arrays follow each other in a region, each as it lies in its lines. */
static int64_t place(const struct sp_walk_array *a, int line_B, int64_t *next)
{
    const int64_t skew = (int64_t)((uintptr_t)a->at % (uintptr_t)line_B), at = *next + skew;
    *next = (at + (int64_t)a->size_B + line_B - 1) / line_B * line_B;
    return at;
}

static void own_regions(const struct sp_trace_options *o, int line_B, int64_t bytes[SP_N_REGIONS])
{
    const struct sp_walk *walk = o->walk;
    static const enum sp_trace_region own[] = {SP_REGION_VALUES, SP_REGION_INDICES, SP_REGION_PTR};
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        bytes[own[k]] = 0;
    for (int i = 0; i < walk->n_arrays; i++)
        if (is_own_region(walk->array[i].region))
            place(&walk->array[i], line_B, &bytes[walk->array[i].region]);
}

static void find_bases(struct walk_state *s)
{
    const struct sp_trace *t = s->trace;
    int64_t next[SP_N_REGIONS] = {0};
    for (int i = 0; i < s->walk->n_arrays; i++) {
        const struct sp_walk_array *a = &s->walk->array[i];
        s->base_B[i] = a->region == SP_REGION_X ? t->x_base_B
                       : a->region == SP_REGION_Y
                           ? t->y_base_B
                           : t->first_line[a->region] * t->line_B + place(a, t->line_B, &next[a->region]);
    }
}

/* The array of an access; -1: none has all of it. */
static int array_of(const struct sp_walk *w, const void *address, size_t size_B)
{
    const uintptr_t p = (uintptr_t)address;
    for (int i = 0; i < w->n_arrays; i++) {
        const uintptr_t at = (uintptr_t)w->array[i].at;
        if (p >= at && size_B <= w->array[i].size_B && p - at <= w->array[i].size_B - size_B)
            return i;
    }
    return -1;
}

/* ---- counting ---- */

struct counting {
    const struct walk_state *s;
    int64_t n_steps, n_references, n_lost, n_results;
    bool x_seen;
};

static bool is_step(const struct sp_walk_array *a, int is_write, bool *x_seen)
{
    const bool y = a->region == SP_REGION_Y && is_write, x = a->region == SP_REGION_X,
               step = x || (y && !*x_seen);
    *x_seen = x || (*x_seen && !y);
    return step;
}

static void count(void *walker, const void *address, size_t size_B, int is_write)
{
    struct counting *c = walker;
    const int i = array_of(c->s->walk, address, size_B);
    c->n_references++;
    c->n_lost += i < 0;
    if (i < 0)
        return;
    c->n_steps += is_step(&c->s->walk->array[i], is_write, &c->x_seen);
    c->n_results += c->s->walk->array[i].region == SP_REGION_Y && is_write;
}

static enum sp_status count_all(struct walk_state *s, struct sp_error *err)
{
    struct sp_trace *t = s->trace;
    enum sp_status status = SP_OK;
    int64_t n_results = 0;
    for (int i = 0; i < t->n_threads && status == SP_OK; i++) {
        struct counting c = {.s = s};
        sp_cursor_reset(&t->cursor[i]);
        status = s->walk->tell(s->walk->context, t->cursor[i].thread, count, &c, err);
        if (status == SP_OK && c.n_lost > 0)
            status = sp_fail(
                err, SP_WRONG, "name all arrays that it reads in stores()",
                "the kernel %s tells of %lld of %lld accesses in trace() that are to none of its arrays, "
                "x and y",
                s->walk->name, (long long)c.n_lost, (long long)c.n_references);
        t->cursor[i].n_steps = c.n_steps > 0 ? c.n_steps : 1;
        t->n_references += c.n_references;
        n_results += c.n_results;
    }
    if (status == SP_OK && n_results == 0 && t->layout->n_r > 0)
        status = sp_fail(err, SP_WRONG, "tell every access, or leave trace out: then CRS is assumed",
                         "the kernel %s tells of no write of y in trace()", s->walk->name);
    return status;
}

/* ---- telling ---- */

/* Hands over what there is, and waits for the simulation to come back. */
static void hand_over(struct teller *t)
{
    pthread_mutex_lock(&t->lock);
    t->state = HAS_EVENTS;
    pthread_cond_broadcast(&t->changed);
    while (t->state != TELLS)
        pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
    t->n_events = t->at = 0;
}

static void put(struct teller *t, uint32_t event)
{
    if (t->n_events == CHUNK)
        hand_over(t);
    t->event[t->n_events++] = event;
}

static void end_turn(struct teller *t)
{
    put(t, END_OF_TURN);
    t->steps = t->in_turn = 0;
    t->full = false;
}

static void tell(void *walker, const void *address, size_t size_B, int is_write)
{
    struct teller *t = walker;
    const struct walk_state *s = t->walk;
    const struct sp_trace *trace = s->trace;
    const int i = array_of(s->walk, address, size_B);
    if (i < 0 || t->drops)
        return;
    const struct sp_walk_array *a = &s->walk->array[i];
    const bool writes_y = a->region == SP_REGION_Y && is_write;
    if (t->full && !writes_y)
        end_turn(t);
    const int64_t first_B = s->base_B[i] + ((const char *)address - (const char *)a->at),
                  last_B = first_B + (int64_t)(size_B > 0 ? size_B : 1) - 1;
    for (int64_t line = first_B >> trace->line_shift; line <= last_B >> trace->line_shift; line++) {
        if (writes_y && is_write == SP_WALK_STREAMS) {
            s->trace->nt_lines += line != t->nt_line;
            t->nt_line = line;
            continue;
        }
        if (t->in_turn >= MOST_EVENTS * trace->turn_steps)
            end_turn(t);
        const uint32_t e = sp_trace_event(is_write ? SP_EVENT_WRITE : SP_EVENT_TOUCH, (uint32_t)line);
        if (trace->every || t->in_turn == 0 || t->n_events == 0 || t->event[t->n_events - 1] != e) {
            put(t, e);
            t->in_turn++;
        }
    }
    t->steps += is_step(a, is_write, &t->x_seen);
    t->full = t->steps >= trace->turn_steps;
}

static void *teller_main(void *p)
{
    struct teller *t = p;
    pthread_mutex_lock(&t->lock);
    while (t->state != TELLS)
        pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
    if (!t->drops)
        t->status = t->walk->walk->tell(t->walk->walk->context, t->thread, tell, t, &t->error);
    pthread_mutex_lock(&t->lock);
    t->state = IS_DONE;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Lets it tell until it has a chunk, or has ended. */
static void ask(struct teller *t)
{
    pthread_mutex_lock(&t->lock);
    if (t->state != IS_DONE) {
        t->state = TELLS;
        pthread_cond_broadcast(&t->changed);
        while (t->state == TELLS)
            pthread_cond_wait(&t->changed, &t->lock);
    }
    pthread_mutex_unlock(&t->lock);
}

static void stop(struct teller *t)
{
    if (!t->started)
        return;
    t->drops = true;
    while (t->state != IS_DONE)
        ask(t);
    pthread_join(t->pthread, NULL);
    t->started = false;
}

static bool start(struct teller *t)
{
    t->state = IDLE;
    t->drops = t->x_seen = t->full = false;
    t->n_events = t->at = t->steps = t->in_turn = 0;
    t->nt_line = -1;
    t->started = pthread_create(&t->pthread, NULL, teller_main, t) == 0;
    return t->started;
}

/* The next event of its turn; END_OF_TURN, too, where it has told all. */
static uint32_t next_event(struct teller *t)
{
    while (t->at == t->n_events) {
        if (!t->started || t->state == IS_DONE)
            return END_OF_TURN;
        ask(t); /* starts its chunk anew where it has handed one over */
    }
    return t->event[t->at++];
}

static bool has_more(struct teller *t)
{
    if (t->at == t->n_events && t->started && t->state != IS_DONE)
        ask(t);
    return t->at < t->n_events;
}

static int64_t fill_turn(struct sp_trace *trace, struct sp_trace_cursor *c)
{
    struct teller *t = &state_of(trace)->teller[c->index];
    int64_t n = 0;
    for (uint32_t e; (e = next_event(t)) != END_OF_TURN;)
        trace->event[n++] = e;
    c->done = !has_more(t);
    return n;
}

static int64_t events_bound(const struct sp_trace *t)
{
    return MOST_EVENTS * t->turn_steps + 16;
}

static void no_share(const struct sp_trace *t, struct sp_trace_cursor *c)
{
    (void)t;
    (void)c; /* open_walk() has counted them */
}

/* Counts each cursor's steps. */
static enum sp_status open_walk(struct sp_trace *t, const struct sp_trace_options *o, struct sp_error *err)
{
    void *p, *tellers = NULL;
    enum sp_status status = sp_new_array(1, sizeof(struct walk_state), "a trace", &p, err);
    if (status != SP_OK)
        return status;
    struct walk_state *s = t->walk = p;
    *s = (struct walk_state){.walk = o->walk, .trace = t};
    status = sp_new_array(t->n_threads, sizeof *s->teller, "the threads of a trace", &tellers, err);
    s->teller = tellers;
    for (int i = 0; i < t->n_threads && status == SP_OK; i++) {
        struct teller *one = &s->teller[i];
        one->walk = s;
        one->thread = t->cursor[i].thread;
        pthread_mutex_init(&one->lock, NULL);
        pthread_cond_init(&one->changed, NULL);
        status = sp_new_array(CHUNK, sizeof *one->event, "the events of a trace", (void **)&one->event, err);
    }
    find_bases(s);
    return status == SP_OK ? count_all(s, err) : status;
}

static void rewind_walk(struct sp_trace *t)
{
    struct walk_state *s = state_of(t);
    for (int i = 0; i < t->n_threads; i++) {
        stop(&s->teller[i]);
        t->cursor[i].done = !start(&s->teller[i]);
    }
}

static void close_walk(struct sp_trace *t)
{
    struct walk_state *s = state_of(t);
    if (!s)
        return;
    for (int i = 0; s->teller && i < t->n_threads; i++) {
        stop(&s->teller[i]);
        free(s->teller[i].event);
        if (s->teller[i].walk) {
            pthread_mutex_destroy(&s->teller[i].lock);
            pthread_cond_destroy(&s->teller[i].changed);
        }
    }
    free(s->teller);
    free(s);
    t->walk = NULL;
}

const struct sp_trace_kind sp_trace_walked = {.fill_turn = fill_turn,
                                              .measure_share = no_share,
                                              .events_bound = events_bound,
                                              .own_regions = own_regions,
                                              .begin = open_walk,
                                              .rewind = rewind_walk,
                                              .end = close_walk};
