/* Records whose text wants to be executed: none of it gets out of the quotes of a script, whatever field it
 * stands in and whatever is drawn. The fields come from the schema (hostile_record.h). */
#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "hostile_record.h"
#include "io/record/record.h"
#include "plots/plot.h"
#include "plots/script.h"
#include "run_suite.h"
#include "share.h"

enum { N_KINDS = 15, N_RECORDS = 8, N_TEXTS = 7 };

/* Stands in every hostile text; nothing of ours is called so. */
#define MARK "zqx"

static const char *const files[N_RECORDS] = {"record-kkt_power.json",     "record-gpu-levels.json",
                                             "record-explain-sell.json",  "record-explain-spmmv.json",
                                             "record-explain-gains.json", "record-validation.json",
                                             "record-ways.json",          "record-scaling.json"};
static struct sp_record base[N_RECORDS];
static struct hostile_places places;
static char folder[256], victim[300], gnuplot[1024], *texts[N_TEXTS];

/* Each says `touch VICTIM` in another language. */
static void make_texts(void)
{
    static const char *const patterns[N_TEXTS] = {
        MARK "\n!touch %s\nEOD\nplot '< touch %s' # " MARK,
        MARK "'; system('touch %s'); set output '|touch %s'; print '" MARK,
        "`touch %s` $(touch %s) ${IFS}" MARK " \" \\ @" MARK " %%n %%s |touch \\",
        "|touch %s #" MARK "\r\x1b]0;%s\x07\x1b[31m\xc2\x9b" MARK "\x7f\xe2\x80\xae\xe2\x81\xa6\xd8\x9c",
        MARK "</text></svg><script>%s</script><img src=x onerror=%s>]]>&lt;",
        "''EOD\n" MARK "\n\"; system(\"touch %s\"); eval \"%s",
    };
    for (int i = 0; i < N_TEXTS - 1; i++) {
        texts[i] = calloc(1, 2048);
        snprintf(texts[i], 2048, patterns[i], victim, victim);
    }
    char *longest = texts[N_TEXTS - 1] = calloc(1, 10241);
    for (int i = 0; i < 10240; i += 4)
        memcpy(longest + i, MARK "'", 4);
}

static void set_up(void)
{
    json_error_t why;
    json_t *schema = json_load_file(SP_TEST_SCHEMA, 0, &why);
    ck_assert_msg(schema != NULL, "%s", why.text);
    places = hostile_places_of(schema);
    json_decref(schema);
    ck_assert_int_gt(places.n, 100);
    for (int i = 0; i < N_RECORDS; i++) {
        char path[512];
        snprintf(path, sizeof path, SP_TEST_DATA "/%s", files[i]);
        ck_assert_int_eq(sp_record_read(path, &base[i], NULL), SP_OK);
    }
    strcpy(folder, "/tmp/spmodel-hostile-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(victim, sizeof victim, "%s/victim", folder);
    make_texts();
    FILE *which = popen("command -v gnuplot", "r");
    if (!which || !fgets(gnuplot, sizeof gnuplot, which))
        *gnuplot = '\0';
    pclose(which);
    gnuplot[strcspn(gnuplot, "\n")] = '\0';
}

static void tear_down(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    for (int i = 0; i < N_RECORDS; i++)
        sp_record_free(&base[i]);
    for (int i = 0; i < N_TEXTS; i++)
        free(texts[i]);
    hostile_places_free(&places);
}

static char *script_of(const struct sp_plot_kind *kind, const struct sp_record *const *records, int n,
                       enum sp_image term)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    sp_plot_script(kind, records, n, term, NULL, out);
    fclose(out);
    return text;
}

static bool is_shown(uint32_t c)
{
    return c >= 0x20 && !(c >= 0x7f && c <= 0x9f) && !(c >= 0x202a && c <= 0x202e) &&
           !(c >= 0x2066 && c <= 0x2069) && c != 0x200e && c != 0x200f && c != 0x61c;
}

/* A reader of scripts of its own: quotes are closed on their line and hold what can be shown, at most 255
 * characters of text; outside of them nothing of the record stands, and nothing starts a program. *n_found:
 * quotes with the mark. */
