/* The page of a report: text that means something to HTML, pictures in it, records with fields missing or
 * odd.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "report/html/html_page.h"
#include "report/html/report_html.h"
#include "run_suite.h"

static char *text;
static size_t size;

static FILE *begin(void)
{
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    return out;
}

START_TEST(text_is_escaped)
{
    static const struct {
        const char *text, *page;
    } cases[] = {
        {"kkt_power", "kkt_power"},
        {"a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c&#39;"},
        {"β −6 … ±", "β −6 … ±"},
        {"bell\a escape\033[2J delete\177 nel\xc2\x85",
         "bell\\u0007 escape\\u001b[2J delete\\u007f nel\\u0085"},
        {"line\nend\ttab \xe2\x80\xae", "line\\nend\ttab \\u202e"},
        {"lone \xff and \xe4\xbd cut", "lone \\xff and \\xe4\\xbd cut"},
        {"long slash \xc0\xaf", "long slash \\xc0\\xaf"},
        {"surrogate \xed\xa0\x80", "surrogate \\xed\\xa0\\x80"},
        {"no character \xef\xbf\xbf", "no character \xef\xbf\xbd"},
    };
    FILE *out = begin();
    sp_xml_text(out, cases[_i].text);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_str_eq(text, cases[_i].page);
    free(text);
}
END_TEST

START_TEST(pictures_get_ids_and_colours_of_their_own)
{
    static const char svg[] =
        "<?xml version=\"1.0\"?>\n<svg \n width=\"8\" viewBox=\"0 0 8 4\"\n>\n<title>Gnuplot</title>\n"
        "<desc>Produced by GNUPLOT</desc>\n<g fill=\"none\">\n</g>\n<defs><circle id='gpDot' "
        "r='0.5'/></defs>\n"
        "<g id=\"gnuplot_plot_1\" ><title>tip</title>\n<use xlink:href='#gpDot' color='rgb( 68, 119,170)'/>\n"
        "<path fill=\"url(#gpPat)\" stroke='#FFFFFF' d='M0,0'/><text>rgb(1,2,3) id='x' "
        "]]> \xff</text></g>\n</svg>\n";
    static const char inside[] =
        "\n\n\n\n<defs><circle id='r1-p-gpDot' r='0.5'/></defs>\n"
        "<g id=\"r1-p-gnuplot_plot_1\" >\n<use xlink:href='#r1-p-gpDot' color='#4477aa'/>\n"
        "<path fill=\"url(#r1-p-gpPat)\" stroke='#ffffff' d='M0,0'/><text>rgb(1,2,3) id='x' "
        "]]&gt; \xef\xbf\xbd</text></g>\n</svg>\n";
    const struct sp_inline_svg picture = {"r1-p", "A <plot>", "It shows", 8, 4, false};
    struct sp_error err;
    FILE *out = begin();
    ck_assert_int_eq(sp_inline_svg(svg, &picture, out, &err), SP_OK);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_ptr_nonnull(strstr(text, "<title id=\"r1-p-title\">A &lt;plot&gt;</title>"));
    ck_assert_ptr_nonnull(strstr(text, "<desc id=\"r1-p-text\">It shows</desc>"));
    ck_assert_ptr_nonnull(strstr(text, "aria-labelledby=\"r1-p-title r1-p-text\""));
    ck_assert_str_eq(strstr(text, "</desc>") + strlen("</desc>"), inside);
    free(text);
    out = begin();
    ck_assert_int_eq(sp_inline_svg("gnuplot: out of luck", &picture, out, &err), SP_OUTPUT);
    fclose(out);
    free(text);
}
END_TEST

/* A gnuplot that writes more than it should writes it in vain. */
START_TEST(pictures_only_draw)
{
    static const char svg[] = "<?xml version=\"1.0\"?>\n<svg width='8'>\n<script>alert(1)</script><g><a "
                              "xlink:href='javascript:alert(2)'>"
                              "<path d='M0,0' onclick='alert(3)'/><path\td='M1,1'/></a></g><image "
                              "href='x'/><!-- --><![CDATA[x]]><G/>"
                              "<text>&lt;script> on=x</text></svg>\n";
    const struct sp_inline_svg picture = {"r1-p", "A", "B", 8, 4, false};
    struct sp_error err;
    FILE *out = begin();
    ck_assert_int_eq(sp_inline_svg(svg, &picture, out, &err), SP_OK);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_str_eq(strstr(text, "</desc>") + strlen("</desc>"),
                     "\n\nalert(1)<g><path\td='M1,1'/></g><text>&lt;script&gt; on=x</text></svg>\n");
    free(text);
}
END_TEST

