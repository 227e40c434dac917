/*
 * drivers.h
 *	  The planner of selections: the conditions of a filter that an index
 *	  serves, and the condition among them that has the fewest rows.
 *
 * A driver reads the rows of one property's conditions, of the ids, or of all
 * alternatives. Drivers are counted up to a bound, which grows until one of
 * them has fewer rows. So the work is within a constant factor of the best
 * driver's, without statistics. The other conditions are then applied to its
 * nodes as a set: nodes of another driver that was counted to its end are
 * intersected, and the rest is tested on the packed keys of the nodes.
 * Everything is allocated in the current memory context.
 */
#ifndef KG_DRIVERS_H
#define KG_DRIVERS_H

#include "query/filter/source.h"
#include "query/graph/nodeset.h"

/* Rows that a selection of several conditions may keep as sets. */
#define KG_MOST_DRIVEN 1000000

typedef struct KgDriver
{
	/* source of nodes, once they are counted, for alternatives */
	KgSource *source;
	bool narrow; /* its condition bounds the keys that are read */
	int index;	 /* index of its condition; -1: all on the source's field */
	bool exact;	 /* its nodes are those that satisfy its conditions */
	int64 count; /* number of rows, up to bound */
	int64 bound; /* 0: not counted */
	KgNodeSet *nodes; /* all its nodes, if they are few; or NULL */
	/*
	 * Of the nodes that do not satisfy its only condition, because their value
	 * is another or missing; or NULL. All these nodes, if they are few; or
	 * NULL.
	 */
	KgSource *others[2];
	KgNodeSet *without;
	int64 sought;			/* bound up to which they were read */
	struct KgDrivers *each; /* by alternative; NULL: not the alternatives */
} KgDriver;

typedef struct KgDrivers
{
	const KgCatalog *catalog;
	const KgType *type;
	const KgFilter *filter;
	bool look; /* read each entity's row even if derived rows suffice */
	int n;
	KgDriver *drivers;
} KgDrivers;

extern KgDrivers kg_drivers_of(const KgCatalog *catalog, const KgType *type,
							   const KgFilter *filter);

/* Counts the rows of a driver up to bound. */
extern void kg_driver_count(const KgDrivers *drivers, KgDriver *driver,
							int64 bound);
/*
 * Returns the narrow driver with the fewest rows, each counted up to bound; or
 * NULL.
 */
extern KgDriver *kg_drivers_best(KgDrivers *drivers, int64 bound);

/*
 * Returns the best driver with all its nodes, or NULL if no driver has at most
 * "most" rows.
 */
extern KgDriver *kg_drivers_race(KgDrivers *drivers, int64 most);

/*
 * Returns a source of the nodes of the best driver, which has them all, without
 * those that another such driver lacks. The rest are the conditions that no
 * such driver covers.
 */
extern KgSource *kg_drivers_meet(const KgDrivers *drivers,
								 const KgDriver *best);

/* Receives a node. Returns false to stop. */
typedef bool (*KgNodeFunction)(int64 node, void *arg);

/*
 * Passes each visible node that satisfies the filter to the function. A node
 * may be passed twice.
 */
extern void kg_drivers_select(KgDrivers *drivers, KgNodeFunction found,
							  void *arg);

/*
 * Passes the nodes that satisfy all conditions. The given nodes are distinct
 * and visible.
 */
extern void kg_drivers_keep(const KgDrivers *drivers, const int64 *nodes,
							uint32 n, KgNodeFunction found, void *arg);

#endif /* KG_DRIVERS_H */
