#include "lab/lab_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/option/option_words.h"

/* SHA-256 of the predictions that are not late, as compact JSON; false: no memory. */
static bool digest_of(const json_t *predictions, char hex[65])
{
    size_t i;
    json_t *item, *list = json_array();
    json_array_foreach((json_t *)predictions, i, item)
    {
        if (!json_is_true(json_object_get(item, "late")))
            json_array_append(list, item);
    }
    char *text = json_dumps(list, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    json_decref(list);
    if (!text)
        return false;
    struct sp_sha256 s;
    sp_sha256_start(&s);
    sp_sha256_add(&s, text, strlen(text));
    sp_sha256_finish(&s, hex);
    free(text);
    return true;
}

/* The value that was predicted in time, NULL: none. */
static json_t *value_in_time(const json_t *predictions, const char *question)
{
    const json_t *p = sp_lab_prediction(predictions, question);
    return p && !json_is_true(json_object_get(p, "late")) ? json_object_get(p, "value") : NULL;
}

static const json_t *bound(const struct sp_lab_folder *folder)
{
    return json_object_get(folder->state, "bound");
}

enum sp_status sp_lab_bind(struct sp_lab_folder *folder, struct sp_error *err)
{
    char hex[65], now[32];
    size_t i;
    json_t *question, *values, *given_up;
    if (bound(folder) || sp_lab_has_run(folder))
        return SP_OK;
    if (!digest_of(folder->predictions, hex))
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for the digest of predictions");
    values = json_object();
    given_up = json_array();
    json_array_foreach(json_object_get(folder->lab.root, "questions"), i, question)
    {
        const char *id = sp_lab_text(question, "id");
        json_t *value = value_in_time(folder->predictions, id);
        if (value)
            json_object_set(values, id, value);
        else
            json_array_append_new(given_up, json_string(id));
    }
    sp_lab_now(now);
    json_object_set_new(folder->state, "bound",
                        json_pack("{s:s, s:s, s:o, s:o}", "time", now, "sha256", hex, "values", values,
                                  "given_up", given_up));
    return sp_lab_folder_save(folder, err);
}

static bool is_given_up(const struct sp_lab_folder *folder, const char *question)
{
    size_t i;
    json_t *id;
    json_array_foreach(json_object_get(bound(folder), "given_up"), i, id)
    {
        if (json_is_string(id) && strcmp(json_string_value(id), question) == 0)
            return true;
    }
    return false;
}

struct sp_lab_bound sp_lab_bound_of(const struct sp_lab_folder *folder, const char *question)
{
    struct sp_lab_bound b = {.given_up = is_given_up(folder, question),
                             .was = json_object_get(json_object_get(bound(folder), "values"), question)};
    const json_t *now = value_in_time(folder->predictions, question);
    b.changed = bound(folder) && !folder->fault[0] && (b.was ? !now || !json_equal(b.was, now) : now != NULL);
    return b;
}

int sp_lab_n_given_up(const struct sp_lab_folder *folder, int *n_late)
{
    size_t i;
    json_t *id;
    const json_t *list = json_object_get(bound(folder), "given_up");
    *n_late = 0;
    json_array_foreach((json_t *)list, i, id)
    {
        *n_late += json_is_string(id) && sp_lab_prediction(folder->predictions, json_string_value(id));
    }
    return (int)json_array_size(list);
}

bool sp_lab_is_bound(const struct sp_lab_folder *folder)
{
    return json_is_string(json_object_get(bound(folder), "sha256")) &&
           json_is_object(json_object_get(bound(folder), "values"));
}

bool sp_lab_is_as_bound(const struct sp_lab_folder *folder)
{
    char hex[65];
    const char *noted = json_string_value(json_object_get(bound(folder), "sha256"));
    return !noted || folder->fault[0] || !digest_of(folder->predictions, hex) || strcmp(hex, noted) == 0;
}

const char *sp_lab_state_name(enum sp_lab_state state)
{
    static const char *const names[] = {"pass", "fail", "undecided", "skipped", "open"};
    return names[state];
}

/* What lies above its ceiling is no share of it. */
static const char above[] = "above its ceiling";

const char *sp_lab_outcome(const struct sp_lab_verdict *v)
{
    return v->given_up  ? "given up"
           : v->changed ? "changed"
           : v->missing ? "missing"
           : v->late    ? "late"
                        : sp_lab_state_name(v->state);
}

char *sp_lab_with_unit(const struct sp_lab_verdict *v, const char *words, char *text, size_t size)
{
    const bool has_unit = *words && *v->unit && strcmp(v->unit, "1") != 0 && strcmp(words, above) != 0;
    snprintf(text, size, "%s%s%s", words, has_unit ? " " : "", has_unit ? v->unit : "");
    return text;
}

static struct sp_formula_source source_of(const struct sp_lab_results *results)
{
    return (struct sp_formula_source){sp_lab_results_name, sp_lab_results_field, (void *)results};
}

/* Takes what a formula could not say into the verdict; a faulty lab stays an error. */
static enum sp_status settle(struct sp_lab_verdict *v, enum sp_status status, const struct sp_error *why,
                             struct sp_error *err)
{
    if (status != SP_SKIPPED && status != SP_UNDECIDED && status != SP_NO) {
        if (err)
            *err = *why;
        return status;
    }
    v->state = status == SP_SKIPPED ? SP_LAB_SKIPPED : status == SP_NO ? SP_LAB_FAIL : SP_LAB_UNDECIDED;
    snprintf(v->reason, sizeof v->reason, "%.380s", why->what);
    return SP_OK;
}

static const char *put(char text[48], double x)
{
    if (fabs(x) >= 1e6 && fabs(x) < 1e15)
        snprintf(text, 48, "%.0f", x);
    else
        snprintf(text, 48, fabs(x) >= 1000 ? "%.6g" : "%.4g", x);
    return text;
}

/* Without what is there for rounding alone. */
static void put_tolerance(struct sp_lab_verdict *v, double tolerance)
{
    static const double rounding = 1e-4;
    if (tolerance > rounding)
        snprintf(v->within, sizeof v->within, ", within %g %%", 100 * tolerance);
}

/* The choice whose formula is lowest or highest. */
static enum sp_status pick(const struct sp_lab_results *results, const json_t *question, const char **word,
                           struct sp_error *why)
{
    const struct sp_formula_source source = source_of(results);
    const bool lowest = strcmp(sp_lab_text(question, "pick"), "lowest") == 0;
    const char *key;
    json_t *formula;
    double best = 0;
    *word = NULL;
    json_object_foreach(json_object_get(question, "expected_of"), key, formula)
    {
        struct sp_quantity q;
        enum sp_status status = sp_formula_evaluate(json_string_value(formula), &source, &q, why);
        if (status != SP_OK)
            return status;
        if (!*word || (lowest ? q.value < best : q.value > best)) {
            best = q.value;
            *word = key;
        }
    }
    return *word ? SP_OK
                 : sp_fail(why, SP_INPUT, NULL, "the question '%s' has no answer in lab.json",
                           sp_lab_text(question, "id"));
}

static enum sp_status judge_choice(const struct sp_lab_results *results, const json_t *question,
                                   const char *given, struct sp_lab_verdict *v, struct sp_error *err)
{
    struct sp_error why;
    const char *word = json_string_value(json_object_get(question, "answer"));
    enum sp_status status = word ? SP_OK : pick(results, question, &word, &why);
    if (status != SP_OK)
        return settle(v, status, &why, err);
    snprintf(v->wanted, sizeof v->wanted, "%s", word);
    v->state = given && strcmp(given, word) == 0 ? SP_LAB_PASS : SP_LAB_FAIL;
    return SP_OK;
}

/* Is the number right in another unit? */
static void find_unit(struct sp_lab_verdict *v, double tolerance)
{
    static const double factors[] = {1e2, 1e3, 1e6, 1e9, 1e-2, 1e-3, 1e-6, 1e-9};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if (fabs(v->ratio / factors[i] - 1) <= tolerance)
            snprintf(v->reason, sizeof v->reason,
                     "this is %.10g times the right value: it is asked for in %s", factors[i],
                     *v->unit && strcmp(v->unit, "1") != 0 ? v->unit : "plain numbers");
}

/* The mistake that leads to this number, as the lab names it. SP_INPUT: its formula is wrong. */
static enum sp_status find_mistake(const struct sp_lab_results *results, const json_t *question, double given,
                                   struct sp_lab_verdict *v, struct sp_error *err)
{
    const struct sp_formula_source source = source_of(results);
    const double tolerance = fmax(1e-3, json_number_value(json_object_get(question, "tolerance")));
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(question, "wrong"), i, item)
    {
        struct sp_error why;
        struct sp_quantity q;
        enum sp_status status = sp_formula_evaluate(sp_lab_text(item, "value"), &source, &q, &why);
        if (status == SP_INPUT) {
            if (err)
                *err = why;
            return status;
        }
        if (status != SP_OK || fabs(given - q.value) > tolerance * fabs(q.value) * (1 + 1e-9))
            continue;
        v->mistake = sp_lab_text(item, "is");
        snprintf(v->reason, sizeof v->reason, "this is %.300s", v->mistake);
        return SP_OK;
    }
    find_unit(v, tolerance);
    return SP_OK;
}