static void write_page(const struct sp_record *r)
{
    const struct sp_html_options options = {.no_plots = true};
    struct sp_error err;
    FILE *out = begin();
    ck_assert_int_eq(sp_report_html(&r, 1, &options, out, &err), SP_OK);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_ptr_nonnull(strstr(text, "</html>\n"));
    ck_assert_msg(!strstr(text, ">nan") && !strstr(text, " nan") && !strstr(text, ">inf"), "%s", text);
    free(text);
}

/* A page comes of every record that can be read. */
START_TEST(every_field_may_be_missing_or_odd)
{
    struct sp_record whole = {0};
    const char *key;
    json_t *value;
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-kkt_power.json", &whole, NULL), SP_OK);
    write_page(&whole);
    json_object_foreach(whole.root, key, value)
    {
        for (int odd = 0; odd < 4; odd++) {
            struct sp_record r = {.root = json_deep_copy(whole.root)};
            json_t *others[] = {NULL, json_null(), json_integer(7), json_pack("[n,i,s,{}]", 1, "?")};
            if (odd == 0)
                json_object_del(r.root, key);
            else
                json_object_set(r.root, key, others[odd]);
            for (int i = 1; i < 4; i++)
                json_decref(others[i]);
            write_page(&r);
            sp_record_free(&r);
        }
    }
    sp_record_free(&whole);
}
END_TEST

START_TEST(several_records_have_parts_of_their_own)
{
    struct sp_record r = {0};
    struct sp_error err;
    const struct sp_html_options options = {.no_plots = true};
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-kkt_power.json", &r, NULL), SP_OK);
    const struct sp_record *several[] = {&r, &r, &r};
    FILE *out = begin();
    ck_assert_int_eq(sp_report_html(several, 3, &options, out, &err), SP_OK);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_ptr_nonnull(strstr(text, "<h2 id=\"r3-top\">"));
    ck_assert_ptr_nonnull(strstr(text, "<a href=\"#r3-top\">"));
    ck_assert_ptr_nonnull(strstr(text, "id=\"r3-data\">"));
    ck_assert_ptr_null(strstr(text, "id=\"r4-"));
    ck_assert_ptr_nonnull(strstr(text, "<td class=\"n\">4.31 ms "));
    free(text);
    /* One matrix is drawn once, and a record that is data is not there to read as well: dozens of
     * records make a page that a browser opens. */
    const struct sp_html_options undrawn = {.no_plots = false};
    out = begin();
    ck_assert_int_eq(sp_report_html(several, 3, &undrawn, out, &err), SP_OK);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_ptr_nonnull(strstr(text, "Pattern of the matrix: not drawn"));
    const char *link = strstr(text, "<a href=\"#r1-pattern\">");
    ck_assert(link && strstr(link + 1, "<a href=\"#r1-pattern\">"));
    ck_assert_ptr_null(strstr(text, "<pre>"));
    free(text);
    /* The table of all has no time where the six lines of the part have none. */
    sp_record_set_text(&r, SP_F_CONDITIONS_STATE, "unusable");
    sp_record_set_text(&r, SP_F_CONDITIONS_DOUBT, "too many samples were disturbed");
    out = begin();
    ck_assert_int_eq(sp_report_html(several, 3, &options, out, &err), SP_OK);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_ptr_null(strstr(text, "<td class=\"n\">4.31 ms "));
    ck_assert_ptr_nonnull(strstr(text, ", unusable"));
    free(text);
    sp_record_free(&r);
}
END_TEST

/* The page of the example after `change`, in `text`. */
static void write_changed(void (*change)(struct sp_record *))
{
    struct sp_record r = {0};
    struct sp_error err;
    const struct sp_html_options options = {.no_plots = true};
    const struct sp_record *one = &r;
    ck_assert_int_eq(sp_record_read(SP_TEST_DATA "/record-kkt_power.json", &r, NULL), SP_OK);
    change(&r);
    FILE *out = begin();
    ck_assert_int_eq(sp_report_html(&one, 1, &options, out, &err), SP_OK);
    ck_assert_int_eq(fclose(out), 0);
    sp_record_free(&r);
}

static void take_too_much(struct sp_record *r)
{
    sp_record_set_number(r, SP_F_LOSSES_IN_CORE, 0.001);
    sp_record_set_number(r, SP_F_LOSSES_REST, -0.00036);
}

