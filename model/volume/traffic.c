#include "model/volume/traffic.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "model/cache/alpha.h"
#include "model/cache/capacity.h"
#include "model/cache/partition.h"

enum { MAX_EXECUTIONS = 6 };
static const double STEADY = 1e-3;

struct sp_sim_options sp_sim_default(const struct sp_machine *machine)
{
    return (struct sp_sim_options){
        .machine = machine, .policy = -1, .n_domain = 1, .state = SP_SIM_WARM, .seed = 1};
}

double sp_traffic_alpha(const struct sp_layout *layout, const struct sp_traffic *memory)
{
    if (layout->n_nz == 0)
        return NAN;
    return memory->array_read_B[SP_ARRAY_X] / sp_layout_gather_bytes(layout);
}

double sp_traffic_idle_B(const struct sp_layout *l)
{
    return 0.25 * (sp_layout_matrix_bytes(l) + sp_layout_array_bytes(l, SP_ARRAY_ROWS));
}

bool sp_traffic_is_idle(const struct sp_layout *l, const struct sp_traffic *here)
{
    return here->read_B.value + here->write_B.value < sp_traffic_idle_B(l);
}

/* The simulation of all domains. */
struct whole {
    const struct sp_layout *layout;
    const struct sp_sim_options *options;
    struct sp_domains domains;
    struct sp_cache cache[SP_MAX_CACHES];
    int n_caches;
    struct sp_traffic *traffic; /* [n_caches] sums */
    struct sp_sim_facts facts;
};

/* Several processors simulate one domain: some rounds of a thread and its private levels are one
 * piece of work, the shared levels for the same rounds of all threads another, in order. Threads
 * may be AHEAD pieces in front of the shared levels, and whoever finds no work sleeps: a processor
 * that others take away for a while stops nobody at once. */
enum { MOST_ROUNDS = 64, MOST_EVENTS = 1 << 16 /* of a piece */, AHEAD = 4 };
/* Processors that one domain keeps busy: where the shared levels have a quarter of the work, as for
 * random matrices; a stencil more. Where no level is private little but the walk is done beside
 * them, 5 to 15 % of the work. */
static int busy_per_domain(const struct sp_cache *cache, int n_caches)
{
    bool shared = n_caches == 1;
    for (int k = 0; k < n_caches; k++)
        shared = shared || cache[k].victim || cache[k].inclusive;
    return shared ? 1 : 4;
}

/* What one thread asks the shared levels for in the rounds of one piece. */
struct asked {
    uint32_t *request;
    int64_t n[MOST_ROUNDS];
};

/* A thread of the layout. */
struct lane {
    bool busy;    /* a processor has it */
    int64_t done; /* pieces of its private levels */
    struct asked asked[AHEAD];
    uint32_t *next; /* for the shared levels */
};

/* A processor that simulates. */
struct worker {
    struct sp_trace trace; /* its share */
    struct sp_private caches;
};

/* One domain's simulation. */
struct run {
    struct whole *whole;
    const struct sp_sim_options *options;
    struct sp_trace trace;
    struct sp_hierarchy caches;
    int n_workers;         /* 0: one processor does it all */
    struct worker *worker; /* [n_workers] */
    struct lane *lane;     /* [trace.n_threads] */
    pthread_mutex_t lock;  /* of what follows, and of the lanes but for what they ask */
    pthread_cond_t changed;
    int64_t n_rounds;                      /* of a piece */
    int64_t from_turn, n_pieces, n_merged; /* merged: simulated in the shared levels, too */
    bool merging, stop;
    int domain;
    double next_report;         /* [s] */
    double done, done_per_turn; /* share of the domain's */
};

static bool interrupted(struct run *r)
{
    double now = sp_now();
    if (!r->options->progress || now < r->next_report)
        return false;
    r->next_report = now + 0.01;
    return sp_domains_interrupted(&r->whole->domains, r->domain,
                                  r->done + r->done_per_turn * (double)r->trace.turn);
}

/* ---- one domain by several processors ---- */

