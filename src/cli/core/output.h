/* What a command writes: standard output or files that appear when all is done, and never in the
 * place of what it reads. */
#ifndef SP_CLI_OUTPUT_H
#define SP_CLI_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "io/files/part_file.h"
#include "io/record/record.h"
#include "sparse/csr/csr.h"

/* The words of the command line that may name files: a result must not replace what the command
 * reads, nor two results each other, so that every output asks here before it opens its file.
 * sp_parse() notes the words, which are borrowed, as argv is, for as long as the program runs. */
void sp_words_note(int argc, char *const *argv);
/* Files that the command reads although no word names them; borrowed (NULL, 0: none). */
void sp_words_note_files(const char *const *names, int n);

/* SP_USAGE where `output` is empty or -, or where it (a word of the command line, the part of one
 * behind = as argp gives it, or a name that the program chose) is a regular file that another word
 * names too: under whatever path or link, as an argument, as an option's value, in replay:FILE or
 * gen:like:FILE:SCALE. */
enum sp_status sp_words_refuse(const char *output, struct sp_error *err);
/* Names of files that the command will write (NULL: none), from before it works on: SP_USAGE as
 * above, and where two of them, or one and an open sink, are one file. */
enum sp_status sp_outputs_claim(const char *const *names, int n, struct sp_error *err);

/* Where --json or --csv goes: standard output, or a file that appears when all is done. */
struct sp_sink {
    FILE *stream; /* NULL: not asked for */
    struct sp_atomic_file file;
    bool is_file;
    int place; /* among the results that claimed a file */
};

/* name: NULL not asked for, "-" standard output, else a file. SP_OUTPUT where it cannot be written;
 * SP_USAGE where it is empty, where another word of the command line names that file too, or
 * another open sink does. At most 8 are open at a time. */
enum sp_status sp_sink_open(const char *name, struct sp_sink *sink, struct sp_error *err);
/* Makes the file appear, unless `code` is a failure and nothing was written; reports what fails and
 * returns the worse of `code` and its exit code. */
int sp_sink_close(struct sp_sink *sink, int code);
/* Of a name as above: it is standard output. */
bool sp_sink_is_stdout(const char *name);
/* Throws the file away. */
void sp_sink_abort(struct sp_sink *sink);

/* --csv and --json of one command. */
struct sp_sinks {
    struct sp_sink csv, json;
    bool on_stdout; /* one of them takes the place of what is for people */
};
enum sp_status sp_sinks_open(const char *csv, const char *json, struct sp_sinks *sinks, struct sp_error *err);
int sp_sinks_close(struct sp_sinks *sinks, int code);

/* A table whose columns are as wide as what stands in them, two blanks apart. */
enum { SP_CELL = 64, SP_MOST_CELLS = 16 };
/* Fills the cells of a row; row -1: the heads. Text that stands in place of all cells but the
 * first, borrowed; NULL: none does. Asked twice for each row. */
typedef const char *sp_row_cells(const void *context, int64_t row, char (*cell)[SP_CELL]);
/* The first column and those whose bit is set in `left` begin at the left. */
void sp_print_columns(sp_row_cells *cells, const void *context, int64_t n_rows, int n_columns, unsigned left,
                      FILE *out);

/* Writing a matrix: in a format of io/matrix/matrix_formats.h, Matrix Market text also compressed,
 * or the binary file of io/matrix/matrix_cache.h. */
#define SP_SAVE_FORMATS "mtx, mtx.gz, mtx.xz, mtx.zst, mtx.bz2, spm, petsc, npz or rb"

/* Zero-initialise: the format by the path's ending, one thread, symmetry kept. */
struct sp_save_options {
    const char *format; /* one of SP_SAVE_FORMATS; NULL: by the path's ending */
    int n_threads;
    bool general;                                     /* text: all entries, of a symmetric matrix too */
    const char *sha256;                               /* .spm: digest of the source; NULL: of the matrix */
    int64_t n_entries;                                /* .spm, with sha256: entries of the source */
    void (*progress)(void *context, double fraction); /* may be NULL */
    bool (*interrupted)(void *context);               /* may be NULL */
    void *context;
};

/* SP_USAGE where neither the ending nor the format is one of the above; call it first. */
enum sp_status sp_save_check(const char *path, const struct sp_save_options *options, struct sp_error *err);
/* SP_USAGE, SP_OUTPUT, SP_INTERRUPTED, SP_ABSENT (compression without libarchive). The file appears
 * complete or not at all. */
enum sp_status sp_save(const char *path, const struct sp_csr *a, const struct sp_save_options *options,
                       struct sp_error *err);

/* Writes a document, which it takes, and an end of line. SP_MEMORY where it is NULL; what cannot be
 * written is told where the stream is closed, with its name. */
enum sp_status sp_put_json(json_t *root, size_t flags, FILE *out, struct sp_error *err);

/* CSV from flat JSON objects, so that a command describes its figures once for both: a row of the
 * members in their order, behind a header of their keys where asked; null is an empty cell. Rows
 * under one header must have the same keys. */
void sp_flat_csv(const json_t *object, bool with_header, FILE *out);

/* --html FILE: records are kept as they come, and become one page at the end. */
struct sp_html_output {
    struct sp_sink sink;      /* .stream NULL: not asked for */
    struct sp_record *record; /* [n] they share what the records hold */
    int n, room;
    const char *gnuplot;   /* NULL: the first one in PATH */
    bool no_plots, failed; /* failed: memory ran out while they were kept */
};

/* name: NULL not asked for, "" or "-" standard output, else a file, there when all is done. */
enum sp_status sp_html_open(const char *name, bool no_plots, struct sp_html_output *html,
                            struct sp_error *err);
/* The record may be freed afterwards, but not changed. */
void sp_html_keep(struct sp_html_output *html, const struct sp_record *record);
/* Writes the page, unless there is no record; says where on `remarks` (NULL: nowhere). Returns the
 * worse of `code` and its own. */
int sp_html_close(struct sp_html_output *html, FILE *remarks, int code);

#endif
