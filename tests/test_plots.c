#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/record/record.h"
#include "plots/plot.h"
#include "plots/script.h"
#include "run_suite.h"

enum { N_KINDS = 16 };

static char folder[64], gnuplot[1024];
static struct sp_record example, gpu, counted, divided,
    ranks; /* of most kinds; levels, predicted, ways, scaling */

static void set_up(void)
{
    strcpy(folder, "/tmp/spmodel-plots-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-kkt_power.json", &example, NULL), SP_OK);
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-gpu-levels.json", &gpu, NULL), SP_OK);
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-validation.json", &counted, NULL), SP_OK);
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-ways.json", &divided, NULL), SP_OK);
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-scaling.json", &ranks, NULL), SP_OK);
    /* The example has one right-hand side only; numbers of THEORY 3. */
    json_t *points = json_pack("[{s:i,s:f},{s:i,s:f},{s:i,s:f}]", "r", 1, "balance", 7.98, "r", 2, "balance",
                               4.84, "r", 4, "balance", 3.27);
    json_object_set_new(json_object_get(example.root, "curves"), "balance",
                        json_pack("{s:s,s:f,s:o}", "origin", "modelled", "limit", 1.69, "points", points));
    json_object_set_new(example.root, "layout", json_pack("{s:{s:f}}", "arrays_B", "values", 2e8));
    FILE *which = popen("command -v gnuplot", "r");
    ck_assert_ptr_nonnull(which);
    if (!fgets(gnuplot, sizeof gnuplot, which))
        *gnuplot = '\0';
    pclose(which);
    gnuplot[strcspn(gnuplot, "\n")] = '\0';
}

static void tear_down(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    sp_record_free(&example);
    sp_record_free(&gpu);
    sp_record_free(&counted);
    sp_record_free(&divided);
    sp_record_free(&ranks);
}

static const struct sp_record *record_for(const struct sp_plot_kind *kind)
{
    return strcmp(kind->name, "levels") == 0      ? &gpu
           : strcmp(kind->name, "predicted") == 0 ? &counted
           : strcmp(kind->name, "ways") == 0      ? &divided
           : strcmp(kind->name, "scaling") == 0   ? &ranks
           : strcmp(kind->name, "halo") == 0      ? &ranks
           : strcmp(kind->name, "ranks") == 0     ? &ranks
                                                  : &example;
}

static bool no_gnuplot(const char *what)
{
    if (*gnuplot)
        return false;
    printf("skipped: %s: gnuplot is not installed\n", what);
    return true;
}

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int files_in_folder(void)
{
    int n = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; (entry = readdir(directory));)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return n;
}

static size_t content(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s is missing", path);
    size_t n = fread(text, 1, size - 1, file);
    text[n] = '\0';
    fclose(file);
    return n;
}

static void draw(const char *kind, enum sp_image term, char *text, size_t size)
{
    const struct sp_record *records[] = {&example};
    struct sp_plot_tool tool = {.gnuplot = gnuplot};
    struct sp_error err;
    enum sp_status status =
        sp_plot_write(sp_plot_kind_find(kind), records, 1, term, &tool, in_folder("picture"), &err);
    ck_assert_msg(status == SP_OK, "%s: %s", kind, err.what);
    ck_assert_uint_gt(content(in_folder("picture"), text, size), 500);
}

START_TEST(every_terminal_draws)
{
    static const char *const magic[] = {
        [SP_TERM_SVG] = "<?xml", [SP_TERM_PDF] = "%PDF-", [SP_TERM_PNG] = "\x89PNG", [SP_TERM_TXT] = " "};
    static char text[65536];
    if (no_gnuplot("drawing"))
        return;
    for (int term = SP_TERM_SVG; term <= SP_TERM_TXT; term++) {
        draw("roofline", (enum sp_image)term, text, sizeof text);
        ck_assert_int_eq(strncmp(text, magic[term], strlen(magic[term])), 0);
    }
    ck_assert(!strchr(text, '\f') && strstr(text, "DRAM load 76.0"));
    draw("spy", SP_TERM_TXT, text, sizeof text);
    ck_assert_ptr_nonnull(strchr(text, '#'));
    draw("beta", SP_TERM_TXT, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "0.480"));
    ck_assert_int_eq(files_in_folder(), 1); /* the last picture, and nothing that was left behind */
}
END_TEST

/* The script stands alone: gnuplot draws it in another place, without a word. */
START_TEST(scripts_run_without_warnings)
{
    if (no_gnuplot("warnings"))
        return;
    const struct sp_plot_kind *kind = sp_plot_kinds[_i];
    const struct sp_record *records[] = {record_for(kind), record_for(kind)};
    for (int n = 1; n <= 2 && n <= kind->max_records; n++) {
        char command[2048], line[512];
        ck_assert_int_eq(sp_plot_write(kind, records, n, SP_TERM_GP, NULL, in_folder("p.gp"), NULL), SP_OK);
        snprintf(command, sizeof command, "cd '%s' && '%s' -d p.gp 2>&1", folder, gnuplot);
        FILE *run = popen(command, "r");
        ck_assert_ptr_nonnull(run);
        while (fgets(line, sizeof line, run))
            ck_assert_msg(strncmp(line, "Fontconfig", 10) == 0, "%s: %s", kind->name, line);
        ck_assert_int_eq(pclose(run), 0);
        ck_assert_int_eq(access(in_folder("p.svg"), F_OK), 0);
        unlink(in_folder("p.svg"));
    }
}
END_TEST

START_TEST(roofline_script_holds_the_record)
{
    char text[65536];
    const struct sp_record *records[] = {&example};
    ck_assert_int_eq(
        sp_plot_write(sp_plot_kind_find("roofline"), records, 1, SP_TERM_GP, NULL, in_folder("r.gp"), NULL),
        SP_OK);
    content(in_folder("r.gp"), text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "DRAM load 76.0 ±0.8 GB/s measured"));
    ck_assert_ptr_nonnull(strstr(text, "DP FMA 1152 Gflop/s stated"));
    ck_assert_ptr_nonnull(strstr(text, "3  measured  6.78 Gflop/s, bytes simulated"));
    ck_assert_ptr_nonnull(strstr(text, "0.11135857")); /* 1/8.98 flop/B */
    ck_assert_ptr_nonnull(strstr(text, "dt 3"));       /* the stated peak is dotted */
    ck_assert_ptr_nonnull(strstr(text, "0.64 ms  15 %"));
}
END_TEST

