#include "report/html/html_style.h"

#include "base/print.h"

#include <stddef.h>

/* Colours by what they are for. Text has a contrast of at least 4.5 to the surfaces page, card and
 * code in both lists (tests/cli/html.sh computes it). */
static const char light[] =
    "--page:#ffffff;--card:#f4f6f9;--code:#eceff3;--ink:#1b232c;--soft:#4c5866;--line:#c6ced7;"
    "--link:#0a4f9e;--good:#17652c;--warn:#7a4f00;--bad:#a3211c;";
static const char dark[] =
    "--page:#161b21;--card:#1f262e;--code:#28313b;--ink:#e5eaef;--soft:#adb8c3;--line:#414d59;"
    "--link:#83bcf7;--good:#82d696;--warn:#f1c262;--bad:#ff9d97;";

/* The losses' colours are those of plots/plot_losses.c, in the order of sp_loss_words. */
// NOLINTBEGIN(bugprone-suspicious-missing-comma): a rule may take two lines
static const char *const rules[] = {
    "*{box-sizing:border-box}",
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}",
    "body{margin:0 auto;max-width:72rem;padding:1rem 1.25rem 4rem;background:var(--page);color:var(--ink);"
    "font:1rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',sans-serif}",
    "h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0}",
    "h2{font-size:1.25rem;line-height:1.3;margin:2.25rem 0 .5rem;padding-top:.5rem;border-top:1px solid "
    "var(--line)}",
    "h3{font-size:1.08rem;margin:1.6rem 0 .4rem}h4{font-size:1rem;margin:1.2rem 0 .3rem}",
    "h1,h2,h3,h4,p,li,dd,td,th,code{overflow-wrap:anywhere}td,th{overflow-wrap:normal}",
    "p{margin:.5rem 0;max-width:60rem}",
    "a{color:var(--link)}",
    "nav{background:var(--card);border:1px solid var(--line);border-radius:.4rem;margin:0 0 1rem;"
    "padding:.5rem .9rem}",
    "nav ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.1rem}",
    "nav a{display:inline-block;padding:.2rem 0}",
    ".soft,figcaption,caption,summary,.unit{color:var(--soft)}",
    ".good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}",
    "p.notice{background:var(--card);border-left:.3rem solid var(--warn);padding:.5rem .8rem}",
    "p.lead{font-size:1.08rem}",
    "code,pre{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono','Liberation "
    "Mono',monospace;font-size:.9em}",
    "code{background:var(--code);border-radius:.2rem;padding:.1em .3em}",
    "pre{margin:.4rem 0;padding:.6rem .8rem;background:var(--code);border-radius:.3rem}",
    "dl.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:.6rem;margin:1rem 0}",
    "dl.tiles div{background:var(--card);border:1px solid var(--line);border-radius:.4rem;padding:.5rem "
    ".8rem}",
    "dl.tiles dt{color:var(--soft);font-size:.9rem}dl.tiles dd{margin:0}",
    "dl.tiles dd.v{font-size:1.35rem;font-weight:600;line-height:1.3}",
    "dl.tiles dd.t{font-weight:600}dl.tiles dd.o{color:var(--soft);font-size:.9rem}",
    "dl.tiles dd{overflow-wrap:anywhere}",
    "dl.facts{display:grid;grid-template-columns:8rem 1fr;gap:.25rem 1rem;margin:.5rem 0}",
    "dl.facts dt{font-weight:600;grid-column:1}dl.facts dd{margin:0;grid-column:2}",
    ".dot{color:var(--soft)}",
    ".box{overflow-x:auto;margin:.6rem 0}",
    ".box:focus-visible,a:focus-visible,summary:focus-visible{outline:.15rem solid var(--link);"
    "outline-offset:.1rem}",
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.95rem}",
    "caption{caption-side:top;text-align:left;padding:.2rem 0;font-size:.9rem}",
    "th,td{text-align:left;vertical-align:top;padding:.3rem .75rem;border-bottom:1px solid var(--line)}",
    "th:first-child,td:first-child{padding-left:.2rem}",
    "thead th{border-bottom:2px solid var(--line);vertical-align:bottom}",
    ".n{text-align:right;white-space:nowrap}.w{min-width:15rem}tbody th{font-weight:400;min-width:6.5rem}",
    "tr.strong>*{font-weight:600}tr.total>*{font-weight:600;border-top:2px solid var(--line)}",
    "td.bars{min-width:9rem;width:30%}",
    ".bar{display:block;height:.95rem;margin-top:.28rem;min-width:1px;border-radius:.1rem;background:#"
    "4477aa}",
    ".l1{background:#33a0cc}.l2{background:#ccbb44}.l3{background:#aa9922}.l4{background:#aa3377}"
    ".l5{background:#cc3344}.l6{background:#888888}.l7{background:var(--soft)}",
    ".bar.minus{background:repeating-linear-gradient(135deg,#888888 0 .2rem,transparent .2rem .4rem);"
    "border:1px solid #888888}",
    "td .unit{display:block;font-size:.87em}",
    "figure{margin:1rem 0}figcaption{font-size:.9rem;margin-top:.3rem}",
    "svg{display:block;width:100%;height:auto}",
    ".wide{max-width:var(--w);min-width:calc(var(--w)*.75)}",
    "svg.fixed{background:#ffffff;border-radius:.3rem}",
    "p.undrawn{background:var(--card);border:1px dashed var(--line);padding:.8rem}",
    "article{background:var(--card);border:1px solid var(--line);border-radius:.4rem;margin:.8rem 0;"
    "padding:.2rem 1rem .6rem}",
    "article h3,article h4{margin:.6rem 0 .2rem}article p{margin:.3rem 0}",
    "article dl.facts{grid-template-columns:6rem 1fr}",
    "details{margin:.5rem 0}summary{cursor:pointer;padding:.2rem 0}",
    "ul.plain{margin:.4rem 0;padding-left:1.2rem}",
    "@media (max-width:40rem){body{padding:.5rem .8rem 3rem}h1{font-size:1.35rem}",
    "nav ul{flex-wrap:nowrap;overflow-x:auto}nav li{white-space:nowrap}",
    "dl.facts,article dl.facts{display:block}dl.facts dd{margin:0 0 .4rem}",
    "dl.tiles{grid-template-columns:repeat(2,minmax(0,1fr))}dl.tiles dd.v{font-size:1.15rem}",
    "th,td{padding:.3rem .5rem}article{padding:.2rem .7rem .5rem}}",
    "@page{margin:14mm}",
    "@media "
    "print{html{font-size:10pt}body{max-width:none;padding:0}nav,details.record,details:not([open]){display:"
    "none}",
    "h1,h2,h3,h4{break-after:avoid}h2{margin-top:1.2rem}",
    "figure,article,tr,dl.tiles,p{break-inside:avoid}thead{display:table-header-group}",
    ".box{overflow:visible}.wide{min-width:0;max-height:11cm}table{font-size:8.5pt}th,td{padding:.15rem "
    ".4rem}",
    "a{color:inherit;text-decoration:none}",
    ".bar,article,dl.tiles div{-webkit-print-color-adjust:exact;print-color-adjust:exact}}",
};
// NOLINTEND(bugprone-suspicious-missing-comma)

