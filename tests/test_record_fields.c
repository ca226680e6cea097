/* The table of a record's fields, and the tables whose names must have a row in it. */
#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/record/record_request.h"
#include "model/losses.h"
#include "probes/cuda/gpu_counters.h"
#include "run_suite.h"
#include "track/store/entry.h"

static const char *const ids[SP_N_FIELDS] = {
#define FIELD(id, ...) [SP_F_##id] = #id,
#include "io/record/record_fields.inc"
};

START_TEST(ids_are_paths_in_capitals)
{
    for (int i = SP_F_NONE + 1; i < SP_N_FIELDS; i++) {
        char id[128] = "";
        const char *path = sp_field_path((enum sp_record_field)i);
        for (size_t k = 0; path[k] && k + 1 < sizeof id; k++)
            id[k] = path[k] == '.' ? '_' : (char)toupper((unsigned char)path[k]);
        ck_assert_str_eq(id, ids[i]);
        ck_assert_int_eq(sp_field_find(path), i); /* once */
    }
    ck_assert_int_eq(sp_field_find("metrics"), SP_F_METRICS);
    ck_assert_int_eq(sp_field_find("no.such.field"), SP_F_NONE);
    ck_assert_int_eq(sp_field_in(SP_F_METRICS, "time"), SP_F_METRICS_TIME);
    ck_assert_int_eq(sp_field_in(SP_F_METRICS, "times"), SP_F_NONE);
    ck_assert_str_eq(sp_field_key(SP_F_METRICS_TIME), "time");
    ck_assert_str_eq(sp_field_within(SP_F_METRICS_TIME, SP_F_METRICS), "time");
    ck_assert_ptr_null(sp_field_within(SP_F_METRICS_BYTES_VERSION, SP_F_METRICS));
    ck_assert_ptr_null(sp_field_within(SP_F_METRICS_TIME, SP_F_TIME));
    ck_assert_ptr_null(sp_field_within(SP_F_METRICS, SP_F_METRICS));
    ck_assert_ptr_null(sp_field_within(SP_F_NONE, SP_F_METRICS));
    ck_assert_ptr_null(sp_field_path(SP_F_NONE));
}
END_TEST

START_TEST(rows_say_what_is_needed)
{
    for (int i = SP_F_NONE + 1; i < SP_N_FIELDS; i++) {
        const struct sp_field_facts *f = &sp_record_fields[i];
        const bool is_metric = f->type == SP_A_METRIC;
        ck_assert_msg(!is_metric || (f->unit && f->words && f->better), "%s", f->path);
        ck_assert_msg(!f->symbol || f->unit || f->type == SP_A_COUNT, "%s has a symbol and no unit", f->path);
        for (int k = 0; k < SP_N_DEFINITIONS; k++)
            ck_assert_msg(is_metric || !f->other[k], "%s", f->path);
    }
    ck_assert_int_eq(sp_field_of_symbol("alpha"), SP_F_METRICS_ALPHA);
    ck_assert_int_eq(sp_field_of_symbol("n_h"), SP_F_LAYOUT_STORED);
    ck_assert_int_eq(sp_field_of_symbol("n_stored"), SP_F_LAYOUT_STORED);
    ck_assert_int_eq(sp_field_of_symbol("no_such"), SP_F_NONE);
}
END_TEST

/* One for each number from 1 on, so that no column is lost. */
START_TEST(columns_have_places)
{
    int n = 0;
    for (int i = SP_F_NONE + 1; i < SP_N_FIELDS; i++)
        n += sp_record_fields[i].csv.place > 0;
    for (int place = 1; place <= n; place++) {
        int found = 0;
        for (int i = SP_F_NONE + 1; i < SP_N_FIELDS; i++)
            found += sp_record_fields[i].csv.place == place;
        ck_assert_msg(found == 1, "%d columns in place %d", found, place);
    }
    ck_assert_int_ge(n, 49);
}
END_TEST

/* What is found by a name has a row. */
START_TEST(names_of_other_tables_are_fields)
{
    for (int i = 0; i < SP_N_LOSSES; i++)
        ck_assert(sp_loss_origin(sp_field_in(SP_F_LOSSES, sp_loss_name((enum sp_loss)i))) != SP_F_NONE);
    for (int i = 0; i < SP_N_LOSS_ROWS; i++)
        ck_assert(sp_loss_origin(sp_loss_words[i].field) != SP_F_NONE);
    ck_assert_int_eq(sp_loss_origin(SP_F_METRICS_TIME), SP_F_NONE);
    ck_assert_int_eq(sp_loss_origin(SP_F_NONE), SP_F_NONE);
    for (int i = 0; i < SP_N_GPU_COUNTS; i++) {
        const enum sp_record_field f = sp_field_in(SP_F_GPU_COUNTS, sp_gpu_count_words[i].name);
        ck_assert_msg(f != SP_F_NONE, "%s has no row", sp_gpu_count_words[i].name);
        ck_assert_str_eq(sp_record_fields[f].unit, sp_gpu_count_words[i].unit);
    }
    for (int i = 0; i < SP_N_TRACKED; i++) {
        const struct sp_tracked_metric *m = &sp_tracked_metrics[i];
        if (m->field == SP_F_NONE)
            continue;
        ck_assert_str_eq(m->name, sp_field_key(m->field));
        ck_assert_str_eq(m->unit, sp_record_fields[m->field].unit);
        ck_assert_str_eq(sp_record_fields[m->field].better, m->less_is_better ? "lower" : "higher");
    }
    for (int i = 0; i < SP_N_OPTIONS; i++)
        if (sp_run_options[i].bits & SP_OF_SERIES)
            ck_assert_ptr_nonnull(sp_request_key((enum sp_option)i));
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("record_fields");
    tcase_add_test(c, ids_are_paths_in_capitals);
    tcase_add_test(c, rows_say_what_is_needed);
    tcase_add_test(c, columns_have_places);
    tcase_add_test(c, names_of_other_tables_are_fields);
    Suite *s = suite_create("record_fields");
    suite_add_tcase(s, c);
    return run_suite(s);
}
