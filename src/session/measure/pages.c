#include "session/measure/pages.h"

#include <string.h>

#include "base/clock.h"
#include "base/samples.h"
#include "model/gather.h"

enum { MOST_SIZES = 16, SAMPLES = 7, REPETITIONS = 64, LEAST_LINES = 1024, MOST_LINES = 8192, LINE = 64 };
static const size_t small_B = (size_t)64 << 20; /* of 4 KiB pages; fresh memory is expensive */

/* Lines that stay in the L2: half of what one core has of it, a power of two. */
static int64_t lines_of(const struct sp_topology *t)
{
    const int k = t->n_caches > 1 ? 1 : 0;
    const int64_t sharing = t->n_caches > 0 && t->cache[k].cores_sharing > 0 ? t->cache[k].cores_sharing : 1,
                  half = t->n_caches > 0 ? t->cache[k].size_B / 2 / sharing / LINE : 0;
    int64_t n = LEAST_LINES;
    while (2 * n <= half && n < MOST_LINES)
        n *= 2;
    return n;
}

static void measure_row(const char *memory, size_t bytes, int64_t n_lines, bool huge, int n_threads,
                        struct sp_machine *machine)
{
    double size[MOST_SIZES], seconds[MOST_SIZES], sample[SAMPLES];
    int n = 0;
    for (size_t b = (size_t)n_lines * LINE; b <= bytes && n < MOST_SIZES; b *= 2) {
        for (int i = 0; i < SAMPLES; i++)
            sample[i] = sp_ceiling_scattered(memory, b, n_lines, n_threads, REPETITIONS);
        size[n] = (double)b;
        seconds[n++] = sp_median(sample, SAMPLES);
    }
    struct sp_page_costs c = {.huge = huge, .n_threads = n_threads};
    if (machine->n_pages < SP_MAX_PAGE_COSTS && sp_page_costs_of(n, size, seconds, &c))
        machine->page[machine->n_pages++] = c;
}

void sp_measure_pages(const struct sp_ceiling_arena *arena, const struct sp_topology *t, int n_threads,
                      double budget_s, const struct sp_progress *progress, struct sp_machine *machine)
{
    const double until = sp_now() + budget_s;
    const int64_t n_lines = lines_of(t);
    machine->n_pages = 0;
    for (int huge = 1; huge >= 0; huge--) {
        const size_t bytes = huge ? arena->bytes : small_B;
        void *memory = arena->memory;
        if (!huge && sp_large_alloc(&sp_allocator_plain, (int64_t)bytes, 1, "pages", &memory, NULL) != SP_OK)
            return;
        if (!huge)
            memset(memory, 0, bytes);
        for (int all = 0; all <= (n_threads > 1); all++) {
            sp_progress_step(progress, "measuring page tables", -1);
            if (sp_now() < until && !sp_progress_interrupted(progress))
                measure_row(memory, bytes, n_lines, huge, all ? n_threads : 1, machine);
        }
        if (!huge)
            sp_large_free(&sp_allocator_plain, memory, (int64_t)bytes, 1);
    }
}