static enum sp_status judge_number(const struct sp_lab_results *results, const json_t *question,
                                   const json_t *given, struct sp_lab_verdict *v, struct sp_error *err)
{
    static const double most_percent = 103; /* as far as ceilings are known */
    const struct sp_formula_source source = source_of(results);
    struct sp_error why;
    struct sp_quantity q;
    char number[48];
    const double tolerance = json_number_value(json_object_get(question, "tolerance"));
    const bool is_open = json_is_true(json_object_get(question, "open"));
    enum sp_status status = sp_formula_evaluate(sp_lab_text(question, "expected"), &source, &q, &why);
    if (status != SP_OK) {
        status = settle(v, status, &why, err);
        v->state = is_open && v->state != SP_LAB_SKIPPED ? SP_LAB_OPEN : v->state; /* nothing to decide */
        return status;
    }
    put(number, q.value);
    if (is_open) {
        const bool is_above = strcmp(v->unit, "%") == 0 && q.value > most_percent;
        snprintf(v->wanted, sizeof v->wanted, "%s", is_above ? above : number);
        if (is_above)
            snprintf(v->reason, sizeof v->reason,
                     "the data stays in a cache, which is faster than what the ceiling is of");
        v->state = SP_LAB_OPEN;
        return SP_OK;
    }
    snprintf(v->wanted, sizeof v->wanted, "%s", number);
    put_tolerance(v, tolerance);
    const double off = fabs(json_number_value(given) - q.value);
    v->state =
        json_is_number(given) && off <= tolerance * fabs(q.value) * (1 + 1e-9) ? SP_LAB_PASS : SP_LAB_FAIL;
    if (v->state == SP_LAB_PASS || !json_is_number(given))
        return SP_OK;
    v->ratio = q.value != 0 ? json_number_value(given) / q.value : NAN;
    return find_mistake(results, question, json_number_value(given), v, err);
}

