/* The six lines say nothing that the record contradicts: over all stored records and 100 000 generated ones,
 * in every state of the machine, with causes that fit the time and causes that do not. */
#include <check.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/text.h"
#include "explain_must.h"
#include "io/record/record.h"
#include "model/losses.h"
#include "report/text/report_text.h"
#include "report/verdict/verdict.h"
#include "require.h"
#include "run_suite.h"
#include "session/record/parts.h"
#include "share.h"

enum { N_GENERATED = 100000, ONE_IN = 5, REPORTS_EVERY = 100, MOST_LINES = 24 };
static uint64_t state;

static double uniform(double lo, double hi)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(state >> 11) / 9007199254740992.0;
}

static int one_of(int n)
{
    const int i = (int)uniform(0, n);
    return i < n ? i : n - 1;
}

static const char *text_of(const json_t *line, const char *key)
{
    const char *text = sp_item_text(line, key);
    require_msg(text != NULL && *text, "a line without %s", key);
    return text;
}

static int columns_of(const char *text)
{
    int n = 0;
    while (sp_utf8_next(&text))
        n++;
    return n;
}

/* No percentage above 100, and none that is no number. */
static void check_percentages(const char *text)
{
    require_msg(!strstr(text, "nan") && !strstr(text, "inf "), "%s", text);
    for (const char *p = text; (p = strstr(p, " %")); p += 2) {
        const char *from = p;
        while (from > text && strchr("0123456789.", from[-1]))
            from--;
        require_msg(from == p || strtod(from, NULL) <= 100, "more than all: %s", text);
    }
}

/* "4.10 Gflop/s (3.95 … 4.20)": the value lies between. */
static void check_interval(const char *text)
{
    const char *open = strchr(text, '(');
    double lo, hi;
    if (!open || sscanf(open, "(%lf … %lf)", &lo, &hi) != 2)
        return;
    const double x = strtod(text, NULL);
    require_msg(lo <= x && x <= hi, "%s", text);
}

static void check_line(const json_t *line, int width)
{
    check_percentages(text_of(line, "text"));
    check_percentages(text_of(line, "short"));
    require_msg(columns_of(text_of(line, "short")) <= width, "longer than %d: %s", width,
                text_of(line, "short"));
}

static bool is_figure(const char *word)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "GB/s", "bytes"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(word, units[i]) == 0)
            return true;
    return !*word || *word == '-' || strpbrk(word, "0123456789%") || strstr(word, "flop/s");
}

/* Has this phrase just been looked up? A hundred thousand records share a few hundred. */
static bool was_asked(const char *phrase)
{
    static char last[4096][64];
    unsigned hash = 5381;
    for (const char *p = phrase; *p; p++)
        hash = 33 * hash + (unsigned char)*p;
    char *slot = last[hash % 4096];
    if (strlen(phrase) >= sizeof *last || strcmp(slot, phrase) == 0)
        return strlen(phrase) < sizeof *last;
    strcpy(slot, phrase);
    return false;
}

/* Does `explain` know the words up to the next figure, or name of a counter? Sentences are no terms. */
static void check_phrase(char *phrase)
{
    enum { LONGEST = 5 };
    char words[SP_VERDICT_SHORT + 400] = "", *word;
    int n = 0;
    if (strncmp(phrase + strspn(phrase, " "), "spmodel ", 8) == 0) /* a command */
        return;
    while ((word = strsep(&phrase, " "))) {
        if (n > 0 && (is_figure(word) || strcmp(word, "by") == 0))
            break;
        if (!is_figure(word))
            n +=
                snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", n ? " " : "", word) > 0;
    }
    if (n > 0 && n <= LONGEST && !was_asked(words))
        must(words);
}

static void check_words(const char *text)
{
    static const char separators[] = "·;,()…:";
    char *all = strdup(text), *at = all, *begin = all;
    ck_assert_ptr_nonnull(all);
    while (*at) {
        const char *from = at;
        const bool wide = strncmp(at, "  ", 2) == 0;
        char one[8] = "";
        sp_utf8_next(&from);
        memcpy(one, at, (size_t)(from - at));
        if (wide || strstr(separators, one)) {
            *at = '\0';
            check_phrase(begin);
            begin = at + strlen(one);
        }
        at += strlen(one);
    }
    check_phrase(begin);
    free(all);
}

static bool is_known(const json_t *line)
{
    return strncmp(text_of(line, "text"), "not known: ", 11) != 0;
}

/* Each of their words is explained. */
static void check_terms(const json_t *verdict)
{
    static const char *const keys[] = {"possible", "reached", "trust"};
    const json_t *one;
    size_t i;
    must(text_of(json_object_get(verdict, "state"), "word"));
    for (i = 0; i < sizeof keys / sizeof *keys; i++) {
        one = json_object_get(verdict, keys[i]);
        must(keys[i]);
        if (is_known(one)) {
            check_words(text_of(one, "text"));
            check_words(text_of(one, "short"));
        }
    }
    json_array_foreach(json_object_get(verdict, "lost"), i, one) if (sp_item_text(one, "cause"))
        check_words(text_of(one, "text"));
    one = json_object_get(verdict, "do");
    if (sp_item_text(one, "basis"))
        check_words(strstr(text_of(one, "text"), sp_item_text(one, "basis")));
}

static void check_reached(const struct sp_record *r, const json_t *reached)
{
    const struct sp_value share = sp_record_value(r, SP_F_METRICS_MODEL_FRACTION);
    const double told = sp_item_number(reached, "of_possible");
    char percent[32], words[64];
    if (isnan(told)) {
        require(!strstr(text_of(reached, "text"), "% of possible"));
        return;
    }
    require(sp_value_known(share) && told <= 1);
    require(fabs(told - fmin(1, share.value)) < 1e-12);
    snprintf(words, sizeof words, "%s of possible", sp_figure_percent(percent, sizeof percent, told));
    require_msg(strstr(text_of(reached, "text"), told > 0.995 ? "all of what is possible" : words) != NULL,
                "%s: %s", words, text_of(reached, "text"));
}

/* Rows add up to the time, those that are lost to what is missing of the possible, and the largest of them
 * are named. */
