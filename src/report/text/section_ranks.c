/* RANKS: a distributed SpMV over the ranks of an MPI job, its parts, its halo, each rank. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/text/sections.h"

enum { SHOWN = 16, N_COLUMNS = 11, CELL = 40, LABEL = 11 };
static const char *const heads[N_COLUMNS] = {"rank",     "rows", "nonzeros", "remote",   "sent", "to",
                                             "received", "from", "local",    "exchange", "GB/s"};
static const int ends[N_COLUMNS] = {5, 15, 26, 33, 41, 44, 53, 58, 66, 75, 80};

static void begin(struct sp_pen *pen, const char *label)
{
    pen->indent = LABEL;
    sp_pen_put(pen, SP_INK_BOLD, "%s", label);
    sp_pen_tab(pen, LABEL);
}

static struct sp_value time_of(const struct sp_record *record, const char *part)
{
    const json_t *parts = sp_record_node(record, SP_F_RANKS_PARTS), *one;
    size_t i;
    json_array_foreach(parts, i, one)
    {
        const char *name = sp_item_text(one, "part");
        if (name && strcmp(name, part) == 0)
            return sp_record_value_of(json_object_get(one, "time"));
    }
    return sp_value_none("not timed");
}

static void put_time(struct sp_pen *pen, const char *label, struct sp_value t, const char *behind)
{
    char text[32], lo[32], hi[32];
    if (!sp_value_known(t))
        sp_pen_part(pen, SP_INK_PLAIN, 1, "%s not known%s", label, behind);
    else
        sp_pen_part(pen, SP_INK_PLAIN, 1, "%s %s (%s … %s)%s", label,
                    sp_text_seconds(text, sizeof text, t.value), sp_text_seconds(lo, sizeof lo, t.lo),
                    sp_text_seconds(hi, sizeof hi, t.hi), behind);
}

static void put_job(struct sp_pen *pen, const struct sp_record *record)
{
    int64_t n = 0, nodes = 0, threads = 0;
    sp_record_count(record, SP_F_RANKS_N, &n);
    sp_record_count(record, SP_F_RANKS_NODES, &nodes);
    sp_record_count(record, SP_F_CONFIG_THREADS, &threads);
    begin(pen, "RANKS");
    sp_pen_part(pen, SP_INK_PLAIN, 0, "%lld rank%s of %lld thread%s on %lld node%s, partition %s;",
                (long long)n, n == 1 ? "" : "s", (long long)threads, threads == 1 ? "" : "s",
                (long long)nodes, nodes == 1 ? "" : "s", sp_words_text(record, SP_F_RANKS_PARTITION, "?"));
    sp_pen_words(pen, SP_INK_PLAIN, sp_words_text(record, SP_F_RANKS_MPI, ""));
    sp_pen_end(pen);
}

static void put_parts(struct sp_pen *pen, const struct sp_record *record)
{
    begin(pen, "PRODUCT");
    put_time(pen, "overlapped", time_of(record, "product_overlapped"), ",");
    put_time(pen, "one after the other", time_of(record, "product"), "   measured");
    sp_pen_end(pen);
    begin(pen, "PARTS");
    put_time(pen, "local", time_of(record, "local"), ",");
    if (sp_value_known(time_of(record, "execution")))
        put_time(pen, "execution of it", time_of(record, "execution"), ",");
    put_time(pen, "remote", time_of(record, "remote"), ",");
    put_time(pen, "exchange", time_of(record, "exchange"), "   each alone, the last rank");
    sp_pen_end(pen);
}

static void put_halo(struct sp_pen *pen, const struct sp_record *record)
{
    char text[32];
    int64_t bytes = 0, messages = 0;
    bool same = false;
    const bool counted = sp_record_flag(record, SP_F_RANKS_COUNTED_AS_PREDICTED, &same);
    sp_record_count(record, SP_F_RANKS_HALO_B, &bytes);
    sp_record_count(record, SP_F_RANKS_MESSAGES, &messages);
    begin(pen, "HALO");
    sp_pen_part(pen, SP_INK_PLAIN, 0, "%lld messages, %s B each product (predicted);", (long long)messages,
                sp_text_count(text, sizeof text, bytes));
    sp_pen_words(pen, SP_INK_PLAIN,
                 !counted ? "counted: not known, libspmodel-pmpi.so is not in front of MPI"
                 : same   ? "counted the same, to the byte, for all pairs of ranks"
                          : "counted otherwise");
    sp_pen_end(pen);
    begin(pen, "RIGHT");
    sp_pen_words(pen, SP_INK_PLAIN, "every rank's rows are those of the reference, within rounding");
    sp_pen_end(pen);
}

static void cells_of(const json_t *rank, char cell[N_COLUMNS][CELL])
{
    static const char *const counts[N_COLUMNS] = {"rank", "rows", [5] = "sent_to", [7] = "received_from"};
    static const char *const bytes[N_COLUMNS] = {[4] = "sent_B", [6] = "received_B"};
    const json_t *median = json_object_get(rank, "median_s");
    const double local = sp_item_number(rank, "local_nnz"), remote = sp_item_number(rank, "remote_nnz"),
                 roof = sp_item_number(rank, "roof_Bps"), nnz = local + remote;
    char figure[32];
    memset(cell, 0, (size_t)N_COLUMNS * CELL);
    for (int c = 0; c < N_COLUMNS; c++)
        if (counts[c])
            sp_text_whole(cell[c], CELL, sp_item_number(rank, counts[c]));
        else if (bytes[c])
            sp_text_bytes(cell[c], CELL, sp_item_number(rank, bytes[c]));
    sp_text_whole(cell[2], CELL, nnz);
    snprintf(cell[3], CELL, "%.1f %%", nnz > 0 ? 100 * remote / nnz : 0);
    sp_text_seconds(cell[8], CELL, sp_item_number(median, "local"));
    sp_text_seconds(cell[9], CELL, sp_item_number(median, "exchange"));
    snprintf(cell[10], CELL, "%s",
             roof > 0 && isfinite(roof) ? sp_figure(figure, sizeof figure, 1e-9 * roof, 2) : "?");
}

void sp_section_ranks(struct sp_pen *pen, const struct sp_record *record, bool all)
{
    const json_t *each = sp_record_node(record, SP_F_RANKS_EACH), *rank;
    const size_t n = json_array_size(each);
    char cell[N_COLUMNS][CELL];
    size_t i;
    if (n == 0)
        return;
    put_job(pen, record);
    put_parts(pen, record);
    put_halo(pen, record);
    for (int c = 0; c < N_COLUMNS; c++)
        sp_pen_right(pen, SP_INK_DIM, ends[c], heads[c]);
    sp_pen_end(pen);
    json_array_foreach(each, i, rank)
    {
        if (!all && i == SHOWN && n > SHOWN + 1)
            break;
        cells_of(rank, cell);
        for (int c = 0; c < N_COLUMNS; c++)
            sp_pen_right(pen, SP_INK_PLAIN, ends[c], cell[c]);
        sp_pen_end(pen);
    }
    pen->indent = 2;
    if (i < n) {
        sp_pen_put(pen, SP_INK_DIM, "  and %zu more (-v)", n - i);
        sp_pen_end(pen);
    }
    sp_pen_put(pen, SP_INK_DIM, "  local, exchange, GB/s:");
    sp_pen_words(pen, SP_INK_DIM,
                 "measured on all ranks at the same time; GB/s: the local block loaded, nothing else");
    sp_pen_end(pen);
}
