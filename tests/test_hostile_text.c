/* Text of others in a record, in every place that the schema has for text (hostile_record.h), against every
 * output for people and for other programs: no output may hold what a terminal obeys, none of its lines may
 * begin with the text, and each must stay what it is, XML, CSV, JSON, a table. Plots have a test of their
 * own. Commands run in children of this process, without the guard of standard streams: what prints must do
 * so well by itself; the guard has its test in test_base.c. */
#include <check.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/core/command.h"
#include "hostile_record.h"
#include "io/files/input_file.h"
#include "io/record/record.h"
#include "report/html/report_html.h"
#include "report/report_several.h"
#include "report/text/report_text.h"
#include "require.h"
#include "scratch_dir.h"
#include "share.h"

static const char script[] = "x\nok: forged verdict\n\r\033[2J\007\177\xc2\x9b"
                             "2J\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xe2\x80\xa8"
                             "</script><script>alert(1)</script>]]><!--|`id`$(id)\"';,\\ a:b";
static const char formula[] = "=cmd()|' /C calc'!A0";
static char long_text[10001];

static struct hostile_places places;
static char folder[512], *text;
static size_t size;

/* Where a fault is found: "report of tool.version", for the message. */
static char where[512];

static json_t *load(const char *path)
{
    json_error_t fault;
    json_t *root = json_load_file(path, 0, &fault);
    ck_assert_msg(root != NULL, "%s:%d: %s", path, fault.line, fault.text);
    return root;
}

static json_t *example(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, SP_TEST_DATA "/%s.json", name);
    return load(path);
}

/* The code of a character that begins at p, and its length; by another way than the program's. */
static int decode(const unsigned char *p, uint32_t *code)
{
    const int n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    *code = n == 1 ? p[0] : p[0] & (0x7fu >> n);
    for (int i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (p[i] & 0x3f);
    }
    return p[0] >= 0x80 && p[0] < 0xc2 ? 0 : n;
}

static bool is_obeyed(uint32_t c)
{
    return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c <= 0x9f) || c == 0x200e || c == 0x200f ||
           c == 0x61c || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Nothing in what is printed that a terminal obeys, and no line that the text begins. */
static void check_text(const char *printed)
{
    static const char forged[] = "ok: forged";
    const char *line = printed;
    int length;
    for (const char *p = printed; *p; p += length) {
        uint32_t code;
        length = decode((const unsigned char *)p, &code);
        require_msg(length > 0 && !is_obeyed(code), "%s: a terminal obeys byte %zu, %02x, of: %.200s", where,
                    (size_t)(p - printed), (unsigned char)*p, line);
        if (*p == '\n')
            line = p + 1;
    }
    require_msg(strncmp(printed, forged, strlen(forged)) != 0 && !strstr(printed, "\nok: forged"),
                "%s: a line is forged", where);
}

/* Cells of a line of CSV; *next: behind it. None begins as a formula. */
static int n_cells(const char *line, const char **next)
{
    int n = 1;
    bool quoted = false;
    const char *cell = line;
    for (; *line && (quoted || *line != '\n'); line++) {
        if (*line == '"')
            quoted = !quoted;
        if ((line == cell || (line == cell + 1 && *cell == '"')) && *line == '=')
            ck_abort_msg("%s: a cell is a formula: %.80s", where, cell);
        if (*line == ',' && !quoted) {
            n++;
            cell = line + 1;
        }
    }
    require_msg(!quoted, "%s: a quote does not end", where);
    *next = *line ? line + 1 : line;
    return n;
}

static void check_csv(const char *printed)
{
    const char *next;
    const int n = *printed ? n_cells(printed, &next) : 0;
    for (const char *line = printed; *line; line = next)
        require_msg(n_cells(line, &next) == n, "%s: not %d cells: %.300s", where, n, line);
}

/* Lines of a table have the bars of its head. */
static void check_markdown(const char *printed)
{
    int n_head = -1;
    for (const char *p = printed; *p;) {
        int n = 0;
        const char *line = p;
        for (; *p && *p != '\n'; p++) {
            n += *p == '|';
            p += *p == '\\' && p[1];
        }
        p += *p == '\n';
        n_head = n_head < 0 ? n : n_head;
        require_msg(n == n_head && *line == '|', "%s: %d bars, not %d: %.300s", where, n, n_head, line);
    }
}

