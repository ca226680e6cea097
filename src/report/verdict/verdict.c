/* Subject, state, possible and reached; the other lines have files of their own. */
#include <ctype.h>

#include "base/escape.h"
#include "base/option/option_words.h"
#include "report/verdict/verdict.h"

enum { LONG_NAME = 44, PROCESSOR = 28, SUBJECT = 46, LEAST_NAME = 8 };

/* At most n characters: the begin and the end of what is longer, with an ellipsis between. */
static char *fitted(char *out, size_t size, const char *text, int n)
{
    int length = 0;
    const char *p = text, *head = text, *tail;
    while (sp_utf8_next(&p))
        length++;
    if (length <= n) {
        snprintf(out, size, "%.*s", (int)size - 1, text);
        return out;
    }
    for (int i = 0; i < n - 1 - n / 3; i++)
        sp_utf8_next(&head);
    tail = head;
    for (int i = n - 1 - n / 3; i < length - n / 3; i++)
        sp_utf8_next(&tail);
    snprintf(out, size, "%.*s…%s", (int)(head - text), text, tail);
    return out;
}

/* "AMD EPYC 9B14" of "AMD EPYC(TM) 9B14 96-Core Processor @ 2.6GHz": what tells it from others. */
static char *processor_of(const struct sp_record *record, char *out, size_t size)
{
    static const char *const noise[] = {"(R)", "(TM)", "(r)", "(tm)", " CPU", " Processor", " processor"};
    char text[256], less[4 * PROCESSOR + 8];
    const char *ran_on = sp_words_text(record, SP_F_MACHINE_RAN_ON, "this one");
    const bool on_gpu = strcmp(sp_words_text(record, SP_F_CONFIG_DEVICE, "cpu"), "gpu") == 0;
    snprintf(text, sizeof text, "%s",
             on_gpu                            ? sp_words_text(record, SP_F_GPU_NAME, "GPU")
             : strcmp(ran_on, "this one") != 0 ? ran_on
                                               : sp_words_text(record, SP_F_MACHINE_CPU, ""));
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
        for (char *at; (at = strstr(text, noise[i]));)
            memmove(at, at + strlen(noise[i]), strlen(at + strlen(noise[i])) + 1);
    text[strcspn(text, "@,;")] = '\0';
    char *at = strstr(text, " at "); /* "Fujitsu A64FX at 1.8 GHz (FX700)" */
    if (at)
        *at = '\0';
    for (size_t n = strlen(text); n > 0 && isspace((unsigned char)text[n - 1]);)
        text[--n] = '\0';
    fitted(less, sizeof less, text, PROCESSOR);
    const char *host = sp_words_text(record, SP_F_ENV_IDENTITY_HYPERVISOR, "none");
    snprintf(out, size, "%s%s", less, strcmp(host, "none") != 0 ? *less ? " (VM)" : "a VM" : "");
    return out;
}

