/* Fibres are switched by longjmp, which the fortified library takes for an error. */
#undef _FORTIFY_SOURCE

#include "executor.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <ucontext.h>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "kernels/cuda/gpu_async.h"
#include "kernels/cuda/gpu_body.h"
#include "kernels/cuda/gpu_grid.h"
#include "kernels/cuda/gpu_runtime.h"
extern "C" {
#include "probes/cuda/gpu_counters.h"
}

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace
{

constexpr size_t STACK_B = 64 << 10;
constexpr size_t WORD_B = 2; /* the smallest number: races are told one by one */

/* Requests are read after their arrays are gone. */
const char *kept_name(const std::string &name)
{
    static std::set<std::string> names;
    return names.insert(name).first->c_str();
}

struct array {
    std::string name;
    size_t size;
    std::unique_ptr<unsigned char[]> memory;
    std::vector<int64_t> writer; /* per word: grid and thread that stored there last, -1 */
    int64_t stored_in;           /* the last grid that stored there at all, -1 */
};

/* What lanes of a warp execute as one, between two of its barriers. */
struct instruction {
    int pass, site, time;
    const array *of;
    bool operator==(const instruction &o) const
    {
        return pass == o.pass && site == o.site && time == o.time && of == o.of;
    }
};
struct hash_of_instruction {
    size_t operator()(const instruction &i) const
    {
        const uint64_t bits =
            (uint64_t)i.pass << 40 ^ (uint64_t)i.time << 16 ^ (uint64_t)i.site ^ (uint64_t)i.of;
        return (size_t)(bits * 0x9e3779b97f4a7c15u >> 16);
    }
};

/* The instructions of a warp since its last barrier, and the request of each. */
struct asked {
    int barrier = 0;
    std::vector<std::pair<instruction, size_t>> in_order;
    std::unordered_map<instruction, size_t, hash_of_instruction> place; /* in in_order */
};

/* How often a line was executed since the barrier or pass of number `since`. */
struct line {
    int64_t since = -1;
    int times = 0;
};

/* A copy into shared memory that its thread has not waited for. */
struct copy {
    void *to;
    const void *from; /* nullptr: zeros */
    int group;
};

enum waiting { RUNS, AT_BLOCK, AT_WARP, DONE };

struct fibre {
    ucontext_t context; /* where it begins */
    jmp_buf here;       /* where it goes on */
    bool has_begun;
    std::unique_ptr<unsigned char[]> stack;
    int thread;
    int barrier;             /* barriers that it has passed */
    int pass;                /* passes of loops since */
    int64_t since;           /* number of the last barrier or pass, of all of this thread's */
    std::vector<line> lines; /* by number */
    size_t next;             /* the instruction of its warp that it probably executes next */
    uint64_t given[2];       /* to this exchange, and to the one before */
    int exchanges;
    void *fake_stack;
    const void *shown;
    std::vector<copy> copies;
    int groups; /* of copies, ended */
};

/* Who touched a word of shared memory last, and which barrier of the block and of its warp it had passed. */
struct touched {
    int thread = -1; /* -2: several threads */
    int block_barrier = -1, warp_barrier = -1;
};
struct word {
    touched write, read;
    bool copying = false; /* a copy is on its way to it */
};

/* Where the search for an array ended. */
struct found {
    const unsigned char *base;
    array *of;
};
constexpr int N_FOUND = 64;

struct executor {
    std::map<const unsigned char *, array> arrays;
    found found_last[N_FOUND] = {}; /* by lines of bodies */
    int64_t memory_B = 0, used_B = 0, most_used_B = 0;
    size_t set_aside_B = 0; /* of the L2 */
    struct sp_executor_window last_window = {};
    uint64_t seed = 0;
    bool record = false;
    int64_t n_grids = 0;    /* executed, this one included */
    int64_t first_grid = 0; /* of the recording */
    std::vector<sp_executor_request> requests;

    ucontext_t first_scheduler;
    jmp_buf scheduler;
    std::vector<std::unique_ptr<fibre>> fibres;
    std::vector<waiting> state; /* of each fibre */
    std::vector<int> site;      /* where it waits */
    fibre *now = nullptr;
    int64_t block = 0;
    int block_threads = 0;
    std::vector<unsigned char> shared;
    std::vector<word> words;
    std::vector<int> warp_barriers;
    int block_barriers = 0;
    std::vector<asked> asks; /* of each warp */
    const void *arguments = nullptr;
    void (*body)(const void *) = nullptr;
    std::string fault;
    const void *scheduler_stack = nullptr; /* for the address sanitizer */
    size_t scheduler_stack_B = 0;
};

executor the_executor;

inline executor &the()
{
    return the_executor;
}

/* The sanitizer's longjmp takes the frames below for unwound and clears what it knows of them, by a call of the
 * system each time. Those of fibres stay: the C library's own, which clang is not told never to return. */
void jump_to(jmp_buf there)
{
#ifdef __SANITIZE_ADDRESS__
    using jump = void (*)(jmp_buf, int);
    static const jump of_library = [] {
        void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
        return library ? reinterpret_cast<jump>(dlsym(library, "_longjmp")) : nullptr;
    }();
    if (of_library) {
        of_library(there, 1);
        return;
    }
#endif
    _longjmp(there, 1);
}

void to_scheduler(bool for_good)
{
    executor &e = the();
    fibre *self = e.now;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(for_good ? nullptr : &self->fake_stack, e.scheduler_stack,
                                   e.scheduler_stack_B);
#endif
    (void)for_good;
    if (_setjmp(self->here) == 0)
        jump_to(e.scheduler);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(self->fake_stack, &e.scheduler_stack, &e.scheduler_stack_B);
#endif
}

/* Ends the grid: the fibre that did wrong never runs again. */
[[noreturn]] void fail(const char *what, int site)
{
    executor &e = the();
    char text[256];
    std::snprintf(text, sizeof text, "line %d, block %lld, thread %d: %s", site, (long long)e.block,
                  e.now->thread, what);
    e.fault = text;
    to_scheduler(true);
    std::abort();
}

/* The array that p points into or behind; that which the line `site` accessed last, probably. */
array *array_of(const void *p, const unsigned char **base, int site)
{
    executor &e = the();
    found &last = e.found_last[site % N_FOUND];
    if (last.of && (const unsigned char *)p >= last.base &&
        (const unsigned char *)p < last.base + last.of->size) {
        *base = last.base;
        return last.of;
    }
    auto after = e.arrays.upper_bound((const unsigned char *)p);
    if (after == e.arrays.begin())
        return nullptr;
    --after;
    last = {after->first, &after->second};
    *base = after->first;
    return &after->second;
}

/* Did this thread pass a barrier together with the one that touched the word, since it did? */
bool is_ordered(const touched &t)
{
    const executor &e = the();
    const int self = e.now->thread, warp = self / SP_WARP;
    if (t.thread == -1 || t.thread == self || t.block_barrier < e.block_barriers)
        return true;
    return t.thread >= 0 && t.thread / SP_WARP == warp && t.warp_barrier < e.warp_barriers[(size_t)warp];
}

void check_shared(const void *p, size_t size, bool writes, int site)
{
    executor &e = the();
    const unsigned char *at = (const unsigned char *)p, *begin = e.shared.data();
    if (at < begin || at + size > begin + e.shared.size())
        fail("outside shared memory", site);
    if ((size_t)(at - begin) % size != 0)
        fail("accesses shared memory at an address that is no multiple of the size", site);
    const int self = e.now->thread;
    const touched mine = {self, e.block_barriers, e.warp_barriers[(size_t)(self / SP_WARP)]};
    const size_t first = (size_t)(at - begin) / WORD_B,
                 last = (size_t)(at - begin + (ptrdiff_t)size - 1) / WORD_B;
    for (size_t i = first; i <= last; i++) {
        word &w = e.words[i];
        if (w.copying)
            fail("touches shared memory that a copy is on its way to", site);
        if (!is_ordered(w.write))
            fail(writes ? "two threads write a word of shared memory without a barrier between them"
                        : "reads a word of shared memory that another thread wrote, without a barrier",
                 site);
        if (writes && !is_ordered(w.read))
            fail("writes a word of shared memory that another thread reads, without a barrier", site);
        if (writes) {
            w.write = mine;
        } else {
            const bool others = w.read.thread != -1 && w.read.thread != self && !is_ordered(w.read);
            w.read = mine;
            if (others)
                w.read.thread = -2;
        }
    }
}

/* The grid and the thread in it, as one number. */
int64_t writer_of_now()
{
    const executor &e = the();
    return e.n_grids << 40 | (e.block * e.block_threads + e.now->thread);
}

void set_copying(const void *to, bool on)
{
    executor &e = the();
    const size_t first = (size_t)((const unsigned char *)to - e.shared.data()) / WORD_B;
    for (size_t i = first; i < first + gpu::COPY_B / WORD_B; i++)
        e.words[i].copying = on;
}

void check_store(array &a, int64_t offset, size_t size, int site)
{
    executor &e = the();
    const int64_t self = writer_of_now();
    a.stored_in = e.n_grids;
    for (size_t i = (size_t)offset / WORD_B; size >= WORD_B && i < ((size_t)offset + size) / WORD_B; i++) {
        if (a.writer[i] >> 40 == e.n_grids && a.writer[i] != self)
            fail("two threads of a grid store the same element", site);
        a.writer[i] = self;
    }
}

/* Loads are of what the grid never writes, reloads of what this thread stored. */
void check_load(const array &a, int64_t offset, size_t size, bool own, int site)
{
    const executor &e = the();
    const int64_t self = writer_of_now();
    if (!own && a.stored_in != e.n_grids)
        return;
    for (size_t i = (size_t)offset / WORD_B; size >= WORD_B && i < ((size_t)offset + size) / WORD_B; i++)
        if (own ? a.writer[i] != self : a.writer[i] >> 40 == e.n_grids)
            fail(own ? "loads what another thread stores" : "loads what the grid stores", site);
}

void forget(asked &a, int barrier)
{
    a.barrier = barrier;
    a.in_order.clear();
    a.place.clear();
}

/* The request of an instruction that this lane takes part in; new where it is the first. */
sp_executor_request &request_of(const instruction &i, int kind, size_t size)
{
    executor &e = the();
    fibre *f = e.now;
    const size_t warp = (size_t)(f->thread / SP_WARP);
    asked &a = e.asks[warp];
    if (a.barrier != f->barrier)
        forget(a, f->barrier);
    if (f->next >= a.in_order.size() || !(a.in_order[f->next].first == i)) {
        const auto found = a.place.emplace(i, a.in_order.size());
        f->next = found.first->second;
        if (found.second) {
            sp_executor_request r = {};
            r.grid = e.n_grids - e.first_grid;
            r.warp = e.block * (int64_t)e.asks.size() + (int64_t)warp;
            r.kind = kind;
            r.size = (int)size;
            r.array = kept_name(i.of->name);
            a.in_order.emplace_back(i, e.requests.size());
            e.requests.push_back(r);
        }
    }
    return e.requests[a.in_order[f->next++].second];
}

/* How often this thread executed that line before, since its last barrier or pass. */
int times_of(int site)
{
    fibre *f = the().now;
    if ((size_t)site >= f->lines.size())
        f->lines.resize((size_t)site + 1);
    line &l = f->lines[(size_t)site];
    if (l.since != f->since)
        l = {f->since, 0};
    return l.times++;
}

/* Leaves the processor until the scheduler has found that all have come. */
void wait_at(waiting where, int site)
{
    executor &e = the();
    fibre *self = e.now;
    e.state[(size_t)self->thread] = where;
    e.site[(size_t)self->thread] = site;
    to_scheduler(false);
    self->barrier++;
    self->pass = 0;
    self->since++;
    self->next = 0;
}

void start_fibre()
{
    executor &e = the();
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(nullptr, &e.scheduler_stack, &e.scheduler_stack_B);
#endif
    for (;;) { /* once for each block */
        e.body(e.arguments);
        e.state[(size_t)e.now->thread] = DONE;
        to_scheduler(false);
    }
}

/* Contexts would save the mask of signals each time, by two calls of the system: only the first time. */
void switch_to(fibre *f)
{
    executor &e = the();
    if (_setjmp(e.scheduler) != 0)
        return;
    if (f->has_begun)
        jump_to(f->here);
    f->has_begun = true;
    swapcontext(&e.first_scheduler, &f->context);
}

void resume(fibre *f)
{
    executor &e = the();
    e.now = f;
#ifdef __SANITIZE_ADDRESS__
    void *own = nullptr;
    __sanitizer_start_switch_fiber(&own, f->stack.get(), STACK_B);
#endif
    switch_to(f);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(own, nullptr, nullptr);
#endif
}

void prepare_block(int threads, size_t shared_B)
{
    executor &e = the();
    while (e.fibres.size() < (size_t)threads) {
        e.fibres.push_back(std::make_unique<fibre>());
        e.fibres.back()->stack = std::make_unique<unsigned char[]>(STACK_B);
        e.state.push_back(RUNS);
        e.site.push_back(0);
    }
    for (const std::unique_ptr<fibre> &f : e.fibres) {
        for (const copy &c : f->copies)
            set_copying(c.to, false);
        f->copies.clear();
    }
    for (int t = 0; t < threads; t++) {
        fibre &f = *e.fibres[(size_t)t];
        if (!f.has_begun || e.state[(size_t)t] != DONE) { /* else it waits for the next block */
            getcontext(&f.context);
            f.context.uc_stack.ss_sp = f.stack.get();
            f.context.uc_stack.ss_size = STACK_B;
            f.context.uc_link = &e.first_scheduler;
            makecontext(&f.context, start_fibre, 0);
            f.has_begun = false;
        }
        f.thread = t;
        e.state[(size_t)t] = RUNS;
        f.barrier = 0;
        f.pass = 0;
        f.exchanges = 0;
        f.since++;
        f.next = 0;
        f.groups = 0;
    }
    const size_t warps = (size_t)(threads / SP_WARP);
    if (e.shared.size() != shared_B)
        e.words.assign(shared_B / WORD_B + 1, word{});
    e.shared.assign(shared_B, 0xff);
    e.warp_barriers.assign(warps, 0);
    e.block_barriers++; /* what the block before touched is in order */
    e.asks.resize(warps);
    for (asked &a : e.asks)
        forget(a, 0);
}

/* Do all threads from..to - 1 wait there? *wrong: they never will. */
bool all_wait(int from, int to, waiting where, const char **wrong)
{
    const executor &e = the();
    int n_there = 0, n_done = 0, site = 0;
    for (int t = from; t < to; t++) {
        n_done += e.state[(size_t)t] == DONE;
        if (e.state[(size_t)t] != where)
            continue;
        if (n_there && e.site[(size_t)t] != site)
            *wrong = "threads wait at different barriers";
        n_there++;
        site = e.site[(size_t)t];
    }
    if (n_there && n_done)
        *wrong = "threads have ended while others wait for them";
    return n_there == to - from;
}

void set_running(int from, int to)
{
    for (int t = from; t < to; t++)
        the().state[(size_t)t] = RUNS;
}

/* Lets a warp or the block go on when all its threads wait; what is wrong, or NULL. */
const char *release_waiting(int threads, bool *moved)
{
    executor &e = the();
    const char *wrong = nullptr;
    for (int w = 0; w < threads / SP_WARP; w++)
        if (all_wait(w * SP_WARP, (w + 1) * SP_WARP, AT_WARP, &wrong)) {
            e.warp_barriers[(size_t)w]++;
            set_running(w * SP_WARP, (w + 1) * SP_WARP);
            *moved = true;
        }
    if (all_wait(0, threads, AT_BLOCK, &wrong)) {
        e.block_barriers++;
        set_running(0, threads);
        *moved = true;
    }
    return wrong;
}

void shuffle(std::vector<int> *order)
{
    executor &e = the();
    for (size_t i = order->size(); i > 1; i--) {
        e.seed = e.seed * 6364136223846793005u + 1442695040888963407u;
        std::swap((*order)[i - 1], (*order)[(e.seed >> 33) % i]);
    }
}

bool run_block(int threads)
{
    executor &e = the();
    std::vector<int> order((size_t)threads);
    for (int t = 0; t < threads; t++)
        order[(size_t)t] = t;
    for (;;) {
        if (e.seed) /* another order at each turn: barriers must make it all the same */
            shuffle(&order);
        bool moved = false, all_done = true;
        for (int t : order) {
            if (e.state[(size_t)t] == RUNS) {
                resume(e.fibres[(size_t)t].get());
                moved = true;
                if (!e.fault.empty())
                    return false;
            }
            all_done = all_done && e.state[(size_t)t] == DONE;
        }
        if (all_done)
            return true;
        const char *wrong = release_waiting(threads, &moved);
        if (wrong || !moved) {
            e.fault = wrong ? wrong : "threads wait for others that never come";
            return false;
        }
    }
}

int64_t device_memory()
{
    const char *wanted = getenv("SP_EXECUTOR_MEMORY");
    return the().memory_B > 0 ? the().memory_B : wanted ? std::atoll(wanted) : INT64_C(1) << 30;
}

} // namespace