static const char *fault_of(const char *script, int *n_found)
{
    char outside[1 << 18], *to = outside;
    for (const char *p = script; *p;) {
        if (*p != '\'') {
            *to++ = *p++;
            if (to == outside + sizeof outside)
                return "it is too long for this test";
            continue;
        }
        int length = 0;
        bool marked = false;
        for (p++; *p && (*p != '\'' || p[1] == '\''); length++) {
            marked = marked || strncmp(p, MARK, 3) == 0;
            p += *p == '\'';
            if (!is_shown(sp_utf8_next(&p)))
                return "a quote holds what cannot be shown";
        }
        if (*p++ != '\'')
            return "a quote is open";
        if (length > 2 + 2 * 255)
            return "a quote is too long";
        *n_found += marked;
    }
    *to = '\0';
    for (const char *c = outside; *c; c++)
        if ((*c < ' ' && *c != '\n') || *c > '~' || *c == '`')
            return "a character that is none of ours stands outside of quotes";
    return strstr(outside, MARK) || strstr(outside, "touch") || strstr(outside, "system")
               ? "text stands outside of quotes"
           : strstr(outside, "\n!") || strstr(outside, "; !") ? "a command starts a shell"
                                                              : NULL;
}

/* Writes scripts of the record, and returns how many quotes have the mark. */
static int check_scripts(const struct sp_plot_kind *kind, const struct sp_record *record, const char *place,
                         int text)
{
    static const struct {
        int n;
        enum sp_image term;
    } forms[] = {{1, SP_TERM_SVG}, {1, SP_TERM_TXT}, {2, SP_TERM_SVG}};
    const struct sp_record *records[] = {record, record};
    int found = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && forms[i].n <= kind->max_records; i++) {
        char *script = script_of(kind, records, forms[i].n, forms[i].term);
        const char *fault = fault_of(script, &found);
        ck_assert_msg(!fault, "%s, text %d in %s: %s\n%s", kind->name, text, place, fault, script);
        ck_assert_msg(sp_gnuplot_is_harmless(script), "%s, text %d in %s", kind->name, text, place);
        free(script);
    }
    return found;
}

START_TEST(no_field_gets_out_of_its_quotes)
{
    const struct sp_plot_kind *kind = sp_plot_kinds[_i];
    int n_records = 0, n_scripts = 0, n_shown = 0;
    for (int r = 0; r < N_RECORDS; r++) {
        if (kind->lacks(&base[r]))
            continue;
        n_records++;
        for (int p = 0; p < 2 * places.n; p++) {
            const int place = p % places.n;
            /* those of the share; then others, until one is shown */
            if (p < places.n ? !share_has(place, r + _i) : n_shown > 0)
                continue;
            const int t = (place + r + _i) % N_TEXTS; /* other ones in other records and kinds */
            int n_set;
            struct sp_record record = {.root =
                                           hostile_copy(base[r].root, places.path[place], texts[t], &n_set)};
            if (n_set > 0 && !kind->lacks(&record)) {
                n_scripts++;
                n_shown += check_scripts(kind, &record, places.path[place], t) > 0;
            }
            sp_record_free(&record);
        }
    }
    ck_assert_msg(n_records > 0, "no record has a %s plot", kind->name);
    ck_assert_int_gt(n_scripts, places.n / 2 / share_of);
    ck_assert_msg(n_shown > 0, "%s shows no field", kind->name); /* else nothing has been tested */
}
END_TEST

/* The fields that all together leave the kind something to draw; returns how many. */
static int find_fields(const struct sp_plot_kind *kind, const struct sp_record *record, bool *fits)
{
    struct sp_record all = {.root = json_incref(record->root)};
    int n = 0;
    for (int p = 0; p < places.n; p++) {
        int n_set;
        struct sp_record more = {.root = hostile_copy(all.root, places.path[p], texts[0], &n_set)};
        fits[p] = n_set > 0 && !kind->lacks(&more);
        n += fits[p];
        json_decref(fits[p] ? all.root : more.root);
        all.root = fits[p] ? more.root : all.root;
    }
    sp_record_free(&all);
    return n;
}

/* A copy of the record with the text in these fields. */
static struct sp_record with_text(const struct sp_record *record, const bool *fits, const char *hostile)
{
    struct sp_record all = {.root = json_incref(record->root)};
    for (int p = 0; p < places.n; p++)
        if (fits[p]) {
            int n_set;
            json_t *before = all.root;
            all.root = hostile_copy(before, places.path[p], hostile, &n_set);
            json_decref(before);
        }
    return all;
}

static void draw(const struct sp_plot_kind *kind, const struct sp_record *record, enum sp_image term)
{
    const struct sp_record *records[] = {record, record};
    const struct sp_plot_tool tool = {.gnuplot = gnuplot};
    struct sp_error err;
    char *picture;
    size_t size;
    const int n = kind->max_records > 1 ? 2 : 1;
    ck_assert_msg(sp_plot_picture(kind, records, n, term, &tool, &picture, &size, &err) == SP_OK, "%s: %s",
                  kind->name, err.what);
    if (term == SP_TERM_SVG)
        ck_assert(!strstr(picture, "<script") && !strstr(picture, "<img") && !strstr(picture, "</svg><"));
    for (const char *p = picture; term == SP_TERM_TXT && *p;) {
        const uint32_t c = sp_utf8_next(&p);
        ck_assert(c == '\n' || is_shown(c));
    }
    free(picture);
}

