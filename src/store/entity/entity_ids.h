/*
 * entity_ids.h
 *	  Entities of a type by their ids.
 */
#ifndef KG_ENTITY_IDS_H
#define KG_ENTITY_IDS_H

#include "base/spi.h"
#include "model/catalog.h"

/*
 * Who locks several entities locks them in this order: those who are given ids
 * lock them by their ids.
 */
#define KG_LOCK_ORDER " ORDER BY type_no, entity_id "

/*
 * The statement: columns of the entities e, and of u, the ids, each with its
 * place (ord, from 1).  $1 to $3 are the tenant and the type, $4 the ids.
 */
#define KG_OF_IDS(columns)                                \
	"SELECT " columns " FROM unnest($4) WITH ORDINALITY " \
	"AS u(id, ord) JOIN @kg_entity e ON e.tenant = $1 "   \
	"AND e.bundle = $2 AND e.entity_type = $3 "           \
	"AND e.entity_id = u.id"

/* The same of one id, and what may stand behind either: what it locks. */
#define KG_FORMS_OF_IDS(columns, behind)                             \
	KG_FORMS(KG_OF_IDS(columns) behind,                              \
			 "SELECT " columns " FROM (SELECT 1::bigint) u(ord) "    \
			 "JOIN @kg_entity e ON e.tenant = $1 AND e.bundle = $2 " \
			 "AND e.entity_type = $3 AND e.entity_id = $4" behind)

/* Its parameters. */
#define KG_OF_IDS_ARGS(tenant, type, ids, n)          \
	kg_arg_text(tenant), kg_arg_text((type)->bundle), \
		kg_arg_text((type)->name), kg_arg_texts(ids, n)

/* Run it as the current role.  An id may be NULL. */
extern void kg_select_of_ids(KgForms *forms, const char *tenant,
							 const KgType *type, const char *const *ids, int n);

/*
 * Nodes of ids of a type as the current role sees them; 0 where there is none.
 */
extern void kg_nodes_of_ids(const char *tenant, const KgType *type,
							const char *const *ids, int n, int64 *nodes);

/*
 * Are there, of ids that a statement that locks has not found (the others are
 * NULL), some by now?  It may have waited for a session that deleted an entity
 * and made it anew: then it is to be run again.  nodes, zeroes at first, are
 * those of the last time: one that is there and is not locked is no reason.
 */
extern bool kg_ids_made_anew(const char *tenant, const KgType *type,
							 const char *const *ids, int n, int64 *nodes);

#endif /* KG_ENTITY_IDS_H */