static void check_lost(const struct sp_record *r, const json_t *lost, const json_t *reached)
{
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    const int n = sp_verdict_rows(r, row);
    const json_t *first = json_array_get(lost, 0), *one;
    double sum = 0, of_lost = 0, before = INFINITY;
    size_t i;
    require(json_array_size(lost) >= 1);
    require(json_array_size(lost) <= 4);
    if (n == 0) {
        require_msg(!is_known(first), "%s", text_of(first, "text"));
        check_line(first, SP_VERDICT_SHORT);
        return;
    }
    for (int k = 0; k < n; k++) {
        sum += row[k].share;
        of_lost += row[k].is_lost ? row[k].share : 0;
        require_msg(row[k].share <= 1 && (row[k].share >= -0.0051 || row[k].loss == SP_N_LOSS_ROWS - 1),
                    "%s: %g", row[k].words, row[k].share);
    }
    require_msg(fabs(sum - 1) < 1e-6, "parts are %g of the time", sum);
    const double told = sp_item_number(reached, "of_possible");
    if (told < 1)
        require_msg(fabs(of_lost - (1 - told)) < 0.005, "%g lost, %g reached", of_lost,
                    told); /* a constructed record is rounded */
    json_array_foreach(lost, i, one)
    {
        const double share = sp_item_number(one, "share");
        const char *cause = sp_item_text(one, "cause");
        check_line(one, SP_VERDICT_SHORT);
        if (!cause) {
            require(json_array_size(lost) == 1);
            continue;
        }
        if (strcmp(cause, "rest") != 0) {
            require(share > 0 && share <= before);
            before = share;
        }
    }
}

/* A class that is named has the largest share of the time. */
static void check_bottleneck(const struct sp_record *r)
{
    static const char *const keys[][2] = {
        {"imbalance", "imbalance"}, {"in_core", "latency"}, {"in_core", "in-core"}};
    const char *class = sp_verdict_bottleneck(r), *of_record = sp_words_text(r, SP_F_BOTTLENECK_CLASS, "");
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    const int n = sp_verdict_rows(r, row);
    if (!class)
        return;
    require_msg(strcmp(class, of_record) == 0, "%s, and in the record %s", class, of_record);
    double of[2] = {0};
    for (int k = 0; k < n; k++) {
        /* execution hides the transfers that are shorter */
        bool is_its = (strcmp(class, "bandwidth") == 0 || strcmp(class, "in-core") == 0) && row[k].loss <= 3;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            is_its = is_its || (strcmp(class, keys[i][1]) == 0 &&
                                strcmp(sp_field_key(sp_loss_words[row[k].loss].field), keys[i][0]) == 0);
        if (is_its)
            of[0] += row[k].share;
        else if (row[k].loss > 3) /* transfers may be hidden by what is named */
            of[1] = fmax(of[1], row[k].share);
    }
    require_msg(of[0] >= of[1] - 1e-9, "%s with %g beside %g", class, of[0], of[1]);
}

static void check_do(const struct sp_record *r, const json_t *what)
{
    const char *command = sp_item_text(what, "command"), *basis = sp_item_text(what, "basis");
    const json_t *hint;
    size_t i;
    if (!command)
        return;
    require(!*sp_words_text(r, SP_F_CONDITIONS_DOUBT, ""));
    bool is_found = false, was_tried = false;
    json_array_foreach(sp_record_node(r, SP_F_HINTS), i, hint)
    {
        const char *try = sp_item_text(hint, "try");
        const struct sp_value seen = sp_hint_observed(hint);
        if (!try || strcmp(try, command) != 0)
            continue;
        was_tried = was_tried || sp_value_known(seen);
        is_found =
            is_found ||
            (sp_hint_is_shown(hint) && sp_value_known(seen) == (strcmp(basis, "tried") == 0) &&
             sp_item_number(what, "gain_lo") ==
                 (sp_value_known(seen) ? seen.lo : sp_item_number(json_object_get(hint, "gain"), "lo")));
    }
    require_msg(is_found || sp_record_node(r, SP_F_TRIES_BEST), "no hint has the command %s", command);
    require_msg(!was_tried || strcmp(basis, "tried") == 0, "%s was tried, and is predicted", command);
}

static char *printed(const struct sp_record *r, int width, int verbosity)
{
    char *text = NULL;
    size_t size = 0;
    const struct sp_report_style style = {.width = width, .utf8 = true, .verbosity = verbosity};
    FILE *stream = open_memstream(&text, &size);
    sp_report_text(r, &style, stream);
    ck_assert_int_eq(fclose(stream), 0);
    return text;
}

/* `head -6` answers all six questions, whatever the width; no cause is both lost and no problem. */
static void check_report(const struct sp_record *r, const json_t *lost)
{
    static const char *const labels[] = {"", "possible ", "reached ", "lost ", "do ", "trust "};
    for (int width = 80; width <= 120; width += 20) {
        char *text = printed(r, width, 0), *rest = text, *line;
        int n = 0;
        while ((line = strsep(&rest, "\n")) && rest) {
            require_msg(n >= 6 || strncmp(line, labels[n], strlen(labels[n])) == 0, "line %d: %s", n + 1,
                        line);
            require_msg(columns_of(line) <= width || strstr(line, "     spmodel "), "%d columns: %s", width,
                        line);
            n++;
        }
        require_msg(n >= 6 && n <= MOST_LINES, "%d lines", n);
        free(text);
    }
    static const struct {
        const char *rule, *cause;
    } rules[] = {{"A01", "extra_x"}, {"B01", "imbalance"}, {"C01", "in_core"}, {"D01", "padding"}};
    const json_t *one, *fine;
    size_t i, k;
    json_array_foreach(lost, i, one)
        json_array_foreach(sp_record_node(r, SP_F_NOT_A_PROBLEM), k,
                           fine) for (size_t m = 0; m < sizeof rules / sizeof *rules;
                                      m++) if (sp_item_text(one, "cause") && sp_item_text(fine, "rule") &&
                                               strcmp(sp_item_text(one, "cause"), rules[m].cause) == 0 &&
                                               strcmp(sp_item_text(fine, "rule"), rules[m].rule) == 0 &&
                                               sp_item_number(one, "share") >= 0.03)
            require_msg(sp_verdict_contradicts(r, fine), "%s is lost and no problem", rules[m].cause);
}

