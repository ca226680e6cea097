/* Measurements of other programs as series (track/exchange/outside.h), and series for other
 * programs: a row of a table a format. */
#ifndef SP_TRACK_EXCHANGE_H
#define SP_TRACK_EXCHANGE_H

#include <stdbool.h>
#include <stdio.h>

#include "track/exchange/outside.h"

/* What a writer is told. */
struct sp_exchange_options {
    const char *repository; /* URL of the source, for Conbench; NULL: not known */
};

struct sp_exchange_format {
    const char *name;       /* as it is typed */
    const char *short_name; /* also; NULL: none */
    const char *what;       /* of which program */
    const char *fields;     /* what its fields mean here, a sentence or two */
    /* In; NULL: it is only written. */
    bool (*is_it)(const char *text, size_t size);
    enum sp_status (*read)(const struct sp_outside_reading *r, struct sp_error *err);
    /* Out: list[n] by series, then start, into a stream, or into a folder, which is made; both
     * NULL: it is only read. Write errors stay in the stream's error flag. */
    enum sp_status (*write)(const struct sp_entry *const *list, int64_t n,
                            const struct sp_exchange_options *o, FILE *out, struct sp_error *err);
    enum sp_status (*write_folder)(const struct sp_entry *const *list, int64_t n,
                                   const struct sp_exchange_options *o, const char *folder,
                                   struct sp_error *err);
};
extern const struct sp_exchange_format sp_exchange_formats[];        /* ends with a NULL name */
const struct sp_exchange_format *sp_exchange_find(const char *name); /* NULL: none */

/* Reads a file of the format (NULL: whichever it looks like; *format says which). SP_INPUT with
 * file, line, what, and the remedy. */
enum sp_status sp_exchange_read(const char *path, const struct sp_exchange_format **format,
                                const struct sp_outside_defaults *otherwise, struct sp_outside *out,
                                struct sp_error *err);

/* Rows of the table in exchange.c. */
bool sp_is_gbench(const char *text, size_t size);
bool sp_is_reframe(const char *text, size_t size);
bool sp_is_caliper(const char *text, size_t size);
bool sp_is_thicket(const char *text, size_t size);
bool sp_is_series_csv(const char *text, size_t size);
enum sp_status sp_read_gbench(const struct sp_outside_reading *r, struct sp_error *err);
enum sp_status sp_read_reframe(const struct sp_outside_reading *r, struct sp_error *err);
enum sp_status sp_read_caliper(const struct sp_outside_reading *r, struct sp_error *err);
enum sp_status sp_read_thicket(const struct sp_outside_reading *r, struct sp_error *err);
enum sp_status sp_read_series_csv(const struct sp_outside_reading *r, struct sp_error *err);
enum sp_status sp_write_series_csv(const struct sp_entry *const *list, int64_t n,
                                   const struct sp_exchange_options *o, FILE *out, struct sp_error *err);
enum sp_status sp_write_asv(const struct sp_entry *const *list, int64_t n,
                            const struct sp_exchange_options *o, const char *folder, struct sp_error *err);
enum sp_status sp_write_conbench(const struct sp_entry *const *list, int64_t n,
                                 const struct sp_exchange_options *o, FILE *out, struct sp_error *err);
enum sp_status sp_write_github_action(const struct sp_entry *const *list, int64_t n,
                                      const struct sp_exchange_options *o, FILE *out, struct sp_error *err);

#endif
