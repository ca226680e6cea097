#include "io/matrix/load_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option/option_words.h"
#include "base/text.h"
#include "sparse/reorder/metis.h"
#include "sys/machine/meminfo.h"

enum { MB = 1000000, NOTHING_B = 4096 };

/* Operands of an analysis are at most: x and y of two kernels, x and y and the reference as
 * doubles, marks of structure and order. */
static const struct need {
    const char *what;
    double copies, per_entry_B, per_row_B, per_column_B, fixed_B;
} needs[] = {
    [SP_LOAD_ALONE] = {"the matrix", 0, 0, 0, 0, 0},
    [SP_LOAD_FIGURES] = {"the matrix and the marks of its rows", 0, 0, 12, 4, 0},
    /* One layout without values, with the fill of SELL; windows of the cache simulator. */
    [SP_LOAD_MODEL] = {"the matrix and a layout", 0, 6, 16, 0, 4 * MB},
    /* The matrix in its order; the order itself, its inverse, queues and degrees of the search. */
    [SP_LOAD_ORDER] = {"the matrix, its order and the reordered matrix", 1, 0, 20, 4, 2 * MB},
    /* The largest search is METIS' (below). */
    [SP_LOAD_ORDERS] = {"the matrix and the search of its orders", 0, 8, 40, 8, 4 * MB},
    /* Two layouts (of two kernels, formats or orders), vectors, and the loops for noise and
     * ceilings. */
    [SP_LOAD_ANALYSIS] = {"the matrix, two layouts and the vectors", 2, 0, 64, 24, 24 * MB},
};

/* At most, of METIS: the graph, which has each entry twice unless the matrix has, once as it is
 * given and, with weights, as each of the coarser ones, which stay until the end. Each has half as
 * many vertices; of irregular graphs it has as many edges until it is nearly full, after
 * log2(n/sqrt(edges)) levels. All in its own integers, 20 for a vertex. */
static double metis_B(const struct sp_load_size *s)
{
    const double n = (double)(s->n_r == s->n_c ? s->n_r : s->n_r + s->n_c),
                 edges = (s->symmetric ? 1 : 2) * (double)s->n_nz;
    const double levels = edges > 0 ? 1 + fmax(1, log2(n / sqrt(edges))) : 1;
    return (double)sp_metis_integer_B() * (edges * (1 + 2 * levels) + 20 * n);
}

double sp_load_need(enum sp_load_use use, const struct sp_load_size *s)
{
    const struct need *n = &needs[use];
    return (1 + n->copies) * sp_csr_bytes(s->n_r, s->n_nz, s->field) + n->per_entry_B * (double)s->n_nz +
           n->per_row_B * (double)s->n_r + n->per_column_B * (double)s->n_c + n->fixed_B +
           (use == SP_LOAD_ORDERS ? metis_B(s) : 0);
}

enum sp_status sp_load_check_memory(const char *path, const struct sp_load_options *options,
                                    const struct sp_load_size *size, double reading_B, const char *what,
                                    struct sp_error *err)
{
    double bytes = sp_load_need(options->use, size);
    if (options->memory_limit_B <= 0 ||
        (reading_B <= options->memory_limit_B && bytes <= options->memory_limit_B))
        return SP_OK;
    if (options->use != SP_LOAD_ALONE && bytes >= reading_B)
        what = needs[options->use].what;
    else
        bytes = reading_B;
    char need[32], have[32], left[80], limit[96] = "";
    struct sp_meminfo memory;
    if (sp_meminfo_read("", &memory, NULL) == SP_OK)
        sp_meminfo_limit_text(&memory, limit, sizeof limit);
    snprintf(left, sizeof left, "only %s may be taken",
             sp_text_bytes(have, sizeof have, options->memory_limit_B));
    if (options->memory_limit_B < NOTHING_B) /* the program itself has taken it */
        snprintf(left, sizeof left, "nothing may be taken beside the program itself");
    return sp_fail_at(err, SP_MEMORY, path, 0, 0,
                      "take more memory or a smaller matrix; " SP_O_MEMORY
                      " SIZE says what may be taken, where you know "
                      "better",
                      "about %s are needed for %s, but %s%s%s", sp_text_bytes(need, sizeof need, bytes), what,
                      left, limit[0] ? ": " : "", limit);
}