static double range_end(const char *text, const char *axis, int end)
{
    double lo, hi;
    const char *at = strstr(text, axis);
    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(sscanf(at + strlen(axis), " [%lf:%lf]", &lo, &hi), 2);
    return end ? hi : lo;
}

static char *script_of(const struct sp_record *record, const char *kind, enum sp_image term)
{
    const struct sp_record *records[] = {record};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    sp_plot_script(sp_plot_kind_find(kind), records, 1, term, "picture", out);
    fclose(out);
    return text;
}

static void add_roof(json_t *root, const char *name, const char *level, double value)
{
    json_t *roof = json_deep_copy(json_array_get(json_object_get(root, "roofs"), 0));
    json_object_set_new(roof, "name", json_string(name));
    json_object_set_new(roof, "level", json_string(level));
    json_object_set_new(roof, "role", json_string("other"));
    json_object_set_new(roof, "value", json_real(value));
    json_array_append_new(json_object_get(root, "roofs"), roof);
}

/* The axes hold the points, at 0.111 to 0.125 flop/B and 6.78 to 9.53 Gflop/s, and little more; what is far
 * above is named. */
START_TEST(the_roofline_zooms_to_its_data)
{
    char *text = script_of(&example, "roofline", SP_TERM_SVG);
    const double x_lo = range_end(text, "set xrange", 0), x_hi = range_end(text, "set xrange", 1),
                 y_lo = range_end(text, "set yrange", 0), y_hi = range_end(text, "set yrange", 1);
    ck_assert(x_lo < 0.111 && x_hi > 0.126 && y_lo < 6.78 && y_hi > 9.54);
    ck_assert(x_hi / x_lo < 20 && y_hi / y_lo < 20);
    ck_assert_ptr_nonnull(strstr(text, "DP FMA 1152 Gflop/s stated, above"));
    free(text);
}
END_TEST

/* The caches' loads beside memory's, whose knees then are in the picture; no other figure of theirs. */
START_TEST(caches_have_ceilings_in_the_roofline)
{
    add_roof(example.root, "load", "L3", 4e11);
    add_roof(example.root, "load", "L1", 5e12);
    add_roof(example.root, "copy", "L2", 1e12);
    char *text = script_of(&example, "roofline", SP_TERM_SVG);
    ck_assert_ptr_nonnull(strstr(text, "set label 'L3 load 400"));
    ck_assert_ptr_nonnull(strstr(text, "set label 'L1 load 5000"));
    ck_assert_ptr_null(strstr(text, "L2 copy"));
    ck_assert_ptr_nonnull(strstr(text, "set label 'DP FMA 1152 Gflop/s stated' at"));
    ck_assert(range_end(text, "set yrange", 1) > 1152 && range_end(text, "set xrange", 1) > 1152. / 5000);
    free(text);
}
END_TEST

START_TEST(the_run_stands_among_the_caches)
{
    char *text = script_of(&example, "alpha", SP_TERM_SVG);
    ck_assert_ptr_nonnull(
        strstr(text, "set label '' at 24000000, first 0.39 point pt 6")); /* simulated: hollow */
    ck_assert_ptr_nonnull(strstr(text, "'this run: alpha 0.39 simulated, 24.0 MB of cache'"));
    ck_assert(!strstr(text, "KiB") && !strstr(text, "MiB") && strstr(text, "'1 MB' 1000000"));
    free(text);
}
END_TEST

/* Its words stand clear of the line of x loaded once, wherever that is. */
START_TEST(the_run_leaves_the_least_alpha_free)
{
    static const char words[] = "set label 'this run: alpha 0.39 simulated, 24.0 MB of cache' at graph ";
    for (double least = 0.15; least < 0.7; least += 0.005) {
        sp_record_set_value(&example, SP_F_METRICS_ALPHA_MIN, sp_value_of(least, SP_MODELLED));
        char *text = script_of(&example, "alpha", SP_TERM_SVG);
        const char *at = strstr(text, words);
        double x, y;
        ck_assert(at && sscanf(at + strlen(words), "%lf,%lf", &x, &y) == 2);
        const double lo = range_end(text, "set yrange", 0), hi = range_end(text, "set yrange", 1),
                     line = strstr(text, "set logscale y") ? log(least / lo) / log(hi / lo)
                                                           : (least - lo) / (hi - lo);
        ck_assert_msg(fabs(y - line) > 0.02, "the line at %g, the words at %g of the height", line, y);
        free(text);
    }
}
END_TEST

/* Where the data live in a cache, alpha counts what misses in the one before it. */
START_TEST(the_run_stands_at_the_cache_that_it_missed)
{
    const json_t *caches = sp_record_node(&example, SP_F_MACHINE_CACHES);
    const double inner_B = sp_item_number(json_array_get(caches, 1), "size_B");
    char where[80], *text;
    sp_record_set_text(&example, SP_F_BINDING_LEVEL, "L3");
    text = script_of(&example, "alpha", SP_TERM_SVG);
    snprintf(where, sizeof where, "set label '' at %.8g, first 0.39 point", inner_B);
    ck_assert_msg(strstr(text, where) != NULL, "no \"%s\"", where);
    free(text);
    sp_record_set_text(&example, SP_F_BINDING_LEVEL, "L1"); /* nothing misses */
    text = script_of(&example, "alpha", SP_TERM_SVG);
    ck_assert_ptr_null(strstr(text, "this run"));
    free(text);
}
END_TEST

/* [L a b] of a colour as people see it who lack the cones for red (protan) or green (deutan): Machado et al.
 * 2009. */