static void free_workers(struct run *r)
{
    for (int i = 0; i < r->n_workers; i++) {
        sp_private_free(&r->worker[i].caches);
        sp_trace_share_free(&r->worker[i].trace);
    }
    for (int i = 0; r->lane && i < r->trace.n_threads; i++)
        for (int k = 0; k < AHEAD; k++)
            free(r->lane[i].asked[k].request);
    free(r->worker);
    free(r->lane);
    r->worker = NULL;
    r->lane = NULL;
    r->n_workers = 0;
}

/* Where the domain's threads can be walked beside each other. Without memory for it, or with few
 * references, one processor does it all. */
static void make_workers(struct run *r)
{
    static const int64_t worth_it = 300000;
    const int n_threads = r->trace.n_threads;
    int n = omp_in_parallel() ? 1 : omp_get_max_threads();
    n = n < n_threads ? n : n_threads;
    if (n < 2 || r->trace.n_references < worth_it || !sp_trace_is_divisible(&r->trace))
        return;
    const int64_t most_events = sp_trace_most_events(&r->trace), rounds = MOST_EVENTS / most_events;
    r->n_rounds = rounds < 1 ? 1 : rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
    enum sp_status status =
        sp_new_array(n, sizeof *r->worker, "the processors that simulate", (void **)&r->worker, NULL);
    if (status == SP_OK)
        status = sp_new_array(n_threads, sizeof *r->lane, "the requests of threads", (void **)&r->lane, NULL);
    for (int i = 0; status == SP_OK && i < n; i++) {
        status = sp_trace_share(&r->trace, &r->worker[i].trace, NULL);
        if (status == SP_OK)
            status = sp_private_make(&r->caches, &r->worker[i].caches, NULL);
        r->n_workers++;
    }
    const int64_t most = sp_private_most_requests(&r->caches, r->n_rounds * most_events);
    for (int i = 0; status == SP_OK && i < n_threads * AHEAD; i++)
        status = sp_new_array(most, sizeof(uint32_t), "the requests of threads",
                              (void **)&r->lane[i / AHEAD].asked[i % AHEAD].request, NULL);
    if (status != SP_OK)
        free_workers(r);
}

/* Rounds of a piece: [first, end). */
static void rounds_of(const struct run *r, int64_t piece, int64_t *first, int64_t *end)
{
    *first = r->from_turn + piece * r->n_rounds;
    *end = *first + r->n_rounds < r->trace.n_turns ? *first + r->n_rounds : r->trace.n_turns;
}

/* The next piece of one thread through its own caches. */
static void run_private(const struct run *r, struct worker *w, int thread, int64_t piece)
{
    struct asked *asked = &r->lane[thread].asked[piece % AHEAD];
    uint32_t *request = asked->request;
    int64_t first, end;
    rounds_of(r, piece, &first, &end);
    for (int64_t turn = first; turn < end; turn++) {
        const int64_t n = sp_trace_share_fill(&w->trace, thread, turn);
        asked->n[turn - first] = sp_private_run(&r->caches, &w->caches, thread, w->trace.event, n, request);
        request += asked->n[turn - first];
    }
}

/* What all of them ask for, in the order of the turns. */
static void run_shared(struct run *r, int64_t piece)
{
    int64_t first, end;
    rounds_of(r, piece, &first, &end);
    for (int i = 0; i < r->trace.n_threads; i++)
        r->lane[i].next = r->lane[i].asked[piece % AHEAD].request;
    for (int64_t turn = first; turn < end; turn++)
        for (int i = 0; i < r->trace.n_threads; i++) {
            const int64_t n = r->lane[i].asked[piece % AHEAD].n[turn - first];
            sp_private_pass_on(&r->caches, &r->worker[0].caches, i, r->lane[i].next, n);
            r->lane[i].next += n;
        }
    r->trace.turn = end;
}

/* The thread that is least far, before all its last one; -1: none can go on. */
static int next_lane(const struct run *r, int last)
{
    int best = -1;
    for (int k = 0; k < r->trace.n_threads; k++) {
        const int i = (last + k) % r->trace.n_threads;
        const struct lane *l = &r->lane[i];
        if (!l->busy && l->done < r->n_pieces && l->done < r->n_merged + AHEAD &&
            (best < 0 || l->done < r->lane[best].done))
            best = i;
    }
    return best;
}

/* Have all threads asked for what the shared levels simulate next? */
static bool can_merge(const struct run *r)
{
    for (int i = 0; i < r->trace.n_threads; i++)
        if (r->lane[i].done == r->n_merged)
            return false;
    return !r->merging;
}

