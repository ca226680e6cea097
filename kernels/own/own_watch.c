#include "kernels/own/own_watch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/option/option_words.h"

enum { LINE_B = 64, PATTERN = 0xa5, HUGE_B = 2 << 20 };

static size_t whole(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* The pages that an array of so many bytes has, without those around it. */
struct room {
    size_t page_B, lines_B, body_B;
};

static struct room room_of(size_t bytes)
{
    const size_t page_B = (size_t)sysconf(_SC_PAGESIZE), lines_B = whole(bytes > 0 ? bytes : 1, LINE_B);
    return (struct room){page_B, lines_B, whole(lines_B, page_B)};
}

static void *take(size_t bytes, bool huge)
{
    const struct room r = room_of(bytes);
    char *map = mmap(NULL, r.body_B + 2 * r.page_B, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    char *body = map + r.page_B, *at = body + r.body_B - r.lines_B;
    if (mprotect(body, r.body_B, PROT_READ | PROT_WRITE) != 0) {
        munmap(map, r.body_B + 2 * r.page_B);
        return NULL;
    }
    if (huge && r.body_B >= HUGE_B)
        madvise(body, r.body_B, MADV_HUGEPAGE);
    if (at > body)
        memset(body, PATTERN, (size_t)(at - body));
    if (r.lines_B > bytes)
        memset(at + bytes, PATTERN, r.lines_B - bytes);
    return at;
}

static void *take_huge(void *context, size_t bytes)
{
    (void)context;
    return take(bytes, true);
}

static void *take_small(void *context, size_t bytes)
{
    (void)context;
    return take(bytes, false);
}

static void give_back(void *context, void *p, size_t bytes)
{
    (void)context;
    const struct room r = room_of(bytes);
    if (p)
        munmap((char *)p + r.lines_B - r.body_B - r.page_B, r.body_B + 2 * r.page_B);
}

const struct sp_allocator sp_own_pages_huge = {take_huge, give_back, NULL};
const struct sp_allocator sp_own_pages_small = {take_small, give_back, NULL};

bool sp_own_pages_are(const struct sp_allocator *a)
{
    return a == &sp_own_pages_huge || a == &sp_own_pages_small;
}

void sp_own_pages_array(const void *p, size_t size_B, const char *name, struct sp_own_array *array)
{
    const struct room r = room_of(size_B);
    const uintptr_t at = (uintptr_t)p, body = at + r.lines_B - r.body_B;
    *array = (struct sp_own_array){
        .map = body - r.page_B, .map_to = body + r.body_B + r.page_B, .at = at, .to = at + size_B};
    snprintf(array->name, sizeof array->name, "%s", name);
}

void sp_own_pages_protect(struct sp_own_array *a, bool read_only)
{
    const size_t page_B = (size_t)sysconf(_SC_PAGESIZE);
    mprotect((void *)(a->map + page_B), a->map_to - a->map - 2 * page_B,
             read_only ? PROT_READ : PROT_READ | PROT_WRITE);
    a->read_only = read_only;
}

void sp_own_pages_look(const struct sp_own_array *a, size_t *before_B, size_t *behind_B)
{
    const size_t page_B = (size_t)sysconf(_SC_PAGESIZE);
    const unsigned char *at = (const unsigned char *)a->at, *to = (const unsigned char *)a->to,
                        *first = (const unsigned char *)(a->map + page_B),
                        *end = (const unsigned char *)(a->map_to - page_B);
    *before_B = *behind_B = 0;
    for (const unsigned char *p = first; p < at && *before_B == 0; p++)
        if (*p != PATTERN)
            *before_B = (size_t)(at - p);
    for (const unsigned char *p = end; p > to && *behind_B == 0; p--)
        if (p[-1] != PATTERN)
            *behind_B = (size_t)(p - to);
}

/* How a call has ended that did not return, in `exited`. */
enum { BY_EXIT = 1, BY_THREAD = 2, BY_FORK = 3 };

bool sp_own_is_forked;

/* Signals know no argument: the process of the kernel has one watch. */
static struct sp_own_watch *watched;

enum sp_status sp_own_watch_new(struct sp_own_watch **watch, struct sp_error *err)
{
    void *p = mmap(NULL, sizeof **watch, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *watch = p == MAP_FAILED ? NULL : p;
    return *watch ? SP_OK : sp_fail(err, SP_MEMORY, "free memory", "no memory for the watch over a kernel");
}

void sp_own_watch_free(struct sp_own_watch *watch)
{
    if (watch)
        munmap(watch, sizeof *watch);
}

void sp_own_watch_again(struct sp_own_watch *watch)
{
    if (!watch)
        return;
    watch->signal = watch->access = watch->code = 0;
    memset(watch->array, 0, sizeof watch->array);
    atomic_store(&watch->wrong, false);
    atomic_store(&watch->exited, 0);
    atomic_store(&watch->call, SP_OWN_NONE);
}

/* Bit 1 of the error code of a page fault: it was a write. */
static int access_of(const ucontext_t *context)
{
#if defined(__x86_64__)
    return context->uc_mcontext.gregs[REG_ERR] & 2 ? 2 : 1;
#else
    (void)context;
    return 0;
#endif
}

/* The address up to which a function may use the stack; 0: not known. */
static uintptr_t stack_of(const ucontext_t *context)
{
    enum { RED_ZONE_B = 128 };
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP] - RED_ZONE_B;
#elif defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.sp - RED_ZONE_B;
#else
    (void)context;
    return 0;
#endif
}

/* Asks for a change of the signal mask that there is not: the kernel reads the new mask before it
 * says so. */
static bool is_memory(uintptr_t address)
{
    enum { MASK_B = 8, NO_SUCH_CHANGE = -1 };
    return syscall(SYS_rt_sigprocmask, NO_SUCH_CHANGE, address / MASK_B * MASK_B, NULL, MASK_B) == 0 ||
           errno != EFAULT;
}

/* Notes the first one, and lets it take its course. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    if (watched->signal == 0 && !sp_own_is_forked) {
        watched->address = (uintptr_t)info->si_addr;
        watched->access = number == SIGSEGV ? access_of(context) : 0;
        watched->no_stack = number == SIGSEGV && stack_of(context) && !is_memory(stack_of(context));
        watched->of_thread = syscall(SYS_gettid) != getpid();
        watched->signal = number;
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void on_end(int code, void *unused)
{
    (void)unused;
    if (atomic_load(&watched->call) == SP_OWN_NONE)
        return;
    if (sp_own_is_forked) /* of no concern to the one that forked it */
        _exit(code);
    watched->code = code;
    atomic_store(&watched->exited, BY_EXIT);
    _exit(EXIT_FAILURE);
}

static void note_fork(void)
{
    sp_own_is_forked = atomic_load(&watched->call) != SP_OWN_NONE;
}

void sp_own_end_forked(struct sp_own_watch *watch)
{
    if (watch)
        atomic_store(&watch->exited, BY_FORK);
    _exit(EXIT_FAILURE);
}

void sp_own_watch_begin(struct sp_own_watch *watch)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    enum { STACK_B = 1 << 16 };
    static char room[STACK_B];
    const stack_t stack = {.ss_sp = room,
                           .ss_size = sizeof room}; /* where a recursion has used up the other */
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    watched = watch;
    sigemptyset(&action.sa_mask);
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        sigaction(fatal[i], &action, NULL);
    on_exit(on_end, NULL);
    pthread_atfork(NULL, NULL, note_fork);
}

