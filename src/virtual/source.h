/*
 * source.h
 *	  A type as a typed sub-select: rows with an id and columns.
 *
 * The virtual graph reads a type only through this struct.  The rows of a
 * stored type are those of its view (store/view/view_sql.h), those of a bound
 * type are the rows of the user's table.
 */
#ifndef KG_VIRTUAL_SOURCE_H
#define KG_VIRTUAL_SOURCE_H

#include "model/bound_table.h"
#include "model/catalog.h"

/* An expression of the sub-select. */
typedef struct KgVColumn
{
	const char *sql; /* NULL: the type has no such column */
	Oid type;		 /* the type of the column; for a domain, its base type */
	bool not_null;
	bool is_text; /* the values of the column are strings in the document */
	/*
	 * For a reference: an expression that is the reference's value, with the
	 * target's own text, if the caller sees the target, and NULL otherwise.
	 * NULL for other columns.
	 */
	const char *seen;
	/*
	 * Like "seen", for a statement that reads most rows. PostgreSQL may then
	 * read all targets at once, instead of one target for each row.
	 */
	const char *seen_by_set;
	/*
	 * equal keys have the same text, so the text of the value is the id of the
	 * target
	 */
	bool exact;
	/*
	 * For a reference: its columns, in the order of the columns of the
	 * target's id.
	 */
	int nkeys;
	struct KgVColumn *keys;
} KgVColumn;

typedef struct KgVSource
{
	const KgCatalog *catalog;
	const KgType *type;
	const char *from;  /* item of FROM; its alias is t */
	const char *where; /* a condition, or NULL */
	const char *id;	   /* the id as text */
	int nkeys;		   /* columns of the id, in their order */
	KgVColumn *keys;
	const char *document; /* stored document; NULL: it is made of the columns */
	KgVColumn *columns;	  /* indexed by the index of a field */
	bool foreign;		  /* reads tables of the user */
	const KgBoundTable *table; /* table of a bound type, or NULL */
	/* the table and those of the references, by OID */
	List *tables;
	bool reads_view; /* one of the tables is a view */
} KgVSource;

/*
 * Returns the sub-select of a type for the caller. It remains valid as long as
 * the current memory context and the catalog. Raises KG_FAILED_BINDING or
 * KG_FORBIDDEN if the caller cannot read the table.
 */
extern const KgVSource *kg_vsource(const KgCatalog *catalog,
								   const KgType *type);

/* Returns the column of a field of the type. */
extern const KgVColumn *kg_vsource_column(const KgVSource *source,
										  const KgField *field);

#endif /* KG_VIRTUAL_SOURCE_H */