static void work(struct run *r, struct worker *w, int own)
{
    pthread_mutex_lock(&r->lock);
    while (r->n_merged < r->n_pieces && !r->stop) {
        const bool merge = can_merge(r);
        const int i = merge ? -1 : next_lane(r, own);
        if (!merge && i < 0) {
            pthread_cond_wait(&r->changed, &r->lock);
            continue;
        }
        bool stop = false;
        if (merge) {
            r->merging = true;
            pthread_mutex_unlock(&r->lock);
            run_shared(r, r->n_merged);
            stop = interrupted(r);
        } else {
            const int64_t piece = r->lane[i].done;
            r->lane[i].busy = true;
            pthread_mutex_unlock(&r->lock);
            run_private(r, w, i, piece);
        }
        pthread_mutex_lock(&r->lock);
        if (merge) {
            r->merging = false;
            r->n_merged++;
        } else {
            r->lane[i].busy = false;
            r->lane[i].done++;
            own = i;
        }
        r->stop |= stop;
        pthread_cond_broadcast(&r->changed);
    }
    pthread_mutex_unlock(&r->lock);
}

/* From this round on, to which the trace has been rewound. */
static enum sp_status execute_together(struct run *r, int64_t from_turn, struct sp_error *err)
{
    r->from_turn = from_turn;
    r->n_pieces = (r->trace.n_turns - from_turn + r->n_rounds - 1) / r->n_rounds;
    r->n_merged = 0;
    for (int i = 0; i < r->trace.n_threads; i++)
        r->lane[i].done = 0;
#pragma omp parallel for schedule(static, 1) num_threads(r->n_workers)
    for (int i = 0; i < r->n_workers; i++)
        work(r, &r->worker[i], i);
    for (int i = 0; i < r->n_workers; i++) {
        r->trace.nt_lines += r->worker[i].trace.nt_lines;
        r->worker[i].trace.nt_lines = 0;
        sp_private_add_counts(&r->caches, &r->worker[i].caches);
    }
    return r->stop ? sp_fail(err, SP_INTERRUPTED, NULL, "the simulation was interrupted") : SP_OK;
}

static enum sp_status execute(struct run *r, int64_t from_turn, struct sp_error *err)
{
    struct sp_trace_piece piece;
    sp_trace_rewind(&r->trace, from_turn);
    if (r->n_workers > 0)
        return execute_together(r, from_turn, err);
    for (int64_t n = 1; sp_trace_next(&r->trace, &piece); n++) {
        sp_hierarchy_run(&r->caches, piece.index, piece.event, piece.n_events);
        if (n % 256 == 0 && interrupted(r))
            return sp_fail(err, SP_INTERRUPTED, NULL, "the simulation was interrupted");
    }
    return SP_OK;
}

/* Reads the vectors of `between`, each thread its part, as a solver would. */
static void stream_between(struct run *r)
{
    const struct sp_trace *t = &r->trace;
    uint32_t event[64];
    int64_t n = t->n_region_lines[SP_REGION_OTHER];
    for (int i = 0; i < t->n_threads; i++) {
        int64_t line = t->first_line[SP_REGION_OTHER] + n * i / t->n_threads;
        int64_t end = t->first_line[SP_REGION_OTHER] + n * (i + 1) / t->n_threads;
        while (line < end) {
            int64_t k = 0;
            for (; k < 64 && line < end; k++)
                event[k] = (uint32_t)line++;
            sp_hierarchy_run(&r->caches, i, event, k);
        }
    }
}

static double memory_lines(const struct sp_hierarchy *h)
{
    const struct sp_line_counts *c = &h->level[h->n_levels - 1].counts;
    double sum = 0;
    for (int a = 0; a < SP_N_ARRAYS; a++)
        sum += (double)c->read[a] + (double)c->write[a];
    return sum;
}

/* The round from which an execution leaves the caches as a whole one would; 0: only a whole one
 * does. Under LRU a level's contents follow from the last stream of distinct lines as long as the
 * level; so they do in a last one that gets what the level within evicts: lines of the stream push
 * out all older ones, whatever else is taken from it and returned in between. */