static void lab_of(int color, const double see[3][3], double lab[3])
{
    static const double to_xyz[3][3] = {{0.4124, 0.3576, 0.1805},
                                        {0.2126, 0.7152, 0.0722},
                                        {0.0193, 0.1192, 0.9505}},
                        white[3] = {0.9505, 1, 1.089};
    double linear[3], seen[3], f[3];
    for (int i = 0; i < 3; i++) {
        const double v = (color >> (16 - 8 * i) & 255) / 255.;
        linear[i] = v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    }
    for (int i = 0; i < 3; i++)
        seen[i] = fmin(fmax(see[i][0] * linear[0] + see[i][1] * linear[1] + see[i][2] * linear[2], 0), 1);
    for (int i = 0; i < 3; i++) {
        const double t =
            (to_xyz[i][0] * seen[0] + to_xyz[i][1] * seen[1] + to_xyz[i][2] * seen[2]) / white[i];
        f[i] = t > 0.008856 ? cbrt(t) : 7.787 * t + 16. / 116;
    }
    lab[0] = 116 * f[1] - 16, lab[1] = 500 * (f[0] - f[1]), lab[2] = 200 * (f[1] - f[2]);
}

/* The red and the green of before are 2.8 apart; 2 is hardly seen side by side. */
START_TEST(series_differ_in_shape_and_colour_for_everybody)
{
    static const double see[][3][3] = {
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
        {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
    for (int i = 0; i < SP_N_SERIES; i++)
        for (int k = 0; k < i; k++) {
            ck_assert_int_ne(sp_series(i).filled, sp_series(k).filled);
            ck_assert_int_ne(sp_series(i).hollow, sp_series(k).hollow);
            for (int eye = 0; eye < 3; eye++) {
                double a[3], b[3];
                lab_of(sp_series(i).color, see[eye], a);
                lab_of(sp_series(k).color, see[eye], b);
                ck_assert_double_gt(sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2)),
                                    20);
            }
        }
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < i; k++)
            ck_assert(sp_series(i).color != sp_series(k).color || sp_series(i).filled != sp_series(k).filled);
}
END_TEST

START_TEST(several_records_have_several_shapes)
{
    const struct sp_record *records[] = {&example, &example, &example};
    static const char *const kinds[] = {"roofline", "alpha", "balance"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct sp_record other = {.root = json_deep_copy(example.root)};
        char *text = NULL, shape[32];
        size_t size;
        sp_record_set_text(&other, SP_F_PROBLEM_NAME, "another");
        sp_record_set_text(&other, SP_F_BINDING_LEVEL, "L3");
        records[1] = &other;
        FILE *out = open_memstream(&text, &size);
        sp_plot_script(sp_plot_kind_find(kinds[i]), records, 3, SP_TERM_SVG, "x.svg", out);
        fclose(out);
        ck_assert(i > 0 || strstr(text, "flop/B of its level''s traffic")); /* not all in memory */
        for (int k = 0; k < 3; k++) {
            snprintf(shape, sizeof shape, "pt %d ", sp_series(k).hollow);
            ck_assert_msg(strstr(text, shape) != NULL, "%s of three has no %s", kinds[i], shape);
        }
        free(text);
        sp_record_free(&other);
    }
}
END_TEST

START_TEST(text_that_is_too_wide_loses_its_middle)
{
    char text[64] = "abcdefghijklmnop", marks[64] = "ééééééééé", small[64] = "abc";
    sp_text_fit(text, sizeof text, 7, true);
    ck_assert_str_eq(text, "abc…nop");
    sp_text_fit(marks, sizeof marks, 5, true);
    ck_assert_str_eq(marks, "éé…éé");
    sp_text_fit(small, sizeof small, 3, true);
    ck_assert_str_eq(small, "abc");
    for (double most = 2; most < 30; most += 1.3) {
        char wide[] = "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWW";
        sp_text_fit(wide, sizeof wide, most, false);
        ck_assert_double_le(sp_text_em(wide), most);
    }
    ck_assert_double_gt(sp_text_em("WWW"), 2 * sp_text_em("iii"));
}
END_TEST

START_TEST(labels_take_free_places)
{
    struct sp_places places = {.width = 100, .height = 100};
    const struct sp_box flat = {50, 50, 40, 10, 0}, beside = {50, 61, 40, 10, 0},
                        outside = {10, 50, 40, 10, 0}, turned = {50, 50, 40, 10, M_PI / 2},
                        slanted = {68, 62, 40, 4, -M_PI / 4};
    ck_assert(sp_boxes_meet(&flat, &turned) && !sp_boxes_meet(&flat, &beside) &&
              !sp_boxes_meet(&flat, &slanted));
    sp_places_take_line(&places, 0, 50, 100, 50);
    ck_assert_int_eq(sp_places_choose(&places, (struct sp_box[]){outside, flat, beside}, 3, SP_BY_TEXT), 2);
    ck_assert_int_eq(sp_places_choose(&places, (struct sp_box[]){beside, flat}, 2, SP_BY_TEXT),
                     1); /* over the line */
    ck_assert_int_eq(sp_places_choose(&places, (struct sp_box[]){turned, flat, outside}, 3, SP_BY_TEXT), -1);
}
END_TEST

START_TEST(hypertext_becomes_titles)
{
    char svg[] = "<g><g onmousemove=\"gnuplot_svg.showHypertext(evt,'a \"1\" &lt;b>')\" "
                 "onmouseout=\"gnuplot_svg.hideHypertext()\"><title> </title>\n<use/></g></g>",
         half[] = "<g onmousemove=\"gnuplot_svg.showHypertext(evt,'a";
    size_t size = strlen(svg);
    sp_svg_hover(svg, &size);
    ck_assert_str_eq(svg, "<g><g class=\"value\"><title>a \"1\" &lt;b></title>\n<use/></g></g>");
    ck_assert_uint_eq(size, strlen(svg));
    sp_svg_hover(half, &size);
    ck_assert_uint_eq(size, sizeof half - 1);
}
END_TEST

