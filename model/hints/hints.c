#include "model/hints/hints.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sparse/formats/format.h"

static const double default_threshold = 0.03;

#define HINT(NAME) extern const struct sp_hint_rule sp_hint_##NAME;
#include "model/hints/hints.inc"

const struct sp_hint_rule *const sp_hint_table[] = {
#define HINT(NAME) &sp_hint_##NAME,
#include "model/hints/hints.inc"
    NULL,
};
static_assert(sizeof sp_hint_table / sizeof *sp_hint_table - 1 <= SP_MAX_HINTS, "SP_MAX_HINTS is too small");

void sp_hint_inputs_init(struct sp_hint_inputs *in)
{
    memset(in, 0, sizeof *in);
    in->matrix = "";
    in->level = "MEM";
    in->reorder = "rcm";
    in->threshold = default_threshold;
    in->n_threads = in->n_domains = 1;
    in->r = 1;
    in->C = 1;
    in->sigma = 1;
}

const char *sp_confidence_name(enum sp_confidence confidence)
{
    static const char *const names[] = {"low", "medium", "high"};
    return names[confidence];
}

enum sp_effort sp_hint_effort(const struct sp_hint *hint)
{
    return hint->in_program ? SP_EFFORT_PROGRAM : sp_hint_rule_find(hint->id)->effort;
}

const struct sp_hint_rule *sp_hint_rule_find(const char *id)
{
    for (const struct sp_hint_rule *const *rule = sp_hint_table; *rule; rule++)
        if (strcasecmp((*rule)->id, id) == 0)
            return *rule;
    return NULL;
}

static double mean_gain(const struct sp_hint *hint)
{
    return (hint->gain_lo + hint->gain_hi) / 2;
}

/* Rules of equal gain stay in the order of the table. */
static void sort(struct sp_hints *out)
{
    for (int i = 1; i < out->n_hints; i++) {
        const struct sp_hint hint = out->hint[i];
        int at = i;
        for (; at > 0 && mean_gain(&out->hint[at - 1]) < mean_gain(&hint); at--)
            out->hint[at] = out->hint[at - 1];
        out->hint[at] = hint;
    }
}

/* Appends what the text does not say yet, sentence by sentence. */
static void add_sentences(char *text, size_t size, const char *more)
{
    while (*more) {
        const char *end = strstr(more, ". ");
        const size_t length = end ? (size_t)(end - more) + 1 : strlen(more);
        char sentence[800];
        snprintf(sentence, sizeof sentence, "%.*s", (int)length, more);
        const size_t used = strlen(text);
        if (!strstr(text, sentence) && used + length + 2 < size)
            snprintf(text + used, size - used, "%s%s", used > 0 ? " " : "", sentence);
        more += length;
        more += strspn(more, " ");
    }
}

static bool is_same_action(const struct sp_hint *a, const struct sp_hint *b)
{
    return sp_change_is_same(&a->change, &b->change) && a->under == b->under &&
           a->in_program == b->in_program && a->in_system == b->in_system; /* each rule has its own words */
}

/* Two rules with one proposal are one hint with both reasons; the surer one's promise stands. */
static void merge(struct sp_hint *kept, const struct sp_hint *other)
{
    const struct sp_hint first = *kept;
    const bool is_surer = other->confidence > first.confidence;
    const struct sp_hint *less = is_surer ? &first : other;
    if (is_surer) {
        *kept = *other;
        memcpy(kept->also, first.also, sizeof kept->also);
        kept->n_also = first.n_also;
    }
    add_sentences(kept->evidence, sizeof kept->evidence, less->evidence);
    if (!kept->cost[0])
        memcpy(kept->cost, less->cost, sizeof kept->cost);
    if (kept->n_also < SP_MAX_ALSO)
        kept->also[kept->n_also++] = less->id;
}

static void insert(struct sp_hints *out, const struct sp_hint *hint)
{
    for (int i = 0; i < out->n_hints; i++)
        if (is_same_action(&out->hint[i], hint)) {
            merge(&out->hint[i], hint);
            return;
        }
    out->hint[out->n_hints++] = *hint;
}

/* Options that are no storage: with them a kernel of somebody else runs as well. */
static bool keeps_kernel(const struct sp_change *change)
{
    static const enum sp_option any[] = {SP_OPTION_THREADS, SP_OPTION_REORDER, SP_OPTION_PAGES,
                                         SP_OPTION_DROP_ZEROS};
    int n = 0;
    for (size_t i = 0; i < sizeof any / sizeof *any; i++)
        n += sp_change_value(change, any[i]) != NULL;
    return n == change->n;
}

static bool is_for(const struct sp_hint_rule *rule, const struct sp_hint_inputs *in)
{
    return in->own == SP_NOT_OWN || rule->for_own == SP_FOR_ALL_OWN ||
           (in->own == SP_OWN_WALKS_CRS && rule->for_own == SP_FOR_OWN_CRS);
}

