/*
 * csr.c
 *	  A seeded R-MAT graph, and breadth-first search in memory: what the
 *	  hardware allows when the graph is two arrays and nobody asks who may see
 *	  what.
 *
 *	  csr rmat SCALE FACTOR SEED >EDGES
 *		  2^SCALE nodes, 2^SCALE * FACTOR drawn edges, a/b/c .57/.19/.19, node
 *		  numbers permuted, no loops, each pair once; lines of source, target
 *		  and a relation from 0 to 3, tab separated.
 *	  csr starts EDGES N HUBS SEED
 *		  N random nodes with an edge, then the HUBS nodes of highest degree.
 *	  csr pairs EDGES N SEED
 *		  N random pairs of nodes of degree 2 or more.
 *	  csr hops EDGES K <STARTS
 *		  For each start: nodes within K hops, undirected, itself included, and
 *		  the microseconds that took (the median of nine).
 *	  csr path EDGES DEPTH <PAIRS
 *		  For each pair: the shortest length up to DEPTH or -1, microseconds.
 *
 * Edges are lines that begin with two numbers.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Graph
{
	int64_t *ids; /* ascending; what the file calls the nodes */
	uint32_t n;
	uint32_t *first; /* n + 1 */
	uint32_t *to;
	uint64_t m;
} Graph;

static uint64_t state;

/* splitmix64 */
static uint64_t
next_random(void)
{
	uint64_t z = (state += 0x9E3779B97F4A7C15u);

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

static double
next_fraction(void)
{
	return (double) (next_random() >> 11) / 9007199254740992.0;
}

static void *
allocate(size_t size)
{
	void *p = malloc(size > 0 ? size : 1);

	if (p == NULL)
	{
		perror("csr");
		exit(1);
	}
	return p;
}

static int
compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *) a;
	uint64_t y = *(const uint64_t *) b;

	return x < y ? -1 : x > y;
}

static int
compare_i64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *) a;
	int64_t y = *(const int64_t *) b;

	return x < y ? -1 : x > y;
}

static void
shuffle(uint64_t *items, uint64_t n)
{
	for (uint64_t i = n; i > 1; i--)
	{
		uint64_t j = next_random() % i;
		uint64_t item = items[i - 1];

		items[i - 1] = items[j];
		items[j] = item;
	}
}

static void
rmat(int scale, uint64_t factor, uint64_t seed)
{
	uint64_t n = (uint64_t) 1 << scale;
	uint64_t m = n * factor;
	uint64_t *number = allocate(n * sizeof(uint64_t));
	uint64_t *edges = allocate(m * sizeof(uint64_t));
	uint64_t kept = 0;

	state = seed;
	for (uint64_t i = 0; i < n; i++)
		number[i] = i;
	shuffle(number, n);
	for (uint64_t i = 0; i < m; i++)
	{
		uint64_t source = 0;
		uint64_t target = 0;

		for (int bit = 0; bit < scale; bit++)
		{
			double r = next_fraction();

			source = source * 2 + (r >= 0.76);
			target = target * 2 + ((r >= 0.57 && r < 0.76) || r >= 0.95);
		}
		if (source != target)
			edges[kept++] = number[source] << 32 | number[target];
	}
	qsort(edges, kept, sizeof(uint64_t), compare_u64);
	m = 0;
	for (uint64_t i = 0; i < kept; i++)
		if (m == 0 || edges[i] != edges[m - 1])
			edges[m++] = edges[i];
	for (uint64_t i = 0; i < m; i++)
		printf("%llu\t%llu\t%d\n",
			   (unsigned long long) (edges[i] >> 32),
			   (unsigned long long) (edges[i] & 0xffffffff),
			   (int) (next_random() & 3));
}

static uint32_t
index_of(const Graph *graph, int64_t id)
{
	const int64_t *found = bsearch(
		&id, graph->ids, graph->n, sizeof(int64_t), compare_i64);

	if (found == NULL)
	{
		fprintf(stderr, "csr: no node %lld\n", (long long) id);
		exit(1);
	}
	return (uint32_t) (found - graph->ids);
}