namespace gpu
{

int thread()
{
    return the().now->thread;
}
int64_t block()
{
    return the().block;
}
int block_threads()
{
    return the().block_threads;
}
int lane()
{
    return the().now->thread % SP_WARP;
}
unsigned char *shared_memory()
{
    return the().shared.data();
}
void next_pass()
{
    fibre *self = the().now;
    self->pass++;
    self->since++;
}
void block_sync(int site)
{
    wait_at(AT_BLOCK, site);
}
void warp_sync(int site)
{
    wait_at(AT_WARP, site);
}

uint64_t exchange(uint64_t value, int from_lane, int site)
{
    executor &e = the();
    fibre *self = e.now;
    const int turn = self->exchanges++ % 2; /* who is late still finds what was given the last time */
    self->given[turn] = value;
    wait_at(AT_WARP, site);
    return e.fibres[(size_t)(self->thread / SP_WARP * SP_WARP + from_lane)]->given[turn];
}

void show(const void *mine, const void *(&of)[32], int site)
{
    executor &e = the();
    fibre *self = e.now;
    self->shown = mine;
    wait_at(AT_WARP, site);
    for (int l = 0; l < SP_WARP; l++)
        of[l] = e.fibres[(size_t)(self->thread / SP_WARP * SP_WARP + l)]->shown;
}
void part(int site)
{
    wait_at(AT_WARP, -site);
}

void copy_async(void *to, const void *from, bool there, int site)
{
    fibre *self = the().now;
    if ((size_t)((const unsigned char *)to - shared_memory()) % COPY_B != 0)
        fail("copies to an address that is no multiple of 16", site);
    touch(to, COPY_B, ACCESS_PUT, site);
    if (there)
        touch(from, COPY_B, ACCESS_COPY, site);
    set_copying(to, true);
    self->copies.push_back({to, there ? from : nullptr, self->groups});
}
void copies_end()
{
    the().now->groups++;
}
void copies_wait_for(int n)
{
    fibre *self = the().now;
    std::vector<copy> later;
    for (const copy &c : self->copies) {
        if (c.group >= self->groups - n) {
            later.push_back(c);
            continue;
        }
        set_copying(c.to, false);
        check_shared(c.to, COPY_B, true, 0);
        if (c.from)
            std::memcpy(c.to, c.from, COPY_B);
        else
            std::memset(c.to, 0, COPY_B);
    }
    self->copies = later;
}

void touch(const void *p, size_t size, enum access kind, int site)
{
    executor &e = the();
    if (kind == ACCESS_GET || kind == ACCESS_PUT) {
        check_shared(p, size, kind == ACCESS_PUT, site);
        return;
    }
    const unsigned char *base = nullptr;
    array *a = array_of(p, &base, site);
    const int64_t offset = a ? (const unsigned char *)p - base : 0;
    if (!a || offset + (int64_t)size > (int64_t)a->size) {
        char text[160];
        std::snprintf(text, sizeof text, "accesses byte %lld of %s, which has %zu", (long long)offset,
                      a ? a->name.c_str() : "no array", a ? a->size : 0);
        fail(text, site);
    }
    if (offset % (int64_t)size != 0)
        fail("accesses an element at an address that is no multiple of its size", site);
    if (kind == ACCESS_STORE)
        check_store(*a, offset, size, site);
    else if (kind != ACCESS_ADD)
        check_load(*a, offset, size, kind == ACCESS_RELOAD, site);
    if (!e.record)
        return;
    fibre *f = e.now;
    const int what = kind == ACCESS_STORE  ? SP_EXECUTOR_STORE
                     : kind == ACCESS_ADD  ? SP_EXECUTOR_ADD
                     : kind == ACCESS_COPY ? SP_EXECUTOR_COPY
                                           : SP_EXECUTOR_LOAD;
    sp_executor_request &r = request_of({f->pass, site, times_of(site), a}, what, size);
    r.lanes |= 1u << lane();
    r.offset[lane()] = offset;
}

} // namespace gpu