static int64_t warming_turn(const struct run *r, const struct sp_cache *cache, int n_caches)
{
    if (r->options->state == SP_SIM_BETWEEN || r->trace.layout->partition.schedule == SP_SCHEDULE_CYCLIC)
        return 0;
    double private_B = 0, shared_B = 0;
    for (int k = 0; k < n_caches; k++) {
        if (cache[k].policy != SP_LRU || cache[k].inclusive || cache[k].partition.ways > 0 ||
            (cache[k].victim && k < n_caches - 1))
            return 0;
        if (k < n_caches - 1)
            private_B += 2.0 * (double)sp_cache_believed_B(&cache[k]);
        else
            shared_B = 1.25 * (double)sp_cache_believed_B(&cache[k]);
    }
    /* What streams by while the private levels fill does not count for the shared one. */
    private_B += 4.0 * r->trace.line_B;
    return sp_trace_tail_turn(&r->trace, private_B, shared_B + private_B * r->trace.n_threads);
}

static enum sp_status warm_up(struct run *r, const struct sp_cache *cache, int n_caches, int *n_executions,
                              struct sp_error *err)
{
    int64_t turn = warming_turn(r, cache, n_caches);
    bool between = r->options->state == SP_SIM_BETWEEN;
    double before = -1;
    /* The first execution is cold and tells nothing about the change from one to the next. */
    for (int n = 1; n < MAX_EXECUTIONS; n++) {
        sp_hierarchy_count_anew(&r->caches);
        enum sp_status status = execute(r, turn, err);
        if (status != SP_OK)
            return status;
        *n_executions = n;
        if (between)
            stream_between(r);
        double now = memory_lines(&r->caches);
        if (turn > 0 || n_caches == 1 || (n > 1 && fabs(now - before) <= STEADY * now))
            return SP_OK;
        before = now;
    }
    return SP_OK;
}

static enum sp_status simulate_domain(struct run *r, const struct sp_cache *cache, int n_caches,
                                      int *n_executions, struct sp_error *err)
{
    enum sp_sim_state state = r->options->state;
    *n_executions = 0;
    /* How many executions the warm-up will take is not known: it has the first half. */
    r->done_per_turn = (state == SP_SIM_COLD ? 1 : 0.5) / (double)(r->trace.n_turns + 1);
    if (state != SP_SIM_COLD) {
        enum sp_status status = warm_up(r, cache, n_caches, n_executions, err);
        if (status != SP_OK)
            return status;
        r->done = 0.5;
    }
    sp_hierarchy_count_anew(&r->caches);
    enum sp_status status = execute(r, 0, err);
    ++*n_executions;
    if (status != SP_OK || state == SP_SIM_WARM)
        return status;
    if (state == SP_SIM_COLD) {
        sp_hierarchy_flush(&r->caches);
        return SP_OK;
    }
    /* Of the stream between only the lines of y that it writes back count. */
    int64_t read[SP_MAX_CACHES][SP_N_ARRAYS];
    for (int k = 0; k < r->caches.n_levels; k++)
        memcpy(read[k], r->caches.level[k].counts.read, sizeof read[k]);
    stream_between(r);
    for (int k = 0; k < r->caches.n_levels; k++) {
        memcpy(r->caches.level[k].counts.read, read[k], sizeof read[k]);
        r->caches.level[k].counts.write[SP_ARRAY_OTHER] = 0;
    }
    return SP_OK;
}

static void add_counts(struct sp_traffic *traffic, const struct sp_line_counts *c, double line_B)
{
    for (int a = 0; a < SP_N_ARRAYS; a++) {
        traffic->array_read_B[a] += line_B * (double)c->read[a];
        traffic->array_write_B[a] += line_B * (double)c->write[a];
    }
}

static void add_depths(struct sp_depths *sum, const struct sp_depths *d)
{
    for (int a = 0; sum && d && a < SP_N_ARRAYS; a++)
        for (int w = 0; w < SP_MOST_WAYS; w++)
            sum->hits[a][w] += d->hits[a][w];
}

