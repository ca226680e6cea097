/* Writes records as one would be measured elsewhere in time: the same runs, with times, roofs and bytes
 * multiplied and a noise of its own, so that tests of tracking need no timing. The same arguments give the
 * same records. Usage: vary_record RECORD FOLDER FIRST COUNT [time=F] [roof=F] [bytes=F] [lambda=VALUE]
 * [noise=F] [runs=N] [host=NAME] [env=KEY] [machine=NAME] [caches=F] (sizes) [origin=WORD] (of the bytes)
 * [dram=F] [llc=F] [control=F] [sentinels=0] [memory=1] (the level that holds the data) [code=N]
 * [instructions=N] (of an execution; 0: unknown) [version=N] (of simulated bytes; 0: none, as in old
 * records). Record i of FIRST ... FIRST + COUNT - 1 is started i minutes into the year 2040. */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 5 };
static struct change {
    const char *name;
    double value;
} changes[] = {{"time", 1},   {"roof", 1}, {"bytes", 1},        {"lambda", 1},  {"noise", 0.01},
               {"runs", 5},   {"dram", 1}, {"llc", 1},          {"control", 1}, {"sentinels", 1},
               {"memory", 0}, {"code", 1}, {"instructions", 0}, {"version", 1}, {"caches", 1}};
enum {
    TIME,
    ROOF,
    BYTES,
    LAMBDA,
    NOISE,
    RUNS,
    DRAM,
    LLC,
    CONTROL,
    SENTINELS,
    MEMORY,
    CODE,
    INSTRUCTIONS,
    VERSION,
    CACHES,
    N_CHANGES
};

/* Where it was measured, key of its environment, the machine's name, on whose word bytes are; NULL: as it is.
 */
static const char *host, *env, *machine, *origin;
static uint64_t state;

/* Uniform in [-1, 1): a multiplicative generator's upper bits. */
static double random_unit(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)state / 9223372036854775808.0;
}

static double noisy(double value)
{
    return value * exp(changes[NOISE].value * (random_unit() + random_unit() + random_unit()));
}

static void set_number(json_t *object, const char *field, double value)
{
    if (json_is_number(json_object_get(object, field)))
        json_object_set_new(object, field, json_real(value));
}

/* Known from here on, also where the record did not know it. */
static void set_metric(json_t *record, const char *name, double value)
{
    static const char *const fields[] = {"value", "lo", "hi"};
    json_t *metric = json_object_get(json_object_get(record, "metrics"), name);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        json_object_set_new(metric, fields[i], json_real(value));
    if (!json_object_get(metric, "origin"))
        json_object_set_new(metric, "origin", json_string("measured"));
    json_object_del(metric, "why");
}

static double metric(json_t *record, const char *name)
{
    return json_number_value(
        json_object_get(json_object_get(json_object_get(record, "metrics"), name), "value"));
}

static json_t *bytes_of(json_t *record)
{
    return json_object_get(json_object_get(record, "metrics"), "bytes");
}

/* Samples of all runs, and the metrics that follow from them. */
static void set_runs(json_t *record)
{
    const double time = metric(record, "time") * changes[TIME].value,
                 bytes = metric(record, "bytes") * changes[BYTES].value;
    json_t *runs = json_object_get(record, "runs"), *like = json_deep_copy(json_array_get(runs, 0)), *roof;
    const double roof_Bps =
        json_number_value(json_array_get(json_object_get(like, "roof_Bps"), 0)) * changes[ROOF].value;
    json_array_clear(runs);
    for (int run = 0; run < (int)changes[RUNS].value; run++) {
        json_t *one = json_deep_copy(like), *times = json_array(), *roofs = json_array();
        const double of_run = noisy(time), roof_of_run = noisy(roof_Bps);
        for (int i = 0; i < SAMPLES; i++) {
            json_array_append_new(times, json_real(of_run));
            json_array_append_new(roofs, json_real(roof_of_run));
        }
        json_object_set_new(one, "time_s", times);
        json_object_set_new(one, "roof_Bps", roofs);
        json_array_append_new(runs, one);
    }
    json_decref(like);
    set_metric(record, "time", time);
    set_metric(record, "bytes", bytes);
    if (changes[VERSION].value > 0)
        json_object_set_new(bytes_of(record), "version", json_integer((int)changes[VERSION].value));
    else
        json_object_del(bytes_of(record), "version");
    set_metric(record, "bandwidth", bytes / time);
    set_metric(record, "lambda_t", changes[LAMBDA].value);
    size_t i;
    json_array_foreach(json_object_get(record, "roofs"), i, roof)
        set_number(roof, "value", json_number_value(json_object_get(roof, "value")) * changes[ROOF].value);
}

/* The kernel's code, and what the machine showed beside the runs, twice the same; also where the record did
 * not know it. */