static double noise_of(const struct sp_lab_results *results, const char *formula, char *reason, size_t size);
static struct sp_quantity widened(struct sp_quantity q, double noise);

/* A predicted interval is right where the measured one meets it, and it is not wider than the lab
 * allows. Noise takes the verdict that it is wrong. */
static enum sp_status judge_interval(const struct sp_lab_results *results, const json_t *question,
                                     const char *given, struct sp_lab_verdict *v, struct sp_error *err)
{
    const struct sp_formula_source source = source_of(results);
    const char *formula = sp_lab_text(question, "expected");
    const double most = json_number_value(json_object_get(json_object_get(question, "interval"), "most"));
    char number[48], lo_text[48], hi_text[48], why_noisy[sizeof v->reason] = "";
    struct sp_error why;
    struct sp_quantity q;
    double lo, hi;
    v->state = SP_LAB_FAIL;
    if (!given || !sp_lab_interval(given, &lo, &hi))
        return SP_OK;
    if (hi > most * lo * (1 + 1e-9)) {
        snprintf(v->reason, sizeof v->reason, "its ends are more than a factor %g apart", most);
        return SP_OK;
    }
    enum sp_status status = sp_formula_evaluate(formula, &source, &q, &why);
    if (status != SP_OK)
        return settle(v, status, &why, err);
    snprintf(v->wanted, sizeof v->wanted, "%.28s (%.28s ... %.28s)", put(number, q.value), put(lo_text, q.lo),
             put(hi_text, q.hi));
    const double noise = noise_of(results, formula, why_noisy, sizeof why_noisy);
    const struct sp_quantity wide = widened(q, noise);
    if (wide.lo <= hi && wide.hi >= lo) {
        v->state = SP_LAB_PASS;
    } else if (noise > 0) {
        v->state = SP_LAB_UNDECIDED;
        strcpy(v->reason, why_noisy);
    } else {
        v->ratio = sqrt(lo * hi) / q.value;
    }
    return SP_OK;
}

