/* Text of others where a character may mean something: CSV, Markdown, XML, names of files. */
#ifndef SP_BASE_ESCAPE_H
#define SP_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Text in CSV [RFC 4180], for programs and for spreadsheets.
 *
 * Spreadsheets take a cell that begins with = + - @, a tab or a carriage return for a formula,
 * quoted or not, and a formula can open programs and send other cells away. Such text gets an
 * apostrophe before it, by which they know text; what is a number altogether, or a single
 * character, computes nothing and stays as it is.
 *
 * Control characters, line ends among them, are made visible (base/visible.h): a cell is part of
 * one line. */

/* In quotes, those inside doubled. */
void sp_csv_text(FILE *out, const char *text);
/* The same; without the quotes where it needs none. */
void sp_csv_field(FILE *out, const char *text);

/* Markdown [CommonMark 0.31, with the tables of GitHub]: text that shows as it is, in a paragraph,
 * an item or the cell of a table: what could begin emphasis, code, a link, HTML, an entity, a
 * formula, a cell, or at its begin a heading, a list or a rule gets a backslash; line ends become
 * blanks, other control characters visible (base/visible.h). */
void sp_markdown_text(FILE *out, const char *text);

/* XML and HTML: markup is escaped, what is no character of XML is U+FFFD, control characters, line
 * ends among them, and bytes that are no UTF-8 are visible (base/visible.h): the document stays
 * well-formed whatever the text is, and none of its lines begins with it. */
void sp_xml_text(FILE *out, const char *text);

/* Names of files made of names that come from elsewhere, of a matrix, a machine, a record: letters
 * and digits of ASCII and "._-"; other characters, and a '-' or '.' in front, become '_': no shell,
 * option parser or program sees more in it than a name in its folder. "_" for "". Cut to fit;
 * returns text. */
char *sp_file_stem(char *text, size_t size, const char *name);
/* It is one already. */
bool sp_is_file_stem(const char *name);

#endif