/* Days, hours and commits; an axis that begins where the times are. */
START_TEST(the_history_names_commits)
{
    sp_record_set_text(&example, SP_F_SOURCE_COMMIT, "a1b2c3d4e5f6");
    char *text = script_of(&example, "history", SP_TERM_SVG);
    ck_assert_ptr_nonnull(strstr(text, "'10:02 a1b2c3d4e5' 1"));
    ck_assert(range_end(text, "set yrange", 0) > 3 && range_end(text, "set yrange", 1) < 6);
    free(text);
    sp_record_set_text(&example, SP_F_SOURCE_COMMIT, "a1b2c3d4-dirty"); /* not "a1b2c3d4-d" */
    text = script_of(&example, "history", SP_TERM_SVG);
    ck_assert_ptr_nonnull(strstr(text, "'10:02 a1b2c3d4' 1"));
    free(text);
    struct sp_record made = {.root = json_deep_copy(example.root)};
    sp_record_put_at(&made, "metrics.time.origin", json_string("constructed"));
    text = script_of(&made, "history", SP_TERM_SVG);
    ck_assert_ptr_nonnull(strstr(text, "'each process, constructed'")); /* on whose word, as the others */
    ck_assert_ptr_nonnull(strstr(text, "set title offset 0,2"));        /* above a key of two rows */
    free(text);
    sp_record_free(&made);
}
END_TEST

/* The remedy names the kinds that take so many, not the one that was refused. */
START_TEST(too_many_records_are_refused)
{
    const struct sp_record *records[16];
    const struct sp_plot_kind *roofline = sp_plot_kind_find("roofline"),
                              *losses = sp_plot_kind_find("losses");
    struct sp_error err;
    for (int i = 0; i < 16; i++)
        records[i] = &example;
    ck_assert(sp_plot_takes(roofline, records, 6));
    ck_assert(!sp_plot_takes(roofline, records, 7));
    ck_assert(!sp_plot_takes(sp_plot_kind_find("levels"), records, 1));
    ck_assert_int_eq(sp_plot_write(roofline, records, 10, SP_TERM_GP, NULL, in_folder("r.gp"), &err),
                     SP_USAGE);
    ck_assert_ptr_nonnull(strstr(err.what, "1 to 6 records, not 10"));
    ck_assert_str_eq(err.remedy,
                     "draw fewer records, or another kind: losses, balance, sizes, history, campaign");
    ck_assert_int_eq(sp_plot_write(losses, records, 16, SP_TERM_GP, NULL, in_folder("l.gp"), &err), SP_USAGE);
    ck_assert_str_eq(err.remedy, "draw fewer records, or another kind: balance, sizes, history, campaign");
    ck_assert_int_eq(files_in_folder(), 0);
}
END_TEST

/* Of two configurations, one of which has no alpha; hints are counted over both. */
START_TEST(campaign_script_holds_all_records)
{
    struct sp_record other = {.root = json_deep_copy(example.root)};
    const struct sp_record *records[] = {&example, &other};
    char *text = NULL;
    size_t size;
    sp_record_set_text(&other, SP_F_CAMPAIGN_RUN, "it's \"2\"");
    sp_record_set_count(&other, SP_F_PROBLEM_NNZ, 1000);
    json_object_del(json_object_get(json_object_get(other.root, "metrics"), "alpha"), "value");
    json_array_remove(json_object_get(other.root, "hints"), 1);
    FILE *out = open_memstream(&text, &size);
    sp_plot_script(sp_plot_kind_find("campaign"), records, 2, SP_TERM_SVG, "picture", out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "14612663 6.78 1 0.8 0 0.39 0\n"));
    ck_assert_ptr_nonnull(strstr(text, "1000 6.78 1 0.8 0 ? 0\n"));
    ck_assert_ptr_nonnull(strstr(text, "title 'it''s \"2\"'"));
    ck_assert(strstr(text, "'1e4' 10000") && strstr(text, "'1e5' 100000") && !strstr(text, "'10000'"));
    ck_assert_ptr_nonnull(strstr(text, "'hints that fired, of 2 records'"));
    ck_assert_ptr_nonnull(strstr(text, "$HINTS << EOD\n2 2\n1 1\nEOD"));
    ck_assert_ptr_nonnull(strstr(text, "'A01 x traffic' 2, 'B01 load imbalance' 1"));
    free(text);
    sp_record_free(&other);
}
END_TEST

/* The point of the run has the sets of its cache, the curve has none: the axis says so. */
START_TEST(alpha_says_what_caches_it_is_of)
{
    char *text = script_of(&example, "alpha", SP_TERM_SVG);
    ck_assert_ptr_nonnull(strstr(text, "size of a fully associative cache"));
    free(text);
}
END_TEST

/* Parts of several bars have letters of the key: colours alone tell nothing in a terminal, or to all. */
START_TEST(parts_of_stacks_have_letters)
{
    const struct sp_record *records[] = {&example, &example};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    sp_plot_script(sp_plot_kind_find("losses"), records, 2, SP_TERM_TXT, "picture", out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "title 'a  minimum traffic'"));
    const char *first = strstr(text, "set label 'a' at ");
    ck_assert(first && strstr(first + 1, "set label 'a' at ")); /* of each bar */
    free(text);
}
END_TEST

/* What execution is on a GPU the key calls by its term; of several terms it names the first. */
START_TEST(keys_name_the_term_of_a_gpu)
{
    struct sp_record two[2];
    const struct sp_record *records[] = {&two[0], &two[1]};
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-gpu-stand-in.json", &two[i], NULL), SP_OK);
    for (int other = 0; other < 2; other++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        sp_plot_script(sp_plot_kind_find("losses"), records, 2, SP_TERM_TXT, "picture", out);
        fclose(out);
        ck_assert_ptr_nonnull(
            strstr(text, other ? "title 'b  peak performance and others'" : "title 'b  peak performance'"));
        free(text);
        sp_record_set_text(&two[1], SP_F_BINDING_TERM, "latency");
    }
    for (int i = 0; i < 2; i++)
        sp_record_free(&two[i]);
}
END_TEST

/* The upper end of an interval is in the picture, too. */
START_TEST(saturation_shows_whole_intervals)
{
    struct sp_record record = {.root = json_deep_copy(example.root)};
    json_object_set_new(json_object_get(record.root, "curves"), "saturation",
                        json_pack("[{s:s,s:s,s:s,s:[{s:i,s:f,s:f,s:f},{s:i,s:f,s:f,s:f}]}]", "name", "load",
                                  "level", "MEM", "unit", "B/s", "points", "threads", 1, "value", 1e10, "lo",
                                  9e9, "hi", 1.1e10, "threads", 2, "value", 2e10, "lo", 1e10, "hi", 4e10));
    char *text = script_of(&record, "saturation", SP_TERM_SVG);
    const char *range = strstr(text, "set yrange [0:");
    ck_assert_ptr_nonnull(range);
    ck_assert(strtod(range + strlen("set yrange [0:"), NULL) > 40);
    free(text);
    sp_record_free(&record);
}
END_TEST

