/*
 * regex_dfa.c
 *	  Conversion of a regular expression's syntax tree to a DFA over the bytes
 *	  of UTF-8.
 *
 * The NFA is built by Thompson's construction, and the DFA by the subset
 * construction. Only the existence of a match matters, so greediness and groups
 * have no effect, and a state with a match is final. The size of both automata
 * is limited. A pattern that exceeds the limit is matched by PCRE2 (pattern.c).
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "schema/regex_dfa.h"
#include "utils/memutils.h"

#define MAX_NODES 4000
#define MAX_STATES 2000
#define MAX_TABLE 65536
/*
 * Maximum number of visits of NFA nodes during the construction, which takes a
 * few milliseconds.
 */
#define MAX_WORK 4000000
/*
 * The cost of a construction: the number of visits that count as one step of
 * validation, and the steps for any pattern.
 */
#define WORK_OF_STEP 6
#define BASE_STEPS 500

/* Numbers of states with a special meaning. */
#define DFA_DEAD 0
#define DFA_MATCH 1

typedef enum NodeKind
{
	NODE_BYTES, /* a byte in low..high, then node "next" */
	NODE_SPLIT, /* node "next" or node "other" */
	NODE_START,
	NODE_END,
	NODE_ACCEPT
} NodeKind;

typedef struct NfaNode
{
	NodeKind kind;
	uint8 low;
	uint8 high;
	int next;
	int other;
} NfaNode;

/*
 * A state: a set of NFA nodes that wait for a byte or for the end of the
 * string.
 */
typedef struct State
{
	int n;
	int *nodes; /* sorted node numbers */
	uint32 hash;
	bool accepts_at_end;
} State;

typedef struct Builder
{
	NfaNode *nodes;
	int nnodes;
	/* the expression is not regular, or an automaton is too large */
	bool failed;
	int start;

	uint8 class_of[256];
	uint8 class_byte[256]; /* a representative byte of each class */
	int nclasses;

	State *states;
	int nstates;
	uint16 *next;
	int *slots; /* hash table of states; a slot has the state's index + 1 */

	/* Marks of the nodes in the current closure. */
	int *mark;
	int generation;
	int *stack;
	int *set;
	int nset;
	int64 work;
} Builder;

static int
add_node(Builder *b, NodeKind kind, int next, int other)
{
	NfaNode *node;

	if (b->nnodes >= MAX_NODES)
	{
		b->failed = true;
		return 0;
	}
	node = &b->nodes[b->nnodes];
	node->kind = kind;
	node->next = next;
	node->other = other;
	return b->nnodes++;
}

static int
add_bytes(Builder *b, int low, int high, int next)
{
	int n = add_node(b, NODE_BYTES, next, -1);

	b->nodes[n].low = low;
	b->nodes[n].high = high;
	return n;
}

static int
either(Builder *b, int one, int other)
{
	return other < 0 ? one : add_node(b, NODE_SPLIT, one, other);
}

static int
encode(pg_wchar c, unsigned char *bytes)
{
	unicode_to_utf8(c, bytes);
	return pg_utf_mblen(bytes);
}

/*
 * Adds alternative sequences of byte ranges before the node next. They match
 * the code points low..high, whose encodings have equal length. The range is
 * split until each sequence has single bytes, then one range, then full ranges
 * of continuation bytes. result is the node of previous alternatives, or -1.
 * Returns the node of all alternatives.
 */
static int
same_length_range(Builder *b, const unsigned char *low,
				  const unsigned char *high, int len, int next, int result)
{
	int i;
	unsigned char edge[4];

	if (b->failed)
		return result;
	if (len == 1)
		return either(b, add_bytes(b, low[0], high[0], next), result);
	if (low[0] == high[0])
	{
		int tail = same_length_range(b, low + 1, high + 1, len - 1, next, -1);

		return either(b, add_bytes(b, low[0], low[0], tail), result);
	}
	/*
	 * Split off the code points whose first byte is low[0], unless the range
	 * contains all code points with this first byte. Then do so for high[0].
	 */
	for (i = 1; i < len && low[i] == 0x80; i++)
		;
	if (i < len)
	{
		memcpy(edge, low, len);
		memset(edge + 1, 0xBF, len - 1);
		result = same_length_range(b, low, edge, len, next, result);
		memset(edge, 0x80, len);
		edge[0] = low[0] + 1;
		return same_length_range(b, edge, high, len, next, result);
	}
	for (i = 1; i < len && high[i] == 0xBF; i++)
		;
	if (i < len)
	{
		memset(edge, 0x80, len);
		edge[0] = high[0];
		result = same_length_range(b, edge, high, len, next, result);
		memset(edge, 0xBF, len);
		edge[0] = high[0] - 1;
		return same_length_range(b, low, edge, len, next, result);
	}
	for (i = 1; i < len; i++)
		next = add_bytes(b, 0x80, 0xBF, next);
	return either(b, add_bytes(b, low[0], high[0], next), result);
}