static void put_given(struct sp_lab_verdict *v, const json_t *given)
{
    if (json_is_string(given))
        snprintf(v->got, sizeof v->got, "%s", json_string_value(given));
    else if (given)
        put(v->got, json_number_value(given));
}

/* Why a prediction is worth nothing although something was run; false: it counts. */
static bool is_void(const struct sp_lab_folder *folder, const struct sp_lab_bound *bound,
                    struct sp_lab_verdict *v)
{
    if (v->given_up) { /* its answer stays untold, here and in the report */
        v->because = "";
        snprintf(v->reason, sizeof v->reason, "given up with " SP_O_UNPREDICTED ": its answer is not told");
    } else if (v->changed) {
        char was[48] = "not predicted";
        if (json_is_string(bound->was))
            snprintf(was, sizeof was, "%.40s", json_string_value(bound->was));
        else if (bound->was)
            put(was, json_number_value(bound->was));
        snprintf(v->reason, sizeof v->reason, "changed after the run, when it was %s", was);
    } else if (v->missing)
        snprintf(v->reason, sizeof v->reason, "%s",
                 folder->fault[0] ? folder->fault : "there is no prediction");
    else if (v->late)
        snprintf(v->reason, sizeof v->reason, "predicted after the results were there");
    return *v->reason != '\0';
}

static enum sp_status judge_prediction(const struct sp_lab_results *results, const json_t *question,
                                       struct sp_lab_verdict *v, struct sp_error *err)
{
    const struct sp_lab_folder *folder = results->folder;
    const json_t *prediction = sp_lab_prediction(folder->predictions, v->id);
    const json_t *given = json_object_get(prediction, "value");
    const struct sp_lab_bound bound = sp_lab_bound_of(folder, v->id);
    const bool is_open = json_is_true(json_object_get(question, "open"));
    struct sp_lab_verdict nothing = {.reason = ""};
    v->missing = !given;
    v->late = json_is_true(json_object_get(prediction, "late"));
    v->sent_late = sp_lab_has_late(folder->predictions, v->id);
    v->given_up = bound.given_up;
    v->changed = bound.changed && !bound.given_up;
    put_given(v, given);
    if (!sp_lab_has_run(folder)) { /* the answer is not told before */
        v->state = is_open ? SP_LAB_OPEN : SP_LAB_UNDECIDED;
        snprintf(v->reason, sizeof v->reason, "%s",
                 *folder->fault ? folder->fault
                 : given        ? "predicted; nothing was run yet"
                                : "not predicted yet");
        return SP_OK;
    }
    if (v->given_up) {
        v->state = is_open ? SP_LAB_OPEN : SP_LAB_FAIL;
        is_void(folder, &bound, v);
        return SP_OK;
    }
    enum sp_status status = json_object_get(question, "interval")
                                ? judge_interval(results, question, json_string_value(given), v, err)
                            : json_object_get(question, "choices")
                                ? judge_choice(results, question, json_string_value(given), v, err)
                                : judge_number(results, question, given, v, err);
    if (status != SP_OK || v->state == SP_LAB_SKIPPED || v->state == SP_LAB_UNDECIDED ||
        v->state == SP_LAB_OPEN)
        return status;
    nothing.missing = v->missing;
    nothing.late = v->late;
    nothing.changed = v->changed;
    if (is_void(folder, &bound, &nothing)) {
        v->state = SP_LAB_FAIL;
        v->ratio = NAN;
        v->mistake = NULL;
        strcpy(v->reason, nothing.reason);
    }
    return SP_OK;
}