/* By size whatever the order of the records; what is not known leaves a gap; several configurations have a
 * name each. */
START_TEST(sizes_are_drawn_in_their_order)
{
    struct sp_record small = {.root = json_deep_copy(example.root)}, other;
    json_t *ecm =
        json_pack("{s:s,s:f,s:f}", "row", "ECM, x as simulated", "time_s", 1e-3, "performance", 5e9);
    char *text = NULL;
    size_t size;
    json_array_append_new(json_object_get(small.root, "table"), ecm);
    sp_record_set_text(&small, SP_F_PROBLEM_NAME, "small");
    json_object_set_new(json_object_get(example.root, "layout"), "arrays_B",
                        json_pack("{s:f}", "values", 2e8));
    json_object_set_new(json_object_get(small.root, "layout"), "arrays_B",
                        json_pack("{s:f,s:f}", "values", 1e6, "x", 5e5));
    other.root = json_deep_copy(small.root);
    sp_record_set_count(&other, SP_F_CONFIG_THREADS, 1);
    const struct sp_record *records[] = {&example, &small, &other};
    for (int n = 2; n <= 3; n++) {
        FILE *out = open_memstream(&text, &size);
        sp_plot_script(sp_plot_kind_find("sizes"), records, n, SP_TERM_SVG, "picture", out);
        fclose(out);
        const char *first = strstr(text, "\n1500000 "), *last = strstr(text, "\n2e+08 ");
        ck_assert(first && last && first < last);
        ck_assert_ptr_nonnull(strstr(text, " 5 6.78 ")); /* of the small one: ECM, then measured */
        ck_assert_ptr_nonnull(strstr(last, " ? 6.78 "));
        ck_assert_ptr_nonnull(strstr(text, "'small ... "));
        ck_assert_int_eq(strstr(text, ", 1 thread: ECM") != NULL, n == 3);
        free(text);
    }
    text = script_of(&small, "sizes", SP_TERM_SVG); /* one size has one name */
    ck_assert_ptr_nonnull(strstr(text, "'small   "));
    ck_assert_ptr_null(strstr(text, "small ... small"));
    free(text);
    sp_record_free(&small);
    sp_record_free(&other);
}
END_TEST

START_TEST(levels_as_text_are_golden)
{
    static char golden[16384];
    static const char path[] = SP_TEST_DATA "/../golden/levels.gp";
    char *text = script_of(&gpu, "levels", SP_TERM_TXT);
    if (getenv("SP_UPDATE_GOLDEN")) {
        FILE *f = fopen(path, "w");
        ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    }
    content(path, golden, sizeof golden);
    ck_assert_str_eq(text, golden);
    free(text);
}
END_TEST

START_TEST(bytes_between_ranks_have_units_of_text)
{
    char *text = script_of(&ranks, "halo", SP_TERM_SVG);
    ck_assert_ptr_nonnull(strstr(text, "set cbtics ('192 B' 192, '1.15 kB' 1152)"));
    free(text);
}
END_TEST

START_TEST(levels_script_holds_the_record)
{
    char *text = script_of(&gpu, "levels", SP_TERM_SVG);
    ck_assert_ptr_nonnull(strstr(text, "1  CRS thread  100 Gflop/s, L2 bandwidth"));
    ck_assert_ptr_nonnull(strstr(text, "4  CRS lanes 32, measured  150 Gflop/s"));
    ck_assert_ptr_null(strstr(text, "SELL-32-1")); /* it was not modelled */
    /* Way 1: 1 Gflop over 80 GB, 40 GB, 4 to 6 GB; the kernel that ran: 20 GB, 10 GB modelled, 6 GB counted.
     */
    ck_assert_ptr_nonnull(strstr(text, "0.0125 0.0125 0.0125 100 100 100 0\n0.025 0.025 0.025 100 100 100 1\n"
                                       "0.2 0.16666667 0.25 100 100 100 2\n"));
    ck_assert_ptr_nonnull(strstr(text, "0.05 0.05 0.05 150 150 150 0\n0.1 0.1 0.1 150 150 150 1\n"
                                       "0.16666667 0.16666667 0.16666667 150 140 160 2\n"));
    ck_assert_ptr_nonnull(strstr(text, "set label '2,3'"));
    ck_assert_ptr_nonnull(strstr(text, "L2 load 4000 GB/s stated"));
    ck_assert_ptr_nonnull(strstr(text, "DRAM load 1000 ±100 GB/s measured"));
    ck_assert_ptr_nonnull(strstr(text, "DP FMA 8000 Gflop/s stated"));
    ck_assert_ptr_nonnull(strstr(text, "filled: measured rate"));
    free(text);
    /* Of predictions alone nothing is filled; all in the L2 is a lower bound of the rate. */
    sp_record_set_value(&gpu, SP_F_METRICS_PERFORMANCE, sp_value_of(1e11, SP_MODELLED));
    json_t *way = json_array_get(json_object_get(json_object_get(gpu.root, "gpu"), "ways"), 0);
    json_object_set_new(way, "upper_bound", json_true());
    text = script_of(&gpu, "levels", SP_TERM_SVG);
    ck_assert_ptr_null(strstr(text, "measured rate"));
    ck_assert_ptr_nonnull(strstr(text, "1  CRS thread  ≥ 100 Gflop/s, all in the L2"));
    free(text);
}
END_TEST

