/* What happens where there is no memory for a JSON document. */
#ifndef SP_CLI_OUT_OF_MEMORY_H
#define SP_CLI_OUT_OF_MEMORY_H

/* First in main(). From then on jansson, which says NULL in a hundred places and loses a field where nobody
 * looks, gives what was asked for or ends the program: a reason on stderr, no unfinished file, exit 4. So no
 * document is ever incomplete, no key of a series made of less, and no NULL is followed. Large arrays and
 * whatever else has an enum sp_status are refused by SP_MEMORY as before. */
void sp_out_of_memory_begin(void);

#endif