/* One relation: how far a is from what it should be; <= 0 holds. Intervals of timed ones. */
struct relation {
    const char *word;
    double surely, at_best; /* the worst and the best end of the intervals */
};

static struct relation relate(const char *kind, struct sp_quantity a, struct sp_quantity b, double tolerance)
{
    const double slack = tolerance * fabs(b.value);
    if (strcmp(kind, "at_most") == 0)
        return (struct relation){"at most", a.hi - b.lo - slack, a.lo - b.hi - slack};
    if (strcmp(kind, "at_least") == 0)
        return (struct relation){"at least", b.hi - a.lo - slack, b.lo - a.hi - slack};
    const double far = fmax(fabs(a.hi - b.lo), fabs(b.hi - a.lo)),
                 near = fmax(0, fmax(a.lo - b.hi, b.lo - a.hi));
    return (struct relation){"equal to", far - slack, near - slack};
}

static struct sp_quantity without_interval(struct sp_quantity q)
{
    return (struct sp_quantity){q.value, q.value, q.value};
}

/* How far the times of the runs that a formula names may be off, beyond their intervals; 0: they
 * are quiet. `reason` says why: samples that spread far, or a machine that allowed no verdict. */
static double noise_of(const struct sp_lab_results *results, const char *formula, char *reason, size_t size)
{
    double most = 0;
    for (int i = 0; i < results->n; i++) {
        const struct sp_lab_result *r = &results->result[i];
        char field[200];
        snprintf(field, sizeof field, "[%s:", r->run);
        if (!strstr(formula, field))
            continue;
        const double spread =
            json_number_value(json_object_get(sp_lab_field(r->root, SP_F_METRICS_SPREAD), "value"));
        const char *doubt = json_string_value(sp_lab_field(r->root, SP_F_CONDITIONS_DOUBT));
        const double noise = fmax(doubt ? SP_LAB_DOUBT : 0, spread > SP_LAB_NOISE ? spread : 0);
        if (noise <= most)
            continue;
        most = noise;
        if (doubt)
            snprintf(reason, size, SP_LAB_NO_VERDICT, r->run, doubt);
        else
            snprintf(
                reason, size,
                "noise: the samples of '%s' spread by %.0f %%, of which at most %.0f %% let times decide",
                r->run, 100 * spread, 100 * SP_LAB_NOISE);
    }
    return most;
}

static struct sp_quantity widened(struct sp_quantity q, double noise)
{
    const double lo = fmin(q.lo, q.hi), hi = fmax(q.lo, q.hi), most = 1 + noise;
    return (struct sp_quantity){q.value, lo < 0 ? lo * most : lo / most, hi < 0 ? hi / most : hi * most};
}

static void decide(const json_t *check, struct relation r, struct sp_lab_verdict *v)
{
    static const double rounding = 1e-12;
    const bool gentle = strcmp(sp_lab_text(check, "otherwise"), "undecided") == 0;
    if (r.surely <= rounding)
        v->state = SP_LAB_PASS;
    else if (r.at_best <= rounding) {
        v->state = SP_LAB_UNDECIDED;
        snprintf(v->reason, sizeof v->reason,
                 "the interval of the measurement holds both answers: repeat the run");
    } else {
        v->state = gentle ? SP_LAB_UNDECIDED : SP_LAB_FAIL;
        if (gentle)
            snprintf(
                v->reason, sizeof v->reason,
                "it does not hold here, which a machine that is shared or unlike others may cause: read the "
                "explanation");
    }
}

