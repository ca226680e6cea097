#include "base/xml_text.h"

#include "base/utf8.h"
#include "base/visible.h"

/* What stands for a character of the text; NULL: its visible form. */
static const char *entity_of(uint32_t code)
{
    return code == '<'                 ? "&lt;"
           : code == '>'               ? "&gt;"
           : code == '&'               ? "&amp;"
           : code == '"'               ? "&quot;"
           : code == '\''              ? "&#39;"
           : (code & 0xfffe) == 0xfffe ? "\xef\xbf\xbd"
                                       : NULL;
}

void sp_xml_text(FILE *out, const char *text)
{
    char shown[SP_VISIBLE_MOST];
    while (*text) {
        const char *from = text;
        const uint32_t code = sp_utf8_next(&from);
        sp_visible_next(&text, shown);
        const char *entity = entity_of(code);
        fputs(entity ? entity : shown, out);
    }
}