/* The caches to simulate, outermost last. Returns how many. */
static int choose_caches(const struct sp_sim_options *o, struct sp_cache cache[SP_MAX_CACHES])
{
    int n = o->machine->n_caches;
    memcpy(cache, o->machine->cache, (size_t)n * sizeof *cache);
    for (int k = 0; k < n; k++)
        cache[k].line_B = sp_cache_granule_B(&cache[k]);
    struct sp_cache *llc = &cache[n - 1];
    if (o->llc_B > 0) {
        llc->size_B = o->llc_B;
        llc->effective_B = sp_value_none("given");
    }
    if (o->policy >= 0)
        llc->policy = (enum sp_policy)o->policy;
    llc->partition.stacks = o->depths != NULL;
    if (!o->llc_only)
        return n;
    if (llc->policy == SP_LRU && llc->partition.ways <= 0)
        llc->ways = 0;
    llc->victim = llc->inclusive = false;
    cache[0] = *llc;
    return 1;
}

static enum sp_status check(const struct sp_layout *layout, const struct sp_sim_options *o,
                            struct sp_error *err)
{
    static const char remedy[] = "name a machine whose file describes its caches, or measure this one";
    if (!o->machine || o->machine->n_caches < 1)
        return sp_fail(err, SP_USAGE, remedy, "no caches are described, so none can be simulated");
    for (int k = 0; k < o->machine->n_caches; k++) {
        const struct sp_cache *c = &o->machine->cache[k];
        if (!o->llc_only && sp_cache_granule_B(c) != sp_cache_granule_B(&o->machine->cache[0]))
            return sp_fail(err, SP_USAGE, remedy, "caches with lines of %d and %d bytes are not simulated",
                           sp_cache_granule_B(&o->machine->cache[0]), sp_cache_granule_B(c));
        if (sp_cache_believed_B(c) < c->line_B || c->line_B <= 0)
            return sp_fail(err, SP_USAGE, remedy, "the level %d cache of machine %s has no size", c->level,
                           o->machine->name);
    }
    for (int t = 0; o->domain_of_thread && t < layout->partition.n_threads; t++)
        if (o->domain_of_thread[t] < 0 || o->domain_of_thread[t] >= o->n_domain)
            return sp_fail(err, SP_BUG, NULL, "thread %d is in cache domain %d of %d", t,
                           o->domain_of_thread[t], o->n_domain);
    return SP_OK;
}

static void add_run(struct whole *w, const struct run *r, int n_executions)
{
    const int line_B = w->cache[0].line_B, last = w->n_caches - 1;
    for (int k = 0; k < w->n_caches; k++)
        add_counts(&w->traffic[k], &r->caches.level[k].counts, line_B);
    w->traffic[last].array_write_B[SP_ARRAY_Y] += (double)r->trace.nt_lines * line_B;
    add_depths(w->options->depths, r->caches.level[last].depths);
    w->facts.n_references += r->trace.n_references;
    if (n_executions > w->facts.n_executions)
        w->facts.n_executions = n_executions;
}

/* Simulates the threads of one domain and adds their traffic. */
static enum sp_status add_domain(void *all, int domain, const int *thread, int n_threads,
                                 struct sp_error *err)
{
    struct whole *w = all;
    const struct sp_sim_options *o = w->options;
    struct run r = {.whole = w,
                    .options = o,
                    .domain = domain,
                    .lock = PTHREAD_MUTEX_INITIALIZER,
                    .changed = PTHREAD_COND_INITIALIZER};
    const struct sp_trace_options trace_options = {
        .line_B = w->cache[0].line_B,
        .n_threads = n_threads,
        .thread = thread,
        .skew = o->skew,
        .walk = o->walk,
        .store_nt = o->store_nt,
        .every = sp_hierarchy_needs_every(w->cache, w->n_caches),
        .x_offset_B = o->x_offset_B,
        .y_offset_B = o->y_offset_B,
        .between_B = o->state == SP_SIM_BETWEEN ? o->between_B : 0,
    };
    enum sp_status status = sp_trace_open(w->layout, &trace_options, &r.trace, err);
    if (status != SP_OK)
        return status;
    int n_executions = 0;
    status = sp_hierarchy_make(w->cache, w->n_caches, n_threads, r.trace.n_lines, r.trace.array_of_group,
                               o->seed + (uint64_t)domain, &r.caches, err);
    if (status == SP_OK && !o->walk)
        sp_hierarchy_count_copies(&r.caches);
    if (status == SP_OK) {
        make_workers(&r);
        status = simulate_domain(&r, w->cache, w->n_caches, &n_executions, err);
    }
#pragma omp ordered
    if (status == SP_OK)
        add_run(w, &r, n_executions);
    free_workers(&r);
    sp_hierarchy_free(&r.caches);
    sp_trace_close(&r.trace);
    return status;
}