static void check_record(const struct sp_record *r, bool with_report)
{
    static const char *const lines[] = {"possible", "reached", "do", "trust"};
    json_t *v = sp_verdict_of(r), *lost = json_object_get(v, "lost");
    const json_t *subject = json_object_get(v, "subject"), *shown = json_object_get(v, "state"),
                 *reached = json_object_get(v, "reached");
    check_line(subject, 80);
    const char *processor = sp_item_text(subject, "processor"), *all = text_of(subject, "text");
    const size_t n = processor ? strlen(processor) : 0;
    require(n == 0 ||
            (strlen(all) > n && strcmp(all + strlen(all) - n, processor) == 0)); /* is cut off there */
    require(columns_of(text_of(shown, "text")) > 0); /* programs may use more than 100 % of a processor */
    require(columns_of(text_of(subject, "short")) + 3 + columns_of(text_of(shown, "short")) <= 80);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        check_line(json_object_get(v, lines[i]), SP_VERDICT_SHORT);
    check_interval(text_of(json_object_get(v, "possible"), "text"));
    check_interval(text_of(reached, "text"));
    check_reached(r, reached);
    check_lost(r, lost, reached);
    check_bottleneck(r);
    check_do(r, json_object_get(v, "do"));
    if (*sp_words_text(r, SP_F_CONDITIONS_DOUBT, "")) {
        require(!is_known(json_object_get(v, "possible")) && !is_known(json_array_get(lost, 0)));
        require(!is_known(json_object_get(v, "do")) && isnan(sp_item_number(reached, "of_possible")));
    }
    bool certain = true;
    if (sp_record_flag(r, SP_F_BINDING_CERTAIN, &certain) && !certain)
        require(strstr(text_of(json_object_get(v, "trust"), "short"), "doubt"));
    if (with_report) {
        check_terms(v);
        check_report(r, lost);
    }
    json_decref(v);
}

START_TEST(stored_records_are_not_contradicted)
{
    glob_t found;
    ck_assert_int_eq(glob(SP_TEST_DATA "/record-*.json", 0, NULL, &found), 0);
    ck_assert_uint_ge(found.gl_pathc, 9);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct sp_record r = {0}, again = {.root = NULL};
        ck_assert_int_eq(sp_record_read(found.gl_pathv[i], &r, NULL), SP_OK);
        check_record(&r, true);
        /* What is stored is what the record says when it is read again. */
        sp_verdict_put(&r);
        char *text = json_dumps(r.root, JSON_REAL_PRECISION(17));
        again.root = json_loads(text, 0, NULL);
        json_t *told = sp_verdict_of(&again);
        ck_assert(json_equal(told, json_object_get(again.root, "verdict")));
        json_decref(told);
        free(text);
        sp_record_free(&again);
        sp_record_free(&r);
    }
    globfree(&found);
}
END_TEST

/* The L2's bandwidth binds data that come from memory, 1.12 ms of 2.86 ms: its rate is not that of the roof,
 * and what the possible has is not lost, launches neither. */
START_TEST(another_level_of_a_gpu_binds)
{
    struct sp_record r;
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-gpu-stand-in.json", &r, NULL), SP_OK);
    sp_record_set_text(&r, SP_F_BINDING_TERM, "L2 bandwidth");
    double extra = 0, rest = 0;
    ck_assert(sp_record_number(&r, SP_F_LOSSES_EXTRA_X, &extra) &&
              sp_record_number(&r, SP_F_LOSSES_REST, &rest));
    /* the L2 takes longer than memory */
    const double core = 2e-3, launch = _i * 4e-4,
                 taken = sp_record_value(&r, SP_F_METRICS_TIME).value - extra - rest;
    const double share = (core + launch) / sp_record_value(&r, SP_F_METRICS_TIME).value;
    if (_i)
        sp_record_set_number(&r, SP_F_LOSSES_TEAM, launch);
    sp_record_set_number(&r, SP_F_LOSSES_IN_CORE, core - taken - extra + launch);
    sp_record_set_number(&r, SP_F_LOSSES_REST, rest - (core - taken - extra + launch));
    sp_record_set_value(&r, SP_F_METRICS_MODEL_FRACTION, sp_value_of(share, SP_MODELLED));
    json_t *v = sp_verdict_of(&r);
    const char *possible = text_of(json_object_get(v, "possible"), "text");
    ck_assert_msg(strstr(possible, "L2 bandwidth, bytes simulated") && !strstr(possible, "B/s") &&
                      !!strstr(possible, ", start and last wave 400 us") == _i,
                  "%s", possible);
    json_decref(v);
    const int n = sp_verdict_rows(&r, row);
    double lost = 0, sum = 0;
    int launches = 0;
    for (int i = 0; i < n; i++) {
        lost += row[i].is_lost ? row[i].share : 0;
        sum += row[i].share;
        ck_assert_str_ne(row[i].words, "in-core execution");
        ck_assert_str_ne(row[i].words, "waiting for gathers");
        if (strcmp(row[i].cause, "team") == 0)
            ck_assert_double_eq_tol(row[i].share * sp_record_value(&r, SP_F_METRICS_TIME).value, launch,
                                    1e-12);
        launches += strcmp(row[i].words, "start and last wave") == 0;
    }
    ck_assert_double_eq_tol(sum, 1, 1e-9);
    ck_assert_double_eq_tol(lost, 1 - sp_verdict_share(&r), 1e-9);
    ck_assert_int_eq(launches, _i);
    sp_record_free(&r);
}
END_TEST

