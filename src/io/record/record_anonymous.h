/* A record without what says whose it is, for sharing. */
#ifndef SP_IO_RECORD_ANONYMOUS_H
#define SP_IO_RECORD_ANONYMOUS_H

#include "io/record/record.h"

/* Takes out of the record, in place: the host, the path and name of the matrix unless it is a generated one
 * (its sha256, sizes and structure stay, and a name made of the sha256), the command line (what was asked for
 * is said again from `request`), files named in options, branch and tags, and every other absolute path in
 * its texts that is not of the system (/proc, /sys, /dev, /usr, /etc). The commit becomes a hash, the same
 * one for the same commit, so that sessions stay together, and `confirms` names the new id of its record. The
 * verdict goes, which is made of the other fields. Of a campaign job and task stay, which are hashes. Series
 * and environment keep their keys. Sets `anonymous`; once more changes nothing, but what a campaign has added
 * since goes. SP_MEMORY. */
enum sp_status sp_record_anonymise(struct sp_record *record, struct sp_error *err);

#endif
