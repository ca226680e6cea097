#include "sparse/formats/offsets.h"

#include "base/option/option_words.h"
#include "base/text.h"
#include "sparse/formats/sell_plan.h"

static void count_rows(const struct sp_csr *a, struct sp_offsets *o)
{
    int64_t n_broken = 0;
#pragma omp parallel for schedule(static) reduction(+ : n_broken)
    for (int64_t i = 0; i < a->n_r; i++) {
        const int64_t first = a->row_ptr[i], end = a->row_ptr[i + 1];
        n_broken += end > first && a->col[end - 1] - a->col[first] > SP_OFFSET_MAX;
    }
    *o = (struct sp_offsets){a->n_nz, a->n_r, a->n_nz, n_broken};
}

enum sp_status sp_offsets_count(const struct sp_workload *w, struct sp_offsets *o, struct sp_error *err)
{
    if (w->format == SP_FORMAT_CRS) {
        count_rows(w->matrix, o);
        return SP_OK;
    }
    struct sp_sell_plan plan;
    enum sp_status status = sp_sell_plan_make(w->matrix, w->C, w->sigma, w->n_threads, &plan, err);
    *o = (struct sp_offsets){0};
    if (status == SP_OK)
        sp_sell_plan_offsets(&plan, w->matrix, w->n_threads, o);
    sp_sell_plan_free(&plan);
    return status;
}

enum sp_status sp_offsets_check(const struct sp_workload *w, const struct sp_offsets *o, struct sp_error *err)
{
    const long long n_r = (long long)w->matrix->n_r, n_broken = (long long)o->n_broken_rows;
    if (w->format == SP_FORMAT_CRS && n_broken > 0)
        return sp_fail(err, SP_USAGE,
                       "take " SP_O_FORMAT " sell, another " SP_O_REORDER ", or " SP_O_INDEX " i32",
                       "%lld of %lld rows span more than %d columns, too many for one base a row with 16-bit "
                       "offsets",
                       n_broken, n_r, (int)SP_OFFSET_MAX);
    if (w->format == SP_FORMAT_CRS)
        return SP_OK;
    const double s_a = (double)sp_value_size(w->precision);
    const double offsets_B = s_a * (double)o->n_stored + sp_offsets_index_B(o);
    const double plain_B = s_a * (double)o->n_plain + sp_offsets_plain_B(o);
    char there[32], here[32];
    if (offsets_B <= plain_B)
        return SP_OK;
    return sp_fail(
        err, SP_USAGE, "take " SP_O_INDEX " i32, another " SP_O_REORDER ", or a larger C",
        "16-bit offsets would store %s, 32-bit indices %s: %lld of %lld rows are in chunks whose slots "
        "span more than %d columns",
        sp_text_bytes(there, sizeof there, offsets_B), sp_text_bytes(here, sizeof here, plain_B), n_broken,
        n_r, (int)SP_OFFSET_MAX);
}