/* Noise decides only for what is clear in spite of it, and never against it. Fastest samples are
 * not moved by it: what disturbs makes samples slower. */
static void decide_timed(const struct sp_lab_results *results, const json_t *check, const char *kind,
                         const char *left, struct sp_quantity a, const char *right, struct sp_quantity b,
                         struct sp_lab_verdict *v)
{
    const double tolerance = json_number_value(json_object_get(check, "tolerance"));
    char why[sizeof v->reason] = "", why_right[sizeof v->reason] = "";
    const double noise_a = noise_of(results, left, why, sizeof why),
                 noise_b = noise_of(results, right, why_right, sizeof why_right);
    const bool fastest = strstr(left, ".least]") || strstr(right, ".least]");
    decide(check,
           relate(kind, widened(a, fastest ? 0 : noise_a), widened(b, fastest ? 0 : noise_b), tolerance), v);
    if (v->state != SP_LAB_PASS && (noise_a > 0 || noise_b > 0)) {
        v->state = SP_LAB_UNDECIDED;
        strcpy(v->reason, noise_a >= noise_b ? why : why_right);
    }
}

/* Does a check apply here? "when" of lab.json is a formula, which must be above 0. */
static enum sp_status applies(const struct sp_lab_results *results, const json_t *check, bool *out,
                              struct sp_error *why)
{
    const struct sp_formula_source source = source_of(results);
    const char *when = sp_lab_text(check, "when");
    struct sp_quantity q = {1, 1, 1};
    enum sp_status status = *when ? sp_formula_evaluate(when, &source, &q, why) : SP_OK;
    *out = status == SP_OK && q.value > 0;
    return status;
}

static enum sp_status judge_pair(const struct sp_lab_results *results, const json_t *check, const char *kind,
                                 const char *left, const char *right, struct sp_lab_verdict *v,
                                 struct sp_error *err)
{
    const struct sp_formula_source source = source_of(results);
    struct sp_error why;
    struct sp_quantity a, b;
    char number[48];
    enum sp_status status = sp_formula_evaluate(left, &source, &a, &why);
    if (status == SP_OK)
        status = sp_formula_evaluate(right, &source, &b, &why);
    if (status != SP_OK)
        return settle(v, status, &why, err);
    const struct relation r = relate(kind, without_interval(a), without_interval(b),
                                     json_number_value(json_object_get(check, "tolerance")));
    put(v->got, a.value);
    snprintf(v->wanted, sizeof v->wanted, "%s %s", r.word, put(number, b.value));
    put_tolerance(v, json_number_value(json_object_get(check, "tolerance")));
    if (json_is_true(json_object_get(check, "timed")))
        decide_timed(results, check, kind, left, a, right, b, v);
    else
        decide(check, r, v);
    return SP_OK;
}

/* Each is at least the one before. */
static enum sp_status judge_order(const struct sp_lab_results *results, const json_t *check,
                                  struct sp_lab_verdict *v, struct sp_error *err)
{
    const json_t *list = json_object_get(check, "of");
    const bool down = strcmp(sp_lab_text(check, "kind"), "descending") == 0;
    v->state = SP_LAB_PASS;
    for (size_t i = 1; i < json_array_size(list) && v->state == SP_LAB_PASS; i++) {
        enum sp_status status = judge_pair(results, check, down ? "at_most" : "at_least",
                                           json_string_value(json_array_get(list, i)),
                                           json_string_value(json_array_get(list, i - 1)), v, err);
        if (status != SP_OK)
            return status;
    }
    return SP_OK;
}