/* What sets that overflow add to the bytes of each domain (model/cache/capacity.h). */

/* Of each domain: its share of the entries, and of x the lines that it uses. `near`: some of it may
 * stay in the last level; else lines were not counted. */
struct domain_parts {
    double *share;
    int64_t *lines;
    int line_B;
    bool near;
};

/* Of the array, what passes the last level of a domain. */
static double array_of_domain(const struct sp_layout *l, const struct sp_sim_options *o,
                              const struct domain_parts *p, int d, int array)
{
    if (array == SP_ARRAY_X)
        return (double)p->lines[d] * p->line_B;
    return array == SP_ARRAY_Y && o->store_nt ? 0
                                              : p->share[d] * sp_layout_array_bytes(l, (enum sp_array)array);
}

static double bytes_of_domain(const struct sp_layout *l, const struct sp_sim_options *o,
                              const struct sp_cache *cache, const struct domain_parts *p, int d)
{
    double sum = 0;
    for (int a = 0; a < SP_ARRAY_OTHER; a++)
        if (sp_overflow_is_in(cache, (enum sp_array)a))
            sum += array_of_domain(l, o, p, d, a);
    return sum;
}

static void free_parts(struct domain_parts *p)
{
    free(p->share);
    free(p->lines);
}

/* cache: the last level with its ways. Lines are not counted where the data are far above it.
 * free_parts(), of a failure, too. */
static enum sp_status find_parts(const struct sp_layout *l, const struct sp_sim_options *o,
                                 const struct sp_cache *cache, struct domain_parts *p, struct sp_error *err)
{
    void *share = NULL, *lines = NULL;
    enum sp_status status = sp_new_array(o->n_domain, sizeof(double), "shares of domains", &share, err);
    if (status == SP_OK)
        status = sp_new_array(o->n_domain, sizeof(int64_t), "lines of domains", &lines, err);
    *p = (struct domain_parts){.share = share, .lines = lines, .line_B = cache->line_B};
    if (status != SP_OK)
        return status;
    for (int t = 0; t < l->partition.n_threads && l->n_stored > 0; t++)
        p->share[o->domain_of_thread ? o->domain_of_thread[t] : 0] +=
            (double)sp_layout_thread_entries(l, t) / (double)l->n_stored;
    for (int d = 0; d < o->n_domain; d++)
        p->near =
            p->near ||
            sp_overflow_of(cache, bytes_of_domain(l, o, cache, p, d) / sp_overflow_room_B(cache)).most > 0;
    struct sp_alpha_min least;
    return p->near ? sp_alpha_min_layout(l, o->n_domain, o->domain_of_thread, cache->line_B, o->x_offset_B,
                                         p->lines, &least, err)
                   : SP_OK;
}

/* Bytes by array that come in, or go out, in all domains: lost, at most, kept of struct
 * sp_overflow. */
struct overflow {
    double lost_B[SP_ARRAY_OTHER], most_B[SP_ARRAY_OTHER], kept_B[SP_ARRAY_OTHER];
    double twice[SP_ARRAY_OTHER]; /* share of each */
};

static void find_overflow(const struct sp_layout *l, const struct sp_sim_options *o,
                          const struct sp_cache *cache, const struct domain_parts *p, struct overflow *out)
{
    *out = (struct overflow){.twice = {0}};
    for (int a = 0; a < SP_ARRAY_OTHER; a++)
        out->twice[a] = sp_overflow_twice(cache, (enum sp_array)a);
    for (int d = 0; p->near && d < o->n_domain; d++) {
        const double all_B = bytes_of_domain(l, o, cache, p, d);
        const struct sp_overflow of = sp_overflow_of(cache, all_B / sp_overflow_room_B(cache));
        if (fmax(of.most, of.kept) * all_B < cache->line_B) /* not one line */
            continue;
        for (int a = 0; a < SP_ARRAY_OTHER; a++) {
            const double B = sp_overflow_is_in(cache, (enum sp_array)a) ? array_of_domain(l, o, p, d, a) : 0;
            out->lost_B[a] += of.lost * B;
            out->most_B[a] += of.most * B;
            out->kept_B[a] += of.kept * B;
        }
    }
}

