#include "cli/attach/attach_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/core/output.h"
#include "io/json_text.h"

enum { SHOWN = 12, LISTED = 50 };

/* The process whose product comes first, or the first of all; NULL: there is none. */
static const struct sp_captured_process *main_of(const struct sp_capture *c)
{
    return c->n_processes == 0 ? NULL : &c->process[c->n_products > 0 ? c->product[0].process : 0];
}

static const char *program_name(const struct sp_capture *c, const struct sp_attach_end *end)
{
    const struct sp_captured_process *p = main_of(c);
    return sp_text_file_name(p ? p->program : end->typed ? end->typed : "");
}

static int count_multiplying(const struct sp_capture *c)
{
    int n = 0;
    for (int64_t i = 0; i < c->n_processes; i++) {
        bool any = false;
        for (int64_t k = 0; k < c->n_products && !any; k++)
            any = c->product[k].process == i;
        n += any;
    }
    return n;
}

static int64_t count_lost(const struct sp_capture *c)
{
    int64_t n = 0;
    for (int64_t i = 0; i < c->n_processes; i++)
        n += c->process[i].n_lost > 0;
    return n;
}

/* Of all that multiplied the one that took longest, as a parent does that waits; 0: not known. */
static double longest_s(const struct sp_capture *c)
{
    const struct sp_captured_process *p = main_of(c);
    if (!p)
        return 0;
    double s = p->wall_s;
    for (int64_t k = 0; k < c->n_products; k++)
        s = fmax(s, c->process[c->product[k].process].wall_s);
    return s;
}

void sp_attach_print_program(const struct sp_capture *c, const struct sp_attach_end *end, FILE *out)
{
    const double wall_s = longest_s(c);
    char wall[32], text[32];
    int64_t calls = 0;
    double total_s = 0;
    for (int64_t i = 0; i < c->n_products; i++) {
        calls += c->product[i].count;
        total_s += sp_captured_total_s(&c->product[i]);
    }
    sp_print(out, "PROGRAM  %s   %s%s%s\n", program_name(c, end),
             wall_s > 0 ? sp_text_seconds(wall, sizeof wall, wall_s) : "time not known",
             *end->how ? "   " : "", end->how);
    if (c->n_products == 0) {
        if (count_lost(c) == 0)
            fputs("SEEN     no product of a library that attach knows (spmodel help attaching)\n", out);
        return;
    }
    const int n = count_multiplying(c);
    sp_print(out, "SEEN     %s products of %lld matri%s", sp_text_count(text, sizeof text, calls),
             (long long)c->n_matrices, c->n_matrices == 1 ? "x" : "ces");
    if (n > 1)
        sp_print(out, " in %d processes", n);
    sp_print(out, "   %s of calls, measured\n", sp_text_seconds(text, sizeof text, total_s));
}

/* Each array once in the median time [B/s]; NAN: not known. */
static double least_Bps(const struct sp_attach_line *l)
{
    const double s = sp_captured_quantile(l->product, 0.5);
    return s > 0 ? l->least_B / s : NAN;
}

static void share_text(double share, char *text, size_t size)
{
    if (isnan(share))
        snprintf(text, size, "?");
    else if (share < 0.0005)
        snprintf(text, size, "<0.1 %%");
    else
        snprintf(text, size, "%.1f %%", 100 * share);
}

static void least_text(double least, char *text, size_t size)
{
    char figure[32];
    if (isnan(least))
        snprintf(text, size, "?");
    else
        snprintf(text, size, "%s", sp_figure(figure, sizeof figure, 1e-9 * least, 2));
}

/* "SpMV", "SpMM r=32" */
static char *operation_text(const struct sp_captured_product *p, char *text, size_t size)
{
    if (p->op == SP_ATTACH_SPMM || p->op == SP_ATTACH_SDDMM)
        snprintf(text, size, "%s r=%lld", sp_captured_op_text(p), (long long)p->width);
    else
        snprintf(text, size, "%s", sp_captured_op_text(p));
    return text;
}

struct table {
    const struct sp_capture *capture;
    const struct sp_attach_line *line;
};

/* The names, which are as long as their libraries like, last: they move no figure. */
enum { MATRIX, NONZEROS, PRODUCT, CALLS, MEDIAN, TOTAL, SHARE, LEAST_GBPS, FUNCTION, N_CELLS };