/* Where there is no room for all of them and nothing is left over, the smallest cause goes. */
START_TEST(the_smallest_cause_has_no_place)
{
    struct sp_record r;
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-kkt_power.json", &r, NULL), SP_OK);
    json_object_set_new(r.root, "losses",
                        json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "min_traffic", 0.00194, "padding",
                                  0., "extra_x", 0.00129, "extra_x_domains", 0.00022, "imbalance", 0.,
                                  "in_core", 0.00086, "rest", 0.));
    char *text = printed(&r, 80, 0), *lost = strstr(text, "\nlost ");
    ck_assert_ptr_nonnull(lost);
    strchr(lost + 1, '\n')[0] = '\0';
    ck_assert_msg(strstr(lost, "25 % x loaded ") && strstr(lost, " · 20 % ") &&
                      !strstr(lost, "several caches"),
                  "%s", lost);
    free(text);
    sp_record_free(&r);
}
END_TEST

/* A record whose possible is in-core: execution, waiting that no test showed, and what is left [s]. */
static void make_waiting(struct sp_record *r, double execution, double waiting, double rest)
{
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-explain-crs.json", r, NULL), SP_OK);
    const double t = 100e-6 + execution + waiting + rest, W = 1e6, core = 100e-6 + execution;
    sp_record_set_text(r, SP_F_BINDING_TERM, "in-core execution");
    sp_record_set_text(r, SP_F_BOTTLENECK_CLASS, "in-core");
    json_object_del(r->root, "interventions");
    json_object_set_new(r->root, "flags", json_array());
    json_object_set_new(r->root, "losses",
                        json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "min_traffic", 100e-6,
                                  "padding", 0., "extra_x", 0., "imbalance", 0., "in_core",
                                  execution + waiting, "core", core, "waiting", waiting, "rest", rest));
    json_object_set_new(r->root, "losses_origin",
                        json_pack("{s:s, s:s, s:s, s:s, s:s}", "min_traffic", "modelled: at the roof",
                                  "in_core", "measured: without memory limits", "core", "measured: W/P_core",
                                  "waiting", "modelled: gathers from beyond L1 at their roof", "rest",
                                  "negative by 1.02 MB: the roof of L2 is too low"));
    sp_record_set_value(r, SP_F_METRICS_TIME, sp_value_of(t, SP_MEASURED));
    sp_record_set_value(r, SP_F_METRICS_FLOPS, sp_value_of(W, SP_MODELLED));
    sp_record_set_value(r, SP_F_METRICS_P_CORE, sp_value_of(W / core, SP_MEASURED));
    sp_record_set_value(r, SP_F_METRICS_PERFORMANCE, sp_value_of(W / t, SP_MEASURED));
    sp_record_set_value(r, SP_F_METRICS_MODEL_FRACTION, sp_value_of(core / t, SP_MODELLED));
}

/* Of ranks each cause has words that `explain` knows, too: what bytes and execution leave of the
 * blocks' time is not explained. */
START_TEST(losses_of_ranks_are_explained)
{
    struct sp_record r;
    make_waiting(&r, 30e-6, 10e-6, 260e-6); /* 400 us, of which 130 are possible */
    for (int i = 0; i < 2; i++)
        sp_record_append(&r, SP_F_RANKS_EACH,
                         json_pack("{s:i, s:{s:f, s:f}}", "rank", i, "median_s", "local", i ? 200e-6 : 300e-6,
                                   "remote", 50e-6));
    json_t *lost = sp_verdict_lost(&r), *one;
    size_t k;
    ck_assert_uint_eq(json_array_size(lost), 3);
    json_array_foreach(lost, k, one) check_words(text_of(one, "text"));
    ck_assert_ptr_nonnull(strstr(text_of(json_array_get(lost, 0), "text"), "% not explained in the blocks"));
    json_decref(lost);
    sp_record_free(&r);
}
END_TEST

/* Execution is measured where waiting beside it is modelled: each says how it was found itself. */
START_TEST(each_loss_has_its_own_origin)
{
    struct sp_record r;
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    make_waiting(&r, 100e-6, 180e-6, 20e-6);
    const int n = sp_verdict_rows(&r, row);
    int found = 0;
    for (int i = 0; i < n; i++) {
        const bool waits = strcmp(row[i].cause, "waiting") == 0;
        if (!waits && strcmp(row[i].words, "in-core execution") != 0)
            continue;
        ck_assert_msg(strncmp(row[i].how, waits ? "modelled: " : "measured: ", 10) == 0, "%s: %s",
                      row[i].words, row[i].how);
        found++;
    }
    ck_assert_int_eq(found, 2);
    char *text = printed(&r, 100, 0), *line = strstr(text, " waiting for gathers  ");
    ck_assert_ptr_nonnull(line);
    *strchr(line, '\n') = '\0';
    ck_assert_msg(strstr(line, "modelled") != NULL, "%s", line);
    free(text);
    sp_record_free(&r);
}
END_TEST