/* Records that differ in their width alone are points over r, with the performance below the balance. */
START_TEST(a_series_is_one_picture)
{
    struct sp_record other;
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-kkt_power.json", &other, NULL), SP_OK);
    json_object_set(json_object_get(other.root, "curves"), "balance",
                    json_object_get(json_object_get(example.root, "curves"), "balance"));
    sp_record_set_count(&other, SP_F_CONFIG_RHS, 4);
    const struct sp_record *records[] = {&example, &other};
    const struct sp_plot_kind *kind = sp_plot_kind_find("balance");
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    sp_plot_script(kind, records, 2, SP_TERM_SVG, "x.svg", out);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "set multiplot"));
    ck_assert_ptr_nonnull(strstr(text, "\n1 8.98 "));
    ck_assert_ptr_nonnull(strstr(text, "\n4 8.98 "));
    free(text);
    sp_record_set_text(&other, SP_F_PROBLEM_NAME, "another");
    out = open_memstream(&text, &size);
    sp_plot_script(kind, records, 2, SP_TERM_SVG, "x.svg", out);
    fclose(out);
    ck_assert_ptr_null(strstr(text, "set multiplot"));
    free(text);
    sp_record_free(&other);
}
END_TEST

START_TEST(names_are_data_and_not_commands)
{
    char text[65536], victim[128], name[512];
    const struct sp_record *records[] = {&example};
    snprintf(victim, sizeof victim, "%s/victim", folder);
    snprintf(name, sizeof name, "a'; system('touch %s'); print 'b `touch %s` \" \\ @x\n!touch %s", victim,
             victim, victim);
    sp_record_set_text(&example, SP_F_PROBLEM_NAME, name);
    sp_record_set_text(&example, SP_F_MACHINE_NAME, "$(reboot) `reboot`");
    ck_assert_int_eq(
        sp_plot_write(sp_plot_kind_find("alpha"), records, 1, SP_TERM_GP, NULL, in_folder("h.gp"), NULL),
        SP_OK);
    content(in_folder("h.gp"), text, sizeof text);
    ck_assert_ptr_null(strstr(text, "\n!touch"));
    if (no_gnuplot("hostile names"))
        return;
    struct sp_plot_tool tool = {.gnuplot = gnuplot};
    ck_assert_int_eq(sp_plot_write(sp_plot_kind_find("roofline"), records, 1, SP_TERM_SVG, &tool,
                                   in_folder("h.svg"), NULL),
                     SP_OK);
    ck_assert_int_ne(access(victim, F_OK), 0);
}
END_TEST

/* Verdicts that the caller found are marks with words of their own; those that did not occur are not named.
 */
START_TEST(verdicts_stand_in_the_history)
{
    char text[65536];
    struct sp_record other = {.root = json_deep_copy(example.root)};
    const struct sp_record *records[] = {&example, &other};
    const struct sp_plot_kind *kind = sp_plot_kind_find("history");
    json_object_set_new(other.root, "verdict", json_string("regressed"));
    ck_assert_int_eq(sp_plot_write(kind, records, 2, SP_TERM_GP, NULL, in_folder("h.gp"), NULL), SP_OK);
    content(in_folder("h.gp"), text, sizeof text);
    ck_assert(strstr(text, "title 'regressed'") && !strstr(text, "title 'improved'"));
    ck_assert(strstr(text, "\n1 4.31 ") && strstr(text, " 0\n2 4.31 ") && strstr(text, " 1\nEOD"));
    sp_record_free(&other);
}
END_TEST

START_TEST(without_gnuplot_the_script_is_kept)
{
    struct sp_error err;
    char text[65536];
    const struct sp_record *records[] = {&example};
    const struct sp_plot_kind *kind = sp_plot_kind_find("losses");
    struct sp_plot_tool none = {.gnuplot = NULL}, wrong = {.gnuplot = "/no/such/gnuplot"};
    ck_assert_int_eq(sp_plot_write(kind, records, 1, SP_TERM_PNG, &none, in_folder("l.png"), &err),
                     SP_ABSENT);
    ck_assert_ptr_nonnull(strstr(err.what, "l.gp"));
    content(in_folder("l.gp"), text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "set output './l.png'"));
    ck_assert_int_eq(sp_plot_write(kind, records, 1, SP_TERM_PNG, &wrong, in_folder("l.png"), &err),
                     SP_ABSENT);
    ck_assert_int_ne(access(in_folder("l.png"), F_OK), 0);
    ck_assert_int_eq(files_in_folder(), 1);
}
END_TEST

START_TEST(a_failing_gnuplot_leaves_nothing)
{
    struct sp_error err;
    const struct sp_record *records[] = {&example};
    const struct sp_plot_kind *kind = sp_plot_kind_find("losses");
    const char *program = in_folder("program");
    FILE *file = fopen(program, "w");
    fputs("#!/bin/sh\necho 'line 7: undefined function' >&2\nexit 3\n", file);
    fclose(file);
    chmod(program, 0755);
    struct sp_plot_tool tool = {.gnuplot = strdup(program), .timeout_s = 0.3};
    ck_assert_int_eq(sp_plot_write(kind, records, 1, SP_TERM_SVG, &tool, in_folder("l.svg"), &err),
                     SP_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.what, "line 7: undefined function"));
    file = fopen(tool.gnuplot, "w");
    fputs("#!/bin/sh\nexec sleep 20\n", file);
    fclose(file);
    ck_assert_int_eq(sp_plot_write(kind, records, 1, SP_TERM_SVG, &tool, in_folder("l.svg"), &err),
                     SP_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.what, "did not finish"));
    file = fopen(tool.gnuplot, "w");
    fputs("#!/bin/sh\nexit 0\n", file);
    fclose(file);
    tool.timeout_s = 20;
    ck_assert_int_eq(sp_plot_write(kind, records, 1, SP_TERM_SVG, &tool, in_folder("l.svg"), &err),
                     SP_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.what, "drew nothing"));
    ck_assert_int_eq(files_in_folder(), 1);
    free((char *)tool.gnuplot);
}
END_TEST