static void set_surroundings(json_t *record)
{
    static const double rate[] = {20e9, 100e9, 5e8};
    json_t *sentinels = json_pack("{s:i}", "version", 1);
    for (int i = DRAM; i <= CONTROL; i++) {
        const double x = rate[i - DRAM] * changes[i].value;
        json_object_set_new(sentinels, changes[i].name,
                            json_pack("{s:s, s:s, s:[f, f], s:f}", "unit", i == CONTROL ? "1/s" : "B/s",
                                      "origin", "measured", "values", x, x, "spread", 0.0));
    }
    json_object_set_new(record, "sentinels", sentinels);
    if (changes[SENTINELS].value == 0)
        json_object_del(record, "sentinels");
    json_object_set_new(json_object_get(record, "config"), "code_hash",
                        json_sprintf("%016d", (int)changes[CODE].value));
    if (changes[MEMORY].value != 0)
        json_object_set_new(json_object_get(record, "binding"), "level", json_string("MEM"));
}

static void set_instructions(json_t *record)
{
    json_t *event;
    size_t i;
    json_array_foreach(json_object_get(record, "core_events"), i, event)
    {
        const char *name = json_string_value(json_object_get(event, "name"));
        const double n = changes[INSTRUCTIONS].value;
        if (!name || strcmp(name, "instructions") != 0)
            continue;
        json_object_set_new(event, "each",
                            n > 0 ? json_pack("{s:f, s:f, s:f, s:s, s:s}", "value", n, "lo", n, "hi", n,
                                              "unit", "1", "origin", "measured")
                                  : json_pack("{s:n, s:s, s:s}", "value", "unit", "1", "why", "not counted"));
        json_object_set_new(event, "running_share", n > 0 ? json_real(1) : json_null());
    }
}

/* The described machine, whose caches are simulated. */
static void set_machine(json_t *record)
{
    json_t *described = json_object_get(record, "machine"), *cache;
    size_t i;
    if (machine)
        json_object_set_new(described, "name", json_string(machine));
    if (origin)
        json_object_set_new(bytes_of(record), "origin", json_string(origin));
    json_array_foreach(json_object_get(described, "caches"), i, cache) json_object_set_new(
        cache, "size_B",
        json_integer((json_int_t)((double)json_integer_value(json_object_get(cache, "size_B")) *
                                  changes[CACHES].value)));
}

/* Flags of times that it has no more. */
static void forget_noise(json_t *record)
{
    static const char *const codes[] = {"Q02", "Q04", "Q28"};
    json_t *flags = json_object_get(record, "flags");
    for (size_t i = json_array_size(flags); i-- > 0;)
        for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
            const char *code = json_string_value(json_object_get(json_array_get(flags, i), "code"));
            if (code && strcmp(code, codes[k]) == 0) {
                json_array_remove(flags, i);
                break;
            }
        }
}

static int write_one(const json_t *original, const char *folder, int i)
{
    char path[1024], start[32], id[64];
    json_t *record = json_deep_copy(original);
    state = 0x9e3779b97f4a7c15u * (uint64_t)(i + 1);
    snprintf(start, sizeof start, "2040-01-01T%02d:%02d:00Z", i / 60, i % 60);
    snprintf(id, sizeof id, "varied-%04d", i);
    snprintf(path, sizeof path, "%s/%s.json", folder, id);
    json_object_set_new(record, "id", json_string(id));
    forget_noise(record);
    json_object_set_new(json_object_get(record, "time"), "start", json_string(start));
    json_object_set_new(json_object_get(record, "time"), "end", json_string(start));
    if (host)
        json_object_set_new(json_object_get(json_object_get(record, "env"), "detail"), "host",
                            json_string(host));
    if (env)
        json_object_set_new(json_object_get(record, "env"), "key", json_string(env));
    set_machine(record);
    set_runs(record);
    set_surroundings(record);
    set_instructions(record);
    const int failed = json_dump_file(record, path, JSON_INDENT(2));
    json_decref(record);
    if (failed)
        printf("%s: cannot be written\n", path);
    return failed ? 1 : 0;
}

static bool is_of(const char *argument, const char *equals, const char *name)
{
    return strlen(name) == (size_t)(equals - argument) && strncmp(name, argument, strlen(name)) == 0;
}

static int take_change(const char *argument)
{
    static const struct {
        const char *name, **value;
    } words[] = {{"host", &host}, {"env", &env}, {"machine", &machine}, {"origin", &origin}};
    const char *equals = strchr(argument, '=');
    for (size_t i = 0; equals && i < sizeof words / sizeof *words; i++)
        if (is_of(argument, equals, words[i].name)) {
            *words[i].value = equals + 1;
            return 0;
        }
    for (int i = 0; equals && i < N_CHANGES; i++)
        if (is_of(argument, equals, changes[i].name)) {
            changes[i].value = atof(equals + 1);
            return 0;
        }
    printf("%s: not a change\n", argument);
    return 2;
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *original = argc > 4 ? json_load_file(argv[1], 0, &error) : NULL;
    if (!original) {
        puts("usage: vary_record RECORD FOLDER FIRST COUNT [CHANGE=VALUE]...");
        return 2;
    }
    int bad = 0;
    for (int i = 5; i < argc && !bad; i++)
        bad = take_change(argv[i]);
    for (int i = atoi(argv[3]); i < atoi(argv[3]) + atoi(argv[4]) && !bad; i++)
        bad = write_one(original, argv[2], i);
    json_decref(original);
    return bad;
}
