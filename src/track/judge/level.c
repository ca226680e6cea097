#include "track/judge/level.h"

#include <math.h>

#include "base/samples.h"
#include "track/judge/change_points.h"

enum { MOST = 64 };

int sp_level_begin(const struct sp_entry *const *list, int n, const struct sp_steadiness *steadiness,
                   const struct sp_judge_options *o)
{
    double x[MOST];
    int first[MOST], n_points = 0;
    struct sp_change_point point[MOST];
    if (n > MOST)
        return 0;
    const int n_sessions = sp_session_values(list, n, o->metric, x, first);
    const double floor = o->floor > 0 ? o->floor : SP_SHIFT_FLOOR;
    const double limit = fmax(floor, sp_steadiness_limit(steadiness, 1, 0, floor));
    const struct sp_change_options options = {.floor = log1p(limit), .seed = o->seed};
    if (sp_change_points(x, n_sessions, &options, point, MOST, &n_points, NULL) != SP_OK)
        n_points = 0; /* without memory for it all is one level */
    int begin = n_points > 0 ? point[n_points - 1].at : 0;
    for (int i = begin + 1; i < n_sessions && steadiness->is_known; i++) {
        const double was = sp_median(x + begin, i - begin);
        const double better = sp_tracked_metrics[o->metric].less_is_better ? was / x[i] : x[i] / was;
        if (log(better) > log1p(limit))
            begin = i;
    }
    return begin > 0 ? first[begin] : 0;
}