static const char *fill_row(const void *context, int64_t row, char (*cell)[SP_CELL])
{
    static const char *const heads[N_CELLS] = {"",      "nonzeros", "product", "calls",   "median",
                                               "total", "share",    "GB/s",    "function"};
    const struct table *t = context;
    if (row < 0) {
        for (int k = 0; k < N_CELLS; k++)
            snprintf(cell[k], SP_CELL, "%s", heads[k]);
        return NULL;
    }
    const struct sp_attach_line *l = &t->line[row];
    const struct sp_captured_product *p = l->product;
    const double s = sp_captured_quantile(p, 0.5);
    snprintf(cell[MATRIX], SP_CELL, "%s", l->matrix);
    sp_text_count(cell[NONZEROS], SP_CELL, t->capture->matrix[p->matrix].n_nz);
    operation_text(p, cell[PRODUCT], SP_CELL);
    snprintf(cell[FUNCTION], SP_CELL, "%s", p->symbol);
    sp_text_count(cell[CALLS], SP_CELL, p->count);
    strcpy(cell[MEDIAN], "?");
    strcpy(cell[TOTAL], "?");
    if (s > 0)
        sp_text_seconds(cell[MEDIAN], SP_CELL, s);
    if (p->n_timed > 0)
        sp_text_seconds(cell[TOTAL], SP_CELL, sp_captured_total_s(p));
    share_text(l->share, cell[SHARE], SP_CELL);
    least_text(least_Bps(l), cell[LEAST_GBPS], SP_CELL);
    return NULL;
}

/* Parts of a matrix whose other parts are in other processes, each once. */
static void print_exchanges(const struct sp_capture *c, const struct sp_attach_line *line, int64_t n,
                            FILE *out)
{
    char text[32];
    for (int64_t i = 0; i < n; i++) {
        const struct sp_captured_matrix *m = &c->matrix[line[i].product->matrix];
        bool said = m->n_c_own >= m->n_c;
        for (int64_t k = 0; k < i && !said; k++)
            said = line[k].product->matrix == line[i].product->matrix;
        if (!said)
            sp_print(out, "  %-4s %s: times include the exchange of %s element%s of x with other processes\n",
                     line[i].matrix, m->kind, sp_text_count(text, sizeof text, m->n_c - m->n_c_own),
                     m->n_c - m->n_c_own == 1 ? "" : "s");
    }
}

/* Each reason once, with the first matrix that it holds for. */
static void print_not_judged(const struct sp_attach_line *line, int64_t n, FILE *out)
{
    for (int64_t i = 0; i < n; i++) {
        bool said = !line[i].why;
        int64_t more = 0;
        for (int64_t k = 0; k < n && !said; k++) {
            const bool same = line[k].why && strcmp(line[k].why, line[i].why) == 0;
            said = same && k < i;
            more += same && k > i;
        }
        if (said)
            continue;
        sp_print(out, "  %-4s ", line[i].matrix);
        if (more > 0)
            sp_print(out, "and %lld more products ", (long long)more);
        sp_print(out, "not judged: %s\n", line[i].why);
    }
}

void sp_attach_print_table(const struct sp_capture *c, const struct sp_attach_line *line, int64_t n,
                           bool whole, FILE *out)
{
    const int64_t shown = whole || n < SHOWN ? n : SHOWN;
    const struct table table = {c, line};
    sp_print_columns(fill_row, &table, shown, N_CELLS, 1u << PRODUCT | 1u << FUNCTION, out);
    if (n > shown)
        sp_print(out, "  and %lld more, which took less (-v)\n", (long long)(n - shown));
    fputs("  GB/s: at least, as CRS moves each array once (modelled) in the median time\n"
          "  (measured)\n",
          out);
    print_exchanges(c, line, shown, out);
    print_not_judged(line, n, out);
}

/* Words of all processes, each list once. */
static bool print_lists(const struct sp_capture *c, bool second, const char *before, FILE *out)
{
    bool any = false;
    for (int64_t i = 0; i < c->n_processes; i++) {
        const char *list = second ? c->process[i].second : c->process[i].idle;
        bool said = !*list;
        for (int64_t k = 0; k < i && !said; k++)
            said = strcmp(list, second ? c->process[k].second : c->process[k].idle) == 0;
        if (!said)
            sp_print(out, "%s%s\n", before, list);
        any = any || !said;
    }
    return any;
}

/* Why there may be no product. */
static void print_reason(const struct sp_capture *c, const struct sp_attach_end *end, FILE *out)
{
    if (c->n_processes == 0)
        sp_print(out, "unseen   all of it: %s\n",
                 *end->obstacle
                     ? end->obstacle
                     : "no process of it took the library, or none could write its log (LD_PRELOAD "
                       "is taken away, the disk is full)");
    else if (print_lists(c, false,
                         "unseen   loaded, but no product went through the functions that are seen: ", out))
        fputs("         (other formats, older functions, calls inside the library)\n", out);
    else
        fputs(
            "unseen   loops of the program's own, templates (Eigen, Kokkos, Trilinos), static functions and\n"
            "         libraries that were linked statically have no symbol to stand in front of\n",
            out);
}

