/*
 * source.h
 *	  A typed sub-select: the rows of a type, with an id and columns. The
 *	  virtual graph reads a type only through this struct. The rows of a
 *	  stored type are those of its view (store/view/view_sql.h). The rows of a
 *	  bound type are those of the user's table.
 */
#ifndef KG_VIRTUAL_SOURCE_H
#define KG_VIRTUAL_SOURCE_H

#include "model/bound_table.h"
#include "model/catalog.h"

/* A column of the sub-select, as SQL expressions. */
typedef struct KgVColumn
{
	/* expression of the value; NULL: the type has no such column */
	const char *sql;
	Oid type; /* type of the column; for a domain, its base type */
	bool not_null;
	bool is_text; /* values of the column are strings in the document */
	/*
	 * For a reference: an expression of the reference's value if the caller
	 * sees the target, and NULL otherwise. The value has the text of the
	 * target's id. For other columns, "seen" is NULL.
	 */
	const char *seen;
	/*
	 * Another form of "seen", for a statement that reads most rows. With this
	 * form, PostgreSQL may read all targets at once, instead of one target for
	 * each row.
	 */
	const char *seen_by_set;
	/*
	 * Equal keys have equal texts, so the text of the reference's value is the
	 * id of the target.
	 */
	bool exact;
	/*
	 * For a reference: its columns. They correspond to the columns of the
	 * target's id, in this order.
	 */
	int nkeys;
	struct KgVColumn *keys;
} KgVColumn;

typedef struct KgVSource
{
	const KgCatalog *catalog;
	const KgType *type;
	const char *from;  /* item of the FROM clause; its alias is t */
	const char *where; /* condition of the WHERE clause, or NULL */
	const char *id;	   /* expression of the id as text */
	int nkeys;		   /* number of columns of the id */
	KgVColumn *keys;
	/*
	 * expression of the stored document; NULL: the document is made of the
	 * columns
	 */
	const char *document;
	KgVColumn *columns;		   /* indexed by the position in KgType.fields */
	bool foreign;			   /* the sub-select reads tables of the user */
	const KgBoundTable *table; /* the table of a bound type, or NULL */
	/*
	 * The table, and the tables to which its references lead, ordered by OID.
	 */
	List *tables;
	bool reads_view; /* one of the tables is a view */
} KgVSource;

/*
 * Returns the sub-select of a type for the caller. It remains valid as long as
 * both the current memory context and the catalog exist. Raises
 * KG_FAILED_BINDING or KG_FORBIDDEN if the caller cannot read the table.
 */
extern const KgVSource *kg_vsource(const KgCatalog *catalog,
								   const KgType *type);

/*
 * Returns PostgreSQL's estimate of the rows of a bound type's table. Returns -1
 * if there is no estimate, or if the caller may not see all of these rows.
 */
extern int64 kg_vestimate(const KgType *type);

/* Returns the column that contains a field of the type. */
extern const KgVColumn *kg_vsource_column(const KgVSource *source,
										  const KgField *field);

#endif /* KG_VIRTUAL_SOURCE_H */