static json_t *subject_of(const struct sp_record *record)
{
    const char *name = sp_words_text(record, SP_F_PROBLEM_NAME, "unnamed"),
               *op = sp_words_text(record, SP_F_CONFIG_OP, "spmv");
    char what[160], processor[160], caches[64] = "", text[SP_VERDICT_TEXT + 400], brief[SP_VERDICT_TEXT],
                                    shown[256], width[40] = "";
    int64_t threads = 0, r = 1, ranks = 0;
    if (sp_record_count(record, SP_F_CONFIG_INNER, &r) ||
        (sp_record_count(record, SP_F_CONFIG_RHS, &r) && r > 1))
        snprintf(width, sizeof width, " r=%lld", (long long)r);
    sp_record_count(record, SP_F_CONFIG_THREADS, &threads);
    int n = snprintf(
        what, sizeof what, "%.20s %.40s %.10s%s", sp_words_op(op),
        sp_words_text(record, SP_F_CONFIG_FORMAT_TEXT, sp_words_text(record, SP_F_CONFIG_FORMAT, "?")),
        sp_words_text(record, SP_F_CONFIG_PRECISION, "?"), width);
    if (!sp_record_node(record, SP_F_CONFIG_FORMAT)) /* it ended before that was settled */
        n = snprintf(what, sizeof what, "%.20s%s", sp_words_op(op), width);
    if (threads > 0 && n < (int)sizeof what)
        snprintf(what + n, sizeof what - (size_t)n, ", %lld %s%s", (long long)threads, sp_words_core(record),
                 threads == 1 ? "" : "s");
    if (sp_record_count(record, SP_F_RANKS_N, &ranks))
        snprintf(what + strcspn(what, ","), sizeof what - strcspn(what, ","), ", %lld rank%s x %lld thread%s",
                 (long long)ranks, ranks == 1 ? "" : "s", (long long)threads, threads == 1 ? "" : "s");
    processor_of(record, processor, sizeof processor);
    if (sp_verdict_is_foreign(record))
        snprintf(caches, sizeof caches, ", caches of %.30s",
                 sp_words_text(record, SP_F_MACHINE_NAME, "another machine"));
    snprintf(text, sizeof text, "%s  %s%s%s%s", fitted(shown, sizeof shown, name, LONG_NAME), what, caches,
             *processor ? ", " : "", processor);  /* last: a narrow page goes without it */
    if ((int)strlen(what) + LEAST_NAME > SUBJECT) /* then without the threads */
        what[n < (int)sizeof what ? n : 0] = '\0';
    const int room = SUBJECT - (int)strlen(what);
    snprintf(brief, sizeof brief, "%s  %s",
             fitted(shown, sizeof shown, name, room > LEAST_NAME ? room : LEAST_NAME), what);
    json_t *out = sp_verdict_line(text, brief);
    json_object_set_new(out, "matrix", sp_json_text(name));
    json_object_set_new(out, "operation", sp_json_text(op));
    json_object_set_new(out, "threads", threads > 0 ? json_integer(threads) : json_null());
    json_object_set_new(out, "processor", sp_json_text(processor));
    return out;
}

/* The state in one word, what it means, and what to do about it. */
static json_t *state_of(const struct sp_record *record)
{
    const char *state = sp_words_text(record, SP_F_CONDITIONS_STATE, NULL), *word = state, *advice = NULL,
               *why = sp_words_text(record, SP_F_CONDITIONS_WHY, NULL),
               *said = sp_words_text(record, SP_F_CONDITIONS_TEXT, "");
    int64_t n = 0, disturbed = 0, crowded = 0;
    const bool on_gpu = strcmp(sp_words_text(record, SP_F_CONFIG_DEVICE, "cpu"), "gpu") == 0;
    char text[SP_VERDICT_TEXT], brief[128];
    const bool counted = sp_record_count(record, SP_F_CONDITIONS_SAMPLES, &n) &&
                         sp_record_count(record, SP_F_CONDITIONS_DISTURBED, &disturbed);
    if (!sp_record_count(record, SP_F_CONDITIONS_CROWDED, &crowded))
        crowded = 0;
    if (sp_verdict_is_status(record, "interrupted") || sp_verdict_is_status(record, "failed")) {
        const char *wrong = sp_words_text(record, SP_F_VERIFY_WHY, ""); /* what its kernel did */
        const bool is_wrong = sp_verdict_is_status(record, "failed") && *wrong;
        word = sp_words_text(record, SP_F_STATUS, "");
        snprintf(text, sizeof text, "%s%s", word, is_wrong ? "" : ": not all was measured");
        snprintf(brief, sizeof brief, "%s", word);
        advice = is_wrong ? wrong : "run the command again";
    } else if (sp_verdict_is_status(record, "constructed")) {
        word = "constructed";
        snprintf(text, sizeof text, "constructed: an invented example");
        snprintf(brief, sizeof brief, "constructed");
    } else if (state) {
        snprintf(text, sizeof text, "%.16s: %.300s", state, said);
        snprintf(brief, sizeof brief, "%.16s", state);
        if (counted && crowded > disturbed)
            snprintf(brief, sizeof brief, "%.16s: %lld/%lld on shared cores", state, (long long)crowded,
                     (long long)n);
        else if (counted && disturbed > 0)
            snprintf(brief, sizeof brief, "%.16s: %lld/%lld disturbed", state, (long long)disturbed,
                     (long long)n);
        else if (counted)
            snprintf(brief, sizeof brief, "%.16s: %lld samples", state, (long long)n);
        advice =
            strcmp(state, "unusable") == 0
                ? on_gpu ? "structure and modelled bytes hold, times do not; `spmodel doctor` names who "
                           "computes "
                           "here: stop it and what else uses the GPU, or give more time (" SP_O_BUDGET " 10s)"
                         : "structure and simulated bytes hold, times do not; `spmodel doctor` names who "
                           "computes "
                           "here: stop it, use fewer threads, or give more time (" SP_O_BUDGET " 10s)"
            : *sp_verdict_doubt(record)                         ? sp_verdict_doubt(record)
            : strcmp(state, "busy") == 0 && crowded > disturbed ? "run it again, or reserve cores for it"
            : strcmp(state, "busy") == 0
                ? "the verdict rests on undisturbed samples; `spmodel doctor` names who else computes here"
                : NULL;
    } else if (why || sp_words_text(record, SP_F_VERIFY_WHY, NULL)) {
        const char *program = sp_words_text(record, SP_F_ATTACH_PROGRAM, NULL);
        word = "elsewhere";
        const bool is_stated =
            strcmp(sp_words_text(record, SP_F_METRICS_TIME_ORIGIN, ""), sp_origin_name(SP_STATED)) == 0;
        snprintf(text, sizeof text, "%s%.24s",
                 program     ? "measured in "
                 : is_stated ? "time stated"
                             : "measured elsewhere",
                 program ? program : "");
        snprintf(brief, sizeof brief, "%s", program ? "attached" : is_stated ? "time stated" : "elsewhere");
    } else {
        word = "unknown";
        snprintf(text, sizeof text, "state of the machine not recorded");
        snprintf(brief, sizeof brief, "state not recorded");
    }
    json_t *out = sp_verdict_line(text, brief);
    json_object_set_new(out, "word", json_string(word));
    json_object_set_new(out, "advice", sp_json_text(advice));
    return out;
}