static void on_thread_end(void *watch)
{
    atomic_store(&((struct sp_own_watch *)watch)->exited, BY_THREAD);
    _exit(EXIT_FAILURE);
}

int sp_own_watched(struct sp_own_watch *watch, enum sp_own_call call, int (*body)(void *context),
                   void *context)
{
    volatile int code = 0;
    if (!watch)
        return body(context);
    atomic_store(&watch->call, (int)call);
    sp_own_moved(watch);
    pthread_cleanup_push(on_thread_end, watch);
    code = body(context);
    pthread_cleanup_pop(0);
    sp_own_moved(watch);
    if (atomic_load(&watch->exited) == BY_FORK)
        _exit(EXIT_FAILURE);
    atomic_store(&watch->call, SP_OWN_NONE);
    return code;
}

void sp_own_watch_wrong(struct sp_own_watch *watch)
{
    if (watch)
        atomic_store(&watch->wrong, true);
}

void sp_own_watch_array(struct sp_own_watch *watch, const struct sp_own_array *array)
{
    for (int i = 0; watch && i < SP_OWN_ARRAYS; i++) {
        if (watch->array[i].map && strcmp(watch->array[i].name, array->name) != 0)
            continue;
        if (!watch->array[i].map) /* of several states the first counts */
            watch->array[i] = *array;
        return;
    }
}

static const char *call_text(enum sp_own_call call)
{
    static const char *const text[SP_OWN_N_CALLS] = {[SP_OWN_LOAD] =
                                                         "what its library does when it is opened",
                                                     [SP_OWN_PREPARE] = "prepare()",
                                                     [SP_OWN_RUN] = "run()",
                                                     [SP_OWN_FINISH] = "finish()",
                                                     [SP_OWN_TRACE] = "trace()",
                                                     [SP_OWN_STORES] = "stores()"};
    return call > SP_OWN_NONE && call < SP_OWN_N_CALLS ? text[call] : "the analysis";
}

static enum sp_own_call call_of(const struct sp_own_watch *w)
{
    return (enum sp_own_call)atomic_load(&w->call);
}