/* Losses that exceed the time are drawn nowhere and name no bottleneck, and the right input is suspected. */
START_TEST(losses_that_exceed_the_time_are_named_nowhere)
{
    struct sp_record r;
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    static const struct {
        double waiting;
        const char *state, *suspect;
    } cases[] = {{60e-6, "clean", "gathers wait less than modelled"},
                 {1e-6, "clean", "P_core is too low"},
                 {1e-6, "busy", "P_core is of a busier moment"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_waiting(&r, 100e-6, cases[i].waiting, -40e-6);
        sp_record_set_text(&r, SP_F_CONDITIONS_STATE, cases[i].state);
        json_t *v = sp_verdict_of(&r);
        const char *lost = text_of(json_array_get(json_object_get(v, "lost"), 0), "text");
        ck_assert_msg(strstr(lost, cases[i].suspect) != NULL, "%s", lost);
        json_decref(v);
        ck_assert_int_eq(sp_verdict_rows(&r, row), 0);
        for (int verbosity = 0; verbosity < 2; verbosity++) {
            char *text = printed(&r, 100, verbosity);
            ck_assert_ptr_null(strstr(text, "minimum traffic  "));
            ck_assert(verbosity == 0 || strstr(text, " not known: parts exceed the time: "));
            free(text);
        }
        sp_verdict_put(&r);
        ck_assert_str_eq(sp_words_text(&r, SP_F_BOTTLENECK_CLASS, ""), "unknown");
        ck_assert_ptr_nonnull(strstr(sp_words_text(&r, SP_F_BOTTLENECK_WHY, ""), cases[i].suspect));
        sp_record_free(&r);
    }
}
END_TEST

/* A run is faster than the model allows only where both intervals lie apart. */
START_TEST(intervals_that_overlap_beat_nothing)
{
    struct sp_record r;
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-explain-bcsr.json", &r, NULL), SP_OK);
    const struct sp_value possible = sp_verdict_possible(&r),
                          rate = sp_record_value(&r, SP_F_METRICS_PERFORMANCE);
    const double lo[] = {1.01 * possible.hi, 0.99 * possible.hi};
    ck_assert_double_gt(sp_verdict_share(&r), SP_VERDICT_DOUBTFUL);
    for (int overlap = 0; overlap < 2; overlap++) {
        sp_record_set_value(
            &r, SP_F_METRICS_PERFORMANCE,
            sp_value_between(fmax(rate.value, lo[overlap]), lo[overlap], 2 * possible.hi, SP_MEASURED));
        ck_assert(sp_verdict_beats_model(&r) == !overlap);
        char *text = printed(&r, 100, 0);
        ck_assert_ptr_nonnull(
            strstr(text, overlap ? "all of what is possible" : "more than the model allows"));
        free(text);
    }
    sp_record_free(&r);
}
END_TEST

/* Caches of one machine and times of another: both are named, and no share is given. */
START_TEST(another_machine_is_named_first)
{
    struct sp_record r;
    make_waiting(&r, 100e-6, 10e-6, 10e-6);
    sp_record_set_text(&r, SP_F_MACHINE_NAME, "a64fx");
    sp_record_set_text(&r, SP_F_MACHINE_CPU, "Fujitsu A64FX at 1.8 GHz (FX700)");
    sp_record_set_text(&r, SP_F_ENV_IDENTITY_HYPERVISOR, "KVM");
    json_t *v = sp_verdict_of(&r);
    ck_assert_ptr_nonnull(strstr(text_of(json_object_get(v, "subject"), "text"), "Fujitsu A64FX (VM)"));
    json_decref(v);
    sp_record_set_flag(&r, SP_F_MACHINE_FOREIGN, true);
    sp_record_set_text(&r, SP_F_MACHINE_RAN_ON, "AMD EPYC");
    sp_record_set_text(&r, SP_F_CONDITIONS_DOUBT, "caches and ceilings are those of a64fx");
    v = sp_verdict_of(&r);
    ck_assert_ptr_nonnull(
        strstr(text_of(json_object_get(v, "subject"), "text"), "caches of a64fx, AMD EPYC (VM)"));
    ck_assert_ptr_nonnull(strstr(text_of(json_object_get(v, "possible"), "text"), "another machine"));
    ck_assert_ptr_null(strstr(text_of(json_object_get(v, "reached"), "text"), "%"));
    ck_assert_ptr_nonnull(
        strstr(text_of(json_array_get(json_object_get(v, "lost"), 0), "text"), "another machine"));
    ck_assert_ptr_nonnull(strstr(text_of(json_object_get(v, "do"), "text"), "without --machine"));
    json_decref(v);
    sp_record_free(&r);
}
END_TEST

/* Times of a run that was disturbed are shown nowhere; structure and bytes are. */
START_TEST(a_disturbed_run_shows_no_time)
{
    struct sp_record r;
    char *text = NULL, *verbose;
    size_t size = 0;
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-explain-crs.json", &r, NULL), SP_OK);
    sp_record_set_text(&r, SP_F_CONDITIONS_STATE, "unusable");
    sp_record_set_text(&r, SP_F_CONDITIONS_TEXT, "17 of 28 samples were disturbed, too many to replace");
    sp_record_set_text(&r, SP_F_CONDITIONS_DOUBT, "17 of 28 samples were disturbed");
    verbose = printed(&r, 120, 1);
    for (char *line = verbose, *end; (end = strchr(line, '\n')); line = end + 1)
        if (strncmp(line, " measured ", 10) == 0 || strncmp(line, " roofline", 9) == 0) {
            *end = '\0';
            ck_assert_msg(strstr(line, "  unknown") != NULL && !strchr(line, '('), "%s", line);
            *end = '\n';
        }
    ck_assert_ptr_null(strstr(verbose, " of roof: "));
    ck_assert_ptr_nonnull(strstr(verbose, "unknown (disturbed)"));
    free(verbose);
    FILE *out = open_memstream(&text, &size);
    sp_report_lines(&r, out);
    ck_assert_int_eq(fclose(out), 0);
    static const char *const must_have[] = {
        "\nstate: unusable: 17 of 28", "\nverdict_reached: not known: too many samples",
        "\ntime: unknown s (too many samples", "\nperformance: unknown ", "\nroof: unknown "};
    for (size_t i = 0; i < sizeof must_have / sizeof *must_have; i++)
        ck_assert_msg(strstr(text, must_have[i]) != NULL, "no '%s' in %s", must_have[i] + 1, text);
    free(text);
    sp_record_free(&r);
}
END_TEST

static struct sp_value around(double x, enum sp_origin origin)
{
    return sp_value_between(x, x * uniform(0.7, 1), x * uniform(1, 1.4), origin);
}

/* Losses of any size, the class that follows from them, and a model; as a session records them. */
static void generate_losses(struct sp_record *r)
{
    const double t = pow(10, uniform(-6, 0)), b = pow(10, uniform(9, 12)), W = t * pow(10, uniform(7, 12)),
                 wide = one_of(4) ? 1 : 2.5;
    struct sp_loss_inputs in = {
        .time_s = around(t, SP_MEASURED),
        .roof_Bps = around(b, SP_MEASURED),
        .min_B = t * b * uniform(0, 0.6 * wide),
        .padding_B = one_of(3) ? 0 : t * b * uniform(0, 0.4 * wide),
        .domains_B = one_of(3) ? 0 : t * b * uniform(0, 0.1),
        .x_B = sp_value_of(t * b * uniform(0, 0.7), SP_SIMULATED),
        .x_once_B = t * b * uniform(0, 0.3),
        .imbalance_s =
            one_of(2) ? sp_value_of(0, SP_MODELLED) : sp_value_of(t * uniform(0, 0.5), SP_MEASURED),
        .lambda = 1.1,
        .core_s =
            one_of(3) ? sp_value_of(t * uniform(0, 0.9 * wide), SP_MEASURED) : sp_value_none("not measured"),
        .linear_s = one_of(2) ? sp_value_of(t * uniform(0.2, 1.1), SP_MEASURED) : sp_value_none("not run"),
        .leftover_B = t * b * uniform(0, 0.5),
        .level = "MEM",
    };
    struct sp_losses losses = sp_losses_of(&in);
    const struct sp_bottleneck_inputs bi = {in.time_s, in.linear_s, sp_value_none("not run"), &losses};
    const struct sp_bottleneck_found found = sp_bottleneck_of(&bi);
    const double traffic = (in.min_B + in.padding_B) / b,
                 core = sp_value_known(in.core_s) ? in.core_s.value : 0, possible = fmax(traffic, core);
    json_object_del(r->root, "losses");
    sp_record_losses(r, &losses);
    sp_record_set_text(r, SP_F_BOTTLENECK_CLASS, sp_bottleneck_name(found.kind));
    sp_record_set_flag(r, SP_F_BOTTLENECK_PROVED, found.proved);
    sp_record_set_text(r, SP_F_BOTTLENECK_WHY, found.why);
    static const char *const levels[] = {"memory bandwidth", "L3 bandwidth", "L2 bandwidth", "L1 bandwidth"},
                             *const others[] = {"in-core execution", "in-core execution",
                                                "peak performance",  "peak of matrix units",
                                                "launch overhead",   "latency",
                                                "host link"};
    sp_record_set_text(r, SP_F_BINDING_TERM, core > traffic ? others[one_of(7)] : levels[one_of(4)]);
    if (one_of(2))
        sp_record_set_object(r, SP_F_BYTES_TRIED, one_of(2) ? json_array() : json_pack("[{}]"));
    else
        json_object_del(r->root, "bytes_tried");
    sp_record_set_text(r, SP_F_ENV_IDENTITY_HYPERVISOR, one_of(2) ? "none" : "KVM");
    sp_record_set_flag(r, SP_F_VERIFY_OK, one_of(20) > 0);
    sp_record_set_flag(r, SP_F_BINDING_CERTAIN, one_of(4) > 0);
    sp_record_set_value(r, SP_F_METRICS_TIME, in.time_s);
    sp_record_set_value(r, SP_F_METRICS_FLOPS, sp_value_of(W, SP_MODELLED));
    sp_record_set_value(r, SP_F_METRICS_PERFORMANCE,
                        sp_value_between(W / t, W / in.time_s.hi, W / in.time_s.lo, SP_MEASURED));
    sp_record_set_value(r, SP_F_METRICS_P_CORE,
                        core > 0 ? sp_value_of(W / core, SP_MEASURED) : sp_value_none("not measured"));
    sp_record_set_value(r, SP_F_METRICS_MODEL_FRACTION,
                        possible > 1.1 * t ? sp_value_none("faster than the model: a ceiling is too low")
                                           : sp_value_of(possible / t, SP_MODELLED));
    sp_record_set_value(r, SP_F_METRICS_X_LOADS, sp_value_of(uniform(0.2, 40), SP_SIMULATED));
    json_object_set_new(r->root, "table", json_array());
    if (possible > 0)
        sp_record_append(r, SP_F_TABLE,
                         sp_json_table_row("model, x once", around(possible, SP_MODELLED),
                                           sp_value_of(in.min_B, SP_MODELLED), W, sp_value_of(1, SP_MODELLED),
                                           "model_fraction"));
}

static void generate_hints(struct sp_record *r)
{
    static const char *const ids[] = {"A01", "B01", "C01", "D01", "E01"};
    json_object_set_new(r->root, "hints", json_array());
    json_object_set_new(r->root, "not_a_problem", json_array());
    for (int i = 0, n = one_of(7); i < n; i++) {
        const double lo = uniform(0, 0.4), seen = uniform(-0.3, 0.9);
        char try[128];
        snprintf(try, sizeof try, "spmodel analyze m.mtx --format sell:%d,%d", 1 + one_of(3), 1 + one_of(2));
        sp_record_append(
            r, SP_F_HINTS,
            json_pack("{s:s, s:s, s:{s:f, s:f, s:s}, s:s, s:s, s:s, s:s, s:o}", "id", ids[one_of(5)], "title",
                      "a title", "gain", "lo", lo, "hi", lo + uniform(0, 0.5), "basis", "modelled",
                      "confidence", "high", "evidence", "It is so. And more.", "try", try, "change",
                      strstr(try, "--"), "observed",
                      one_of(2) ? json_null()
                                : sp_record_value_json(
                                      sp_value_between(seen, seen - uniform(0, 0.2), seen + 0.1, SP_MEASURED),
                                      "1")));
    }
    for (int i = 0; i < 5; i++)
        if (one_of(2))
            sp_record_append(r, SP_F_NOT_A_PROBLEM,
                             json_pack("{s:s, s:s, s:s}", "rule", ids[i], "check", "a check", "figure", "1"));
}

/* In any state; a doubt takes what a session leaves out then. */
static void generate_state(struct sp_record *r)
{
    static const char *const states[] = {"clean", "busy", "assumed", "unusable"};
    static const char *const ops[] = {"spmv", "spmmv", "spmm", "sddmm", "fusedmm"};
    static const char *const status[] = {"complete", "complete", "complete", "constructed", "interrupted"};
    static const char *const names[] = {"m", "kkt_power", "gen:band:2056338:30:0.101665+shuffled:180000",
                                        "ein sehr langer Name mit Umlauten äöü und noch vielem mehr darin"};
    const char *now = states[one_of(4)];
    const bool is_unusable = strcmp(now, "unusable") == 0;
    sp_record_set_text(r, SP_F_STATUS, status[one_of(5)]);
    sp_record_set_text(r, SP_F_PROBLEM_NAME, names[one_of(4)]);
    sp_record_set_text(r, SP_F_CONFIG_OP, ops[one_of(5)]);
    sp_record_set_count(r, SP_F_CONFIG_INNER, 1 + one_of(128));
    sp_record_set_text(r, SP_F_CONFIG_DEVICE, one_of(5) ? "cpu" : "gpu");
    json_object_del(r->root, "conditions");
    json_object_set_new(r->root, "flags", json_array());
    for (int i = one_of(4); i > 0; i--)
        sp_record_add_flag(r, one_of(2) ? "Q03" : "Q10", "a doubt");
    if (one_of(5) == 0)
        return;
    sp_record_set_text(r, SP_F_CONDITIONS_STATE, now);
    sp_record_set_text(r, SP_F_CONDITIONS_TEXT,
                       is_unusable || one_of(2) ? "61 of 180 samples were disturbed and replaced; other "
                                                  "programs: cc1plus 180 %, python3 95 %, ld 40 %"
                                                : "48 samples, none disturbed");
    sp_record_set_count(r, SP_F_CONDITIONS_SAMPLES, 180);
    sp_record_set_count(r, SP_F_CONDITIONS_DISTURBED, is_unusable ? 180 : 61);
    if (!is_unusable && one_of(6))
        return;
    sp_record_set_text(r, SP_F_CONDITIONS_DOUBT,
                       "its bytes in its time are 141 percent of what a load-only run drew");
    sp_record_set_value(r, SP_F_METRICS_MODEL_FRACTION, sp_value_none("it would be more than the roof"));
    json_object_del(r->root, "losses");
    json_object_del(r->root, "hints");
}

START_TEST(generated_records_are_not_contradicted)
{
    struct sp_record r = {0};
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-explain-crs.json", &r, NULL), SP_OK);
    /* test_verdict has a share of them, and with "rest" the others */
    const int share = N_GENERATED / ONE_IN, n_generated = !share_is_rest() ? share : N_GENERATED - share;
    state = !share_is_rest() ? 20261123 : 20261127;
    int n_known = 0, n_named = 0;
    for (int i = 0; i < n_generated; i++) {
        generate_losses(&r);
        generate_hints(&r);
        generate_state(&r);
        struct sp_verdict_row row[SP_VERDICT_ROWS];
        n_known += sp_verdict_rows(&r, row) > 0;
        n_named += sp_verdict_bottleneck(&r) != NULL;
        check_record(&r, i % REPORTS_EVERY == 0);
    }
    ck_assert_int_ge(n_known, n_generated / 20); /* they are not all in doubt */
    ck_assert_int_ge(n_named, n_generated / 50);
    sp_record_free(&r);
}
END_TEST

/* A trial beside other work may tell nothing: then the prediction stands, and it is not called tried. */
START_TEST(an_open_trial_leaves_the_prediction)
{
    static const struct {
        double value, lo, hi;
        bool is_shown, is_tried;
    } trials[] = {{0.56, -1.7, 0.9, true, false},
                  {0.30, 0.20, 0.40, true, true},
                  {-0.2, -0.3, -0.1, false, true},
                  {0.05, -0.02, 0.12, false, true}};
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        const struct sp_value seen =
            sp_value_between(trials[i].value, trials[i].lo, trials[i].hi, SP_MEASURED);
        json_t *hint = json_pack("{s:s, s:{s:f, s:f}, s:o}", "id", "A01", "gain", "lo", 0.41, "hi", 0.62,
                                 "observed", sp_record_value_json(seen, "1"));
        char text[128];
        sp_verdict_gain(hint, text, sizeof text);
        ck_assert_int_eq(sp_hint_is_shown(hint), trials[i].is_shown);
        ck_assert_int_eq(sp_value_known(sp_hint_observed(hint)), trials[i].is_tried);
        ck_assert_msg(strncmp(text, trials[i].is_tried ? "tried" : "predicted", 5) == 0, "%s", text);
        json_decref(hint);
    }
}
END_TEST