static void
read_graph(Graph *graph, const char *name)
{
	FILE *file = fopen(name, "r");
	uint64_t capacity = 1 << 20;
	int64_t *ends = allocate(2 * capacity * sizeof(int64_t));
	uint32_t *at;
	char line[256];
	uint64_t m = 0;

	if (file == NULL)
	{
		perror(name);
		exit(1);
	}
	while (fgets(line, sizeof(line), file))
	{
		char *rest;

		if (m == capacity)
		{
			capacity *= 2;
			ends = realloc(ends, 2 * capacity * sizeof(int64_t));
			if (ends == NULL)
				exit(1);
		}
		ends[2 * m] = strtoll(line, &rest, 10);
		ends[2 * m + 1] = strtoll(rest, NULL, 10);
		m++;
	}
	fclose(file);
	graph->ids = allocate(2 * m * sizeof(int64_t));
	memcpy(graph->ids, ends, 2 * m * sizeof(int64_t));
	qsort(graph->ids, 2 * m, sizeof(int64_t), compare_i64);
	graph->n = 0;
	for (uint64_t i = 0; i < 2 * m; i++)
		if (graph->n == 0 || graph->ids[i] != graph->ids[graph->n - 1])
			graph->ids[graph->n++] = graph->ids[i];
	graph->m = 2 * m;
	graph->first = calloc((size_t) graph->n + 2, sizeof(uint32_t));
	graph->to = allocate(2 * m * sizeof(uint32_t));
	at = allocate(2 * m * sizeof(uint32_t));
	for (uint64_t i = 0; i < 2 * m; i++)
	{
		at[i] = index_of(graph, ends[i]);
		graph->first[at[i] + 2]++;
	}
	for (uint32_t i = 2; i < graph->n + 2; i++)
		graph->first[i] += graph->first[i - 1];
	for (uint64_t i = 0; i < m; i++)
	{
		graph->to[graph->first[at[2 * i] + 1]++] = at[2 * i + 1];
		graph->to[graph->first[at[2 * i + 1] + 1]++] = at[2 * i];
	}
	free(at);
	free(ends);
}

static uint32_t
degree(const Graph *graph, uint32_t node)
{
	return graph->first[node + 1] - graph->first[node];
}

static void
starts(const Graph *graph, int n, int hubs, uint64_t seed)
{
	uint64_t *order = allocate(graph->n * sizeof(uint64_t));

	state = seed;
	for (int i = 0; i < n; i++)
		printf("%lld\n", (long long) graph->ids[next_random() % graph->n]);
	for (uint32_t i = 0; i < graph->n; i++)
		order[i] = (uint64_t) degree(graph, i) << 32 | i;
	qsort(order, graph->n, sizeof(uint64_t), compare_u64);
	for (int i = 1; i <= hubs; i++)
		printf("%lld\n",
			   (long long) graph->ids[order[graph->n - i] & 0xffffffff]);
}

static void
pairs(const Graph *graph, int n, uint64_t seed)
{
	state = seed;
	for (int i = 0; i < n;)
	{
		uint32_t a = (uint32_t) (next_random() % graph->n);
		uint32_t b = (uint32_t) (next_random() % graph->n);

		if (a == b || degree(graph, a) < 2 || degree(graph, b) < 2)
			continue;
		printf("%lld %lld\n",
			   (long long) graph->ids[a],
			   (long long) graph->ids[b]);
		i++;
	}
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec * 1e6 + (double) t.tv_nsec / 1e3;
}

typedef struct Search
{
	uint32_t *queue[2];
	uint32_t *seen[2]; /* the round in which it was met */
	uint32_t round;
} Search;

static void
init_search(Search *search, const Graph *graph)
{
	for (int i = 0; i < 2; i++)
	{
		search->queue[i] = allocate(graph->n * sizeof(uint32_t));
		search->seen[i] = calloc(graph->n, sizeof(uint32_t));
	}
	search->round = 0;
}

