/* What the figures rest on: who counted, whether the result is right, what else is in doubt. */
#include "report/verdict/verdict.h"

#include <math.h>

#include "io/machine/machine_file.h"

/* Why bytes were not counted. */
static const char *no_counters(const struct sp_record *record)
{
    const json_t *tried = sp_record_node(record, SP_F_BYTES_TRIED);
    const bool on_gpu = strcmp(sp_words_text(record, SP_F_CONFIG_DEVICE, "cpu"), "gpu") == 0;
    if (sp_verdict_is_stated(record))
        return "nothing was counted";
    if (!json_is_array(tried) || sp_words_text(record, SP_F_ATTACH_PROGRAM, NULL))
        return "no counters";
    if (json_array_size(tried) == 0)
        return "as asked for";
    if (on_gpu)
        return "no GPU counters";
    return strcmp(sp_words_text(record, SP_F_ENV_IDENTITY_HYPERVISOR, "none"), "none") != 0
               ? "no counters in this VM"
               : "no counters: spmodel doctor";
}

/* Flags that no line of the verdict says, and a level that may be another one. */
static int other_doubts(const struct sp_record *record)
{
    static const char *const said[] = {"Q01", "Q02", "Q06", "Q10", "Q20", "Q21",
                                       "Q22", "Q23", "Q29", "Q30", "Q31"};
    const json_t *flags = sp_record_node(record, SP_F_FLAGS), *flag;
    size_t i;
    bool certain = true;
    int n = sp_record_flag(record, SP_F_BINDING_CERTAIN, &certain) && !certain;
    json_array_foreach(flags, i, flag)
    {
        const char *code = sp_item_text(flag, "code");
        bool is_said = false;
        for (size_t k = 0; code && k < sizeof said / sizeof *said; k++)
            is_said = is_said || strcmp(said[k], code) == 0;
        n += !is_said;
    }
    return n;
}

static bool has_flag(const struct sp_record *record, const char *wanted)
{
    const json_t *flags = sp_record_node(record, SP_F_FLAGS), *flag;
    size_t i;
    json_array_foreach(flags, i, flag)
    {
        const char *code = sp_item_text(flag, "code");
        if (code && strcmp(code, wanted) == 0)
            return true;
    }
    return false;
}

/* How far the simulation was compared with counters. */
static const char *validated_on(const struct sp_record *record, bool here, char *text, size_t size)
{
    double most = NAN;
    const bool on_gpu = strcmp(sp_words_text(record, SP_F_CONFIG_DEVICE, "cpu"), "gpu") == 0;
    if (!here)
        return on_gpu ? "; the simulation was not validated on this kind of machine"
                      : "; the simulation was validated on " SP_VALIDATED_ON ", not on this machine";
    snprintf(text, size, "; the simulation was validated on this kind of machine");
    if (sp_record_number(record, SP_F_MACHINE_VALIDATION_MOST_ABS, &most) && isfinite(most))
        snprintf(text + strlen(text), size - strlen(text), " within %.1f %%", 100 * most);
    return text;
}

/* What is said before all else about the result: "THE KERNEL CRASHED; ", or "". */
static const char *bad_news(const struct sp_record *record, bool short_one)
{
    static const struct {
        const char *ended, *text, *brief;
    } news[] = {{"crashed", "THE KERNEL CRASHED; ", "KERNEL CRASHED; "},
                {"hung", "THE KERNEL DID NOT RETURN; ", "KERNEL HUNG; "},
                {"ended early", "THE KERNEL ENDED EARLY; ", "KERNEL ENDED; "},
                {"failed", "THE KERNEL FAILED; ", "KERNEL FAILED; "}};
    const char *ended = sp_words_text(record, SP_F_VERIFY_ENDED, "");
    bool right;
    for (size_t i = 0; i < sizeof news / sizeof *news; i++)
        if (strcmp(news[i].ended, ended) == 0)
            return short_one ? news[i].brief : news[i].text;
    if (!sp_record_flag(record, SP_F_VERIFY_OK, &right) || right)
        return "";
    return short_one ? "RESULT WRONG; " : "THE RESULT IS WRONG; ";
}