static void check_entity(const char *p)
{
    static const char *const known[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(p, known[i], strlen(known[i])) == 0)
            return;
    ck_abort_msg("%s: an & that begins nothing: %.40s", where, p);
}

/* Tags are closed in turn, attributes quoted, text escaped. */
static void check_xml(const char *p)
{
    char open[32][32];
    int depth = 0;
    for (p = strstr(p, "?>") ? strstr(p, "?>") + 2 : p; *p;) {
        if (*p == '&')
            check_entity(p);
        require_msg(strncmp(p, "]]>", 3) != 0 && *p != '>', "%s: not escaped: %.40s", where, p);
        if (*p != '<') {
            p++;
            continue;
        }
        char name[32];
        const bool ends = p[1] == '/';
        p += 1 + ends;
        const size_t length = strcspn(p, " />");
        snprintf(name, sizeof name, "%.*s", (int)length, p);
        for (p += length; *p && *p != '>' && *p != '/'; p++)
            if (*p == '"') {
                for (p++; *p && *p != '"'; p++)
                    if (*p == '<')
                        ck_abort_msg("%s: < in an attribute: %.40s", where, p);
                    else if (*p == '&')
                        check_entity(p);
            }
        const bool alone = *p == '/';
        p += strcspn(p, ">");
        p += *p == '>';
        if (ends)
            require_msg(depth > 0 && strcmp(open[--depth], name) == 0, "%s: </%s> closes nothing", where,
                        name);
        else if (!alone)
            snprintf(open[depth++], sizeof *open, "%s", name);
        require_msg(depth < 31, "%s: too deep", where);
    }
    require_msg(depth == 0, "%s: <%s> is not closed", where, depth > 0 ? open[depth - 1] : "");
}

/* Scripts are data, and the text made no element. */
static void check_html(const char *printed)
{
    for (const char *p = printed; (p = strstr(p, "<script")); p++)
        require_msg(strncmp(p, "<script type=\"application/json\"", 31) == 0, "%s: %.60s", where, p);
    require_msg(!strstr(printed, "alert(1)<") && !strstr(printed, "<!--"), "%s: text became markup", where);
}

/* Whole values of JSON, one after the other. */
static void check_json(const char *printed)
{
    json_error_t fault;
    for (const char *p = printed; p[strspn(p, " \n")];) {
        json_t *value = json_loads(p, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &fault);
        require_msg(value != NULL, "%s: no JSON: %s: %.200s", where, fault.text, p);
        json_decref(value);
        p += fault.position;
    }
}

typedef void print_record(const struct sp_record *r, int variant, FILE *out);
static void print_report(const struct sp_record *r, int variant, FILE *out)
{
    const struct sp_report_style style = {.width = 100, .utf8 = variant % 2 == 0, .verbosity = variant - 1};
    sp_report_text(r, &style, out);
}

/* The page takes most of the time of this test. That of two has a table of both. */
static bool is_alone, has_page;
static void print_page(const struct sp_record *r, int variant, FILE *out)
{
    (void)variant;
    if (!has_page)
        return;
    const struct sp_html_options options = {.no_plots = true};
    const struct sp_record *both[] = {r, r};
    ck_assert_int_eq(sp_report_html(both, is_alone ? 1 : 2, &options, out, NULL), SP_OK);
}

static void print_campaign(const struct sp_record *r, int variant, FILE *out)
{
    (void)variant;
    const struct sp_html_options options = {.no_plots = true};
    json_t *job = json_pack("[{s:s, s:s, s:s, s:s}]", "matrix", script, "run", script, "state", script,
                            "detail", script),
           *unread = json_pack("[s]", script);
    const struct sp_html_campaign campaign = {script, script, job, unread, 2};
    ck_assert_int_eq(sp_report_html_campaign(&campaign, &r, 1, &options, out, NULL), SP_OK);
    json_decref(job);
    json_decref(unread);
}

static void print_lines(const struct sp_record *r, int variant, FILE *out)
{
    (void)variant;
    sp_report_lines(r, out);
}

static void print_row(const struct sp_record *r, int variant, FILE *out)
{
    (void)variant;
    sp_report_csv_header(out);
    sp_report_csv_row(r, out);
}

