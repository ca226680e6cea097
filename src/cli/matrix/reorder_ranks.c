#include "cli/matrix/reorder_ranks.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/text.h"
#include "io/ranks/row_parts.h"
#include "sparse/ranks/halo.h"

enum sp_status sp_reorder_ranks_write(const struct sp_reorder_ranks *r, const struct sp_ranks *d,
                                      bool ordered, struct sp_error *err)
{
    void *p;
    if (!r->parts)
        return SP_OK;
    enum sp_status status = sp_new_array(d->n_r, sizeof(int32_t), "the part of each row", &p, err);
    if (status != SP_OK)
        return status;
    const struct sp_ranks in_order = {.n = d->n, .row_begin = d->row_begin};
    sp_ranks_parts(ordered ? &in_order : d, p);
    status = sp_row_parts_write(r->parts, p, d->n_r, err);
    free(p);
    return status;
}

static enum sp_status print_line(const struct sp_csr *a, const struct sp_ranks *d, const char *word,
                                 const struct sp_progress *progress, FILE *out, struct sp_error *err)
{
    struct sp_halo halo;
    char most[32], all[32];
    int64_t recv = 0, sum = 0, nz = 0, messages = 0;
    enum sp_status status = sp_halo_make(a, d, false, progress, &halo, err);
    if (status != SP_OK)
        return status;
    for (int p = 0; p < halo.n_ranks; p++) {
        const struct sp_halo_rank *r = &halo.rank[p];
        recv = r->n_recv > recv ? r->n_recv : recv;
        nz = r->local_nz + r->remote_nz > nz ? r->local_nz + r->remote_nz : nz;
        messages = r->n_senders > messages ? r->n_senders : messages;
        sum += r->n_recv;
    }
    sp_print(
        out,
        "  %-8.8s entries %.3f of the mean at most   halo %s of x, %s a rank at most, from %lld others\n",
        word, a->n_nz > 0 ? (double)nz * halo.n_ranks / (double)a->n_nz : 1.0,
        sp_text_count(all, sizeof all, sum), sp_text_count(most, sizeof most, recv), (long long)messages);
    sp_halo_free(&halo);
    return SP_OK;
}

enum sp_status sp_reorder_ranks_print(const struct sp_csr *a, const struct sp_ranks *d, const char *partition,
                                      const struct sp_progress *progress, FILE *out, struct sp_error *err)
{
    const struct sp_division *rows = &sp_division_table[0], *named = sp_division_of(partition);
    struct sp_ranks equal;
    if (named == rows)
        return print_line(a, d, rows->name, progress, out, err);
    enum sp_status status = sp_ranks_make(rows, a, d->n, &equal, err);
    if (status == SP_OK)
        status = print_line(a, &equal, rows->name, progress, out, err);
    sp_ranks_free(&equal);
    if (status == SP_OK)
        status = print_line(a, d, named ? named->name : "file", progress, out, err);
    return status;
}