json_t *sp_verdict_trust(const struct sp_record *record)
{
    const struct sp_value bytes = sp_record_value(record, SP_F_METRICS_BYTES);
    const char *source = sp_words_text(record, SP_F_COUNTERS_SOURCE, "counters");
    char text[SP_VERDICT_TEXT] = "", brief[SP_VERDICT_TEXT] = "";
    bool validated = false, right = true;
    const bool known = sp_record_flag(record, SP_F_MACHINE_VALIDATED, &validated),
               checked = sp_record_flag(record, SP_F_VERIFY_OK, &right), bad = *bad_news(record, true),
               counted = bytes.origin == SP_MEASURED || bytes.origin == SP_CONSTRUCTED;
    const int n = other_doubts(record);
    const char *stated = sp_verdict_is_stated(record) ? "time stated; " : "";
    if (!sp_value_known(bytes)) {
        snprintf(text, sizeof text, "bytes not known: %.200s",
                 sp_verdict_no_time(record) ? sp_verdict_no_time(record)
                 : sp_record_node(record, SP_F_METRICS_BYTES) && bytes.why
                     ? bytes.why
                     : "the record does not say how many moved");
        snprintf(brief, sizeof brief, "bytes not known");
    } else if (counted) {
        const char *less = has_flag(record, "Q22") ? "; the counters were not tested" : "";
        snprintf(text, sizeof text, "%sbytes %s by %.40s%s", stated, sp_origin_name(bytes.origin), source,
                 *less ? less : "; the counters agree with known volumes");
        snprintf(brief, sizeof brief, "%sbytes %s by %.40s%s", stated, sp_origin_name(bytes.origin), source,
                 less);
    } else {
        const char *how = sp_origin_name(bytes.origin), *why = no_counters(record);
        char on[160];
        snprintf(text, sizeof text, "%sbytes %s (%s)%s", stated, how, why,
                 known && bytes.origin == SP_SIMULATED ? validated_on(record, validated, on, sizeof on) : "");
        snprintf(brief, sizeof brief, "%sbytes %s (%.*s)%s", stated, how, (int)strcspn(why, ":"), why,
                 bad         ? ""
                 : validated ? "; validated"
                             : "; not validated");
    }
    char more[48] = "", last[SP_VERDICT_TEXT];
    const bool misfit = has_flag(record, "Q29");
    if (misfit) {
        snprintf(text, sizeof text, "what was counted does not fit this matrix and machine%s",
                 counted ? "" : "; bytes simulated");
        snprintf(brief, sizeof brief, "the count does not fit this matrix and machine");
    } else if (has_flag(record, "Q31")) {
        snprintf(text, sizeof text, "the time does not fit this matrix and machine; bytes %s",
                 sp_origin_name(bytes.origin));
        snprintf(brief, sizeof brief, "the time does not fit this matrix and machine");
    }
    if (n > 0)
        snprintf(more, sizeof more, "; %d doubt%s: -v", n, n == 1 ? "" : "s");
    if (sp_verdict_is_foreign(record)) { /* said before all else */
        const char *name = sp_words_text(record, SP_F_MACHINE_NAME, "another machine");
        snprintf(last, sizeof last, "caches of %.40s, not of this machine; %.300s", name, text);
        snprintf(text, sizeof text, "%s", last);
        if (!misfit)
            snprintf(brief, sizeof brief, "caches of %.20s, not of this machine", name);
    }
    snprintf(last, sizeof last, "%s%s%s", bad_news(record, false), text, more);
    snprintf(text, sizeof text, "%s", brief);
    snprintf(brief, sizeof brief, "%s%.200s%s", bad_news(record, true), text, more);
    json_t *out = sp_verdict_line(last, brief);
    json_object_set_new(out, "bytes",
                        sp_value_known(bytes) ? json_string(sp_origin_name(bytes.origin)) : json_null());
    json_object_set_new(out, "validated", known ? json_boolean(validated) : json_null());
    json_object_set_new(out, "result", checked ? json_boolean(right) : json_null());
    return out;
}
