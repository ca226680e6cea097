#include "api/result.h"

#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/places.h"
#include "report/html/report_html.h"
#include "report/text/report_text.h"
#include "report/text/sections.h"
#include "report/verdict/verdict.h"

/* Predictions have their JSON alone. */
static bool is_of_a_run(const struct sp_record *record)
{
    const char *schema;
    return sp_record_text(record, SP_F_SCHEMA, &schema) && strcmp(schema, SP_RECORD_SCHEMA) == 0;
}

struct spmodel_result *sp_result_of(struct sp_record *record)
{
    struct spmodel_result *r = calloc(1, sizeof *r);
    if (r && is_of_a_run(record) && !sp_record_node(record, SP_F_VERDICT))
        sp_verdict_put(record);
    if (r && !record->failed) {
        r->record = *record;
        memset(record, 0, sizeof *record);
        return r;
    }
    free(r);
    sp_record_free(record);
    return NULL;
}

void spmodel_result_free(spmodel_result *r)
{
    if (!r)
        return;
    for (int i = 0; i < SP_RESULT_FORMS; i++)
        free(r->text[i]);
    sp_record_free(&r->record);
    free(r);
}

static enum sp_status write_html(const struct sp_record *record, FILE *out)
{
    char gnuplot[1024];
    const struct sp_html_options options = {
        .tool = {.gnuplot = sp_find_program("gnuplot", gnuplot, sizeof gnuplot)}};
    return sp_report_html(&record, 1, &options, out, NULL);
}

static enum sp_status write_form(const struct sp_record *record, enum spmodel_form form, FILE *out)
{
    struct sp_report_style style = {.utf8 = true, .verbosity = form == SPMODEL_FULL ? 1 : 0};
    struct sp_pen pen;
    switch (form) {
    case SPMODEL_VERDICT:
        sp_pen_open(&pen, &style, out);
        sp_section_verdict(&pen, record);
        return SP_OK;
    case SPMODEL_REPORT:
    case SPMODEL_FULL:
        sp_report_text(record, &style, out);
        return SP_OK;
    case SPMODEL_JSON:
        return sp_record_print(record, out, false, NULL);
    case SPMODEL_HTML:
        return write_html(record, out);
    }
    return SP_USAGE;
}

/* Numbers of the C locale, whatever the caller's is. */
static char *print_form(const struct sp_record *record, enum spmodel_form form)
{
    char *text = NULL;
    size_t size = 0;
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    FILE *out = c ? open_memstream(&text, &size) : NULL;
    if (!out) {
        if (c)
            freelocale(c);
        return NULL;
    }
    const locale_t before = uselocale(c);
    bool good = write_form(record, form, out) == SP_OK && !ferror(out);
    good = fclose(out) == 0 && good;
    uselocale(before);
    freelocale(c);
    if (good)
        return text;
    free(text);
    return NULL;
}

/* Reports divide and compare what may be 0 or not known: without the caller's traps. */
static char *make_text(const struct sp_record *record, enum spmodel_form form)
{
    fenv_t arithmetic;
    fegetenv(&arithmetic);
    fesetenv(FE_DFL_ENV);
    char *text = print_form(record, form);
    fesetenv(&arithmetic);
    return text;
}

const char *spmodel_text(spmodel_result *r, enum spmodel_form form)
{
    if (!r || (int)form < 0 || (int)form >= SP_RESULT_FORMS)
        return NULL;
    if (!r->text[form] && (form == SPMODEL_JSON || is_of_a_run(&r->record)))
        r->text[form] = make_text(&r->record, form);
    return r->text[form];
}

/* The time that the model expects: model_fraction = t_model / t. */
static struct sp_value model_time(const struct sp_record *record)
{
    const struct sp_value t = sp_record_value(record, SP_F_METRICS_TIME);
    struct sp_value f = sp_record_value(record, SP_F_METRICS_MODEL_FRACTION);
    if (!sp_value_known(t) || !sp_value_known(f))
        return sp_value_known(t) ? f : t;
    return sp_value_of(f.value * t.value, SP_MODELLED);
}

static struct sp_value value_of(const struct sp_record *record, enum spmodel_number number)
{
    switch (number) {
    case SPMODEL_TIME_S:
        return sp_record_value(record, SP_F_METRICS_TIME);
    case SPMODEL_MODEL_TIME_S:
        return model_time(record);
    case SPMODEL_FLOP_S:
        return sp_record_value(record, SP_F_METRICS_PERFORMANCE);
    case SPMODEL_BYTES_B:
        return sp_record_value(record, SP_F_METRICS_BYTES);
    case SPMODEL_BANDWIDTH_BPS:
        return sp_record_value(record, SP_F_METRICS_BANDWIDTH);
    case SPMODEL_ROOF_BPS:
        return sp_record_roof(record) ? sp_record_value_of(sp_record_roof(record))
                                      : sp_value_none("no roof belongs to it");
    case SPMODEL_FRACTION:
        return sp_record_value(record, SP_F_METRICS_BANDWIDTH_FRACTION);
    case SPMODEL_ALPHA:
        return sp_record_value(record, SP_F_METRICS_ALPHA);
    case SPMODEL_BALANCE_BPF:
        return sp_record_value(record, SP_F_METRICS_BALANCE);
    case SPMODEL_IMBALANCE:
        return sp_record_value(record, SP_F_METRICS_LAMBDA_T);
    }
    return sp_value_none("");
}

int spmodel_number(const spmodel_result *r, enum spmodel_number number, struct spmodel_value *out)
{
    if (!r || !out || out->size < sizeof *out || (int)number < 0 || number > SPMODEL_IMBALANCE)
        return SPMODEL_USAGE;
    fenv_t arithmetic;
    fegetenv(&arithmetic);
    fesetenv(FE_DFL_ENV); /* as in make_text() */
    const struct sp_value v = value_of(&r->record, number);
    fesetenv(&arithmetic);
    const bool known = sp_value_known(v);
    out->value = known ? v.value : NAN;
    out->lo = known ? v.lo : NAN;
    out->hi = known ? v.hi : NAN;
    out->origin = sp_origin_name(v.origin);
    out->why = known || !v.why ? "" : v.why;
    return SPMODEL_OK;
}