static uint32_t
hops(const Graph *graph, Search *search, uint32_t start, int k)
{
	uint32_t *queue = search->queue[0];
	uint32_t *seen = search->seen[0];
	uint32_t round = ++search->round;
	uint32_t from = 0;
	uint32_t n = 1;

	queue[0] = start;
	seen[start] = round;
	for (int depth = 0; depth < k; depth++)
	{
		uint32_t end = n;

		for (; from < end; from++)
			for (uint32_t e = graph->first[queue[from]];
				 e < graph->first[queue[from] + 1];
				 e++)
				if (seen[graph->to[e]] != round)
				{
					seen[graph->to[e]] = round;
					queue[n++] = graph->to[e];
				}
	}
	return n;
}

/* Both ends in turn, the smaller frontier first. */
static int
path(const Graph *graph, Search *search, uint32_t a, uint32_t b, int max)
{
	uint32_t round = ++search->round;
	uint32_t from[2] = {0, 0};
	uint32_t n[2] = {1, 1};

	search->queue[0][0] = a;
	search->queue[1][0] = b;
	search->seen[0][a] = round;
	search->seen[1][b] = round;
	if (a == b)
		return 0;
	for (int depth = 1; depth <= max; depth++)
	{
		int s = n[0] - from[0] <= n[1] - from[1] ? 0 : 1;
		uint32_t *queue = search->queue[s];
		uint32_t end = n[s];

		if (from[s] == end)
			return -1;
		for (; from[s] < end; from[s]++)
			for (uint32_t e = graph->first[queue[from[s]]];
				 e < graph->first[queue[from[s]] + 1];
				 e++)
			{
				uint32_t to = graph->to[e];

				if (search->seen[1 - s][to] == round)
					return depth;
				if (search->seen[s][to] != round)
				{
					search->seen[s][to] = round;
					queue[n[s]++] = to;
				}
			}
	}
	return -1;
}

static int
compare_double(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return x < y ? -1 : x > y;
}

static void
measure(const Graph *graph, int k, int of_pairs)
{
	Search search;
	long long a;
	long long b = 0;

	init_search(&search, graph);
	while (of_pairs ? scanf("%lld %lld", &a, &b) == 2 : scanf("%lld", &a) == 1)
	{
		uint32_t start = index_of(graph, a);
		uint32_t end = of_pairs ? index_of(graph, b) : 0;
		double took[9];
		int found = 0;

		for (int i = 0; i < 9; i++)
		{
			double from = now();

			if (of_pairs)
				found = path(graph, &search, start, end, k);
			else
				found = (int) hops(graph, &search, start, k);
			took[i] = now() - from;
		}
		qsort(took, 9, sizeof(double), compare_double);
		printf("%d %.3f\n", found, took[4]);
	}
}

int
main(int argc, char **argv)
{
	Graph graph;

	if (argc == 5 && strcmp(argv[1], "rmat") == 0)
	{
		rmat(atoi(argv[2]),
			 strtoull(argv[3], NULL, 10),
			 strtoull(argv[4], NULL, 10));
		return 0;
	}
	if (argc < 4)
	{
		fprintf(stderr, "usage: see the comment of csr.c\n");
		return 2;
	}
	read_graph(&graph, argv[2]);
	if (argc == 6 && strcmp(argv[1], "starts") == 0)
		starts(
			&graph, atoi(argv[3]), atoi(argv[4]), strtoull(argv[5], NULL, 10));
	else if (argc == 5 && strcmp(argv[1], "pairs") == 0)
		pairs(&graph, atoi(argv[3]), strtoull(argv[4], NULL, 10));
	else if (strcmp(argv[1], "hops") == 0)
		measure(&graph, atoi(argv[3]), 0);
	else if (strcmp(argv[1], "path") == 0)
		measure(&graph, atoi(argv[3]), 1);
	return 0;
}