static int
build_set(Builder *b, const KgCharSet *set, int next)
{
	/* For each length of encoding, the last code point with this length. */
	static const pg_wchar last[] = {0x7F, 0x7FF, 0xFFFF, KG_MAX_CODE_POINT};
	int result = -1;

	if (set->nproperties > 0 || set->negated)
	{
		b->failed = true;
		return next;
	}
	for (int i = 0; i < set->nranges; i++)
	{
		pg_wchar low = set->ranges[i].low;

		for (int len = 1; len <= 4 && low <= set->ranges[i].high; len++)
		{
			pg_wchar high = Min(set->ranges[i].high, last[len - 1]);
			unsigned char from[8];
			unsigned char to[8];

			if (low > last[len - 1])
				continue;
			encode(low, from);
			encode(high, to);
			result = same_length_range(b, from, to, len, next, result);
			low = high + 1;
		}
	}
	/* An empty set matches no character, so use an empty byte range. */
	return result < 0 ? add_bytes(b, 1, 0, next) : result;
}

static int build(Builder *b, const KgRegex *re, int next);

static int
build_repeat(Builder *b, const KgRegex *re, int next)
{
	if (re->max < 0)
	{
		int loop = add_node(b, NODE_SPLIT, -1, next);
		int body = build(b, re->left, loop);

		b->nodes[loop].next = body;
		next = loop;
	}
	else
	{
		for (int i = re->min; i < re->max && !b->failed; i++)
			next = add_node(b, NODE_SPLIT, build(b, re->left, next), next);
	}
	for (int i = 0; i < re->min && !b->failed; i++)
		next = build(b, re->left, next);
	return next;
}

/*
 * Builds the nodes of a sequence, and returns its first node. The tree of a
 * sequence is nested to the left and may be as deep as the pattern is long. So
 * the function uses a loop instead of a recursion.
 */
static int
build_sequence(Builder *b, const KgRegex *re, int next)
{
	for (; re->kind == KG_RE_CONCAT && !b->failed; re = re->left)
		next = build(b, re->right, next);
	return build(b, re, next);
}

static int
build_alternatives(Builder *b, const KgRegex *re, int next)
{
	int result = -1;

	for (; re->kind == KG_RE_ALTERNATE && !b->failed; re = re->left)
		result = either(b, build(b, re->right, next), result);
	return either(b, build(b, re, next), result);
}

/*
 * Builds the nodes of the expression re, which continue at the node next.
 * Returns the first node.
 */
static int
build(Builder *b, const KgRegex *re, int next)
{
	check_stack_depth();
	/*
	 * Count this too, because an expression without nodes can be repeated
	 * without limit: (){1000000}.
	 */
	if (++b->work > MAX_WORK)
		b->failed = true;
	if (b->failed)
		return next;
	switch (re->kind)
	{
		case KG_RE_EMPTY:
			return next;
		case KG_RE_SET:
			return build_set(b, &re->set, next);
		case KG_RE_CONCAT:
			return build_sequence(b, re, next);
		case KG_RE_ALTERNATE:
			return build_alternatives(b, re, next);
		case KG_RE_REPEAT:
			return build_repeat(b, re, next);
		case KG_RE_GROUP:
			return build(b, re->left, next);
		case KG_RE_START:
			return add_node(b, NODE_START, next, -1);
		case KG_RE_END:
			return add_node(b, NODE_END, next, -1);
		case KG_RE_BACKREF:
		case KG_RE_BOUNDARY:
		case KG_RE_AHEAD:
		case KG_RE_BEHIND:
			b->failed = true;
			return next;
	}
	return next;
}

/*
 * Groups bytes into classes, so that no node distinguishes the bytes of a
 * class.
 */
static void
find_classes(Builder *b)
{
	bool begins[257] = {true};

	for (int i = 0; i < b->nnodes; i++)
	{
		if (b->nodes[i].kind == NODE_BYTES &&
			b->nodes[i].low <= b->nodes[i].high)
		{
			begins[b->nodes[i].low] = true;
			begins[b->nodes[i].high + 1] = true;
		}
	}
	for (int i = 0; i < 256; i++)
	{
		if (begins[i])
			b->class_byte[b->nclasses++] = i;
		b->class_of[i] = b->nclasses - 1;
	}
}

