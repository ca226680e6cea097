#include "report/report_csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "io/files/atomic_file.h"
#include "io/record/record.h"

static const struct column {
    const char *name;
    const char *path; /* of a text or number; of a metric's field */
} columns[] = {
    {"id", "id"},
    {"status", "status"},
    {"start", "time.start"},
    {"matrix", "problem.name"},
    {"rows", "problem.rows"},
    {"cols", "problem.cols"},
    {"nnz", "problem.nnz"},
    {"reorder", "problem.reorder"},
    {"machine", "machine.name"},
    {"env_key", "env.key"},
    {"op", "config.op"},
    {"format", "config.format"},
    {"format_option", "config.format_option"},
    {"C", "config.C"},
    {"sigma", "config.sigma"},
    {"precision", "config.precision"},
    {"index", "config.index"},
    {"rhs", "config.rhs"},
    {"inner", "config.inner"},
    {"order", "config.order"},
    {"threads", "config.threads"},
    {"schedule", "config.schedule"},
    {"cache", "config.cache"},
    {"kernel", "config.kernel"},
    {"time_s", "metrics.time.value"},
    {"time_lo_s", "metrics.time.lo"},
    {"time_hi_s", "metrics.time.hi"},
    {"time_origin", "metrics.time.origin"},
    {"performance_flop_per_s", "metrics.performance.value"},
    {"level", "binding.level"},
    {"bytes_B", "metrics.bytes.value"},
    {"bytes_lo_B", "metrics.bytes.lo"},
    {"bytes_hi_B", "metrics.bytes.hi"},
    {"bytes_origin", "metrics.bytes.origin"},
    {"bytes_min_B", "metrics.bytes_min.value"},
    {"alpha", "metrics.alpha.value"},
    {"alpha_lo", "metrics.alpha.lo"},
    {"alpha_hi", "metrics.alpha.hi"},
    {"alpha_origin", "metrics.alpha.origin"},
    {"alpha_min", "metrics.alpha_min.value"},
    {"beta", "metrics.beta.value"},
    {"balance_B_per_flop", "metrics.balance.value"},
    {"balance_min_B_per_flop", "metrics.balance_min.value"},
    {"bandwidth_B_per_s", "metrics.bandwidth.value"},
    {"bandwidth_origin", "metrics.bandwidth.origin"},
    {"bandwidth_fraction", "metrics.bandwidth_fraction.value"},
    {"model_fraction", "metrics.model_fraction.value"},
    {"p_core_flop_per_s", "metrics.p_core.value"},
    {"lambda_nz", "metrics.lambda_nz.value"},
    {"lambda_t", "metrics.lambda_t.value"},
    {"loss_min_traffic_s", "losses.min_traffic"},
    {"loss_padding_s", "losses.padding"},
    {"loss_extra_x_s", "losses.extra_x"},
    {"loss_extra_x_domains_s", "losses.extra_x_domains"},
    {"loss_imbalance_s", "losses.imbalance"},
    {"loss_in_core_s", "losses.in_core"},
    {"loss_rest_s", "losses.rest"},
    {"max_rel_err", "verify.max_rel_err"},
    {"state", "conditions.state"},
    {"flags", "flags"},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

/* A loss as rows that add up to the time have it; false: the column is none, or not known. */
static bool loss_of(const struct sp_record *record, const char *path, double *seconds)
{
    static const char losses[] = "losses.";
    if (strncmp(path, losses, sizeof losses - 1) != 0)
        return false;
    for (int i = 0; i < SP_N_LOSS_ROWS; i++)
        if (strcmp(path + sizeof losses - 1, sp_loss_words[i].key) == 0)
            return sp_record_loss(record, i, seconds);
    return false;
}

/* jansson writes C numbers in every locale, printf would not. */
static void put_number(const json_t *node, FILE *out)
{
    char number[48];
    size_t n = json_dumpb(node, number, sizeof number - 1, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    number[n < sizeof number ? n : 0] = '\0';
    fputs(number, out);
}

static void put_loss(double seconds, FILE *out)
{
    json_t *node = json_real(seconds);
    put_number(node, out);
    json_decref(node);
}

void sp_report_csv_header(FILE *out)
{
    for (int i = 0; i < N_COLUMNS; i++)
        sp_print(out, "%s%s", i ? "," : "", columns[i].name);
    fputc('\n', out);
}

/* "Q01 Q05" */
static void put_codes(const json_t *flags, FILE *out)
{
    char text[256] = "";
    size_t i, used = 0;
    const json_t *flag;
    json_array_foreach(flags, i, flag)
    {
        const char *code = sp_item_text(flag, "code");
        if (code && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", code);
    }
    sp_csv_field(out, text);
}

void sp_report_csv_row(const struct sp_record *record, FILE *out)
{
    for (int i = 0; i < N_COLUMNS; i++) {
        const json_t *node = sp_record_node(record, columns[i].path);
        double seconds;
        if (i)
            fputc(',', out);
        if (loss_of(record, columns[i].path, &seconds))
            put_loss(seconds, out);
        else if (json_is_array(node))
            put_codes(node, out);
        else if (json_is_string(node))
            sp_csv_field(out, json_string_value(node));
        else if (json_is_integer(node))
            sp_print(out, "%lld", (long long)json_integer_value(node));
        else if (json_is_real(node))
            put_number(node, out);
    }
    fputc('\n', out);
}

/* The whole file, "" where there is none; to be freed. */
static enum sp_status old_content(const char *path, char **text, size_t *size, struct sp_error *err)
{
    *text = NULL;
    *size = 0;
    FILE *in = fopen(path, "r");
    if (!in && errno == ENOENT)
        return SP_OK;
    if (!in)
        return sp_fail_at(err, SP_OUTPUT, path, 0, 0, "choose a file that you may read and write",
                          "cannot read the CSV file to add to it: %s", strerror(errno));
    FILE *memory = open_memstream(text, size);
    char block[65536];
    size_t n;
    while (memory && (n = fread(block, 1, sizeof block, in)) > 0)
        fwrite(block, 1, n, memory);
    bool failed = ferror(in) || !memory;
    fclose(in);
    if (memory && fclose(memory) != 0)
        failed = true;
    if (!failed)
        return SP_OK;
    free(*text);
    *text = NULL;
    *size = 0;
    return sp_fail_at(err, SP_OUTPUT, path, 0, 0, NULL, "cannot read the CSV file to add to it");
}

enum sp_status sp_report_csv_append(const char *path, const struct sp_record *const *records, int n,
                                    struct sp_error *err)
{
    char *old, *header = NULL;
    size_t old_size, header_size = 0;
    struct sp_atomic_file file = {0};
    enum sp_status status = old_content(path, &old, &old_size, err);
    if (status != SP_OK)
        return status;
    FILE *memory = open_memstream(&header, &header_size);
    if (memory)
        sp_report_csv_header(memory);
    if (!memory || fclose(memory) != 0) {
        status = sp_fail(err, SP_MEMORY, NULL, "no memory for the CSV header");
        goto done;
    }
    if (old_size > 0 && (old_size < header_size || memcmp(old, header, header_size) != 0)) {
        status = sp_fail_at(err, SP_INPUT, path, 1, 0, "give another file name",
                            "the file exists and does not begin with the columns of this version");
        goto done;
    }
    status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        goto done;
    if (old_size == 0)
        fputs(header, file.stream);
    fwrite(old ? old : "", 1, old_size, file.stream);
    if (old_size > 0 && old[old_size - 1] != '\n')
        fputc('\n', file.stream);
    for (int i = 0; i < n; i++)
        sp_report_csv_row(records[i], file.stream);
    status = sp_atomic_commit(&file, err);
done:
    free(old);
    free(header);
    return status;
}
