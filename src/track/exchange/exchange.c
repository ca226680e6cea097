#include "track/exchange/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "base/option/option_words.h"
#include "io/files/input_file.h"

const struct sp_exchange_format sp_exchange_formats[] = {
    {.name = "gbench",
     .what = "Google Benchmark: JSON (benchmark_format=json)",
     .fields =
         "run_name is the series, real_time with time_unit the time of a run, each repetition one; of "
         "aggregates alone the median; bytes_per_second the bandwidth. context.host_name is the machine, "
         "context.date the time, context.commit (benchmark_context=commit=ID) the commit. Benchmarks "
         "with an error are left out.",
     .is_it = sp_is_gbench,
     .read = sp_read_gbench},
    {.name = "reframe",
     .what = "ReFrame: a performance log with a header line",
     .fields =
         "A column NAME_value with NAME_unit is a value, the test's name and NAME the series; system and "
         "partition "
         "the machine, environ a part of the environment, job_completion_time the time; result other "
         "than pass, and units that are none of those below, are left out. A column commit names the commit.",
     .is_it = sp_is_reframe,
     .read = sp_read_reframe},
    {.name = "caliper",
     .what = "Caliper: the table of runtime-report, or cali-query's JSON records",
     .fields = "The path of regions, joined by /, is the series; Avg time/rank, else the inclusive, else the "
               "exclusive time the time [s]. In JSON the first key with duration; commit, date and "
               "machine (cluster, host) where records have them.",
     .is_it = sp_is_caliper,
     .read = sp_read_caliper},
    {.name = "thicket",
     .what = "Thicket, Hatchet: dataframe.to_csv()",
     .fields =
         "name is the series; Avg time/rank, else time (inc), else time its time [s]; a profile is a run. "
         "commit, date (launchdate) and machine (cluster, host) where the table has these columns.",
     .is_it = sp_is_thicket,
     .read = sp_read_thicket},
    {.name = "csv",
     .what = "any program: a table with a header line",
     .fields = "series, value and unit are needed. date is ISO 8601 or seconds since 1970; commit, branch, "
               "machine, env (what must agree so that two values are compared), metric (else the unit says "
               "it), origin (measured, else simulated: compared without noise). A row is a run; rows of one "
               "series, commit, machine and date are a record.",
     .is_it = sp_is_series_csv,
     .read = sp_read_series_csv,
     .write = sp_write_series_csv},
    {.name = "asv",
     .what = "airspeed velocity: a folder of results",
     .fields =
         "A file a machine, environment and commit: result is the median time, samples the times of the "
         "runs [s], stats_q_25 and stats_q_75 their quartiles. Records without a commit are left out.",
     .write_folder = sp_write_asv},
    {.name = "conbench",
     .what = "Conbench: a list of benchmark results to be posted",
     .fields =
         "tags.name is the series, stats.data the times of the runs [s], machine_info.name the machine, "
         "run_id commit and day; github needs " SP_O_REPOSITORY ". A record is a result.",
     .write = sp_write_conbench},
    {.name = "github-action-benchmark",
     .short_name = "github-action",
     .what = "the GitHub action of this name: customSmallerIsBetter",
     .fields =
         "The newest record of each series: value is the median time [s], and simulated bytes [B]; range "
         "half the distance of the quartiles of the runs.",
     .write = sp_write_github_action},
    {0},
};

const struct sp_exchange_format *sp_exchange_find(const char *name)
{
    for (const struct sp_exchange_format *f = sp_exchange_formats; f->name; f++)
        if (strcmp(f->name, name) == 0 || (f->short_name && strcmp(f->short_name, name) == 0))
            return f;
    return NULL;
}

/* By what the text begins with; NULL: none. */
static const struct sp_exchange_format *exchange_recognise(const char *text, size_t size)
{
    for (const struct sp_exchange_format *f = sp_exchange_formats; f->name; f++)
        if (f->is_it && f->is_it(text, size))
            return f;
    return NULL;
}

enum sp_status sp_exchange_read(const char *path, const struct sp_exchange_format **format,
                                const struct sp_outside_defaults *otherwise, struct sp_outside *out,
                                struct sp_error *err)
{
    static const int64_t most_B = INT64_C(1) << 30;
    char *text;
    size_t size;
    memset(out, 0, sizeof *out);
    enum sp_status status = sp_input_bytes(path, most_B, &text, &size, err);
    if (status != SP_OK)
        return status;
    if (!*format)
        *format = exchange_recognise(text, size);
    if (!*format)
        status =
            sp_fail_at(err, SP_INPUT, path, 1, 0,
                       SP_O_FROM " NAME says which it is; spmodel track import " SP_O_FORMATS " lists them",
                       "it looks like none of the formats that can be imported");
    const struct sp_outside_reading r = {path, text, size, otherwise, out};
    if (status == SP_OK)
        status = (*format)->read(&r, err);
    if (status == SP_OK && out->n == 0)
        status = sp_fail_at(err, SP_INPUT, path, 0, 0, NULL, "no value in it can be tracked%s%s",
                            out->left_out[0] ? ": " : "", out->left_out);
    if (status != SP_OK)
        sp_outside_free(out);
    free(text);
    return status;
}
