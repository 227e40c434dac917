/*
 * cite.c
 *	  The argument "citations": reports the version of each entity in a reply.
 */
#include "postgres.h"

#include "base/spi.h"
#include "catalog/pg_type.h"
#include "query/graph/nodes.h"
#include "query/run/running.h"
#include "tools/reply/cite.h"
#include "utils/builtins.h"
#include "virtual/write.h"

bool
kg_cite_wanted(const KgInput *in)
{
	return kg_input_has(in, "citations") &&
		   kg_input_declares(in, "citations") && kg_input_bool(in, "citations");
}

typedef struct Citing
{
	int n;
	KgCited **sorted;
} Citing;

static int
compare(const KgCited *cited, int32 type_no, const char *id)
{
	if (cited->type->type_no != type_no)
		return cited->type->type_no < type_no ? -1 : 1;
	return strcmp(cited->id, id);
}

static int
compare_cited(const void *a, const void *b)
{
	const KgCited *y = *(KgCited *const *) b;

	return compare(*(KgCited *const *) a, y->type->type_no, y->id);
}

static bool
receive_version(TupleTableSlot *slot, void *arg)
{
	const Citing *citing = arg;
	int32 type_no;
	char *id;
	int low = 0;
	int high = citing->n;

	slot_getallattrs(slot);
	type_no = DatumGetInt32(slot->tts_values[1]);
	id = TextDatumGetCString(slot->tts_values[2]);
	while (low < high)
	{
		int middle = low + (high - low) / 2;

		if (compare(citing->sorted[middle], type_no, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < citing->n && compare(citing->sorted[low], type_no, id) == 0;
		 low++)
		citing->sorted[low]->version = DatumGetInt64(slot->tts_values[3]);
	return true;
}

/* Sets the versions of entities whose type reads a table of the user. */
static void
cite_bound(const Citing *citing)
{
	const char **ids = palloc(citing->n * sizeof(char *));
	int64 *versions = palloc(citing->n * sizeof(int64));
	int from = 0;

	for (int i = 1; i <= citing->n; i++)
	{
		const KgType *type = citing->sorted[from]->type;
		int n = i - from;

		ids[n - 1] = citing->sorted[i - 1]->id;
		if (i < citing->n && citing->sorted[i]->type == type)
			continue;
		if (type->binding != NULL)
		{
			kg_virtual_versions(kg_running_catalog(), type, ids, versions, n);
			for (int j = 0; j < n; j++)
				citing->sorted[from + j]->version = versions[j];
		}
		from = i;
	}
}

void
kg_cite(KgDraft *draft, KgCited *cited, int n)
{
	static const Oid types[] = {
		TEXTOID, TEXTARRAYOID, TEXTARRAYOID, TEXTARRAYOID};
	const char **columns[3];
	Citing citing = {n};
	KgGraph *graph;
	Datum values[4];
	int distinct = 0;

	draft->cited = cited;
	draft->ncited = n;
	if (n == 0)
		return;
	citing.sorted = palloc(n * sizeof(KgCited *));
	for (int i = 0; i < n; i++)
		citing.sorted[i] = &cited[i];
	qsort(citing.sorted, n, sizeof(KgCited *), compare_cited);
	for (int c = 0; c < 3; c++)
		columns[c] = palloc(n * sizeof(char *));
	for (int i = 0; i < n; i++)
	{
		const KgCited *one = citing.sorted[i];

		if (i > 0 &&
			compare_cited(&citing.sorted[i - 1], &citing.sorted[i]) == 0)
			continue;
		columns[0][distinct] = one->type->bundle;
		columns[1][distinct] = one->type->name;
		columns[2][distinct++] = one->id;
	}
	for (int c = 0; c < 3; c++)
		values[c + 1] = kg_text_array(columns[c], distinct);
	cite_bound(&citing);
	graph = kg_graph_begin();
	kg_graph_run(graph,
				 KG_SQL_NODES_OF_HANDLES,
				 4,
				 types,
				 values,
				 receive_version,
				 &citing);
	kg_graph_end(graph);
}

static char *
handle_of(const KgCited *cited)
{
	return psprintf("%s:%s", kg_type_handle(cited->type), cited->id);
}

void
kg_citations_write(const KgDraft *draft, int listed, KgJsonWriter *w)
{
	kg_jw_kbegin_object(w, "citations");
	for (int i = 0; i < draft->ncited; i++)
		if (draft->cited[i].version != 0 && draft->cited[i].item < listed)
			kg_jw_kint(w, handle_of(&draft->cited[i]), draft->cited[i].version);
	kg_jw_end_object(w);
}

void
kg_citations_measure(const KgDraft *draft, Size *whole, Size *stub)
{
	for (int i = 0; i < draft->ncited; i++)
	{
		const KgCited *cited = &draft->cited[i];
		char *handle = handle_of(cited);
		Size size = strlen(": , ") + kg_int_text_size(cited->version) +
					kg_string_text_size(handle, strlen(handle));

		if (cited->item < 0 || cited->version == 0)
			continue;
		whole[cited->item] += size;
		stub[cited->item] += size;
	}
}