/* The kept script is drawn by hand, in the folder in which it lies. */
static void draw_kept(const struct sp_plot_kind *kind, const struct sp_record *record)
{
    char path[300], command[2048];
    snprintf(path, sizeof path, "%s/kept.gp", folder);
    ck_assert_int_eq(sp_plot_write(kind, &record, 1, SP_TERM_GP, NULL, path, NULL), SP_OK);
    snprintf(command, sizeof command, "cd '%s' && '%s' kept.gp >said 2>&1 && test -s kept.svg", folder,
             gnuplot);
    ck_assert_msg(system(command) == 0, "%s: the kept script fails", kind->name);
}

START_TEST(a_hostile_record_is_drawn_and_does_nothing)
{
    const struct sp_plot_kind *kind = sp_plot_kinds[_i];
    if (!*gnuplot) {
        printf("skipped: drawing %s of hostile records: gnuplot is not installed\n", kind->name);
        return;
    }
    bool *fits = calloc((size_t)places.n, sizeof *fits);
    int r = 0;
    while (kind->lacks(&base[r]))
        ck_assert_int_lt(++r, N_RECORDS);
    ck_assert_int_gt(find_fields(kind, &base[r], fits), places.n / 2);
    for (int t = 0; t < N_TEXTS; t++) {
        if (!share_has(t, _i))
            continue;
        struct sp_record record = with_text(&base[r], fits, texts[t]);
        draw(kind, &record, SP_TERM_SVG);
        draw(kind, &record, SP_TERM_TXT);
        draw_kept(kind, &record);
        sp_record_free(&record);
        ck_assert_msg(access(victim, F_OK) != 0, "%s executed text %d", kind->name, t);
    }
    free(fits);
}
END_TEST

/* What the reader above must see: the scripts of the version before were of this form. */
START_TEST(the_reader_sees_what_is_wrong)
{
    static const char *const wrong[] = {"# spmodel 1\n!touch " MARK "\n",
                                        "set title '" MARK "' " MARK "\n",
                                        "set title 'a\n' \n",
                                        "set label 'a'; print `date`\n",
                                        "set title 'a\xc2\x9b"
                                        "b'\n",
                                        "set xlabel 'open\n",
                                        "set label \"" MARK "\"\n"};
    int found = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(fault_of(wrong[i], &found) != NULL, "%s", wrong[i]);
    ck_assert_ptr_null(fault_of("set title 'it''s " MARK " `!system`' font ',9'\n", &found));
}
END_TEST

START_TEST(what_is_no_text_is_shown_as_such)
{
    static const char *const cases[][2] = {
        {"kkt_power \xc2\xb1", "'kkt_power \xc2\xb1'"},
        {"it's `a` \"b\" \\ %s", "'it''s `a` \"b\" \\ %s'"},
        {"\n\x1b[1m\x7f", "'\xef\xbf\xbd\xef\xbf\xbd[1m\xef\xbf\xbd'"},
        {"\xff\xc3(", "'\xef\xbf\xbd\xef\xbf\xbd('"},             /* broken UTF-8 */
        {"\xc2\x9b\xe2\x80\xae.", "'\xef\xbf\xbd\xef\xbf\xbd.'"}, /* C1, direction */
        {"", "''"},
        {"'a'", "'\xe2\x80\x99"
                "a'''"}, /* gnuplot takes three in front for an empty text and a quote */
        {"a''b", "'a''\xe2\x80\x99"
                 "b'"},
    };
    char *longest = calloc(1, 40001);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(sp_quote("%s", cases[i][0]).text, cases[i][1]);
    for (int i = 0; i < 40000; i += 4)
        memcpy(longest + i, "\xf0\x9f\x98\x80", 4);
    const struct sp_quoted q = sp_quote("%s", longest);
    ck_assert_uint_eq(strlen(q.text), 1 + 255 * 4 + 3 + 1);
    ck_assert_str_eq(q.text + 255 * 4 + 1, "\xe2\x80\xa6'");
    free(longest);
}
END_TEST

