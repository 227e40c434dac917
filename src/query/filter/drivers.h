/*
 * drivers.h
 *	  The planner of selections: the conditions of a filter that an index
 *	  serves, and the condition among them that has the fewest rows.
 *
 * A driver reads the rows of the conditions on one property, of the conditions
 * on the id, or of all alternatives. The rows of each driver are counted up to
 * a bound, which grows until a driver has fewer rows. So the work is within a
 * constant factor of the work for the best driver, without statistics. The
 * other conditions are then applied to the nodes of the best driver. If all
 * rows of another driver were counted, its nodes are intersected with the
 * nodes of the best driver. All other conditions are tested on the packed keys
 * of the nodes. Everything is allocated in the current memory context.
 */
#ifndef KG_DRIVERS_H
#define KG_DRIVERS_H

#include "query/filter/source.h"
#include "query/graph/nodeset.h"

/*
 * Maximum number of rows that a selection by several conditions stores as sets.
 */
#define KG_MOST_DRIVEN 1000000

typedef struct KgDriver
{
	/*
	 * source of the driver's nodes; for alternatives, set when they have been
	 * counted
	 */
	KgSource *source;
	/* the driver's condition bounds the keys that are read */
	bool narrow;
	/* many rows probably satisfy the driver's conditions */
	bool broad;
	/*
	 * index of the driver's condition in the filter; -1: all conditions on the
	 * field
	 */
	int index;
	/* the driver's nodes are exactly the nodes that satisfy its conditions */
	bool exact;
	int64 count;	  /* number of rows, counted up to bound */
	int64 bound;	  /* bound of the count; 0: not counted */
	KgNodeSet *nodes; /* all nodes of the driver, if they are few; or NULL */
	/*
	 * others: sources of the nodes that do not satisfy the driver's only
	 * condition, because their value is another or missing; or NULL. without:
	 * all these nodes, if they are few; or NULL.
	 */
	KgSource *others[2];
	KgNodeSet *without;
	/* bound up to which the nodes of "others" were read */
	int64 sought;
	/*
	 * for a driver of alternatives: the drivers of each alternative; otherwise
	 * NULL
	 */
	struct KgDrivers *each;
} KgDriver;

typedef struct KgDrivers
{
	const KgCatalog *catalog;
	const KgType *type;
	const KgFilter *filter;
	/* read each entity's row even if derived rows suffice */
	bool look;
	int n;
	KgDriver *drivers;
} KgDrivers;

extern KgDrivers kg_drivers_of(const KgCatalog *catalog, const KgType *type,
							   const KgFilter *filter);

/* Counts the rows of a driver, and stores their nodes, up to bound. */
extern void kg_driver_count(const KgDrivers *drivers, KgDriver *driver,
							int64 bound);
/*
 * Returns the narrow driver with the fewest rows, each counted up to at most
 * "most"; or NULL.
 */
extern KgDriver *kg_drivers_best(KgDrivers *drivers, int64 most);

/*
 * Returns the driver with the fewest rows, after reading all its nodes; NULL if
 * no driver has at most "most" rows.
 */
extern KgDriver *kg_drivers_race(KgDrivers *drivers, int64 most);

/*
 * Returns a source of the nodes of the best driver, which must all have been
 * read. If a set of nodes decides about the condition of another driver, the
 * nodes that this set excludes are left out. The remaining conditions of the
 * source are those about which no driver decides.
 */
extern KgSource *kg_drivers_meet(const KgDrivers *drivers,
								 const KgDriver *best);

/* Receives a node. Returns false to stop. */
typedef bool (*KgNodeFunction)(int64 node, void *arg);

/*
 * Passes to the function each visible node that satisfies the filter. A node
 * may be passed twice.
 */
extern void kg_drivers_select(KgDrivers *drivers, KgNodeFunction found,
							  void *arg);

/* Returns whether any visible node satisfies the filter. */
extern bool kg_drivers_any(const KgDrivers *drivers);

/*
 * Passes to the function each of the given nodes that satisfies all conditions.
 * The given nodes must be distinct and visible.
 */
extern void kg_drivers_keep(const KgDrivers *drivers, const int64 *nodes,
							uint32 n, KgNodeFunction found, void *arg);

#endif /* KG_DRIVERS_H */