/* A launch over a window while a part of the L2 is set aside, and no other launch then; the window within an
 * array. */
static const char *wrong_window(const grid_window &window)
{
    executor &e = the();
    if ((window.bytes > 0) != (e.set_aside_B > 0))
        return window.bytes > 0 ? "a window of the L2, of which nothing is set aside"
                                : "a launch without a window while a part of the L2 is set aside";
    if (window.bytes == 0)
        return nullptr;
    const auto of = e.arrays.find((const unsigned char *)window.base);
    if (of == e.arrays.end() || of->second.name != "x" || window.bytes > of->second.size)
        return "a window of the L2 that is not over x";
    e.last_window = {"x", (int64_t)window.bytes, (int64_t)e.set_aside_B, window.hits, 0};
    return nullptr;
}

int execute_grid(int64_t n_blocks, int block_threads, size_t shared_B, const void *args,
                 void (*body)(const void *), const grid_window &window)
{
    executor &e = the();
    if (const char *wrong = wrong_window(window)) {
        e.fault = wrong;
        return 2;
    }
    if (n_blocks < 1 || n_blocks > INT32_MAX || block_threads < 1 || block_threads > SP_GPU_BLOCK_THREADS ||
        block_threads % SP_WARP != 0 || shared_B > SP_GPU_SHARED_MOST_B)
        return 1;
    e.arguments = args;
    e.body = body;
    e.block_threads = block_threads;
    e.n_grids++;
    e.fault.clear();
    for (e.block = 0; e.block < n_blocks; e.block++) {
        prepare_block(block_threads, shared_B);
        if (!run_block(block_threads))
            return 2;
    }
    return 0;
}

