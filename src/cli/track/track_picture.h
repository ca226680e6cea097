/* A series as a picture in a page: its sessions by commit, the levels that it was on, what is
 * open. */
#ifndef SP_CLI_TRACK_PICTURE_H
#define SP_CLI_TRACK_PICTURE_H

#include "report/html/html_page.h"
#include "track/judge/judge.h"

enum { SP_MOST_LOCATED = 64 };

/* One series as it is drawn. sp_pictured_free(). */
struct sp_pictured {
    const struct sp_judgement *j;
    struct sp_sessions sessions;
    struct sp_located change[SP_MOST_LOCATED]; /* [n_changes] */
    int at[SP_MOST_LOCATED];                   /* first session of each */
    int n_changes;
    double base;                     /* ln, turned: the level that the series began on, 0 % of the picture */
    const struct sp_entry *accepted; /* the newest accepted record; NULL */
};

/* Of series[which], with what all of them tell. SP_MEMORY. */
enum sp_status sp_pictured_of(const struct sp_judged_series *series, const struct sp_learned *learned,
                              int which, const struct sp_judgement *j, struct sp_pictured *out,
                              struct sp_error *err);
void sp_pictured_free(struct sp_pictured *p);

/* Of a session, against the level that the series began on: relative, in the metric's own sense. */
double sp_pictured_change(const struct sp_pictured *p, int session);
/* Is the change one of those that are open now? */
bool sp_pictured_is_open(const struct sp_pictured *p, int change);

/* Writes it; `id` is unique in the page. The scale is nearly even up to 5 % and closer together
 * above, asinh(x / 5 %), so that 5 % can be seen beside 100 %. */
void sp_picture_put(struct sp_page *page, const struct sp_pictured *p, const char *id);

#endif