/* Where most of the time is not explained, nobody knows that nothing helps. */
START_TEST(what_is_not_explained_may_be_mended)
{
    for (int i = 0; i < 2; i++) {
        struct sp_record r;
        make_waiting(&r, 30e-6, 10e-6, i ? 400e-6 : 5e-6);
        json_object_set_new(r.root, "hints", json_array());
        json_t *v = sp_verdict_of(&r);
        const char *text = text_of(json_object_get(v, "do"), "text");
        ck_assert_msg(strstr(text, i ? "not known: 74 % of the time is not explained" : "nothing"), "%s",
                      text);
        json_decref(v);
        sp_record_free(&r);
    }
}
END_TEST

/* A promise whose ends read the same is one figure. */
START_TEST(a_point_has_no_interval)
{
    static const double ends[][2] = {{0.0446, 0.0454}, {0.289, 0.291}, {0.045, 0.045}};
    for (size_t i = 0; i < 3; i++) {
        json_t *hint =
            json_pack("{s:s, s:{s:f, s:f}}", "id", "B01", "gain", "lo", ends[i][0], "hi", ends[i][1]);
        char text[128];
        ck_assert_msg(!strstr(sp_verdict_gain(hint, text, sizeof text), "…"), "%s", text);
        json_decref(hint);
    }
}
END_TEST