/* An end of an interval has no more digits than its value, and three where it is far from it. */
static int end_decimals(double x, int of_value)
{
    const int own = sp_figure_decimals(x, 3);
    return own < of_value ? own : of_value;
}

/* "2.63 Gflop/s   (2.60 … 2.66)"; ends that look like the value are left out. */
static char *rate_text(struct sp_value v, const char *gap, char *text, size_t size)
{
    const struct sp_scale s = sp_scale_of(v.value);
    const int decimals = sp_figure_decimals(v.value / s.factor, 3);
    char value[32], lo[32], hi[32];
    snprintf(value, sizeof value, "%.*f", decimals, v.value / s.factor);
    snprintf(lo, sizeof lo, "%.*f", end_decimals(v.lo / s.factor, decimals), v.lo / s.factor);
    snprintf(hi, sizeof hi, "%.*f", end_decimals(v.hi / s.factor, decimals), v.hi / s.factor);
    const bool has_ends = v.hi > v.lo && v.lo <= v.value && v.hi >= v.value &&
                          (strcmp(lo, value) != 0 || strcmp(hi, value) != 0);
    snprintf(text, size, has_ends ? "%s %sflop/s%s(%s … %s)" : "%s %sflop/s", value, s.prefix, gap, lo, hi);
    return text;
}

/* Of the possible of a GPU, ", start and last wave 3.4 us" where that is a part worth saying. */
static char *launch_words(const struct sp_record *record, char *text, size_t size)
{
    static const double worth_saying = 0.05;
    const double launch_s = sp_verdict_launch_s(record),
                 all_s =
                     sp_record_value(record, SP_F_METRICS_FLOPS).value / sp_verdict_possible(record).value;
    char figure[32];
    *text = '\0';
    if (launch_s > worth_saying * all_s)
        snprintf(text, size, ", start and last wave %s", sp_text_seconds(figure, sizeof figure, launch_s));
    return text;
}