/* What is lost in all is no less than what the simulation of contiguous addresses already loses.
 * The ends go to lo_B and hi_B: [0] read, [1] written. */
static void add_overflow(const struct overflow *of, struct sp_traffic *memory, double lo_B[2], double hi_B[2])
{
    for (int a = 0; a < SP_ARRAY_OTHER; a++) {
        double *const moved_B[] = {&memory->array_read_B[a], &memory->array_write_B[a]};
        for (int k = 0; k < (a == SP_ARRAY_Y ? 2 : 1); k++) {
            const double simulated_B = *moved_B[k], value_B = fmax(simulated_B, of->lost_B[a]);
            *moved_B[k] = value_B;
            lo_B[k] += fmax(0, simulated_B - of->kept_B[a]) - value_B;
            hi_B[k] += fmax(simulated_B, of->most_B[a]) - value_B + of->twice[a] * simulated_B;
        }
    }
}

static struct sp_value widened(struct sp_value v, double lo_B, double hi_B)
{
    return lo_B < 0 || hi_B > 0 ? sp_value_between(v.value, fmax(0, v.value + lo_B), v.value + hi_B, v.origin)
                                : v;
}

static void sum_up(struct sp_traffic *traffic, int n_levels)
{
    for (int k = 0; k < n_levels; k++) {
        double read = 0, write = 0;
        for (int a = 0; a < SP_N_ARRAYS; a++) {
            read += traffic[k].array_read_B[a];
            write += traffic[k].array_write_B[a];
        }
        traffic[k].read_B = sp_value_of(read, SP_SIMULATED);
        traffic[k].write_B = sp_value_of(write, SP_SIMULATED);
        traffic[k].by_array = true;
    }
}

enum sp_status sp_sim_traffic(const struct sp_layout *layout, const struct sp_sim_options *o,
                              struct sp_traffic traffic[SP_MAX_LEVELS], int *n_levels,
                              struct sp_sim_facts *facts_out, struct sp_error *err)
{
    struct whole w = {.layout = layout, .options = o, .traffic = traffic};
    *n_levels = 0;
    memset(traffic, 0, SP_MAX_LEVELS * sizeof *traffic);
    if (facts_out)
        *facts_out = w.facts;
    enum sp_status status = check(layout, o, err);
    if (status != SP_OK)
        return status;
    const int n_caches = w.n_caches = choose_caches(o, w.cache);
    w.domains = (struct sp_domains){.n = o->n_domain,
                                    .domain_of_thread = o->domain_of_thread,
                                    .one_by_one = o->walk != NULL,
                                    .busy_per_domain = busy_per_domain(w.cache, n_caches),
                                    .progress = o->progress,
                                    .context = o->context};
    status = sp_domains_each(&w.domains, layout, add_domain, &w, err);
    double lo_B[2] = {0}, hi_B[2] = {0};
    struct sp_traffic *memory = &traffic[n_caches - 1];
    if (status == SP_OK) {
        struct sp_cache last = w.cache[n_caches - 1];
        last.ways = sp_machine_llc(o->machine)->ways;
        struct domain_parts parts = {0};
        if (o->state == SP_SIM_WARM && sp_overflow_is_of(&last))
            status = find_parts(layout, o, &last, &parts, err);
        struct overflow of;
        if (status == SP_OK && parts.near) {
            find_overflow(layout, o, &last, &parts, &of);
            add_overflow(&of, memory, lo_B, hi_B);
        }
        free_parts(&parts);
    }
    if (status != SP_OK) {
        memset(traffic, 0, SP_MAX_LEVELS * sizeof *traffic);
        return status;
    }
    sum_up(traffic, n_caches);
    memory->read_B = widened(memory->read_B, lo_B[0], hi_B[0]);
    memory->write_B = widened(memory->write_B, lo_B[1], hi_B[1]);
    w.facts.n_levels = *n_levels = n_caches;
    w.facts.llc_B = sp_cache_believed_B(&w.cache[n_caches - 1]);
    if (facts_out)
        *facts_out = w.facts;
    return SP_OK;
}

