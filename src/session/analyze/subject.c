#include "session/analyze/subject.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "io/matrix/matrix_load.h"
#include "sparse/csr/csr_content.h"
#include "sparse/reorder/reorder.h"
#include "sys/fault.h"

/* The subject's matrix in this order, timed. */
static enum sp_status put_in_order(struct sp_subject *s, const char *order,
                                   const struct sp_allocator *allocator, const struct sp_progress *progress,
                                   struct sp_csr *ordered, struct sp_error *err)
{
    sp_progress_step(progress, "reordering", -1);
    const double start = sp_now();
    enum sp_status status = sp_reorder(order, &s->matrix, allocator, NULL, ordered, err);
    s->reorder_s = sp_now() - start;
    return status;
}

enum sp_status sp_subject_open(const char *argument, const struct sp_load_options *load, const char *reorder,
                               const struct sp_progress *progress, struct sp_subject *s, struct sp_error *err)
{
    memset(s, 0, sizeof *s);
    snprintf(s->argument, sizeof s->argument, "%s", argument);
    sp_matrix_display_name(argument, s->name, sizeof s->name);
    snprintf(s->reorder, sizeof s->reorder, "%s", reorder ? reorder : "none");
    double start = sp_now();
    enum sp_status status = sp_matrix_load(argument, load, &s->matrix, &s->facts, err);
    s->load_s = sp_now() - start;
    const char *order = strcmp(s->reorder, "none") == 0 && sp_fault("order", NULL) ? "random" : s->reorder;
    if (status == SP_OK && strcmp(order, "none") != 0) {
        struct sp_csr ordered;
        status = put_in_order(s, order, load ? load->allocator : NULL, progress, &ordered, err);
        if (status == SP_OK) {
            sp_csr_free(&s->matrix);
            s->matrix = ordered;
        }
    }
    if (status == SP_OK) {
        sp_progress_step(progress, "looking at the structure", -1);
        status = sp_structure_analyse(&s->matrix, &s->structure, err);
    }
    if (status != SP_OK)
        sp_subject_free(s);
    return status;
}

enum sp_status sp_subject_reorder(struct sp_subject *s, const char *reorder,
                                  const struct sp_allocator *allocator, const struct sp_progress *progress,
                                  struct sp_error *err)
{
    struct sp_csr ordered;
    struct sp_structure structure;
    if (strcmp(reorder, "none") == 0)
        return SP_OK;
    enum sp_status status = put_in_order(s, reorder, allocator, progress, &ordered, err);
    if (status != SP_OK)
        return status;
    status = sp_structure_analyse(&ordered, &structure, err);
    if (status != SP_OK) {
        sp_csr_free(&ordered);
        return status;
    }
    snprintf(s->reorder, sizeof s->reorder, "%s", reorder);
    s->original = s->matrix;
    s->has_original = true;
    s->matrix = ordered;
    s->structure = structure;
    return SP_OK;
}

void sp_subject_hint_inputs(const struct sp_subject *subject, struct sp_hint_inputs *in)
{
    const struct sp_structure *s = &subject->structure;
    in->symmetric = s->value_symmetry.known && s->value_symmetry.value >= 1 && s->value_symmetry.error == 0;
    in->fits_f32 = subject->matrix.n_nz == 0 ? SP_UNKNOWN : s->n_inexact_f32 == 0 ? SP_TRUE : SP_FALSE;
    if (in->fits_f32 == SP_FALSE) {
        struct sp_rounding rounding;
        sp_rounding_of(&subject->matrix, &rounding);
        in->rounding_largest = sp_value_of(rounding.largest, SP_MODELLED);
        in->rounding_normwise = sp_value_of(rounding.normwise, SP_MODELLED);
    }
    in->n_zeros = s->n_zeros;
    in->n_distinct = s->n_distinct;
    in->n_distinct_is_bound = s->distinct_at_least;
    for (int i = 0; i < SP_STRUCTURE_BLOCKS; i++) {
        const struct sp_block_fill *b = &s->block[i];
        double bytes = b->n_e.value * (8.0 * b->b_h * b->b_w + 4);
        if (!b->n_e.known ||
            (in->block_h > 0 && bytes >= (double)in->n_blocks * (8.0 * in->block_h * in->block_w + 4)))
            continue;
        in->block_h = b->b_h;
        in->block_w = b->b_w;
        in->n_blocks = (int64_t)b->n_e.value;
    }
}

void sp_subject_free(struct sp_subject *s)
{
    if (!s)
        return;
    sp_csr_free(&s->matrix);
    sp_csr_free(&s->original);
    memset(s, 0, sizeof *s);
}