void sp_attach_print_unseen(const struct sp_capture *c, const struct sp_attach_end *end, FILE *out)
{
    for (int64_t i = 0; i < c->n_processes; i++)
        if (c->process[i].n_lost > 0 || *c->process[i].lost)
            sp_print(out, "lost     process %lld: %lld products are not in the log: %s\n",
                     (long long)c->process[i].pid, (long long)c->process[i].n_lost,
                     *c->process[i].lost ? c->process[i].lost : "no reason is known");
    if (c->n_damaged > 0)
        sp_print(out, "damaged  %lld logs could not be read; the first: %s\n", (long long)c->n_damaged,
                 c->damage);
    print_lists(c, true, "unseen   a second copy was opened, whose products are not counted: ", out);
    if (end->n_running > 0)
        sp_print(out,
                 "unseen   what %d process%s (%s%s) that outlived the program will do: let the program wait "
                 "for %s\n",
                 end->n_running, end->n_running > 1 ? "es" : "", end->running,
                 end->n_running > 1 ? ", ..." : "", end->n_running > 1 ? "them" : "it");
    if (c->n_products > 0)
        return;
    if (count_lost(c) > 0) {
        fputs("do       give the log what it lacks, and run spmodel attach again\n", out);
        return;
    }
    print_reason(c, end, out);
    fputs("do       take its matrix and your loop: spmodel analyze M --kernel ./libmine.so:spmv, or the "
          "library\n"
          "         libspmodel from inside the program; or its time: spmodel import --time 1.23ms --threads "
          "4 M\n",
          out);
}

/* A printed line that begins with a space goes on with the one before. */
json_t *sp_attach_unseen(const struct sp_capture *c, const struct sp_attach_end *end)
{
    char *text = NULL, *next = NULL, sentence[1024] = "";
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    sp_attach_print_unseen(c, end, out);
    json_t *list = fclose(out) == 0 ? json_array() : NULL;
    for (char *line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
        if (*line != ' ' && *sentence)
            json_array_append_new(list, sp_json_string(sentence));
        const size_t used = *line == ' ' ? strlen(sentence) : 0, n = strcspn(line, " ");
        const char *words = line + n + strspn(line + n, " ");
        snprintf(sentence + used, sizeof sentence - used, "%.*s%s%s", (int)n, line, used ? " " : ": ", words);
    }
    if (*sentence)
        json_array_append_new(list, sp_json_string(sentence));
    free(text);
    return list;
}

static json_t *number(double x)
{
    return isfinite(x) && x > 0 ? json_real(x) : json_null();
}

json_t *sp_attach_seen(const struct sp_capture *c, const struct sp_attach_line *line, int64_t n)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < n && i < LISTED; i++) {
        const struct sp_captured_product *p = line[i].product;
        const struct sp_captured_matrix *m = &c->matrix[p->matrix];
        json_t *item = json_object();
        json_object_set_new(item, "matrix", json_string(line[i].matrix));
        json_object_set_new(item, "rows", json_integer(m->n_r));
        json_object_set_new(item, "cols", json_integer(m->n_c));
        json_object_set_new(item, "nnz", json_integer(m->n_nz));
        json_object_set_new(item, "library", json_string(m->library));
        json_object_set_new(item, "symbol", json_string(p->symbol));
        json_object_set_new(item, "operation", json_string(sp_captured_op_text(p)));
        json_object_set_new(item, "width", json_integer(p->width));
        json_object_set_new(item, "calls", json_integer(p->count));
        json_object_set_new(item, "median_s", number(sp_captured_quantile(p, 0.5)));
        json_object_set_new(item, "total_s", number(sp_captured_total_s(p)));
        json_object_set_new(item, "share", number(line[i].share));
        json_object_set_new(item, "least_Bps", number(least_Bps(&line[i])));
        json_object_set_new(item, "why", sp_json_text(line[i].why));
        json_array_append_new(list, item);
    }
    return list;
}

json_t *sp_attach_nothing(const struct sp_capture *c, const struct sp_attach_end *end)
{
    const struct sp_captured_process *p = main_of(c);
    json_t *root = json_object(), *program = json_object(), *lost = json_array();
    json_object_set_new(program, "program", sp_json_string(program_name(c, end)));
    json_object_set_new(program, "program_s", number(p ? p->wall_s : NAN));
    json_object_set_new(program, "end", sp_json_string(end->how));
    json_object_set_new(program, "processes", json_integer(c->n_processes));
    json_object_set_new(program, "running", json_integer(end->n_running));
    json_object_set_new(program, "obstacle", sp_json_text(end->obstacle));
    for (int64_t i = 0; i < c->n_processes; i++) {
        const struct sp_captured_process *q = &c->process[i];
        if (q->n_lost == 0 && !*q->lost)
            continue;
        json_t *item = json_object();
        json_object_set_new(item, "process", json_integer(q->pid));
        json_object_set_new(item, "products", json_integer(q->n_lost));
        json_object_set_new(item, "why", sp_json_string(q->lost));
        json_array_append_new(lost, item);
    }
    json_object_set_new(program, "lost", lost);
    json_object_set_new(program, "products", json_integer(0));
    json_object_set_new(program, "seen", json_array());
    json_object_set_new(root, "schema", json_string("spmodel.attach/1"));
    json_object_set_new(root, "attach", program);
    return root;
}

