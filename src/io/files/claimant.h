/* Whose a claim or an unfinished file is: a process, told from later ones of its number. */
#ifndef SP_IO_CLAIMANT_H
#define SP_IO_CLAIMANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sp_claimant {
    char host[65];
    char boot[40];  /* of the running kernel, the same in its containers; "" unknown */
    char space[40]; /* namespace of process numbers; "" unknown */
    int pid;        /* 0: unknown */
    int64_t start;  /* when the process began [clock ticks since boot]; 0: unknown */
};

/* This process. */
void sp_claimant_self(struct sp_claimant *self);

/* True where it is certain that `other` has ended: it ran under the kernel and among the processes
 * that `self` sees, and is not there any more. Of other machines nothing is certain. */
bool sp_claimant_has_ended(const struct sp_claimant *self, const struct sp_claimant *other);

/* A key of the machine, the same for all its processes: 16 hexadecimal digits. */
void sp_claimant_machine(const struct sp_claimant *claimant, char key[17]);

/* As JSON and back; a text that says nothing gives a claimant of whom nothing is known. */
void sp_claimant_print(const struct sp_claimant *claimant, char *text, size_t size);
void sp_claimant_parse(const char *text, struct sp_claimant *claimant);

#endif
