/* Text in documents of XML and HTML. */
#ifndef SP_BASE_XML_TEXT_H
#define SP_BASE_XML_TEXT_H

#include <stdio.h>

/* Text with what XML and HTML would take for markup escaped, without control characters, and U+FFFD for what
 * is no UTF-8: the document stays well-formed whatever the text is. */
void sp_xml_text(FILE *out, const char *text);

#endif