enum { PAIRS_SHOWN = 16 };

static int count_nodes(const struct sp_message_counts *m)
{
    int n = 0;
    for (int r = 0; r < m->n_ranks; r++) {
        bool seen = false;
        for (int k = 0; k < r && !seen; k++)
            seen = strcmp(m->host[k], m->host[r]) == 0;
        n += !seen;
    }
    return n;
}

static int by_bytes(const void *left, const void *right)
{
    const struct sp_message_pair *a = *(const struct sp_message_pair *const *)left,
                                 *b = *(const struct sp_message_pair *const *)right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return (a > b) - (a < b);
}

static void print_total(const struct sp_message_counts *m, const struct sp_message_phase *p, FILE *out)
{
    char messages[32], bytes[32], between[32];
    int64_t n = 0, B = 0, between_B = 0, n_pairs = 0;
    for (int64_t i = 0; i < p->n_pairs; i++) {
        const struct sp_message_pair *q = &p->pair[i];
        n += q->messages;
        B += q->bytes;
        between_B += strcmp(m->host[q->from], m->host[q->to]) != 0 ? q->bytes : 0;
        n_pairs += i == 0 || q->from != q[-1].from || q->to != q[-1].to;
    }
    sp_print(out, "\nphase %lld", (long long)p->level);
    if (*p->inside)
        sp_print(out, ", inside %s", p->inside);
    sp_print(out, ":  %s message%s, %s B, %lld pair%s of ranks; %s B between nodes",
             sp_text_count(messages, sizeof messages, n), n == 1 ? "" : "s",
             sp_text_count(bytes, sizeof bytes, B), (long long)n_pairs, n_pairs == 1 ? "" : "s",
             sp_text_count(between, sizeof between, between_B));
    if (p->collective_calls > 0)
        sp_print(out, "; %lld call%s of other collectives, whose bytes are not known",
                 (long long)p->collective_calls, p->collective_calls == 1 ? "" : "s");
    fputc('\n', out);
}

static void print_pairs(const struct sp_message_phase *p, bool whole, FILE *out)
{
    char messages[32], bytes[32];
    const struct sp_message_pair **order = calloc((size_t)p->n_pairs + 1, sizeof *order);
    const int64_t shown = whole || p->n_pairs <= PAIRS_SHOWN ? p->n_pairs : PAIRS_SHOWN;
    if (!order || p->n_pairs == 0) {
        free(order);
        return;
    }
    for (int64_t i = 0; i < p->n_pairs; i++)
        order[i] = &p->pair[i];
    if (shown < p->n_pairs)
        sp_sort_by(order, p->n_pairs, sizeof *order, by_bytes);
    sp_print(out, "  %6s %6s  %-11s %12s %16s\n", "from", "to", "call", "messages", "bytes");
    for (int64_t i = 0; i < shown; i++)
        sp_print(out, "  %6d %6d  %-11s %12s %16s\n", (int)order[i]->from, (int)order[i]->to,
                 sp_message_kind_name(order[i]->kind),
                 sp_text_count(messages, sizeof messages, order[i]->messages),
                 sp_text_count(bytes, sizeof bytes, order[i]->bytes));
    if (shown < p->n_pairs)
        sp_print(out, "  and %lld more, which carry less (-v)\n", (long long)(p->n_pairs - shown));
    free(order);
}

void sp_message_counts_print(const struct sp_message_counts *m, bool whole, FILE *out)
{
    const int n = count_nodes(m);
    sp_print(out, "MESSAGES %s   %d rank%s on %d node%s   %s   counted in the program's calls\n",
             sp_text_file_name(m->program), m->n_ranks, m->n_ranks == 1 ? "" : "s", n, n == 1 ? "" : "s",
             m->begun);
    if (m->n_incomplete > 0)
        sp_print(out, "lost     %d ranks had no room for all of their counts\n", m->n_incomplete);
    for (int64_t i = 0; i < m->n_phases; i++) {
        print_total(m, &m->phase[i], out);
        print_pairs(&m->phase[i], whole, out);
    }
    if (m->n_phases == 0)
        sp_print(out, "no message was sent\n");
}