/* What no writer of a script may ask for; the compiler refuses the rest (cli/script_types.sh). */
static void misuse(const struct sp_record *const *records, int n, enum sp_image term, struct sp_script *out)
{
    (void)records, (void)term;
    switch (n) {
    case 0:
        sp_put(out, "%s", 1);
        break;
    case 1:
        sp_put(out, "%n", 1);
        break;
    case 2:
        sp_put(out, "%g %g", 1); /* too few */
        break;
    case 3:
        sp_put(out, "%g", 1, 2); /* too many */
        break;
    case 4:
        sp_put(out, "%t");
        break;
    case 5:
        sp_put_text(out, sp_quote("a"), "set title");
        break;
    case 6:
        sp_put_text(out, sp_quote("a"), "%t %t");
        break;
    case 7:
        sp_put(out, "%w", SP_N_WORDS);
        break;
    case 8:
        sp_put(out, "%c", 0x1000000);
        break;
    default:
        sp_put(out, "%");
    }
}

START_TEST(a_wrong_conversion_aborts)
{
    const struct sp_plot_kind kind = {.name = "wrong", .write_script = misuse};
    const struct sp_record *records[] = {&base[0]};
    FILE *out = fopen("/dev/null", "w");
    sp_plot_script(&kind, records, _i, SP_TERM_SVG, NULL, out);
}
END_TEST

/* The check before gnuplot is started. */
START_TEST(what_would_start_a_program_is_refused)
{
    static const char *const harmful[] = {
        "!touch x\n",         "plot x; !touch x\n", "  ! touch x\n",     "system 'touch x'\n",
        "a = system('x')\n",  "print `date`\n",     "load 'x'\n",        "shell\n",
        "eval 'x'\n",         "set output '|x'\n",  "set title 'a\n'\n", "if (1) {!touch x}\n",
        "print \"`date`\"\n", "sy 'touch x'\n",     "set key; l 'x'\n",  "$A << EOD\n1\n",
        "undefine x\n"};
    struct sp_error err;
    char *picture;
    size_t size;
    for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++) {
        ck_assert_msg(!sp_gnuplot_is_harmless(harmful[i]), "%s", harmful[i]);
        ck_assert_int_eq(sp_gnuplot_run("/bin/true", harmful[i], 5, &picture, &size, &err), SP_BUG);
        ck_assert_ptr_null(picture);
    }
    ck_assert(sp_gnuplot_is_harmless("# it's\nset label '!system `x`'; unset key\n$A << EOD\n1 2\nEOD\nplot "
                                     "1 != 2 ? $A : 3, \\\n  x\nset output\n"));
}
END_TEST

/* Of the environment gnuplot sees what fonts and libraries need, and its folder is the root. */
START_TEST(gnuplot_runs_in_a_closed_environment)
{
    char program[300], *said;
    struct sp_error err;
    size_t size;
    snprintf(program, sizeof program, "%s/program", folder);
    FILE *file = fopen(program, "w");
    fputs("#!/bin/sh\npwd\nenv\n", file);
    fclose(file);
    chmod(program, 0755);
    setenv("GNUTERM", "x11", 1);
    setenv("GNUPLOT_LIB", folder, 1);
    setenv("HOME", folder, 1);
    char *path = strdup(getenv("PATH"));
    setenv("PATH", folder, 1);
    ck_assert_int_eq(sp_gnuplot_run(program, "plot x\n", 20, &said, &size, &err), SP_OK);
    setenv("PATH", path, 1);
    free(path);
    ck_assert_ptr_null(strstr(said, "GNU"));
    ck_assert_ptr_nonnull(strstr(said, "\nPATH=/usr/local/bin:/usr/bin:/bin\n"));
    ck_assert_ptr_nonnull(strstr(said, "\nLC_ALL=C.UTF-8\n"));
    ck_assert_ptr_nonnull(strstr(said, "\nHOME=/tmp/spmodel-hostile-"));
    ck_assert_msg(strncmp(said, "/\n", 2) == 0, "%s", said);
    free(said);
}
END_TEST

int main(int argc, char **argv)
{
    share_take(argc, argv, 3, 9);
    Suite *suite = suite_create("hostile plots");
    TCase *tc = tcase_create("hostile plots");
    tcase_add_unchecked_fixture(tc, set_up, tear_down); /* once for all */
    tcase_add_loop_test(tc, no_field_gets_out_of_its_quotes, 0, N_KINDS);
    tcase_add_loop_test(tc, a_hostile_record_is_drawn_and_does_nothing, 0, N_KINDS);
    if (!share_is_rest()) {
        tcase_add_test(tc, the_reader_sees_what_is_wrong);
        tcase_add_test(tc, what_is_no_text_is_shown_as_such);
        tcase_add_loop_test_raise_signal(tc, a_wrong_conversion_aborts, SIGABRT, 0, 10);
        tcase_add_test(tc, what_would_start_a_program_is_refused);
        tcase_add_test(tc, gnuplot_runs_in_a_closed_environment);
    }
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