/* Where the address is, near an array of the kernel's: "12 bytes behind the end of y". */
static bool place_of(const struct sp_own_watch *w, char *text, size_t size)
{
    const uintptr_t p = w->address;
    for (int i = 0; i < SP_OWN_ARRAYS; i++) {
        const struct sp_own_array *a = &w->array[i];
        if (!a->map || p < a->map || p >= a->map_to)
            continue;
        if (p < a->at)
            snprintf(text, size, "%lld bytes before the start of %s", (long long)(a->at - p), a->name);
        else if (p == a->to)
            snprintf(text, size, "right behind the end of %s", a->name);
        else if (p > a->to)
            snprintf(text, size, "%lld bytes behind the end of %s", (long long)(p - a->to), a->name);
        else
            snprintf(text, size, "%s%s, at byte %lld", w->access == 2 ? "into " : "", a->name,
                     (long long)(p - a->at));
        return true;
    }
    return false;
}

static enum sp_status by_signal(const struct sp_own_watch *w, int number, struct sp_error *err)
{
    static const char *const did[] = {"read or wrote", "read", "wrote"};
    char place[120];
    const char *name = w->name, *where = call_text(call_of(w));
    if (number == SIGKILL)
        return sp_fail(err, SP_WRONG, "look at the free memory, and at dmesg",
                       "the kernel %s was killed in %s (signal 9): by the system, if memory ran out", name,
                       where);
    /* Where a thread has no second stack, the handler had nothing to lie on. */
    const bool of_thread =
        (w->signal == number && w->no_stack && w->of_thread) || (w->signal == 0 && number == SIGSEGV);
    if (of_thread || (w->signal == number && w->no_stack))
        return sp_fail(err, SP_WRONG,
                       of_thread ? "allocate large arrays by malloc(), recurse less, or raise OMP_STACKSIZE"
                                 : "allocate large arrays by malloc(), recurse less, or raise ulimit -s",
                       "the kernel %s crashed in %s: %s more stack than it has", name, where,
                       of_thread ? "a thread of it needs" : "it needs");
    if (w->signal == number && number == SIGSEGV && place_of(w, place, sizeof place))
        return sp_fail(err, SP_WRONG, "mend the bounds of its loops", "the kernel %s %s %s in %s", name,
                       did[w->access], place, where);
    if (w->signal == number && number == SIGSEGV)
        return sp_fail(err, SP_WRONG, "look at it in a debugger, or with AddressSanitizer",
                       "the kernel %s crashed in %s: it %s address 0x%llx, outside its arrays%s", name, where,
                       did[w->access], (unsigned long long)w->address,
                       w->address < 4096 ? " (a NULL pointer)" : "");
    return sp_fail(err, SP_WRONG, "look at it in a debugger", "the kernel %s crashed in %s: signal %d, %s%s",
                   name, where, number, strsignal(number),
                   number == SIGABRT ? " (abort(), or an exception that nobody caught)" : "");
}

enum sp_status sp_own_watch_cut_off(const struct sp_own_watch *w, struct sp_error *err)
{
    return sp_fail(err, SP_WRONG, "it may close and write only what it has opened",
                   "the kernel %s closed file descriptors that are not its own, or wrote to them", w->name);
}

enum sp_status sp_own_watch_ended(const struct sp_own_watch *w, int wait_status, struct sp_error *err)
{
    const char *where = call_text(call_of(w));
    const int how = atomic_load(&w->exited);
    if (WIFSIGNALED(wait_status))
        return by_signal(w, WTERMSIG(wait_status), err);
    if (how == BY_THREAD)
        return sp_fail(err, SP_WRONG, "a function of a kernel returns",
                       "the kernel %s ended its thread in %s", w->name, where);
    if (how == BY_FORK)
        return sp_fail(err, SP_WRONG, "end with _exit() what it forks",
                       "the kernel %s forked, and the other process came back from %s, too", w->name, where);
    if (call_of(w) == SP_OWN_NONE &&
        WEXITSTATUS(wait_status) == 0) /* it was at its end, and could not say so */
        return sp_own_watch_cut_off(w, err);
    if (call_of(w) == SP_OWN_NONE)
        return sp_fail(err, SP_ABSENT, "try again; look at the free memory",
                       "the process of the kernel %s ended early, with code %d", w->name,
                       WEXITSTATUS(wait_status));
    return sp_fail(err, SP_WRONG, "return a number that is not 0 where it fails",
                   "the kernel %s ended its process in %s, with code %d", w->name, where,
                   how == BY_EXIT ? w->code : WEXITSTATUS(wait_status));
}

enum sp_status sp_own_watch_hangs(const struct sp_own_watch *w, double limit_s, struct sp_error *err)
{
    return sp_fail(err, SP_WRONG, "where it needs longer, give it more by " SP_O_KERNEL_LIMIT,
                   "the kernel %s did not return from %s within %.3g s", w->name, call_text(call_of(w)),
                   limit_s);
}