/* What binds, and at what rate: "memory bandwidth 33.1 GB/s, x loaded once". */
static void binding_words(const struct sp_record *record, char *text, char *brief, size_t size)
{
    const char *term = sp_words_text(record, SP_F_BINDING_TERM, "the model"),
               *op = sp_words_text(record, SP_F_CONFIG_OP, "spmv");
    const json_t *roof = sp_record_roof(record);
    const struct sp_value b = sp_record_value_of(roof);
    const char *once = strcmp(op, "spmv") == 0 ? "x loaded once" : "operands loaded once";
    double share[SP_N_LOSS_ROWS];
    char at[48] = "", figure[32], padding[48] = "", launch[64];
    const struct sp_value busy = sp_record_value(record, SP_F_GPU_ROOF_PART);
    const double part = sp_value_known(busy) ? busy.value : 1; /* of the roof, where a GPU has idle SMs */
    launch_words(record, launch, sizeof launch);
    if (sp_verdict_is_in_core(record)) {
        snprintf(text, size, "%.60s%s%s", term,
                 strcmp(term, "in-core execution") == 0 ? ": the kernel's speed from inner caches"
                 : strstr(term, "bandwidth")            ? ", bytes simulated"
                                                        : "",
                 launch);
        snprintf(brief, size, "%.40s", term);
        return;
    }
    if (sp_value_known(b) && b.value > 0 && !sp_roof_is_flops(roof))
        snprintf(at, sizeof at, " %s GB/s", sp_figure(figure, sizeof figure, b.value * part / 1e9, 3));
    const struct sp_value beta = sp_record_value(record, SP_F_METRICS_BETA);
    if (sp_verdict_loss_shares(record, share) && share[PADDING] >= SP_VERDICT_LEAST)
        snprintf(padding, sizeof padding,
                 sp_value_known(beta) && beta.value < 1 ? ", %.0f %% padding" : ", with padding",
                 100 * (1 - beta.value));
    snprintf(text, size, "%.60s%s, %s%s%s", term, at, once, padding, launch);
    const char *unit = strstr(term, " bandwidth");
    snprintf(brief, size, "%.*s%s, %s", unit ? (int)(unit - term) : 40, term, at,
             *padding ? padding + 2 : once);
}

static json_t *possible_of(const struct sp_record *record)
{
    const struct sp_value rate = sp_verdict_possible(record),
                          bytes = sp_record_value(record, SP_F_METRICS_BYTES_MIN);
    char text[SP_VERDICT_TEXT], brief[SP_VERDICT_TEXT], binding[160], less[160], figure[96];
    json_t *out;
    if (*sp_verdict_doubt(record) || !sp_value_known(rate)) {
        const char *why = sp_verdict_no_time(record);
        const bool unusable = sp_verdict_is_unusable(record);
        snprintf(brief, sizeof brief, "%s",
                 why                           ? why
                 : unusable                    ? "the roof was disturbed as well"
                 : sp_verdict_in_doubt(record) ? sp_verdict_in_doubt(record)
                                               : "the record has no model of this run");
        snprintf(text, sizeof text, "%s", brief);
        if (sp_value_known(bytes) && bytes.value > 0) {
            sp_text_bytes(figure, sizeof figure, bytes.value);
            snprintf(text + strlen(text), sizeof text - strlen(text), "; %s must move (model)", figure);
        }
        out = sp_verdict_not_known(text, text);
    } else if (sp_verdict_beats_model(record)) {
        binding_words(record, binding, less, sizeof binding);
        rate_text(sp_value_of(rate.value, rate.origin), " ", figure, sizeof figure);
        snprintf(text, sizeof text, "the run beat the %s of %s", figure, less);
        snprintf(brief, sizeof brief, "the run beat the %s", figure);
        out = sp_verdict_not_known(text, brief);
    } else {
        binding_words(record, binding, less, sizeof binding);
        rate_text(rate, "   ", figure, sizeof figure);
        snprintf(text, sizeof text, "%s   %s", figure, binding);
        rate_text(rate, " ", figure, sizeof figure);
        snprintf(brief, sizeof brief, "%s  %s", figure, less);
        char *more = strrchr(brief, ',');
        if (more && strlen(brief) > SP_VERDICT_SHORT + strlen("…") - 1)
            *more = '\0';
        out = sp_verdict_line(text, brief);
    }
    json_object_set_new(out, "performance", sp_record_value_json(rate, "flop/s"));
    json_object_set_new(out, "bandwidth",
                        sp_record_value_json(sp_record_value_of(sp_record_roof(record)), "B/s"));
    json_object_set_new(out, "term", sp_json_text(sp_words_text(record, SP_F_BINDING_TERM, NULL)));
    return out;
}