/* The colours of plots (plots/script.h), which are made for white paper: what they become in text
 * that has too little contrast there, and what marks and text become on the dark page. */
static const struct {
    const char *color, *light_text, *dark;
} inks[] = {
    {"#ffffff", NULL, "#161b21"},      {"#000000", NULL, "#e5eaef"},      {"black", NULL, "#e5eaef"},
    {"#333333", NULL, "#e5eaef"},      {"#777777", "#5c6670", "#a9b4bf"}, {"#888888", "#5c6670", "#a9b4bf"},
    {"#dddddd", NULL, "#38434e"},      {"#4477aa", NULL, "#7fb2e5"},      {"#cc3344", NULL, "#ff8b92"},
    {"#009e73", "#00704f", "#4fd1a5"}, {"#ccbb44", "#756800", "#dccd66"}, {"#aa9922", "#756800", "#c8b850"},
    {"#33a0cc", "#17708f", "#6cc6f0"}, {"#aa3377", NULL, "#e58fc1"},      {"#332288", NULL, "#b0a4ff"},
    {"#88ccee", "#17708f", "#88ccee"},
};
enum { N_INKS = sizeof inks / sizeof *inks };

/* Text in a plot is in groups that have a size of font. */
static void text_inks(FILE *out)
{
    for (int i = 0; i < N_INKS; i++)
        if (inks[i].light_text)
            sp_print(out, ".plot g[font-size][fill='%s']{fill:%s}\n", inks[i].color, inks[i].light_text);
}

static void dark_inks(FILE *out)
{
    static const char *const properties[] = {"fill", "stroke", "color", "flood-color"};
    for (int i = 0; i < N_INKS; i++)
        for (size_t p = 0; p < sizeof properties / sizeof *properties; p++)
            sp_print(out, "svg.plot.inked [%s='%s']{%s:%s}\n", properties[p], inks[i].color, properties[p],
                     inks[i].dark);
}

void sp_html_style(FILE *out)
{
    sp_print(out,
             ":root{color-scheme:light dark;%s}\n@media screen and (prefers-color-scheme:dark){:root{%s}}\n",
             light, dark);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        sp_print(out, "%s\n", rules[i]);
    text_inks(out);
    fputs("@media screen and (prefers-color-scheme:dark){\n", out);
    dark_inks(out);
    fputs("}\n", out);
}

const char *sp_html_ink_class(enum sp_ink ink)
{
    return ink == SP_INK_RED ? "bad" : ink == SP_INK_YELLOW ? "warn" : ink == SP_INK_GREEN ? "good" : "soft";
}
