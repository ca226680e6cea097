#include <stdlib.h>
#include <string.h>

#include "cli/core/flat_csv.h"
#include "cli/matrix/info.h"

static int put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value);
}

static int put_estimate(json_t *object, const char *key, struct sp_estimate e)
{
    char error_key[64];
    snprintf(error_key, sizeof error_key, "%s_error", key);
    int bad = put(object, key, e.known ? json_real(e.value) : json_null());
    return bad | put(object, error_key, e.known ? json_real(e.error) : json_null());
}

static int put_places(json_t *o, const struct sp_structure *s)
{
    int bad = 0;
    bad |= put(o, "lower_bandwidth", json_integer(s->lower_bandwidth));
    bad |= put(o, "upper_bandwidth", json_integer(s->upper_bandwidth));
    bad |= put(o, "profile", json_integer(s->profile));
    bad |= put(o, "mean_distance", s->n_nz > 0 ? json_real(s->mean_distance) : json_null());
    bad |= put(o, "diagonal_entries", json_integer(s->n_diagonal));
    bad |= put_estimate(o, "pattern_symmetry", s->pattern_symmetry);
    bad |= put_estimate(o, "value_symmetry", s->value_symmetry);
    return bad;
}

static int put_formats(json_t *o, const struct sp_info *info)
{
    const struct sp_structure *s = &info->structure;
    char key[64];
    int bad = 0;
    for (int b = 0; b < SP_STRUCTURE_BLOCKS; b++) {
        const struct sp_block_fill *block = &s->block[b];
        snprintf(key, sizeof key, "bcsr_%dx%d_blocks", (int)block->b_h, (int)block->b_w);
        bad |= put_estimate(o, key, block->n_e);
        snprintf(key, sizeof key, "bcsr_%dx%d_beta", (int)block->b_h, (int)block->b_w);
        bad |= put_estimate(o, key, block->beta);
    }
    for (int c = 0; c < SP_INFO_CHUNKS; c++)
        for (int w = 0; w < SP_INFO_WINDOWS; w++) {
            snprintf(key, sizeof key, "sell_%d_%lld_beta", (int)sp_info_chunk[c],
                     (long long)sp_info_window[w]);
            bad |= put(o, key, json_real(info->beta[c][w]));
        }
    return bad;
}

json_t *sp_info_json(const struct sp_info *info)
{
    const struct sp_structure *s = &info->structure;
    json_t *o = json_object();
    int bad = o == NULL;
    bad |= put(o, "schema", json_string("spmodel.info/1"));
    bad |= put(o, "name", json_string(info->name));
    bad |= put(o, "source", json_string(info->source));
    bad |= put(o, "file_B", info->file_B > 0 ? json_real(info->file_B) : json_null());
    bad |= put(o, "rows", json_integer(s->n_r));
    bad |= put(o, "cols", json_integer(s->n_c));
    bad |= put(o, "nnz", json_integer(s->n_nz));
    bad |= put(o, "field", json_string(sp_field_name(s->field)));
    bad |= put(o, "symmetry", json_string(sp_symmetry_name(s->symmetry)));
    bad |= put(o, "explicit_zeros", json_integer(s->n_zeros));
    bad |= put(o, "duplicates", json_integer(s->n_duplicates));
    bad |= put(o, "row_mean", s->n_r > 0 ? json_real(s->n_nzr) : json_null());
    bad |= put(o, "row_min", json_integer(s->row_min));
    bad |= put(o, "row_median", json_integer(s->row_median));
    bad |= put(o, "row_p99", json_integer(s->row_p99));
    bad |= put(o, "row_max", json_integer(s->row_max));
    bad |= put(o, "row_cv", s->n_nz > 0 ? json_real(s->row_cv) : json_null());
    bad |= put(o, "empty_rows", json_integer(s->n_empty_rows));
    bad |= put(o, "col_mean", s->n_c > 0 ? json_real(s->n_nzc) : json_null());
    bad |= put(o, "empty_cols", json_integer(s->n_c - s->n_c_used));
    bad |= put_places(o, s);
    bad |= put(o, "distinct_values", json_integer(s->n_distinct));
    bad |= put(o, "distinct_values_is_lower_bound", json_boolean(s->distinct_at_least));
    bad |= put(o, "entries_inexact_in_f32", json_integer(s->n_inexact_f32));
    bad |= put(o, "crs_B", json_real(s->crs_B));
    bad |= put(o, "vectors_B", json_real(s->vector_B));
    bad |= put_estimate(o, "sell_8_unit_share", s->unit_share);
    bad |= put_formats(o, info);
    if (bad) {
        json_decref(o);
        return NULL;
    }
    return o;
}

enum sp_status sp_info_csv(const struct sp_info *info, bool with_header, FILE *out, struct sp_error *err)
{
    json_t *o = sp_info_json(info);
    if (!o)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for a CSV row");
    sp_flat_csv(o, with_header, out);
    json_decref(o);
    return SP_OK;
}