/* Ways that are left for an array where the partition has w of n. */
static int ways_for(const struct sp_way_partition *p, int array, int w, int n)
{
    return p->arrays >> array & 1 ? w : n - w;
}

bool sp_ways_are_simulated(const struct sp_machine *m)
{
    const struct sp_cache *llc = sp_machine_llc(m);
    return llc && llc->ways >= 2 && llc->ways < SP_MOST_WAYS && m->n_caches >= 2 && llc->policy == SP_LRU &&
           !llc->victim && !llc->inclusive;
}

int sp_ways_best(const struct sp_ways *v)
{
    static const double alike = 1.02;
    double least_B = INFINITY;
    int best = 0, longest = 0;
    for (int w = 1; w < v->n; w++)
        least_B = fmin(least_B, v->most_B[w]);
    for (int w = 1, run; w < v->n; w += run + 1) {
        for (run = 0; w + run < v->n && v->most_B[w + run] <= alike * least_B; run++)
            continue;
        if (run > longest)
            best = w + run / 2;
        longest = run > longest ? run : longest;
    }
    return best;
}

struct sp_value sp_ways_saved(const struct sp_ways *v, double whole_B, int w)
{
    struct sp_value saved = sp_value_between(whole_B - v->read_B[w], whole_B - v->most_B[w],
                                             whole_B - v->read_B[w], SP_SIMULATED);
    for (int beside = w - 1; beside <= w + 1; beside += 2) {
        if (beside < 1 || beside >= v->n)
            continue;
        saved.lo = fmin(saved.lo, whole_B - v->most_B[beside]);
        saved.hi = fmax(saved.hi, whole_B - v->read_B[beside]);
    }
    return saved;
}

enum sp_status sp_sim_ways(const struct sp_layout *layout, const struct sp_sim_options *o,
                           struct sp_ways *ways, struct sp_error *err)
{
    struct sp_depths depths = {0};
    struct sp_sim_options with = *o;
    struct sp_traffic traffic[SP_MAX_LEVELS];
    int n_levels;
    *ways = (struct sp_ways){.n = 0};
    const struct sp_cache *llc = sp_machine_llc(o->machine);
    if (!sp_ways_are_simulated(o->machine) || llc->partition.ways <= 0 || o->llc_only)
        return sp_fail(err, SP_USAGE, "give a number of ways",
                       "all divisions at once need a last level of sets under LRU that is neither a victim's "
                       "nor inclusive, and a level inside it");
    with.depths = &depths;
    enum sp_status status = sp_sim_traffic(layout, &with, traffic, &n_levels, NULL, err);
    if (status != SP_OK)
        return status;
    const struct sp_traffic *memory = &traffic[n_levels - 1];
    struct sp_cache divided = *llc;
    const double line_B = divided.line_B = sp_cache_granule_B(llc);
    struct domain_parts parts = {0};
    const bool names_matrix = llc->partition.arrays >> SP_ARRAY_VALUES & 1;
    divided.partition.ways = names_matrix ? 1 : llc->ways - 1; /* where the vectors have most room */
    if (o->state == SP_SIM_WARM && sp_overflow_is_of(&divided))
        status = find_parts(layout, o, &divided, &parts, err);
    for (int w = 1; w < llc->ways && status == SP_OK; w++) {
        struct sp_traffic of_ways = *memory;
        double lo_B[2] = {0}, hi_B[2] = {0};
        for (int a = 0; a < SP_N_ARRAYS; a++)
            for (int d = ways_for(&llc->partition, a, w, llc->ways); d < llc->ways; d++)
                of_ways.array_read_B[a] += line_B * (double)depths.hits[a][d];
        divided.partition.ways = w;
        if (parts.near && sp_overflow_is_of(&divided)) {
            struct overflow of;
            find_overflow(layout, o, &divided, &parts, &of);
            add_overflow(&of, &of_ways, lo_B, hi_B);
        }
        for (int a = 0; a < SP_N_ARRAYS; a++)
            ways->read_B[w] += of_ways.array_read_B[a];
        ways->most_B[w] = ways->read_B[w] + hi_B[0];
        ways->x_B[w] = of_ways.array_read_B[SP_ARRAY_X];
    }
    free_parts(&parts);
    ways->n = status == SP_OK ? llc->ways : 0;
    return status;
}
