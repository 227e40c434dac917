/*
 * entity_ids.h
 *	  Statements that find entities of a type by their ids.
 */
#ifndef KG_ENTITY_IDS_H
#define KG_ENTITY_IDS_H

#include "base/spi.h"
#include "model/catalog.h"

/*
 * The order in which each session locks several entities. A function that
 * receives ids sorts by the ids.
 */
#define KG_LOCK_ORDER " ORDER BY type_no, entity_id "

/*
 * A SELECT of columns of the entities e with given ids. $1 is the tenant, $2
 * and $3 are the type's bundle and name, and $4 is the array of ids. u.ord is
 * the position of the id in the array, from 1.
 */
#define KG_OF_IDS(columns)                                \
	"SELECT " columns " FROM unnest($4) WITH ORDINALITY " \
	"AS u(id, ord) JOIN @kg_entity e ON e.tenant = $1 "   \
	"AND e.bundle = $2 AND e.entity_type = $3 "           \
	"AND e.entity_id = u.id"

/*
 * The forms of KG_OF_IDS for an array of ids and for one id. The argument
 * "behind", such as a locking clause, is appended to both forms.
 */
#define KG_FORMS_OF_IDS(columns, behind)                             \
	KG_FORMS(KG_OF_IDS(columns) behind,                              \
			 "SELECT " columns " FROM (SELECT 1::bigint) u(ord) "    \
			 "JOIN @kg_entity e ON e.tenant = $1 AND e.bundle = $2 " \
			 "AND e.entity_type = $3 AND e.entity_id = $4" behind)

/* The parameters of the statement KG_OF_IDS. */
#define KG_OF_IDS_ARGS(tenant, type, ids, n)          \
	kg_arg_text(tenant), kg_arg_text((type)->bundle), \
		kg_arg_text((type)->name), kg_arg_texts(ids, n)

/* Runs the statement KG_OF_IDS as the current role. An id may be NULL. */
extern void kg_select_of_ids(KgForms *forms, const char *tenant,
							 const KgType *type, const char *const *ids, int n);

/*
 * Sets nodes[i] to the node of the entity with ids[i]. Sets it to 0 if the
 * current role sees no such entity.
 */
extern void kg_nodes_of_ids(const char *tenant, const KgType *type,
							const char *const *ids, int n, int64 *nodes);

/*
 * Returns whether entities now exist for ids that a locking statement has not
 * found. In ids, the ids that were found are NULL. The locking statement may
 * have waited for a session that deleted an entity and created another entity
 * with the same id. If the result is true, run that statement again. nodes is
 * zeroed before the first call and has the nodes of the previous call. An
 * entity that still has the same node is ignored, because it cannot be locked.
 */
extern bool kg_ids_made_anew(const char *tenant, const KgType *type,
							 const char *const *ids, int n, int64 *nodes);

/*
 * Reads the stored document of a node for an error message. Returns its id, or
 * NULL if it is deleted.
 */
extern char *kg_read_entity(const char *tenant, int64 node, Jsonb **data);

#endif /* KG_ENTITY_IDS_H */