static enum sp_status judge_check(const struct sp_lab_results *results, const json_t *check,
                                  struct sp_lab_verdict *v, struct sp_error *err)
{
    static const char *const pairs[] = {"equal", "at_most", "at_least"};
    const char *kind = sp_lab_text(check, "kind");
    struct sp_error why;
    bool here;
    enum sp_status status = applies(results, check, &here, &why);
    if (status != SP_OK)
        return settle(v, status, &why, err);
    if (!here) {
        v->state = SP_LAB_SKIPPED;
        snprintf(v->reason, sizeof v->reason, "%.380s", sp_lab_text(check, "else"));
        return SP_OK;
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(pairs[i], kind) == 0)
            return judge_pair(results, check, kind, sp_lab_text(check, "a"), sp_lab_text(check, "b"), v, err);
    if (strcmp(kind, "ascending") == 0 || strcmp(kind, "descending") == 0)
        return judge_order(results, check, v, err);
    return sp_fail(err, SP_INPUT, "docs/labs.md lists the kinds", "the check '%s' is of an unknown kind '%s'",
                   v->id, kind);
}

static enum sp_status judge_list(const struct sp_lab_results *results, const char *name,
                                 struct sp_lab_verdicts *out, struct sp_error *err)
{
    const bool predictions = strcmp(name, "questions") == 0;
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(results->folder->lab.root, name), i, item)
    {
        if (out->n == SP_LAB_MOST_VERDICTS)
            return sp_fail(err, SP_INPUT, NULL, "the lab has more than %d questions and checks", out->n);
        struct sp_lab_verdict *v = &out->verdict[out->n];
        *v = (struct sp_lab_verdict){.is_prediction = predictions,
                                     .id = sp_lab_text(item, "id"),
                                     .text = sp_lab_text(item, "text"),
                                     .because = sp_lab_text(item, "because"),
                                     .unit = sp_lab_text(item, "unit"),
                                     .ratio = NAN,
                                     .points = json_is_number(json_object_get(item, "points"))
                                                   ? json_number_value(json_object_get(item, "points"))
                                                   : 1};
        enum sp_status status =
            predictions ? judge_prediction(results, item, v, err) : judge_check(results, item, v, err);
        if (status != SP_OK)
            return status;
        out->n_state[v->state]++;
        out->n++;
    }
    return SP_OK;
}

enum sp_status sp_lab_judge(const struct sp_lab_results *results, struct sp_lab_verdicts *verdicts,
                            struct sp_error *err)
{
    memset(verdicts, 0, sizeof *verdicts);
    enum sp_status status = judge_list(results, "questions", verdicts, err);
    if (status == SP_OK)
        status = judge_list(results, "checks", verdicts, err);
    int n_late;
    if (sp_lab_n_given_up(results->folder, &n_late) > 0) /* numbers of checks would tell answers */
        for (int i = 0; i < verdicts->n; i++)
            if (!verdicts->verdict[i].is_prediction)
                *verdicts->verdict[i].got = *verdicts->verdict[i].wanted = *verdicts->verdict[i].within =
                    '\0';
    return status;
}

enum sp_status sp_lab_summary(const struct sp_lab_verdicts *verdicts)
{
    return verdicts->n_state[SP_LAB_FAIL] > 0        ? SP_NO
           : verdicts->n_state[SP_LAB_UNDECIDED] > 0 ? SP_UNDECIDED
                                                     : SP_OK;
}

struct sp_lab_points sp_lab_points_of(const struct sp_lab_verdicts *verdicts)
{
    struct sp_lab_points p = {0};
    for (int i = 0; i < verdicts->n; i++) {
        const struct sp_lab_verdict *v = &verdicts->verdict[i];
        if (v->state == SP_LAB_OPEN || v->state == SP_LAB_SKIPPED)
            continue;
        p.of += v->points;
        p.earned += v->state == SP_LAB_PASS ? v->points : 0;
        p.undecided += v->state == SP_LAB_UNDECIDED ? v->points : 0;
    }
    return p;
}