/* Also where the roof reaches it at the very right, a peak has its value. */
START_TEST(a_short_peak_has_its_value)
{
    struct sp_error err;
    char text[65536];
    struct sp_record record;
    const struct sp_record *one = &record;
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-explain-crs.json", &record, NULL), SP_OK);
    json_t *roofs = (json_t *)sp_record_node(&record, SP_F_ROOFS), *roof;
    size_t i;
    json_array_foreach(roofs, i, roof)
    {
        const char *unit = json_string_value(json_object_get(roof, "unit"));
        if (unit && strcmp(unit, "flop/s") == 0)
            continue;
        json_object_set_new(roof, "value", json_real(185e9));
        json_object_set_new(roof, "lo", json_real(166e9));
        json_object_set_new(roof, "hi", json_real(191e9));
    }
    ck_assert_int_eq(
        sp_plot_write(sp_plot_kind_find("roofline"), &one, 1, SP_TERM_GP, NULL, in_folder("r.gp"), &err),
        SP_OK);
    content(in_folder("r.gp"), text, sizeof text);
    ck_assert_ptr_null(strstr(text, "DP FMA'"));
    ck_assert_ptr_nonnull(strstr(text, "DP FMA "));
    sp_record_free(&record);
}
END_TEST

START_TEST(disturbed_runs_are_in_no_series)
{
    static const char *const kinds[] = {"history", "campaign"};
    struct sp_record disturbed;
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-kkt_power.json", &disturbed, NULL), SP_OK);
    for (int i = 0; i < 2; i++)
        ck_assert_ptr_null(sp_plot_kind_find(kinds[i])->lacks(&disturbed));
    sp_record_set_text(&disturbed, SP_F_CONDITIONS_STATE, "unusable");
    sp_record_set_text(&disturbed, SP_F_CONDITIONS_DOUBT, "17 of 28 samples were disturbed");
    for (int i = 0; i < 2; i++)
        ck_assert_ptr_nonnull(sp_plot_kind_find(kinds[i])->lacks(&disturbed));
    sp_record_free(&disturbed);
}
END_TEST

/* What the six lines call not known is no point of the roofline either. */
START_TEST(a_disturbed_rate_is_no_point)
{
    struct sp_record r;
    static char text[65536];
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-kkt_power.json", &r, NULL), SP_OK);
    for (int disturbed = 0; disturbed <= 1; disturbed++) {
        const struct sp_record *one = &r;
        if (disturbed) {
            sp_record_set_text(&r, SP_F_CONDITIONS_STATE, "unusable");
            sp_record_set_text(&r, SP_F_CONDITIONS_DOUBT, "17 of 28 samples were disturbed");
        }
        ck_assert_int_eq(
            sp_plot_write(sp_plot_kind_find("roofline"), &one, 1, SP_TERM_GP, NULL, in_folder("r.gp"), NULL),
            SP_OK);
        content(in_folder("r.gp"), text, sizeof text);
        const char *points = strstr(text, "$P0 << EOD"), *end = points ? strstr(points, "\nEOD") : NULL;
        ck_assert(points && end);
        int n_measured = 0;
        for (const char *p = points; (p = strstr(p, " 1 ")) && p < end; p++)
            n_measured++;
        ck_assert_int_eq(n_measured, !disturbed);
        ck_assert_int_eq(strstr(text, "measured  not known: too many samples were disturbed") != NULL,
                         disturbed);
    }
    sp_record_free(&r);
}
END_TEST

/* What the report does not name is not drawn. */
START_TEST(losses_have_the_words_of_the_report)
{
    struct sp_error err;
    char text[65536];
    struct sp_record doubtful;
    const struct sp_plot_kind *kind = sp_plot_kind_find("losses"), *roofline = sp_plot_kind_find("roofline");
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-kkt_power.json", &doubtful, &err), SP_OK);
    sp_record_set_number(&doubtful, SP_F_LOSSES_REST, -0.5);
    const struct sp_record *records[] = {&example, &doubtful};
    sp_record_set_number(&example, SP_F_LOSSES_IN_CORE, 0.0004);
    sp_record_set_text(&example, SP_F_BOTTLENECK_CLASS, "latency");
    for (int n = 1; n <= 2; n++) {
        ck_assert_int_eq(
            sp_plot_write(n == 1 ? kind : roofline, records, n, SP_TERM_GP, NULL, in_folder("l.gp"), &err),
            SP_OK);
        content(in_folder("l.gp"), text, sizeof text);
        ck_assert_ptr_nonnull(strstr(text, "waiting for gathers"));
        ck_assert_ptr_null(strstr(text, "in-core, latency"));
        ck_assert_int_eq(strstr(text, "'not known' at graph") != NULL, n == 2);
    }
    ck_assert_ptr_nonnull(kind->lacks(&doubtful));
    sp_record_free(&doubtful);
}
END_TEST

/* gnuplot exits with 0 when it could not write: what does not end as it should gets no name. */
START_TEST(half_a_picture_is_refused)
{
    static const struct {
        const char *bytes;
        size_t size, slack; /* slack: bytes at the end that may be missing */
    } whole[] = {[SP_TERM_SVG] = {"<?xml version=\"1.0\"?>\n<svg>\n<g></g>\n</svg>\n\n", 44, 2},
                 [SP_TERM_PDF] = {"%PDF-1.5\n1 0 obj\nstartxref\n5525\n%%EOF\n", 38, 1},
                 [SP_TERM_PNG] = {"\x89PNG\r\n\x1a\n\0\0\0\0IEND\xae\x42\x60\x82", 20, 0},
                 [SP_TERM_TXT] = {"\f a plot\n\n  of two lines\n\nend of the picture\n", 45, 1}};
    const struct sp_record *records[] = {&example};
    const struct sp_plot_kind *kind = sp_plot_kind_find("losses");
    struct sp_error err;
    char program[300], picture[300], line[1024];
    snprintf(program, sizeof program, "%s/program", folder);
    snprintf(picture, sizeof picture, "%s/bytes", folder);
    const struct sp_plot_tool tool = {.gnuplot = program};
    for (int term = SP_TERM_SVG; term <= SP_TERM_TXT; term++) {
        const size_t size = whole[term].size;
        FILE *file = fopen(picture, "w");
        fwrite(whole[term].bytes, 1, size, file);
        fclose(file);
        for (size_t n = 0; n <= size; n++)
            ck_assert_int_eq(sp_picture_is_whole((enum sp_image)term, whole[term].bytes, n),
                             n + whole[term].slack >= size);
        for (int half = 1; half >= 0; half--) {
            file = fopen(program, "w");
            snprintf(line, sizeof line, "#!/bin/sh\nhead -c %zu '%s'\n", half ? size / 2 : size, picture);
            fputs(line, file);
            fclose(file);
            chmod(program, 0755);
            const enum sp_status status =
                sp_plot_write(kind, records, 1, (enum sp_image)term, &tool, in_folder("l"), &err);
            ck_assert_int_eq(status, half ? SP_OUTPUT : SP_OK);
            ck_assert_int_eq(access(in_folder("l"), F_OK) == 0, !half);
        }
        unlink(in_folder("l"));
    }
    ck_assert_ptr_nonnull(strstr(err.what, "a part of a picture"));
    ck_assert_int_eq(files_in_folder(), 2);
}
END_TEST

