#include "cli/attach/messages_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "base/text.h"

enum { SHOWN = 16 };

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

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
    sp_print(out, ":  %s messages, %s B, %lld pairs of ranks; %s B between nodes",
             sp_text_count(messages, sizeof messages, n), sp_text_count(bytes, sizeof bytes, B),
             (long long)n_pairs, sp_text_count(between, sizeof between, between_B));
    if (p->collective_calls > 0)
        sp_print(out, "; %lld calls of other collectives, whose bytes are not known",
                 (long long)p->collective_calls);
    fputc('\n', out);
}

static void print_pairs(const struct sp_message_phase *p, bool whole, FILE *out)
{
    char messages[32], bytes[32];
    const struct sp_message_pair **order = calloc((size_t)p->n_pairs + 1, sizeof *order);
    const int64_t shown = whole || p->n_pairs <= SHOWN ? p->n_pairs : SHOWN;
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
             file_name(m->program), m->n_ranks, m->n_ranks == 1 ? "" : "s", n, n == 1 ? "" : "s", m->begun);
    if (m->n_incomplete > 0)
        sp_print(out, "lost     %d ranks had no room for all of their counts\n", m->n_incomplete);
    for (int64_t i = 0; i < m->n_phases; i++) {
        print_total(m, &m->phase[i], out);
        print_pairs(&m->phase[i], whole, out);
    }
    if (m->n_phases == 0)
        sp_print(out, "no message was sent\n");
}
