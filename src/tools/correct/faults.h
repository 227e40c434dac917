/*
 * faults.h
 *	  Reports all faults of a wrong call in one error.
 */
#ifndef KG_FAULTS_H
#define KG_FAULTS_H

#include "utils/jsonb.h"

/* The result of trying a call. */
typedef struct KgTried
{
	Jsonb *reply; /* NULL: the call failed or was not tried */
	Jsonb *error; /* NULL: no error that a caller can correct */
} KgTried;

typedef KgTried (*KgTry)(const char *tool, const Jsonb *arguments);

/*
 * Returns the error with all faults of its call, if there are several.
 *
 * Tries the corrected call of the error, then the corrected call of the next
 * error or hint, until a call needs no correction. The returned error has this
 * call as "call" and the faults as "errors". It has no "call" if one of the
 * faults has no correction.
 */
extern Jsonb *kg_all_faults(Jsonb *error, KgTry try);

#endif /* KG_FAULTS_H */
