#include "lab/lab_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"

const char *sp_lab_state_name(enum sp_lab_state state)
{
    static const char *const names[] = {"pass", "fail", "undecided", "skipped", "open"};
    return names[state];
}

char *sp_lab_with_unit(const struct sp_lab_verdict *v, const char *words, char *text, size_t size)
{
    const bool has_unit = *words && *v->unit && strcmp(v->unit, "1") != 0;
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
    if (status != SP_SKIPPED && status != SP_UNDECIDED) {
        if (err)
            *err = *why;
        return status;
    }
    v->state = status == SP_SKIPPED ? SP_LAB_SKIPPED : SP_LAB_UNDECIDED;
    snprintf(v->reason, sizeof v->reason, "%.380s", why->what);
    return SP_OK;
}

static const char *put(char text[48], double x)
{
    if (fabs(x) >= 1e6 && fabs(x) < 1e15 && floor(x) == x)
        snprintf(text, 48, "%.0f", x);
    else
        snprintf(text, 48, fabs(x) >= 1000 ? "%.6g" : "%.4g", x);
    return text;
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

static enum sp_status judge_number(const struct sp_lab_results *results, const json_t *question,
                                   const json_t *given, struct sp_lab_verdict *v, struct sp_error *err)
{
    const struct sp_formula_source source = source_of(results);
    struct sp_error why;
    struct sp_quantity q;
    char number[48];
    const double tolerance = json_number_value(json_object_get(question, "tolerance"));
    enum sp_status status = sp_formula_evaluate(sp_lab_text(question, "expected"), &source, &q, &why);
    if (status != SP_OK)
        return settle(v, status, &why, err);
    put(number, q.value);
    if (json_is_true(json_object_get(question, "open"))) {
        snprintf(v->wanted, sizeof v->wanted, "%s", number);
        v->state = SP_LAB_OPEN;
        return SP_OK;
    }
    snprintf(v->wanted, sizeof v->wanted, "%s", number);
    if (tolerance > 0)
        snprintf(v->within, sizeof v->within, ", within %g %%", 100 * tolerance);
    const double off = fabs(json_number_value(given) - q.value);
    v->state =
        json_is_number(given) && off <= tolerance * fabs(q.value) * (1 + 1e-9) ? SP_LAB_PASS : SP_LAB_FAIL;
    return SP_OK;
}

static enum sp_status judge_prediction(const struct sp_lab_results *results, const json_t *question,
                                       struct sp_lab_verdict *v, struct sp_error *err)
{
    const struct sp_lab_folder *folder = results->folder;
    const json_t *prediction = sp_lab_prediction(folder->predictions, v->id);
    const json_t *given = json_object_get(prediction, "value");
    v->missing = !given;
    v->late = json_is_true(json_object_get(prediction, "late"));
    if (json_is_string(given))
        snprintf(v->got, sizeof v->got, "%s", json_string_value(given));
    else if (given)
        put(v->got, json_number_value(given));
    if (!sp_lab_has_run(folder)) { /* the answer is not told before */
        v->state = SP_LAB_UNDECIDED;
        snprintf(v->reason, sizeof v->reason, "%s",
                 given ? "predicted; nothing was run yet" : "not predicted yet");
        return SP_OK;
    }
    enum sp_status status = json_object_get(question, "choices")
                                ? judge_choice(results, question, json_string_value(given), v, err)
                                : judge_number(results, question, given, v, err);
    if (status != SP_OK || v->state == SP_LAB_SKIPPED || v->state == SP_LAB_UNDECIDED ||
        v->state == SP_LAB_OPEN)
        return status;
    if (v->missing)
        snprintf(v->reason, sizeof v->reason, "there is no prediction");
    else if (v->late) {
        v->state = SP_LAB_FAIL;
        snprintf(v->reason, sizeof v->reason, "predicted after the results were there");
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

/* Do times of the runs that a formula names decide nothing? Then `reason` says why: samples that
 * spread too far, or a machine that allowed no verdict. */
static bool is_noisy(const struct sp_lab_results *results, const char *formula, char *reason, size_t size)
{
    for (int i = 0; i < results->n; i++) {
        const struct sp_lab_result *r = &results->result[i];
        char field[200];
        snprintf(field, sizeof field, "[%s:", r->run);
        if (!strstr(formula, field))
            continue;
        const double spread =
            json_number_value(json_object_get(sp_lab_field(r->root, SP_F_METRICS_SPREAD), "value"));
        const char *doubt = json_string_value(sp_lab_field(r->root, SP_F_CONDITIONS_DOUBT));
        if (doubt)
            snprintf(reason, size, "the machine allowed no verdict on '%s': %.300s", r->run, doubt);
        else if (spread > SP_LAB_NOISE)
            snprintf(
                reason, size,
                "noise: the samples of '%s' spread by %.0f %%, of which at most %.0f %% let times decide",
                r->run, 100 * spread, 100 * SP_LAB_NOISE);
        if (doubt || spread > SP_LAB_NOISE)
            return true;
    }
    return false;
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

static enum sp_status judge_pair(const struct sp_lab_results *results, const json_t *check, const char *kind,
                                 const char *left, const char *right, struct sp_lab_verdict *v,
                                 struct sp_error *err)
{
    const struct sp_formula_source source = source_of(results);
    const bool timed = json_is_true(json_object_get(check, "timed"));
    struct sp_error why;
    struct sp_quantity a, b;
    char number[48];
    enum sp_status status = sp_formula_evaluate(left, &source, &a, &why);
    if (status == SP_OK)
        status = sp_formula_evaluate(right, &source, &b, &why);
    if (status != SP_OK)
        return settle(v, status, &why, err);
    const struct relation r = relate(kind, timed ? a : without_interval(a), timed ? b : without_interval(b),
                                     json_number_value(json_object_get(check, "tolerance")));
    put(v->got, a.value);
    snprintf(v->wanted, sizeof v->wanted, "%s %s", r.word, put(number, b.value));
    if (timed && (is_noisy(results, left, v->reason, sizeof v->reason) ||
                  is_noisy(results, right, v->reason, sizeof v->reason)))
        v->state = SP_LAB_UNDECIDED;
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
                                     .unit = sp_lab_text(item, "unit")};
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
    return status == SP_OK ? judge_list(results, "checks", verdicts, err) : status;
}

enum sp_status sp_lab_summary(const struct sp_lab_verdicts *verdicts)
{
    return verdicts->n_state[SP_LAB_FAIL] > 0        ? SP_NO
           : verdicts->n_state[SP_LAB_UNDECIDED] > 0 ? SP_UNDECIDED
                                                     : SP_OK;
}

/* Texts of the lab are its author's Markdown; those of the folder a student's, or a record's. */
static void put_words(const char *before, const char *text, FILE *out)
{
    fputs(before, out);
    sp_markdown_text(out, *text ? text : "–");
}

static void put_verdict(const struct sp_lab_verdict *v, FILE *out)
{
    char text[160];
    sp_print(out, "| %s", v->text);
    put_words(" | ", sp_lab_with_unit(v, v->got, text, sizeof text), out);
    put_words(" | ", sp_lab_with_unit(v, v->wanted, text, sizeof text), out);
    sp_print(out, "%s | %s", v->within, sp_lab_state_name(v->state));
    if (*v->reason) {
        put_words(" (", v->reason, out);
        fputc(')', out);
    }
    fputs(" |\n", out);
}

static void put_explanations(const struct sp_lab_verdicts *verdicts, FILE *out)
{
    fputs("\n## Why\n\n", out);
    for (int i = 0; i < verdicts->n; i++)
        if (*verdicts->verdict[i].because)
            sp_print(out, "- **%s** — %s\n", verdicts->verdict[i].id, verdicts->verdict[i].because);
}

static void put_runs(const struct sp_lab_results *results, FILE *out)
{
    fputs("\n## Runs\n\n| run | began | on | by | what |\n|---|---|---|---|---|\n", out);
    for (int i = 0; i < results->n; i++) {
        const struct sp_lab_result *r = &results->result[i];
        const json_t *noted = json_object_get(json_object_get(results->folder->state, "runs"), r->run);
        const json_t *run = sp_lab_item(json_object_get(results->folder->lab.root, "runs"), r->run);
        const char *cpu = json_string_value(sp_lab_field(r->root, SP_F_MACHINE_CPU)),
                   *bytes = json_string_value(sp_lab_field(r->root, SP_F_CONFIG_BYTES));
        sp_print(out, "| %s", r->run);
        put_words(" | ", sp_lab_text(noted, "start"), out);
        put_words(" | ", cpu ? cpu : "", out);
        put_words(bytes ? " | bytes: " : " | ", bytes ? bytes : "", out);
        sp_print(out, " | %s", sp_lab_text(run, "what"));
        if (r->skipped)
            put_words(" — skipped: ", r->skipped, out);
        fputs(" |\n", out);
    }
}

void sp_lab_report(const struct sp_lab_results *results, const struct sp_lab_verdicts *verdicts, FILE *out)
{
    const struct sp_lab_folder *folder = results->folder;
    sp_print(out, "# Lab %d: %s\n\n", folder->lab.number, folder->lab.title);
    put_words("", folder->the_case.student, out);
    put_words(folder->the_case.small ? ", small matrices, begun " : ", begun ",
              sp_lab_text(folder->state, "started"), out);
    fputs("\n\n", out);
    for (int i = 0; i < SP_N_LAB_STATES; i++)
        sp_print(out, "%s%d %s", i ? " · " : "", verdicts->n_state[i],
                 sp_lab_state_name((enum sp_lab_state)i));
    fputs("\n\n## Predictions\n\n| question | predicted | found | verdict |\n|---|---|---|---|\n", out);
    for (int i = 0; i < verdicts->n; i++)
        if (verdicts->verdict[i].is_prediction)
            put_verdict(&verdicts->verdict[i], out);
    fputs("\n## Checks of the runs\n\n| what must hold | here | should be | verdict |\n|---|---|---|---|\n",
          out);
    for (int i = 0; i < verdicts->n; i++)
        if (!verdicts->verdict[i].is_prediction)
            put_verdict(&verdicts->verdict[i], out);
    put_runs(results, out);
    if (sp_lab_has_run(folder))
        put_explanations(verdicts, out);
    fputs("\n## In your own words\n\n", out);
    const json_t *tasks = json_object_get(folder->lab.root, "explain");
    for (size_t i = 0; i < json_array_size(tasks); i++)
        if (json_is_string(json_array_get(tasks, i)))
            sp_print(out, "%zu. %s\n\n   …\n\n", i + 1, json_string_value(json_array_get(tasks, i)));
}
