#include "cli/analyze/follow_recording.h"

#include <string.h>

static enum sp_status unknown(const struct sp_recording *r, const char *key, const char *text,
                              struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, r->path, 0, 0, "name it on the command line, or mend the recording",
                      "its config.%s '%s' is not known here", key, text);
}

/* "crs", "sell:32,256" as it was typed, or from its three fields. */
static enum sp_status follow_format(const struct sp_recording *r, struct sp_run_options *run,
                                    struct sp_error *err)
{
    const char *format = sp_recording_config(r, "format"), *option = sp_recording_config(r, "format_option");
    struct sp_workload tried = {0};
    int64_t C, sigma;
    if (!format || run->format_given)
        return SP_OK;
    if (option)
        snprintf(run->recorded_format, sizeof run->recorded_format, "%s", option);
    else if (sp_record_count(&r->record, "config.C", &C) &&
             sp_record_count(&r->record, "config.sigma", &sigma) &&
             strcmp(format, sp_format_name(SP_FORMAT_CRS)) != 0)
        snprintf(run->recorded_format, sizeof run->recorded_format, "%s:%lld,%lld", format, (long long)C,
                 (long long)sigma);
    else
        snprintf(run->recorded_format, sizeof run->recorded_format, "%s", format);
    if (sp_workload_set_format(&tried, run->recorded_format, NULL) != SP_OK)
        return unknown(r, "format", run->recorded_format, err);
    run->analyze.format = run->recorded_format;
    return SP_OK;
}

static enum sp_status follow_words(const struct sp_recording *r, struct sp_run_options *run,
                                   struct sp_error *err)
{
    const char *schedule = sp_recording_config(r, "schedule"),
               *precision = sp_recording_config(r, "precision"), *index = sp_recording_config(r, "index");
    struct sp_workload tried = {0};
    if (schedule && !run->schedule_given) {
        if (sp_workload_set_schedule(&tried, schedule, NULL) != SP_OK)
            return unknown(r, "schedule", schedule, err);
        run->analyze.schedule = schedule;
    }
    if (precision && run->analyze.precision < 0) {
        run->analyze.precision = sp_precision_from_name(precision);
        if (run->analyze.precision < 0)
            return unknown(r, "precision", precision, err);
    }
    if (index && !run->index_given) {
        int known = sp_index_from_name(index);
        if (known < 0)
            return unknown(r, "index", index, err);
        run->analyze.index = (enum sp_index)known;
    }
    return SP_OK;
}

/* Operation, width and order of the operands, where the command line names no operation. */
static enum sp_status follow_op(const struct sp_recording *r, struct sp_op_options *o, struct sp_error *err)
{
    const char *op = sp_recording_config(r, "op"), *order = sp_recording_config(r, "order");
    int64_t width = 1;
    if (!op || o->op_given || o->width_option)
        return SP_OK;
    if (sp_op_from_name(op) < 0)
        return unknown(r, "op", op, err);
    o->op = (enum sp_op)sp_op_from_name(op);
    if (!sp_record_count(&r->record, "config.inner", &width))
        sp_record_count(&r->record, "config.rhs", &width);
    if (width < 1 || width > SP_MAX_WIDTH)
        return sp_fail_at(err, SP_INPUT, r->path, 0, 0, "mend the recording",
                          "its width of the dense operands, %lld, is impossible", (long long)width);
    o->width[0] = (int32_t)width;
    o->n_widths = 1;
    o->order = order && strcmp(order, sp_order_name(SP_COLUMN_MAJOR)) == 0 ? SP_COLUMN_MAJOR : SP_ROW_MAJOR;
    return SP_OK;
}

static enum sp_status follow_caches(const struct sp_recording *r, struct sp_run_options *run,
                                    struct sp_error *err)
{
    const char *cache = sp_recording_config(r, "cache");
    if (!cache || run->analyze.state != SP_WARM || strcmp(cache, "warm") == 0)
        return SP_OK;
    if (strcmp(cache, "between") == 0)
        return sp_fail_at(err, SP_INPUT, r->path, 0, 0, "give the same --between as then",
                          "it was recorded with vectors streamed between executions, and does not say which");
    if (strcmp(cache, "cold") != 0)
        return unknown(r, "cache", cache, err);
    run->analyze.state = SP_COLD;
    return SP_OK;
}

enum sp_status sp_follow_recording(const struct sp_recording *r, struct sp_run_options *run,
                                   struct sp_op_options *op, struct sp_error *err)
{
    const char *order;
    bool nt;
    enum sp_status status = follow_format(r, run, err);
    if (status == SP_OK)
        status = follow_op(r, op, err);
    if (status == SP_OK)
        status = follow_words(r, run, err);
    if (status == SP_OK)
        status = follow_caches(r, run, err);
    if (run->analyze.store_nt == SP_CHOICE_AUTO && sp_record_flag(&r->record, "config.store_nt", &nt))
        run->analyze.store_nt = nt ? SP_CHOICE_ON : SP_CHOICE_OFF;
    const char *pages = sp_recording_config(r, "pages");
    run->analyze.small_pages = run->analyze.small_pages || (pages && strcmp(pages, "small") == 0);
    if (!run->reorder && sp_record_text(&r->record, "problem.reorder", &order))
        run->reorder = order;
    if (run->analyze.n_threads == 0)
        run->analyze.n_threads = sp_recording_threads(r);
    return status;
}
