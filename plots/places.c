#include "plots/places.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

struct corners {
    double x[4], y[4];
};

static struct corners corners_of(const struct sp_box *b)
{
    static const double across[] = {-0.5, 0.5, 0.5, -0.5}, up[] = {-0.5, -0.5, 0.5, 0.5};
    const double c = cos(b->turn), s = sin(b->turn);
    struct corners k;
    for (int i = 0; i < 4; i++) {
        k.x[i] = b->x + across[i] * b->width * c - up[i] * b->height * s;
        k.y[i] = b->y + across[i] * b->width * s + up[i] * b->height * c;
    }
    return k;
}

/* Does a direction part the two? */
static bool parts(const struct corners *a, const struct corners *b, double turn)
{
    double a_lo = INFINITY, a_hi = -INFINITY, b_lo = INFINITY, b_hi = -INFINITY;
    for (int i = 0; i < 4; i++) {
        const double p = a->x[i] * cos(turn) + a->y[i] * sin(turn),
                     q = b->x[i] * cos(turn) + b->y[i] * sin(turn);
        a_lo = fmin(a_lo, p), a_hi = fmax(a_hi, p);
        b_lo = fmin(b_lo, q), b_hi = fmax(b_hi, q);
    }
    return a_hi <= b_lo || b_hi <= a_lo;
}

bool sp_boxes_meet(const struct sp_box *a, const struct sp_box *b)
{
    const struct corners p = corners_of(a), q = corners_of(b);
    return !parts(&p, &q, a->turn) && !parts(&p, &q, a->turn + M_PI / 2) && !parts(&p, &q, b->turn) &&
           !parts(&p, &q, b->turn + M_PI / 2);
}

void sp_places_take(struct sp_places *p, struct sp_box box, enum sp_taken_by by)
{
    if (p->n == SP_MOST_BOXES)
        return;
    p->by[p->n] = by;
    p->box[p->n++] = box;
}

void sp_places_take_line(struct sp_places *p, double x0, double y0, double x1, double y1)
{
    sp_places_take(
        p, (struct sp_box){(x0 + x1) / 2, (y0 + y1) / 2, hypot(x1 - x0, y1 - y0), 2, atan2(y1 - y0, x1 - x0)},
        SP_BY_LINE);
}

static bool is_inside(const struct sp_places *p, const struct sp_box *b)
{
    const struct corners k = corners_of(b);
    for (int i = 0; i < 4; i++)
        if (!(k.x[i] >= 0 && k.x[i] <= p->width && k.y[i] >= 0 && k.y[i] <= p->height))
            return false;
    return true;
}

int sp_places_choose(struct sp_places *p, const struct sp_box *choice, int n, enum sp_taken_by meets)
{
    int best = -1, least = (int)meets;
    for (int i = 0; i < n; i++) {
        int cost = is_inside(p, &choice[i]) ? 0 : SP_BY_TEXT;
        for (int k = 0; k < p->n && cost < least; k++)
            cost += sp_boxes_meet(&choice[i], &p->box[k]) ? (int)p->by[k] : 0;
        if (cost < least)
            best = i, least = cost;
    }
    if (best >= 0)
        sp_places_take(p, choice[best], SP_BY_TEXT);
    return best;
}

static double em_of(uint32_t c)
{
    return c > 0x2e80                                   ? 1.1
           : c >= 0x80                                  ? 0.85
           : strchr(" !'(),-./:;I[]`fijlrt{|}", (int)c) ? 0.42
           : strchr("%@MWm", (int)c)                    ? 1.02
           : (c >= 'A' && c <= 'Z') || c == 'w'         ? 0.82
                                                        : 0.65;
}

double sp_text_em(const char *text)
{
    double em = 0;
    while (*text)
        em += em_of(sp_utf8_next(&text));
    return em;
}

void sp_text_fit(char *text, size_t size, double most, bool columns)
{
    static const char ellipsis[] = "…";
    const size_t length = strlen(text);
    double *at = malloc((length + 2) * sizeof *at); /* width in front of each character */
    size_t *byte = malloc((length + 2) * sizeof *byte), n = 0;
    if (at && byte) {
        double width = 0;
        for (const char *p = text;; n++) {
            at[n] = width;
            byte[n] = (size_t)(p - text);
            if (!*p)
                break;
            const uint32_t c = sp_utf8_next(&p);
            width += columns ? 1 : em_of(c);
        }
        if (width > most && n > 0) {
            const double left = (most - 1) / 2;
            size_t from = 0, to = n;
            while (from < n && at[from + 1] <= left)
                from++;
            while (to > from + 1 && width - at[to - 1] <= left)
                to--;
            const size_t rest = length - byte[to] + 1;
            if (byte[from] + sizeof ellipsis - 1 + rest <= size) {
                memmove(text + byte[from] + sizeof ellipsis - 1, text + byte[to], rest);
                memcpy(text + byte[from], ellipsis, sizeof ellipsis - 1);
            }
        }
    }
    free(at);
    free(byte);
}
