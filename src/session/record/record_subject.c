#include <stdlib.h>
#include <string.h>

#include "session/record/parts.h"

/* The picture of a spy plot has at most this many cells a side. */
enum { SPY_CELLS = 64 };

static void record_estimate(struct sp_record *r, const char *path, struct sp_estimate e)
{
    if (e.known)
        sp_record_set_value(
            r, path, sp_value_between(e.value, e.value - e.error, e.value + e.error, SP_MODELLED), "1");
    else
        sp_record_set_null(r, path, "undefined for this matrix");
}

static void record_spy(struct sp_record *r, const struct sp_csr *a)
{
    int64_t rows = a->n_r < SPY_CELLS ? a->n_r : SPY_CELLS, cols = a->n_c < SPY_CELLS ? a->n_c : SPY_CELLS;
    if (rows == 0 || cols == 0)
        return;
    int64_t *counts = calloc((size_t)(rows * cols), sizeof *counts);
    if (!counts)
        return;
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < rows; k++) /* whole cells to a thread, so that none is shared */
        for (int64_t i = (k * a->n_r + rows - 1) / rows; i < ((k + 1) * a->n_r + rows - 1) / rows; i++)
            for (int64_t j = a->row_ptr[i]; j < a->row_ptr[i + 1]; j++)
                counts[k * cols + a->col[j] * cols / a->n_c]++;
    json_t *list = json_array();
    for (int64_t i = 0; i < rows * cols; i++)
        json_array_append_new(list, json_integer(counts[i]));
    free(counts);
    json_t *spy = json_object();
    json_object_set_new(spy, "rows", json_integer(rows));
    json_object_set_new(spy, "cols", json_integer(cols));
    json_object_set_new(spy, "counts", list);
    sp_record_set_object(r, "curves.spy", spy);
}

static void record_structure(struct sp_record *r, const struct sp_structure *s)
{
    sp_record_set_number(r, "structure.n_nzr_mean", s->n_nzr);
    sp_record_set_count(r, "structure.n_nzr_median", s->row_median);
    sp_record_set_count(r, "structure.n_nzr_p99", s->row_p99);
    sp_record_set_count(r, "structure.n_nzr_max", s->row_max);
    sp_record_set_count(r, "structure.n_nzr_min", s->row_min);
    sp_record_set_number(r, "structure.n_nzr_cv", s->row_cv);
    sp_record_set_count(r, "structure.empty_rows", s->n_empty_rows);
    sp_record_set_count(r, "structure.empty_cols", s->n_c - s->n_c_used);
    sp_record_set_count(r, "structure.bandwidth",
                        s->lower_bandwidth > s->upper_bandwidth ? s->lower_bandwidth : s->upper_bandwidth);
    sp_record_set_count(r, "structure.profile", s->profile);
    sp_record_set_number(r, "structure.mean_distance", s->mean_distance);
    sp_record_set_number(r, "structure.footprint_B", s->crs_B + s->vector_B);
    sp_record_set_count(r, "structure.distinct_values", s->n_distinct);
    sp_record_set_flag(r, "structure.distinct_values_is_bound", s->distinct_at_least);
    sp_record_set_count(r, "structure.inexact_in_f32", s->n_inexact_f32);
    record_estimate(r, "structure.pattern_symmetry", s->pattern_symmetry);
    record_estimate(r, "structure.value_symmetry", s->value_symmetry);
    record_estimate(r, "structure.unit_share", s->unit_share);
    if (s->pattern_symmetry.known)
        sp_record_set_flag(r, "structure.pattern_symmetric", s->pattern_symmetry.value >= 1);
}

void sp_record_subject(struct sp_record *r, const struct sp_subject *s)
{
    const struct sp_csr *a = &s->matrix;
    sp_record_set_text(r, "problem.name", s->name);
    sp_record_set_text(r, "problem.path", s->argument);
    if (s->facts.sha256[0])
        sp_record_set_text(r, "problem.sha256", s->facts.sha256);
    else
        sp_record_set_null(r, "problem.sha256", "not computed");
    sp_record_set_count(r, "problem.rows", a->n_r);
    sp_record_set_count(r, "problem.cols", a->n_c);
    sp_record_set_count(r, "problem.nnz", a->n_nz);
    sp_record_set_text(r, "problem.field", sp_field_name(a->field));
    sp_record_set_text(r, "problem.symmetry", sp_symmetry_name(a->symmetry));
    sp_record_set_flag(r, "problem.symmetric_expanded", a->symmetry != SP_GENERAL);
    sp_record_set_text(r, "problem.reorder", s->reorder);
    sp_record_set_count(r, "problem.zeros", a->n_zeros);
    if (s->facts.n_dropped > 0)
        sp_record_set_count(r, "problem.zeros_dropped", s->facts.n_dropped);
    sp_record_set_count(r, "problem.duplicates", a->n_duplicates);
    sp_record_set_text(r, "problem.input", s->facts.format);
    record_structure(r, &s->structure);
    record_spy(r, a);
}