/* With more vectors at once an execution takes longer: what falls is the time of each. */
START_TEST(other_widths_save_time_per_vector)
{
    static const char *const changes[][2] = {
        {"--rhs 32", "per vector"}, {"--inner 32", "per column"}, {"--format sell:8,1", NULL}};
    for (size_t i = 0; i < 3; i++) {
        struct sp_record r;
        char try[64];
        ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
        snprintf(try, sizeof try, "spmodel analyze m.mtx %s", changes[i][0]);
        sp_record_append(&r, SP_F_HINTS,
                         json_pack("{s:s, s:s, s:s, s:{s:f, s:f}}", "id", "E05", "try", try, "change",
                                   changes[i][0], "gain", "lo", 0.60, "hi", 0.65));
        json_t *v = sp_verdict_of(&r), *what = json_object_get(v, "do");
        const char *per = sp_item_text(what, "per");
        ck_assert_str_eq(per ? per : "", changes[i][1] ? changes[i][1] : "");
        ck_assert_msg(!per || (strstr(text_of(what, "text"), per) && strstr(text_of(what, "short"), per)),
                      "%s", text_of(what, "text"));
        json_decref(v);
        sp_record_free(&r);
    }
}
END_TEST

static json_t *tried(const char *id, const char *effort, const char *change, double lo, double hi)
{
    char command[64];
    snprintf(command, sizeof command, "spmodel analyze m.mtx %s", change);
    return json_pack("{s:s, s:s, s:s, s:{s:f, s:f}, s:o}", "id", id, "effort", effort, "try", command, "gain",
                     "lo", 0.0, "hi", 0.1, "observed",
                     sp_record_value_json(sp_value_between((lo + hi) / 2, lo, hi, SP_MEASURED), "1"));
}