static json_t *reached_of(const struct sp_record *record)
{
    const struct sp_value rate = sp_record_value(record, SP_F_METRICS_PERFORMANCE);
    const double share = sp_verdict_share(record);
    char text[SP_VERDICT_TEXT], brief[SP_VERDICT_TEXT], figure[96], percent[32];
    json_t *out;
    if (*sp_verdict_doubt(record) && sp_verdict_is_unusable(record))
        out = sp_verdict_not_known("too many samples were disturbed by other programs", NULL);
    else if (!sp_value_known(rate) || !(rate.value > 0))
        out = sp_verdict_not_known(sp_verdict_no_time(record) ? sp_verdict_no_time(record)
                                   : rate.why                 ? rate.why
                                                              : "no time was measured",
                                   NULL);
    else {
        char of[96];
        if (sp_verdict_beats_model(record))
            snprintf(of, sizeof of, "more than the model allows");
        else if (isnan(share))
            snprintf(of, sizeof of, "share of possible not known");
        else if (share > 0.995)
            snprintf(of, sizeof of, "all of what is possible%s",
                     sp_record_value(record, SP_F_OWN_RATIO).lo > 1 ? " with this code" : "");
        else
            snprintf(of, sizeof of, "%s of possible", sp_figure_percent(percent, sizeof percent, share));
        snprintf(text, sizeof text, "%s   %s", rate_text(rate, "   ", figure, sizeof figure), of);
        snprintf(brief, sizeof brief, "%s  %s", rate_text(rate, " ", figure, sizeof figure), of);
        out = sp_verdict_line(text, brief);
    }
    json_object_set_new(out, "performance", sp_record_value_json(rate, "flop/s"));
    json_object_set_new(out, "of_possible",
                        sp_json_number(share <= SP_VERDICT_DOUBTFUL ? fmin(1, share) : NAN));
    return out;
}

json_t *sp_verdict_of(const struct sp_record *record)
{
    json_t *out = json_object();
    json_object_set_new(out, "subject", subject_of(record));
    json_object_set_new(out, "state", state_of(record));
    json_object_set_new(out, "possible", possible_of(record));
    json_object_set_new(out, "reached", reached_of(record));
    json_object_set_new(out, "lost", sp_verdict_lost(record));
    json_object_set_new(out, "do", sp_verdict_do(record));
    json_object_set_new(out, "trust", sp_verdict_trust(record));
    return out;
}

/* What the report names no bottleneck for, the record names none for. */
static void settle_bottleneck(struct sp_record *record)
{
    const char *class = sp_words_text(record, SP_F_BOTTLENECK_CLASS, "unknown");
    char text[160], percent[32], why[256];
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    const int n = sp_verdict_rows(record, row);
    if (strcmp(class, "unknown") == 0 || sp_verdict_bottleneck(record))
        return;
    const char *no_losses = sp_verdict_no_losses(record, text, sizeof text);
    if (no_losses || n == 0)
        snprintf(why, sizeof why, "%s", no_losses ? no_losses : "no loss can be named");
    else {
        int most = 0;
        for (int i = 1; i < n; i++)
            most = row[i].share > row[most].share ? i : most;
        snprintf(why, sizeof why, "no dominant bottleneck: \"%s\" takes most, %s", row[most].words,
                 sp_figure_percent(percent, sizeof percent, row[most].share));
    }
    sp_record_set_text(record, SP_F_BOTTLENECK_CLASS, "unknown");
    sp_record_set_flag(record, SP_F_BOTTLENECK_PROVED, false);
    sp_record_set_number(record, SP_F_BOTTLENECK_SHARE, NAN);
    sp_record_set_text(record, SP_F_BOTTLENECK_WHY, why);
}

void sp_verdict_put(struct sp_record *record)
{
    settle_bottleneck(record);
    sp_record_set_object(record, SP_F_VERDICT, sp_verdict_of(record));
}
