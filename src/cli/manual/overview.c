/* spmodel(1): what stands in no table of its own, and the lists that do. */
#include <string.h>

#include "cli/manual/manual.h"
#include "cli/manual/parts.h"
#include "cli/manual/roff.h"

struct item {
    const char *name, *text;
};

const struct sp_example sp_overview_examples[] = {
    {"spmodel analyze matrix.mtx", "how fast y = A x is in CRS, how fast it could be, and what to try",
     "0 5"},
    {"spmodel explain alpha", "what a word of the report means", NULL},
    {"spmodel model matrix.mtx --machine all", "what every described machine would make of it", NULL},
    {"spmodel help input", "what can be given as a matrix", NULL},
    {0},
};

static const struct item files[] = {
    {"NAME.TIME.json",
     "record of an analysis; docs/records.md and docs/record.schema.json describe it, spmodel plot draws it"},
    {"KIND.svg, KIND.gp", "plots, and the gnuplot scripts that draw them, with their data inside"},
    {"machines/NAME.json",
     "described machines (spmodel-machine-files(7)): of the user in "
     "$XDG_DATA_HOME/spmodel (~/.local/share/spmodel), and those of the installed program in share/spmodel"},
    {"labs/NN-NAME/", "exercises of spmodel lab, looked for in the same places"},
    {"spmodel-store/", "records of spmodel track and campaign, where neither --store nor SPMODEL_STORE says "
                       "otherwise"},
    {"$XDG_CACHE_HOME/spmodel/", "(~/.cache/spmodel) what was measured of this machine, indices of stores, "
                                 "matrices of analyze --cache dir; "
                                 "it may be deleted at any time"},
    {NULL, NULL},
};

/* tests/cli/manual.sh holds this to the variables that the source reads. */
static const struct item environment[] = {
    {"SPMODEL_STORE", "the store of track and campaign"},
    {"SPMODEL_COMMIT, SPMODEL_BRANCH", "commit and branch of what is measured, for its record; else the "
                                       "variables that GitHub, GitLab and Jenkins "
                                       "set, else git"},
    {"SPMODEL_LIKWID, SPMODEL_PAPI",
     "another file of the library, tried even where the machine seems to have no counters"},
    {"SPMODEL_HELPER",
     "the program spmodel-counters, where it is neither beside spmodel nor where it was installed"},
    {"OMP_NUM_THREADS, OMP_STACKSIZE, GOMP_STACKSIZE",
     "of the OpenMP library; what cannot be had is an error that names them"},
    {"SPMODEL_ASSUME", "clean: nobody looks whether other programs disturb the samples, or whether a kernel "
                       "drew more than its roof, for tests of what is done with them; "
                       "records say so"},
    {"SPMODEL_FAULT",
     "faults put in on purpose, to see that they are found: pages, straggler:F, order; the record says so"},
    {"NO_COLOR", "no colours unless --color=always"},
    {"HOME, XDG_DATA_HOME, XDG_CACHE_HOME", "where the user's machines, labs and caches are, see FILES"},
    {"PATH", "where gnuplot and likwid-accessD are looked for"},
    {"TMPDIR", "where intermediate files of plots are written"},
    {"USER", "whose exercise it is, where lab start is not given --student"},
    {"CUDA_VISIBLE_DEVICES, CUDA_HOME, CUDA_PATH", "which GPUs there are, and where CUPTI is"},
    {"LIKWID_MODE, LIKWID_FILEPATH", "as for LIKWID itself: how its library reaches the counters, and that "
                                     "this program runs under likwid-perfctr"},
    {NULL, NULL},
};

static void put_items(const char *title, const struct item *item, FILE *out)
{
    fprintf(out, ".SH %s\n", title);
    for (; item->name; item++) {
        fputs(".TP\n\\fB", out);
        sp_roff_escape(item->name, strlen(item->name), out);
        fputs("\\fR\n", out);
        sp_roff_words(item->text, out);
    }
}

static void put_page(const char *name, int section, const char *summary, FILE *out)
{
    char full[80];
    snprintf(full, sizeof full, "spmodel %s", name);
    fputs(".TP\n", out);
    sp_manual_reference(full, section, out);
    putc('\n', out);
    sp_roff_words(summary, out);
}

void sp_manual_write_overview(FILE *out)
{
    struct sp_manual_entry e;
    sp_manual_header("spmodel", 1, out);
    fputs(".SH NAME\nspmodel \\- roofline performance analysis of sparse matrix kernels\n.SH SYNOPSIS\n"
          "\\fBspmodel\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIFILE\\fR...]\n.br\n"
          "\\fBspmodel \\-\\-version\\fR [\\fB\\-\\-json\\fR]\n.SH DESCRIPTION\n",
          out);
    sp_roff_text(
        "How fast could a sparse matrix-vector product, or a product with several vectors, run on this "
        "machine, "
        "how fast does it run, and where does the rest of the time go? `spmodel analyze` reads a matrix, "
        "measures or simulates what it takes, compares it with the roofline and says what to try. Every "
        "number "
        "says whether it was measured, simulated, modelled or stated.\n\n"
        "`spmodel COMMAND --help` and `spmodel help COMMAND` print what the page of a command says; "
        "--version "
        "says what this build can do.\n",
        out);
    fputs(".SH COMMANDS\n", out);
    for (int i = 0; sp_manual_get(i, &e); i++)
        put_page(e.name, 1, e.summary, out);
    fputs(".SH TOPICS\n", out);
    for (const struct sp_help_topic *t = sp_help_topics; t->name; t++)
        put_page(t->name, 7, t->summary, out);
    sp_manual_exit_codes(NULL, out);
    put_items("FILES", files, out);
    put_items("ENVIRONMENT", environment, out);
    sp_manual_examples_list(sp_overview_examples, out);
    fputs(".SH \"SEE ALSO\"\n", out);
    sp_manual_reference("spmodel analyze", 1, out);
    fputs(",\n", out);
    sp_manual_reference("spmodel input", 7, out);
    fputs(",\n\\fBgnuplot\\fR(1),\n\\fBlikwid\\-perfctr\\fR(1)\n", out);
}