static void print_sweep(const struct sp_record *r, int variant, FILE *out)
{
    const struct sp_report_style style = {.width = 100, .utf8 = true, .verbosity = variant};
    const struct sp_record *both[] = {r, r};
    sp_report_sweep(r, &style, out);
    sp_report_series(both, 2, &style, out);
}

static void print_sweep_row(const struct sp_record *r, int variant, FILE *out)
{
    (void)variant;
    sp_report_sweep_csv(r, out);
}

typedef void check_form(const char *printed);
static const struct {
    const char *name;
    print_record *print;
    int n_variants;
    check_form *form;
} outputs[] = {{"report", print_report, 4, NULL},
               {"page", print_page, 1, check_html},
               {"page of a campaign", print_campaign, 1, check_html},
               {"lines", print_lines, 1, NULL},
               {"CSV", print_row, 1, check_csv},
               {"sweep", print_sweep, 2, NULL},
               {"CSV of a sweep", print_sweep_row, 1, check_csv}};

static void check_outputs(const struct sp_record *r, const char *place, bool only_csv)
{
    for (size_t o = 0; o < sizeof outputs / sizeof *outputs; o++)
        for (int variant = 0; variant < outputs[o].n_variants && (!only_csv || outputs[o].form == check_csv);
             variant++) {
            snprintf(where, sizeof where, "%s %d with hostile %s", outputs[o].name, variant, place);
            FILE *out = open_memstream(&text, &size);
            outputs[o].print(r, variant, out);
            ck_assert_int_eq(fclose(out), 0);
            check_text(text);
            if (outputs[o].form)
                outputs[o].form(text);
            free(text);
        }
}

START_TEST(every_place_in_every_report)
{
    static const struct {
        const char *base, *payload;
    } cases[] = {{"record-explain-hints", script},
                 {"record-kkt_power", script},
                 {"record-gpu-levels", script},
                 {"record-kkt_power", formula},
                 {"record-explain-hints", long_text}};
    json_t *original = example(cases[_i].base);
    is_alone = _i > 0;
    int n_put = 0;
    for (int i = 0; i < places.n; i++) {
        if (!share_has(i, _i))
            continue;
        int n_set;
        struct sp_record r = {.root = hostile_copy(original, places.path[i], cases[_i].payload, &n_set)};
        has_page = _i < 2 || i % 8 == 0;
        if (n_set > 0) {
            check_outputs(&r, places.path[i], cases[_i].payload == formula);
            n_put++;
        }
        sp_record_free(&r);
    }
    ck_assert_msg(n_put > places.n / share_of / 2, "only %d of %d places could be changed", n_put,
                  places.n / share_of);
    json_decref(original);
}
END_TEST

/* Runs a command of the program, without the guard of main(); what it prints on both streams is in `text`. */
static int run(const char *const *words)
{
    char path[600], name[64], *argv[64];
    int argc = 0, status;
    snprintf(path, sizeof path, "%s/printed", folder);
    for (; words[argc + 1]; argc++)
        argv[argc] = strdup(words[argc + 1]);
    argv[argc] = NULL;
    const struct sp_command *const *command = sp_command_table = sp_commands;
    while (*command && strcmp((*command)->name, words[0]) != 0)
        command++;
    ck_assert_ptr_nonnull(*command);
    const pid_t child = fork();
    if (child == 0) {
        const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        char *all[65];
        snprintf(name, sizeof name, "spmodel %s", words[0]);
        all[0] = name;
        memcpy(all + 1, argv, (size_t)(argc + 1) * sizeof *argv);
        if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0 || chdir(folder) != 0)
            _exit(99);
        exit((*command)->run(argc + 1, all));
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    for (int i = 0; i < argc; i++)
        free(argv[i]);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) != 99, "%s: ended with %d", where, status);
    ck_assert_int_eq(sp_input_bytes(path, SP_INPUT_MOST_B, &text, &size, NULL), SP_OK);
    return WEXITSTATUS(status);
}

/* A form is looked at only where the command found nothing to say on the other stream. */
static void check_command(check_form *form, const char *const *words)
{
    char line[300] = "";
    for (int i = 0; words[i]; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " %s", words[i]);
    char before[512];
    snprintf(before, sizeof before, "%s", where);
    snprintf(where, sizeof where, "spmodel%s, %.200s", line, before);
    const int code = run(words);
    ck_assert_msg(code < 6 || code == 77, "%s: exit code %d: %s", where, code, text);
    check_text(text);
    if (form && !strstr(text, "spmodel: "))
        form(text);
    free(text);
    snprintf(where, sizeof where, "%s", before);
}