/*
 * Adds a node, and all nodes that are reached from it without reading a byte,
 * to the current set. Returns true if one of the added nodes accepts.
 */
static bool
add_closure(Builder *b, int node, bool at_start, bool at_end)
{
	int depth = 0;

	b->stack[depth++] = node;
	while (depth > 0)
	{
		const NfaNode *n;

		node = b->stack[--depth];
		if (b->mark[node] == b->generation)
			continue;
		b->mark[node] = b->generation;
		b->work++;
		n = &b->nodes[node];
		switch (n->kind)
		{
			case NODE_ACCEPT:
				return true;
			case NODE_SPLIT:
				b->stack[depth++] = n->next;
				b->stack[depth++] = n->other;
				break;
			case NODE_START:
				if (at_start)
					b->stack[depth++] = n->next;
				break;
			case NODE_END:
				if (at_end)
					b->stack[depth++] = n->next;
				b->set[b->nset++] = node;
				break;
			case NODE_BYTES:
				b->set[b->nset++] = node;
				break;
		}
	}
	return false;
}

static int
compare_ints(const void *a, const void *b)
{
	return *(const int *) a - *(const int *) b;
}

/* Returns true if the given nodes accept at the end of the string. */
static bool
accepts_at_end(Builder *b, const int *nodes, int n, bool at_start)
{
	bool accepted = false;

	b->generation++;
	b->nset = 0;
	for (int i = 0; i < n && !accepted; i++)
	{
		if (b->nodes[nodes[i]].kind == NODE_END)
			accepted = add_closure(b, nodes[i], at_start, true);
	}
	return accepted;
}

/*
 * Returns the state for the current set of NFA nodes. Creates the state if it
 * does not exist. If the DFA would become too large, sets b->failed and returns
 * DFA_DEAD. Also returns DFA_DEAD for an empty set.
 */
static uint16
find_state(Builder *b, bool at_start)
{
	uint32 mask = 4 * MAX_STATES - 1;
	uint32 hash;
	uint32 slot;
	State *state;
	int n = b->nset;
	int *nodes;

	if (n == 0)
		return DFA_DEAD;
	qsort(b->set, n, sizeof(int), compare_ints);
	hash = hash_bytes((const unsigned char *) b->set, n * sizeof(int));
	for (slot = hash % mask; b->slots[slot] != 0; slot = (slot + 1) % mask)
	{
		state = &b->states[b->slots[slot] - 1];
		/*
		 * The start state is never shared: it may accept an empty string, which
		 * an equal set of nodes does not accept later.
		 */
		if (!at_start && b->slots[slot] - 1 != b->start &&
			state->hash == hash && state->n == n &&
			memcmp(state->nodes, b->set, n * sizeof(int)) == 0)
			return b->slots[slot] - 1;
	}
	if (b->nstates >= MAX_STATES ||
		(b->nstates + 1) * (b->nclasses + 1) > MAX_TABLE)
	{
		b->failed = true;
		return DFA_DEAD;
	}
	nodes = palloc(n * sizeof(int));
	memcpy(nodes, b->set, n * sizeof(int));
	state = &b->states[b->nstates];
	state->n = n;
	state->nodes = nodes;
	state->hash = hash;
	state->accepts_at_end = accepts_at_end(b, nodes, n, at_start);
	b->slots[slot] = b->nstates + 1;
	return b->nstates++;
}

/* Returns the state that follows a state after a byte. */
static uint16
step(Builder *b, const State *state, uint8 byte, int loop)
{
	b->generation++;
	b->nset = 0;
	for (int i = 0; i < state->n; i++)
	{
		const NfaNode *n = &b->nodes[state->nodes[i]];

		b->work++;
		if (n->kind == NODE_BYTES && byte >= n->low && byte <= n->high &&
			add_closure(b, n->next, false, false))
			return DFA_MATCH;
	}
	/* Add the start again, because a match may begin at any character. */
	if (add_closure(b, loop, false, false))
		return DFA_MATCH;
	return find_state(b, false);
}

/*
 * Replaces the states from which no string leads to a match by the dead state.
 */
static void
bury_dead(Builder *b)
{
	bool *live = palloc0(b->nstates);
	bool changed = true;

	live[DFA_MATCH] = true;
	/* Search from the end, because the last states are nearest to a match. */
	while (changed)
	{
		CHECK_FOR_INTERRUPTS();
		b->work += b->nstates;
		changed = false;
		for (int s = b->nstates - 1; s >= 2; s--)
		{
			if (live[s])
				continue;
			live[s] = b->states[s].accepts_at_end;
			for (int c = 0; c < b->nclasses && !live[s]; c++)
				live[s] = live[b->next[s * b->nclasses + c]];
			changed |= live[s];
		}
	}
	for (int s = 0; s < b->nstates * b->nclasses; s++)
	{
		if (!live[b->next[s]])
			b->next[s] = DFA_DEAD;
	}
}