/* Counted and simulated bytes over all arrays once, by ways; "none" stands for the undivided cache. */
START_TEST(ways_have_both_curves)
{
    static char script[65536];
    const struct sp_record *records[] = {&divided};
    ck_assert_int_eq(
        sp_plot_write(sp_plot_kind_find("ways"), records, 1, SP_TERM_GP, NULL, in_folder("w.gp"), NULL),
        SP_OK);
    content(in_folder("w.gp"), script, sizeof script);
    ck_assert_ptr_nonnull(strstr(script, "mycielskian13, 48 threads"));
    ck_assert_ptr_nonnull(strstr(script, "set xtics ('none' 0, '2' 2, "));
    ck_assert_ptr_nonnull(strstr(script, "$W0 using 1:2 with linespoints"));
    ck_assert_ptr_nonnull(strstr(script, "$W5 using 1:3 with points"));
    double ways, read, simulated;
    ck_assert_int_eq(
        sscanf(strstr(script, "$W0 << EOD\n"), "$W0 << EOD\n%lf %lf %lf", &ways, &read, &simulated), 3);
    ck_assert_double_eq(ways, 2);
    ck_assert(simulated > 0.6 && simulated < read && read < 1.5);
    /* An L1 that is divided, too, is another experiment. */
    json_t *lines = json_object_get(json_object_get(divided.root, "validation"), "lines"), *line;
    size_t i;
    json_array_foreach(lines, i, line) if (json_object_get(line, "partition"))
        json_object_set_new(line, "partition", json_string("L1:matrix=1,L2:matrix=5"));
    ck_assert_ptr_nonnull(sp_plot_kind_find("ways")->lacks(&divided));
    ck_assert_ptr_nonnull(sp_plot_kind_find("ways")->lacks(&counted));
}
END_TEST

START_TEST(what_cannot_be_drawn_says_why)
{
    struct sp_error err;
    const struct sp_record *records[] = {&example, &example};
    ck_assert_int_eq(
        sp_plot_write(sp_plot_kind_find("spy"), records, 2, SP_TERM_GP, NULL, in_folder("s.gp"), &err),
        SP_USAGE);
    json_object_del(example.root, "curves");
    json_object_del(example.root, "losses");
    json_object_del(example.root, "roofs");
    json_object_del(example.root, "metrics");
    for (const struct sp_plot_kind *const *k = sp_plot_kinds; *k; k++) {
        ck_assert_ptr_nonnull((*k)->lacks(&example));
        ck_assert_int_eq(sp_plot_write(*k, records, 1, SP_TERM_GP, NULL, in_folder("s.gp"), &err), SP_INPUT);
        ck_assert_ptr_nonnull(strstr(err.what, (*k)->lacks(&example)->words));
    }
    ck_assert_ptr_null(sp_plot_kinds[N_KINDS]);
    ck_assert_ptr_null(sp_plot_kind_find("pie"));
    ck_assert_int_eq(sp_term_from_name("svg"), SP_TERM_SVG);
    ck_assert_int_eq(sp_term_from_name("gif"), -1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plots");
    TCase *tc = tcase_create("plots");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_test(tc, every_terminal_draws);
    tcase_add_loop_test(tc, scripts_run_without_warnings, 0, N_KINDS);
    tcase_add_test(tc, roofline_script_holds_the_record);
    tcase_add_test(tc, the_roofline_zooms_to_its_data);
    tcase_add_test(tc, a_disturbed_rate_is_no_point);
    tcase_add_test(tc, caches_have_ceilings_in_the_roofline);
    tcase_add_test(tc, the_run_stands_among_the_caches);
    tcase_add_test(tc, the_run_stands_at_the_cache_that_it_missed);
    tcase_add_test(tc, the_run_leaves_the_least_alpha_free);
    tcase_add_test(tc, series_differ_in_shape_and_colour_for_everybody);
    tcase_add_test(tc, several_records_have_several_shapes);
    tcase_add_test(tc, text_that_is_too_wide_loses_its_middle);
    tcase_add_test(tc, labels_take_free_places);
    tcase_add_test(tc, hypertext_becomes_titles);
    tcase_add_test(tc, the_history_names_commits);
    tcase_add_test(tc, campaign_script_holds_all_records);
    tcase_add_test(tc, sizes_are_drawn_in_their_order);
    tcase_add_test(tc, saturation_shows_whole_intervals);
    tcase_add_test(tc, parts_of_stacks_have_letters);
    tcase_add_test(tc, keys_name_the_term_of_a_gpu);
    tcase_add_test(tc, alpha_says_what_caches_it_is_of);
    tcase_add_test(tc, levels_as_text_are_golden);
    tcase_add_test(tc, bytes_between_ranks_have_units_of_text);
    tcase_add_test(tc, levels_script_holds_the_record);
    tcase_add_test(tc, names_are_data_and_not_commands);
    tcase_add_test(tc, a_series_is_one_picture);
    tcase_add_test(tc, verdicts_stand_in_the_history);
    tcase_add_test(tc, without_gnuplot_the_script_is_kept);
    tcase_add_test(tc, a_failing_gnuplot_leaves_nothing);
    tcase_add_test(tc, a_short_peak_has_its_value);
    tcase_add_test(tc, disturbed_runs_are_in_no_series);
    tcase_add_test(tc, losses_have_the_words_of_the_report);
    tcase_add_test(tc, half_a_picture_is_refused);
    tcase_add_test(tc, ways_have_both_curves);
    tcase_add_test(tc, what_cannot_be_drawn_says_why);
    tcase_add_test(tc, too_many_records_are_refused);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
