/*
 * vectors.h
 *	  What embeddings have in this database, and the vectors of arguments.
 *
 * Embeddings are stored as real[]; pgvector, where it is installed, measures
 * how far they are from one another.  Nothing of it is linked, or looked up
 * before it is needed.
 */
#ifndef KG_VECTORS_H
#define KG_VECTORS_H

#include "base/error.h"
#include "utils/array.h"

/* As pgvector's type vector has it. */
#define KG_MAX_DIMENSIONS 16000

typedef struct KgVectors
{
	int dimensions; /* 0: kg_enable_vectors() was not called */
	const char *model;
} KgVectors;

/*
 * As it is now, whatever the snapshot; good until the next call.  None where the
 * extension's SQL is older than embeddings.
 */
extern const KgVectors *kg_vectors(void);
/* The same; raises where there is none. */
extern const KgVectors *kg_vectors_require(void);

/*
 * The schema of pgvector, quoted.  Raises where it is not installed in this
 * database, or is older than 0.7.
 */
extern const char *kg_pgvector_schema(void);

/*
 * An array of numbers as a real[] of so many dimensions, allocated in the
 * current context; NULL: it is none, and why is set.
 */
extern ArrayType *kg_vector_read(const JsonbValue *value, const char *path,
								 const KgVectors *vectors, KgError **why);

#endif /* KG_VECTORS_H */