/* Of 0.002 s in all they come to 0.0021 s on the way. */
static void overlap(struct sp_record *r)
{
    json_object_clear(json_object_get(r->root, "losses"));
    sp_record_put_at(r, "metrics.time.value", json_real(0.002));
    sp_record_set_number(r, SP_F_LOSSES_MIN_TRAFFIC, 0.001);
    sp_record_set_number(r, SP_F_LOSSES_IN_CORE, 0.0011);
    sp_record_set_number(r, SP_F_LOSSES_REST, -0.0001);
}

/* A part below 0, and one longer than the time. */
static void go_below_zero(struct sp_record *r)
{
    overlap(r);
    sp_record_set_number(r, SP_F_LOSSES_PADDING, -0.0015);
    sp_record_set_number(r, SP_F_LOSSES_IN_CORE, 0.003);
}

static void start_late(struct sp_record *r)
{
    overlap(r);
    sp_record_set_number(r, SP_F_LOSSES_TEAM, 0.0006);
}

static void have_no_sum(struct sp_record *r)
{
    sp_record_set_number(r, SP_F_LOSSES_MIN_TRAFFIC, 1e308);
    sp_record_set_number(r, SP_F_LOSSES_PADDING, 1e308);
}

static void scatter(struct sp_record *r)
{
    sp_record_set_value(r, SP_F_METRICS_BANDWIDTH_FRACTION, sp_value_between(0.5, 0.4, 2.74, SP_MEASURED));
}

static void have_no_flags(struct sp_record *r)
{
    json_object_del(r->root, "flags");
}

START_TEST(no_share_is_above_all)
{
    write_changed(scatter);
    ck_assert_ptr_nonnull(strstr(text, "40.0 to 100<"));
    ck_assert_ptr_null(strstr(text, "to 274"));
    free(text);
}
END_TEST

/* The rest shows what the rows before it leave, also where they take too much. */
START_TEST(a_negative_rest_is_signed)
{
    write_changed(take_too_much);
    ck_assert_ptr_nonnull(strstr(text, ">−0.36</data>"));
    ck_assert_ptr_nonnull(strstr(text, "bar l6 minus"));
    free(text);
}
END_TEST

START_TEST(bars_go_on_where_the_last_one_ended)
{
    write_changed(overlap);
    ck_assert_ptr_nonnull(strstr(text, "bar l0\" style=\"margin-left:0.00%;width:47.62%"));
    ck_assert_ptr_nonnull(strstr(text, "bar l5\" style=\"margin-left:47.62%;width:52.38%"));
    ck_assert_ptr_nonnull(strstr(text, "minus\" style=\"margin-left:95.24%;width:4.76%"));
    ck_assert_ptr_nonnull(strstr(text, "bar l7\" style=\"margin-left:0.00%;width:95.24%"));
    free(text);
    write_changed(start_late); /* parts of execution have the colours that they have in the picture */
    ck_assert_ptr_nonnull(strstr(text, "bar l5 team\""));
    ck_assert_ptr_nonnull(strstr(text, ".bar.team{background:#cc99bb}"));
    free(text);
    write_changed(go_below_zero);
    ck_assert_ptr_nonnull(strstr(text, "Not known: parts exceed the time"));
    ck_assert_ptr_null(strstr(text, "bar l0"));
    free(text);
}
END_TEST

START_TEST(what_is_not_known_is_not_claimed)
{
    write_changed(have_no_sum);
    ck_assert_ptr_nonnull(strstr(text, "Not known: "));
    ck_assert_ptr_null(strstr(text, "nan%"));
    free(text);
    write_changed(have_no_flags);
    ck_assert_ptr_nonnull(strstr(text, "Flags: unknown"));
    ck_assert_ptr_null(strstr(text, "No flag"));
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("page");
    TCase *tc = tcase_create("page");
    tcase_add_loop_test(tc, text_is_escaped, 0, 9);
    tcase_add_test(tc, pictures_get_ids_and_colours_of_their_own);
    tcase_add_test(tc, pictures_only_draw);
    tcase_add_test(tc, every_field_may_be_missing_or_odd);
    tcase_add_test(tc, several_records_have_parts_of_their_own);
    tcase_add_test(tc, no_share_is_above_all);
    tcase_add_test(tc, a_negative_rest_is_signed);
    tcase_add_test(tc, bars_go_on_where_the_last_one_ended);
    tcase_add_test(tc, what_is_not_known_is_not_claimed);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
