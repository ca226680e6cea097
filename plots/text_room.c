#include "plots/text_room.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

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
