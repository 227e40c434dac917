/*
 * faults.h
 *	  All faults of a wrong call in one error.
 */
#ifndef KG_FAULTS_H
#define KG_FAULTS_H

#include "utils/jsonb.h"

/* The outcome of a call that was only tried. */
typedef struct KgTried
{
	Jsonb *reply; /* NULL: it failed, or it was not tried */
	Jsonb *error; /* NULL: it did not fail in a way that a caller can mend */
} KgTried;

typedef KgTried (*KgTry)(const char *tool, const Jsonb *arguments);

/*
 * Returns the error of a call with all faults of that call, if it has several.
 *
 * Tries the corrected call of the error, and that of the next error or hint,
 * until one needs no correction.  The result then has this one as "call" and the
 * faults as "errors".  It has no "call" if one of the faults has no correction.
 */
extern Jsonb *kg_all_faults(Jsonb *error, KgTry try);

#endif /* KG_FAULTS_H */