extern "C" {

static void record(int on)
{
    executor &e = the();
    e.record = on != 0;
    if (on) {
        e.requests.clear();
        e.first_grid = e.n_grids + 1;
    }
}

static const struct sp_executor_request *requests(int64_t *n)
{
    *n = (int64_t)the().requests.size();
    return the().requests.data();
}

static void seed(uint64_t value)
{
    the().seed = value;
}

static void memory(int64_t bytes)
{
    the().memory_B = bytes;
    the().most_used_B = the().used_B;
}

static void window(struct sp_executor_window *last)
{
    *last = the().last_window;
    last->set_aside_now_B = (int64_t)the().set_aside_B;
}

static int64_t most_used(void)
{
    return the().most_used_B;
}

__attribute__((visibility("default"))) const struct sp_executor *sp_executor_table(void)
{
    static const struct sp_executor e = {record, requests, seed, memory, most_used, window};
    return &e;
}

enum sp_status (*const sp_gpu_choose)(int number, struct sp_error *err) = nullptr;

enum sp_status sp_gpu_describe(struct sp_gpu_device *d, struct sp_error *err)
{
    (void)err;
    *d = {};
    std::snprintf(d->name, sizeof d->name, "executor on this CPU");
    d->major = 9;
    d->n_cores = 4;
    d->memory_B = (size_t)device_memory();
    d->free_B = (size_t)(device_memory() - the().used_B);
    d->L2_B = 64 << 10; /* small, so that what exceeds it is executed soon */
    d->shared_core_B = 228 << 10;
    d->core_threads = 512;
    d->core_blocks = 8;
    d->core_registers = 65536;
    d->wave = 32;
    return SP_OK;
}

void sp_gpu_clocks_now(struct sp_gpu_clocks *clocks)
{
    std::memset(clocks, 0, sizeof *clocks);
    if (std::getenv("SP_EXECUTOR_SHARED")) { /* with the first process, and hot */
        clocks->n_others = 1;
        clocks->other[0] = 1;
        clocks->held_back = "its temperature";
    }
    clocks->sm_Hz = clocks->memory_Hz = clocks->power_limit_W = sp_value_none("the executor has no clock");
}

enum sp_status sp_gpu_alloc(size_t bytes, const char *what, void **p, struct sp_error *err)
{
    executor &e = the();
    *p = nullptr;
    if (bytes == 0)
        return SP_OK;
    if ((int64_t)bytes > device_memory() - e.used_B)
        return sp_fail(err, SP_MEMORY, "take a smaller matrix", "%s takes %zu bytes, too many", what, bytes);
    array a = {what, bytes, std::make_unique<unsigned char[]>(bytes), {}, -1};
    a.writer.assign(bytes / WORD_B + 1, -1);
    std::memset(a.memory.get(), 0xff, bytes);
    *p = a.memory.get();
    e.used_B += (int64_t)bytes;
    e.most_used_B = std::max(e.most_used_B, e.used_B);
    e.arrays.emplace((const unsigned char *)*p, std::move(a));
    std::fill_n(e.found_last, N_FOUND, found{});
    return SP_OK;
}

void sp_gpu_free(void *p)
{
    executor &e = the();
    auto found = e.arrays.find((const unsigned char *)p);
    if (found == e.arrays.end())
        return;
    e.used_B -= (int64_t)found->second.size;
    e.arrays.erase(found);
    std::fill_n(e.found_last, N_FOUND, ::found{});
}

enum sp_status sp_gpu_copy_in(void *to, const void *from, size_t bytes, struct sp_error *err)
{
    (void)err;
    if (bytes)
        std::memcpy(to, from, bytes);
    return SP_OK;
}

enum sp_status sp_gpu_copy_out(void *to, const void *from, size_t bytes, struct sp_error *err)
{
    return sp_gpu_copy_in(to, from, bytes, err);
}

/* A little more than half of the L2, in whole KiB, and windows over 40 KiB. */
enum sp_status sp_gpu_L2_limits(struct sp_gpu_L2_room *limits, struct sp_error *err)
{
    *limits = {0, 0};
    if (std::getenv("SP_EXECUTOR_NO_WINDOW"))
        return sp_fail(err, SP_ABSENT, "unset SP_EXECUTOR_NO_WINDOW", "the L2 is not divided, as asked for");
    *limits = {36 << 10, 40 << 10};
    return SP_OK;
}

enum sp_status sp_gpu_L2_set_aside(size_t bytes, size_t *before_B, size_t *given_B, struct sp_error *err)
{
    executor &e = the();
    *before_B = e.set_aside_B;
    if (bytes > 36 << 10)
        return sp_fail(err, SP_BUG, "", "%zu bytes of the L2 are set aside, too many", bytes);
    e.set_aside_B = *given_B = (bytes + 1023) >> 10 << 10;
    return SP_OK;
}

enum sp_status sp_gpu_L2_give_back(size_t before_B, struct sp_error *err)
{
    (void)err;
    the().set_aside_B = before_B;
    return SP_OK;
}

bool sp_gpu_pin(void *p, size_t bytes)
{
    return p && bytes > 0;
}

void sp_gpu_unpin(void *)
{
}

/* Copies are made as late as they may be, and what they will overwrite is gone before: a kernel that does not
 * wait for them, or is not waited for, computes with NaN. */
struct feed {
    enum { FREE, FILLING, FULL } state[2];
    int filling;
    struct pending {
        void *to;
        const void *from;
        size_t bytes;
    };
    std::vector<pending> copies;
};

enum sp_status sp_gpu_feed_make(void **made, struct sp_error *err)
{
    (void)err;
    *made = new feed{{feed::FREE, feed::FREE}, 0, {}};
    return SP_OK;
}

void sp_gpu_feed_free(void *of)
{
    delete (feed *)of;
}

enum sp_status sp_gpu_feed_begin(void *of, int which, struct sp_error *err)
{
    feed *f = (feed *)of;
    if (f->state[which] != feed::FREE)
        return sp_fail(err, SP_BUG, "", "a buffer is filled that kernels may still read");
    f->state[which] = feed::FILLING;
    f->filling = which;
    return SP_OK;
}

enum sp_status sp_gpu_feed_copy(void *of, void *to, const void *from, size_t bytes, struct sp_error *err)
{
    feed *f = (feed *)of;
    const unsigned char *base = nullptr;
    const array *a = array_of(to, &base, 0);
    if (f->state[f->filling] != feed::FILLING)
        return sp_fail(err, SP_BUG, "", "a copy into a buffer that is not being filled");
    if (bytes > 0 && (!a || (size_t)((unsigned char *)to - base) + bytes > a->size))
        return sp_fail(err, SP_BUG, "", "a copy beyond the end of an array");
    if (bytes > 0) {
        std::memset(to, 0xff, bytes);
        f->copies.push_back({to, from, bytes});
    }
    return SP_OK;
}

enum sp_status sp_gpu_feed_filled(void *of, int which, struct sp_error *err)
{
    feed *f = (feed *)of;
    if (f->state[which] != feed::FILLING)
        return sp_fail(err, SP_BUG, "", "a buffer is full that was not filled");
    for (const feed::pending &c : f->copies)
        std::memcpy(c.to, c.from, c.bytes);
    f->copies.clear();
    f->state[which] = feed::FULL;
    return SP_OK;
}

enum sp_status sp_gpu_feed_used(void *of, int which, struct sp_error *err)
{
    feed *f = (feed *)of;
    if (f->state[which] == feed::FILLING)
        return sp_fail(err, SP_BUG, "", "a buffer was used before it was full");
    f->state[which] = feed::FREE;
    return SP_OK;
}

/* There is no device whose clock could be read: the time that this CPU takes. */
enum sp_status sp_gpu_clock_make(void **clock, struct sp_error *err)
{
    return sp_new_array(1, sizeof(double), "a clock", clock, err);
}

void sp_gpu_clock_free(void *clock)
{
    free(clock);
}

enum sp_status sp_gpu_clock_start(void *clock, struct sp_error *err)
{
    (void)err;
    *(double *)clock = sp_now();
    return SP_OK;
}

static void (*on_queued)(void *context);
static void *queued_context;

void sp_gpu_on_queued(void (*queued)(void *context), void *context)
{
    on_queued = queued;
    queued_context = context;
}

enum sp_status sp_gpu_clock_stop(void *clock, double *seconds, struct sp_error *err)
{
    (void)err;
    *seconds = sp_now() - *(double *)clock;
    static int times = 0; /* a device that others use more and more: no sample is as the one before */
    if (std::getenv("SP_EXECUTOR_TIRES"))
        *seconds *= ++times;
    if (on_queued)
        on_queued(queued_context);
    return SP_OK;
}

enum sp_status sp_gpu_check(int number, const char *doing, struct sp_error *err)
{
    if (number == 0)
        return SP_OK;
    return sp_fail(err, SP_BUG, "", "%s: %s", doing,
                   number == 1 ? "a grid that no GPU takes" : the().fault.c_str());
}

/* Lanes whose sectors count together: all of a warp, or as SP_EXECUTOR_LANES says of accesses of 4, 8 and 16
 * bytes ("32,16,8"); "32,-16,8": every other lane, or so, in place of neighbours. */
static int lanes_together(int access_B)
{
    int of[3] = {SP_WARP, SP_WARP, SP_WARP};
    if (const char *wanted = getenv("SP_EXECUTOR_LANES"))
        std::sscanf(wanted, "%d,%d,%d", &of[0], &of[1], &of[2]);
    return of[access_B > 8 ? 2 : access_B > 4 ? 1 : 0];
}

/* Counts of one execution: an L1 that keeps nothing, and memory behind an L2 that keeps everything. */
static void count_requests(struct sp_gpu_counts *counts)
{
    std::set<std::pair<const char *, int64_t>> read, written;
    double sectors[SP_EXECUTOR_COPY + 1] = {0};
    for (const sp_executor_request &r : the().requests) {
        std::set<std::pair<int, int64_t>> mine; /* of each part of the warp */
        const int lanes = lanes_together(r.size);
        for (int l = 0; l < SP_WARP; l++)
            if (r.lanes >> l & 1)
                mine.insert({lanes > 0 ? l / lanes : l % (SP_WARP / -lanes), r.offset[l] / 32});
        sectors[r.kind] += (double)mine.size();
        for (const auto &s : mine)
            (r.kind == SP_EXECUTOR_LOAD || r.kind == SP_EXECUTOR_COPY ? read : written)
                .insert({r.array, s.second});
    }
    counts->n_passes = 1;
    counts->of[SP_GPU_L1_LOAD] = sp_value_of(sectors[SP_EXECUTOR_LOAD], SP_MEASURED);
    counts->of[SP_GPU_L1_STORE] = sp_value_of(sectors[SP_EXECUTOR_STORE], SP_MEASURED);
    counts->of[SP_GPU_L2_READ] =
        sp_value_of(32 * (sectors[SP_EXECUTOR_LOAD] + sectors[SP_EXECUTOR_COPY]), SP_MEASURED);
    counts->of[SP_GPU_L2_WRITE] = sp_value_of(32 * sectors[SP_EXECUTOR_STORE], SP_MEASURED);
    counts->of[SP_GPU_DRAM_READ] = sp_value_of(32 * (double)read.size(), SP_MEASURED);
    counts->of[SP_GPU_DRAM_WRITE] = sp_value_of(32 * (double)written.size(), SP_MEASURED);
}

static enum sp_status count(enum sp_gpu_set_name set, const struct sp_gpu_work *work,
                            struct sp_gpu_counts *counts, struct sp_error *err)
{
    sp_gpu_counts_none(counts, "the executor does not count it");
    if (getenv("SP_EXECUTOR_REFUSES"))
        return sp_fail(err, SP_ABSENT, "unset SP_EXECUTOR_REFUSES", "counters are refused, as asked for");
    enum sp_status status = work->set_cache_state ? work->set_cache_state(work->context, err) : SP_OK;
    record(1);
    if (status == SP_OK)
        status = work->launch(work->context, err);
    record(0);
    if (status == SP_OK && set == SP_GPU_SET_TRAFFIC)
        count_requests(counts);
    return status;
}

/* Its C name is that of the type, which a constructor has in C++. */
__attribute__((visibility("default"))) const struct sp_gpu_counters *
counters_table(void) __asm__(SP_GPU_COUNTERS_SYMBOL);
const struct sp_gpu_counters *counters_table(void)
{
    static const struct sp_gpu_counters counters = {SP_GPU_COUNTERS_ABI, sizeof(struct sp_gpu_counts), count};
    return &counters;
}
}