static void
build_states(Builder *b, int root)
{
	/* States 0 and 1 are the dead state and the match state. */
	b->nstates = 2;
	b->states[DFA_MATCH].accepts_at_end = true;
	b->generation++;
	b->nset = 0;
	b->start = -1;
	if (add_closure(b, root, true, false))
	{
		b->start = DFA_MATCH;
		return;
	}
	b->start = find_state(b, true);
	for (int s = 2; s < b->nstates && !b->failed; s++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int c = 0; c < b->nclasses; c++)
			b->next[s * b->nclasses + c] = step(
				b, &b->states[s], b->class_byte[c], root);
		if (b->work > MAX_WORK)
			b->failed = true;
	}
	if (!b->failed)
		bury_dead(b);
}

/*
 * Returns the DFA, with the transitions copied to a table. A row is identified
 * by the index of its first column.
 */
static KgDfa *
export_table(const Builder *b, MemoryContext owner)
{
	KgDfa *dfa = MemoryContextAllocZero(owner, sizeof(KgDfa));
	int width = b->nclasses + 1;
	uint16 *table = MemoryContextAlloc(owner,
									   b->nstates * width * sizeof(uint16));
	int c;

	for (int s = 0; s < b->nstates; s++)
	{
		for (c = 0; c < b->nclasses; c++)
			table[s * width + c] = b->next[s * b->nclasses + c] * width;
		table[s * width + c] = b->states[s].accepts_at_end;
	}
	dfa->match = DFA_MATCH * width;
	dfa->start = b->start * width;
	dfa->end_column = b->nclasses;
	memcpy(dfa->class_of, b->class_of, sizeof(dfa->class_of));
	dfa->table = table;
	return dfa;
}

/*
 * Sets fixed_length if the states form a single chain, so that all matches have
 * one length.
 */
static void
find_fixed_length(const Builder *b, KgDfa *dfa)
{
	uint16 positions[256] = {0};
	int state = b->start;
	int length = 0;

	while (!b->states[state].accepts_at_end)
	{
		int follower = DFA_DEAD;

		if (state == DFA_DEAD || length >= 16)
			return;
		for (int c = 0; c < b->nclasses; c++)
		{
			int next = b->next[state * b->nclasses + c];

			if (next == DFA_DEAD)
				continue;
			if (next == DFA_MATCH || (follower != DFA_DEAD && next != follower))
				return;
			follower = next;
		}
		for (int byte = 0; byte < 256; byte++)
		{
			if (b->next[state * b->nclasses + b->class_of[byte]] != DFA_DEAD)
				positions[byte] |= 1 << length;
		}
		state = follower;
		length++;
	}
	if (state == DFA_MATCH)
		return;
	for (int c = 0; c < b->nclasses; c++)
	{
		if (b->next[state * b->nclasses + c] != DFA_DEAD)
			return;
	}
	dfa->fixed_length = length;
	memcpy(dfa->positions, positions, sizeof(positions));
}

KgDfa *
kg_dfa_build(const KgRegex *regex, int64 *steps)
{
	MemoryContext owner = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(
		owner, "kg dfa", ALLOCSET_DEFAULT_SIZES);
	Builder b = {0};
	KgDfa *dfa = NULL;
	int accept;
	int root;

	MemoryContextSwitchTo(work);
	b.nodes = palloc0((MAX_NODES + 1) * sizeof(NfaNode));
	accept = add_node(&b, NODE_ACCEPT, -1, -1);
	root = build(&b, regex, accept);
	if (!b.failed)
	{
		find_classes(&b);
		b.states = palloc0(MAX_STATES * sizeof(State));
		b.next = palloc0(MAX_TABLE * sizeof(uint16));
		b.slots = palloc0(4 * MAX_STATES * sizeof(int));
		b.mark = palloc0(b.nnodes * sizeof(int));
		b.stack = palloc((2 * b.nnodes + 2) * sizeof(int));
		b.set = palloc((b.nnodes + 1) * sizeof(int));
		build_states(&b, root);
	}
	if (!b.failed)
	{
		dfa = export_table(&b, owner);
		find_fixed_length(&b, dfa);
	}
	MemoryContextSwitchTo(owner);
	MemoryContextDelete(work);
	*steps += BASE_STEPS + b.work / WORK_OF_STEP;
	return dfa;
}