void sp_hints_find(const struct sp_hint_inputs *in, struct sp_hints *out)
{
    memset(out, 0, sizeof *out);
    out->matrix = in->matrix;
    out->options = in->options;
    for (const struct sp_hint_rule *const *rule = sp_hint_table; *rule; rule++) {
        struct sp_hint hint = {.id = (*rule)->id, .title = (*rule)->title, .rule_version = (*rule)->version};
        if (((*rule)->spmv_only && in->op != SP_OP_SPMV) || !is_for(*rule, in))
            continue;
        struct sp_checked *checked = &out->checked[out->n_checked];
        switch ((*rule)->judge(in, &hint, checked)) {
        case SP_FIRES:
            assert(hint.gain_lo >= 0 && hint.gain_lo <= hint.gain_hi && hint.gain_hi < 1);
            if (in->own && !keeps_kernel(&hint.change))
                add_sentences(hint.evidence, sizeof hint.evidence,
                              "The command runs the built-in kernel, not yours.");
            if (mean_gain(&hint) >= in->threshold)
                insert(out, &hint);
            break;
        case SP_CLEAR:
            assert((*rule)->check);
            checked->id = (*rule)->id;
            snprintf(checked->check, sizeof checked->check, "%s", (*rule)->check);
            out->n_checked++;
            break;
        case SP_SILENT:
            break;
        }
    }
    sort(out);
}

static bool has_change(const struct sp_hints *hints, const struct sp_change *change)
{
    for (int i = 0; i < hints->n_hints; i++)
        if (sp_change_is_same(&hints->hint[i].change, change))
            return true;
    return false;
}

char *sp_hint_try_text(const struct sp_hints *hints, const struct sp_hint *hint, char *text, size_t size)
{
    char command[360];
    const struct sp_change options =
        keeps_kernel(&hint->change) ? hints->options : sp_change_without_kernel(&hints->options);
    if (hint->in_program)
        snprintf(text, size, "in your program: %s", hint->in_program);
    else if (hint->in_system)
        snprintf(text, size, "%s", hint->in_system);
    else if (hint->under)
        snprintf(text, size, "%s %s", hint->under,
                 sp_change_command(hints->matrix, &options, &hint->change, command, sizeof command));
    else
        sp_change_command(hints->matrix, &options, &hint->change, text, size);
    return text;
}

void sp_hints_chances(const struct sp_hint_inputs *in, const struct sp_hints *found, struct sp_hints *out)
{
    enum { MOST = 32 }; /* more than are ever compared */
    struct sp_hint_inputs any = *in;
    struct sp_alternative formats[MOST];
    any.threshold = 0;
    any.thorough = true;
    any.formats = formats;
    any.n_formats = 0;
    for (int i = 0; i < in->n_formats && any.n_formats < MOST; i++)
        if (!has_change(found, &in->formats[i].change))
            formats[any.n_formats++] = in->formats[i];
    sp_hints_find(&any, out);
    out->n_checked = 0;
    int kept = 0;
    for (int i = 0; i < out->n_hints; i++) {
        struct sp_hint *hint = &out->hint[i];
        if (hint->change.n == 0 || has_change(found, &hint->change))
            continue;
        add_sentences(hint->evidence, sizeof hint->evidence,
                      "The model gives it next to nothing; it was tried all the same.");
        if (kept < i)
            out->hint[kept] = *hint;
        kept++;
    }
    out->n_hints = kept;
}

/* What a check calls no problem, and where it stands as one. */
static const struct {
    const char *id;
    enum sp_bottleneck bottleneck; /* SP_BOTTLENECK_UNKNOWN: none */
    int loss;                      /* enum sp_loss; -1: none */
} causes[] = {
    {"B01", SP_BOTTLENECK_IMBALANCE, SP_LOSS_IMBALANCE},
    {"A01", SP_BOTTLENECK_UNKNOWN, SP_LOSS_EXTRA_X},
    {"D01", SP_BOTTLENECK_UNKNOWN, SP_LOSS_PADDING},
    {"C01", SP_BOTTLENECK_IN_CORE, SP_LOSS_IN_CORE},
    {"A03", SP_BOTTLENECK_LATENCY, -1},
    {"H01", SP_BOTTLENECK_BANDWIDTH, -1},
};

static bool is_a_problem(const char *id, enum sp_bottleneck bottleneck, const struct sp_losses *losses,
                         double least_s)
{
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        if (strcmp(causes[i].id, id) != 0)
            continue;
        if (causes[i].bottleneck != SP_BOTTLENECK_UNKNOWN && causes[i].bottleneck == bottleneck)
            return true;
        const struct sp_value *part = causes[i].loss >= 0 ? &losses->part[causes[i].loss] : NULL;
        if (part && sp_value_known(*part) && part->value >= least_s)
            return true;
    }
    return false;
}

void sp_hints_settle(struct sp_hints *hints, enum sp_bottleneck bottleneck, const struct sp_losses *losses,
                     double time_s, double threshold)
{
    int kept = 0;
    for (int i = 0; i < hints->n_checked; i++)
        if (!is_a_problem(hints->checked[i].id, bottleneck, losses, threshold * time_s))
            hints->checked[kept++] = hints->checked[i];
    hints->n_checked = kept;
}