static void write_record(const json_t *record, const char *name)
{
    char path[700];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_int_eq(json_dump_file(record, path, 0), 0);
}

/* One record of a group: place i hostile, an id and a time of its own. */
static void write_hostile(const json_t *original, int i, const char *name)
{
    char id[64], start[32];
    int n_set;
    json_t *copy = json_deep_copy(original);
    snprintf(id, sizeof id, "hostile-%04d", i);
    snprintf(start, sizeof start, "2040-01-%02dT%02d:%02d:00Z", 1 + i / 1440, i / 60 % 24, i % 60);
    json_object_set_new(copy, "id", json_string(id));
    json_object_set_new(json_object_get(copy, "time"), "start", json_string(start));
    json_t *record = hostile_copy(copy, places.path[i], script, &n_set);
    write_record(record, name);
    json_decref(record);
    json_decref(copy);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Of all records of a store together. */
static void check_store(void)
{
    check_command(NULL, WORDS("track", "log", "--store", "store"));
    check_command(NULL, WORDS("track", "log", "-v", "--store", "store"));
    check_command(check_csv, WORDS("track", "log", "--csv", "--store", "store"));
    check_command(check_json, WORDS("track", "log", "--json", "--store", "store"));
    check_command(NULL, WORDS("track", "check", "--store", "store"));
    check_command(check_csv, WORDS("track", "check", "--csv", "--store", "store"));
    check_command(check_json, WORDS("track", "check", "--json", "--store", "store"));
    check_command(NULL, WORDS("track", "check", "--lines", "--store", "store"));
    check_command(check_xml, WORDS("track", "check", "--junit", "-", "--store", "store"));
    check_command(check_markdown, WORDS("track", "check", "--markdown", "-", "--store", "store"));
    check_command(NULL, WORDS("track", "check", "--metric", "bytes", "--store", "store"));
    check_command(NULL, WORDS("track", "locate", "--store", "store"));
    check_command(NULL, WORDS("track", "locate", "--metric", "bytes", "--store", "store"));
    check_command(NULL, WORDS("track", "hints", "-v", "records"));
    check_command(check_csv, WORDS("track", "hints", "--csv", "records"));
    check_command(check_json, WORDS("track", "hints", "--json", "records"));
    check_command(check_xml, WORDS("track", "export", "--junit", "-", "--store", "store"));
    check_command(check_markdown, WORDS("track", "export", "--markdown", "-", "--store", "store"));
    check_command(check_csv, WORDS("track", "export", "--csv", "--store", "store"));
}

enum { GROUP = 40 };

START_TEST(stores_of_hostile_records)
{
    char path[700];
    json_t *original = example("record-explain-hints");
    if (!share_has(_i, _i))
        return;
    snprintf(path, sizeof path, "%s/records", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    for (int i = _i * GROUP; i < (_i + 1) * GROUP && i < places.n; i++) {
        snprintf(path, sizeof path, "records/%04d.json", i);
        write_hostile(original, i, path);
    }
    snprintf(where, sizeof where, "places from %d", _i * GROUP);
    check_command(NULL, WORDS("track", "add", "--store", "store", "records"));
    check_store();
    json_decref(original);
}
END_TEST

START_TEST(single_hostile_records)
{
    json_t *original = example("record-explain-hints");
    write_record(original, "good.json");
    for (int i = _i * GROUP; i < (_i + 1) * GROUP && i < places.n; i++) {
        if (!share_has(i, _i))
            continue;
        write_hostile(original, i, "bad.json");
        snprintf(where, sizeof where, "%s", places.path[i]);
        check_command(NULL, WORDS("compare", "good.json", "bad.json"));
        check_command(NULL, WORDS("plot", "--list", "bad.json"));
        check_command(NULL, WORDS("machine", "diff", "good.json", "bad.json"));
        check_command(NULL, WORDS("explain", "alpha", "bad.json"));
    }
    json_decref(original);
}
END_TEST

/* The file of the only record below a folder, "spmodel-store/records" and the like: its name is made up. */
static void find_record(const char *below, char path[1024])
{
    char command[1400];
    snprintf(command, sizeof command, "find '%s/%s' -name '*.json'", folder, below);
    FILE *found = popen(command, "r");
    ck_assert(found && fgets(path, 1024, found));
    ck_assert_int_eq(pclose(found), 0);
    path[strcspn(path, "\n")] = '\0';
}

/* What this program writes is read again with every place changed, a few at a time; a share of them. */
static void change_in_turn(const char *below, const char *const *plain, const char *const *csv)
{
    enum { FEW = 4 };
    char path[1024];
    find_record(below, path);
    json_t *original = load(path);
    for (int i = 0; i < places.n; i += FEW) {
        if (!share_has(i / FEW, 0))
            continue;
        json_t *record = json_incref(original);
        for (int k = i; k < i + FEW && k < places.n; k++) {
            int n_set;
            json_t *before = record;
            record = hostile_copy(before, places.path[k], script, &n_set);
            json_decref(before);
        }
        ck_assert_int_eq(json_dump_file(record, path, 0), 0);
        json_decref(record);
        snprintf(where, sizeof where, "%s and the next", places.path[i]);
        check_command(NULL, plain);
        check_command(check_csv, csv);
    }
    json_decref(original);
}

static void type(const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "cd '%s' && { " SP_TEST_PROGRAM " %s; } >typed 2>&1", folder,
             arguments);
    ck_assert_msg(system(command) == 0, "%s", command);
}

START_TEST(campaigns_of_hostile_records)
{
    char path[700];
    snprintf(path, sizeof path, "%s/c.txt", folder);
    FILE *file = fopen(path, "w");
    fputs("matrix gen:laplace2d:5\nrun a: --budget 1ms --samples 2 --threads 1 --no-hints --bytes sim "
          "--machine zen4-vm-2c\n",
          file);
    ck_assert_int_eq(fclose(file), 0);
    type("campaign c.txt -q --no-plots");
    change_in_turn("spmodel-store/records", WORDS("campaign", "c.txt", "--summary", "--no-plots"),
                   WORDS("campaign", "c.txt", "--summary", "--no-plots", "--csv"));
    check_command(NULL, WORDS("campaign", "c.txt", "--status"));
    check_command(NULL, WORDS("campaign", "c.txt", "--screen"));
}
END_TEST

START_TEST(labs_of_hostile_records)
{
    type("lab start 1 --student ada --small --dir lab && " SP_TEST_PROGRAM
         " lab run 1 --dir lab --unpredicted --only cold --machine zen4-vm-2c");
    change_in_turn("lab/records", WORDS("lab", "grade", "--no-simulation", "lab"),
                   WORDS("lab", "grade", "--no-simulation", "--csv", "lab"));
    check_command(NULL, WORDS("lab", "check", "1", "--dir", "lab"));
}
END_TEST

static void make_folder(void)
{
    make_dir();
    snprintf(folder, sizeof folder, "%s", dir);
    setenv("HOME", folder, 1);
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("XDG_DATA_HOME", folder, 1);
}

int main(int argc, char **argv)
{
    share_take(argc, argv, 24, 72);
    memset(long_text, 'A', sizeof long_text - 1);
    memcpy(long_text + 5000, "\nok: forged verdict\n", 20);
    memcpy(long_text + 9996, "\033[2J", 4);
    json_error_t fault;
    json_t *schema = json_load_file(SP_TEST_SCHEMA, 0, &fault);
    places = hostile_places_of(schema);
    printf("%d places for text in the schema\n", places.n);
    if (places.n < 100)
        return 1;
    Suite *s = suite_create("hostile_text");
    TCase *tc = tcase_create("hostile_text");
    tcase_add_checked_fixture(tc, make_folder, remove_dir);
    tcase_add_loop_test(tc, every_place_in_every_report, 0, 5);
    tcase_add_loop_test(tc, stores_of_hostile_records, 0, (places.n + GROUP - 1) / GROUP);
    tcase_add_loop_test(tc, single_hostile_records, 0, (places.n + GROUP - 1) / GROUP);
    tcase_add_test(tc, campaigns_of_hostile_records);
    tcase_add_test(tc, labs_of_hostile_records);
    suite_add_tcase(s, tc);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    hostile_places_free(&places);
    json_decref(schema);
    return failed ? 1 : 0;
}