/* Of gains that cannot be told apart the one that costs least to adopt comes first, so that the next run of
 * the command says the same. */
START_TEST(of_equal_gains_the_cheapest_is_first)
{
    static const struct {
        double order[2], blocks[2], core[2];
        const char *first;
    } cases[] = {{{0.15, 0.20}, {0.04, 0.05}, {0.12, 0.16}, "C01"},
                 {{0.15, 0.20}, {0.04, 0.05}, {0.125, 0.13}, "C01"},
                 {{0.15, 0.20}, {0.04, 0.05}, {0.07, 0.09}, "A01"},
                 {{0.15, 0.20}, {0.14, 0.18}, {0.13, 0.17}, "C01"},
                 {{0.15, 0.20}, {0.40, 0.45}, {0.13, 0.17}, "E04"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sp_record r;
        const json_t *shown[3];
        ck_assert_int_eq(sp_record_new("m", &r, NULL), SP_OK);
        sp_record_append(&r, SP_F_HINTS,
                         tried("A01", "order", "--reorder rcm", cases[i].order[0], cases[i].order[1]));
        sp_record_append(
            &r, SP_F_HINTS,
            tried("E04", "storage", "--format bcsr:2x2", cases[i].blocks[0], cases[i].blocks[1]));
        sp_record_append(&r, SP_F_HINTS,
                         tried("C01", "storage", "--format sell:8,1", cases[i].core[0], cases[i].core[1]));
        ck_assert_int_eq(sp_hints_shown(&r, shown, 3), 3);
        ck_assert_str_eq(sp_item_text(shown[0], "id"), cases[i].first);
        ck_assert(shown[0] != shown[1] && shown[1] != shown[2] && shown[0] != shown[2]);
        sp_record_free(&r);
    }
}
END_TEST

/* Who brought a kernel is told first what to do about that, and who is slower than the built-in one
 * not that nothing more is possible. */
START_TEST(a_kernel_of_the_users_own_comes_first)
{
    static const char *const tries[][3] = {
        {"C01", "spmodel analyze m.mtx --format sellu:8,1", "storage"},
        {"C03", "in your program: share the rows out", "program"},
        {"A01", "spmodel analyze m.mtx --kernel ./l.so:f --reorder rcm", "order"}};
    for (int own = 0; own < 2; own++) {
        struct sp_record r;
        const json_t *shown[3];
        ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-explain-bcsr.json", &r, NULL), SP_OK);
        const double possible = sp_verdict_possible(&r).value;
        json_array_clear((json_t *)sp_record_node(&r, SP_F_HINTS));
        json_object_del(r.root, "tries");
        sp_record_set_value(&r, SP_F_METRICS_PERFORMANCE, sp_value_of(possible, SP_MEASURED));
        for (int i = 0; i < 3; i++)
            sp_record_append(&r, SP_F_HINTS,
                             json_pack("{s:s, s:s, s:s, s:s, s:{s:f, s:f}}", "id", tries[i][0], "title", "t",
                                       "try", tries[i][1], "effort", tries[i][2], "gain", "lo", 0.9 - 0.1 * i,
                                       "hi", 0.99));
        if (own) {
            sp_record_set_text(&r, SP_F_OWN_NAME, "f");
            sp_record_set_value(&r, SP_F_OWN_RATIO, sp_value_between(2, 1.5, 3, SP_MEASURED));
        }
        ck_assert_int_eq(sp_hints_shown(&r, shown, 3), 3);
        ck_assert_str_eq(sp_item_text(shown[0], "id"), own ? "C03" : "C01");
        ck_assert_str_eq(sp_item_text(shown[1], "id"), own ? "A01" : "C03");
        json_t *v = sp_verdict_of(&r);
        ck_assert_str_eq(sp_item_text(json_object_get(v, "do"), "hint"), own ? "C03" : "C01");
        const char *reached = text_of(json_object_get(v, "reached"), "text");
        ck_assert_msg(strstr(reached, "all of what is possible") &&
                          (strstr(reached, "with this code") != NULL) == own,
                      "%s", reached);
        json_decref(v);
        sp_record_free(&r);
    }
}
END_TEST

int main(int argc, char **argv)
{
    share_take(argc, argv, ONE_IN, 3 * ONE_IN);
    Suite *suite = suite_create("verdict");
    TCase *tc = tcase_create("verdict");
    tcase_add_test(tc, generated_records_are_not_contradicted);
    if (!share_is_rest()) {
        tcase_add_test(tc, an_open_trial_leaves_the_prediction);
        tcase_add_test(tc, of_equal_gains_the_cheapest_is_first);
        tcase_add_test(tc, the_smallest_cause_has_no_place);
        tcase_add_loop_test(tc, another_level_of_a_gpu_binds, 0, 2);
        tcase_add_test(tc, each_loss_has_its_own_origin);
        tcase_add_test(tc, losses_of_ranks_are_explained);
        tcase_add_test(tc, losses_that_exceed_the_time_are_named_nowhere);
        tcase_add_test(tc, intervals_that_overlap_beat_nothing);
        tcase_add_test(tc, another_machine_is_named_first);
        tcase_add_test(tc, a_disturbed_run_shows_no_time);
        tcase_add_test(tc, other_widths_save_time_per_vector);
        tcase_add_test(tc, a_kernel_of_the_users_own_comes_first);
        tcase_add_test(tc, a_point_has_no_interval);
        tcase_add_test(tc, what_is_not_explained_may_be_mended);
        tcase_add_test(tc, stored_records_are_not_contradicted);
    }
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
