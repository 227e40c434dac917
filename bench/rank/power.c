/*
 * power.c
 *	  Personalised PageRank of every node by power iteration, to compare with.
 *
 *	  power DAMPING < a line "nodes edges", then "from to" of each edge, then a
 *	  seed a line; edges are followed both ways.  Prints a line for each seed: its
 *	  ten best nodes, and after these all that tie with the tenth.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 120

static const double *order_by;

static int
compare(const void *a, const void *b)
{
	double x = order_by[*(const int *) a];
	double y = order_by[*(const int *) b];

	return x > y ? -1 : x < y;
}

int
main(int argc, char **argv)
{
	double damping = atof(argv[argc - 1]);
	int n, m, seed, *from, *to, *start, *end, *next, *best;
	double *score, *other;

	if (scanf("%d %d", &n, &m) != 2)
		return 1;
	from = malloc(m * sizeof(int));
	to = malloc(m * sizeof(int));
	start = calloc(n + 2, sizeof(int));
	for (int i = 0; i < m; i++)
	{
		if (scanf("%d %d", &from[i], &to[i]) != 2)
			return 1;
		start[from[i] + 1]++;
		if (from[i] != to[i])
			start[to[i] + 1]++;
	}
	for (int i = 0; i < n; i++)
		start[i + 1] += start[i];
	end = malloc((start[n] + 1) * sizeof(int));
	next = malloc((n + 1) * sizeof(int));
	memcpy(next, start, n * sizeof(int));
	for (int i = 0; i < m; i++)
	{
		end[next[from[i]]++] = to[i];
		if (from[i] != to[i])
			end[next[to[i]]++] = from[i];
	}
	score = malloc(n * sizeof(double));
	other = malloc(n * sizeof(double));
	best = malloc(n * sizeof(int));
	while (scanf("%d", &seed) == 1)
	{
		memset(score, 0, n * sizeof(double));
		score[seed] = 1;
		for (int round = 0; round < ROUNDS; round++)
		{
			double *swap = score;

			memset(other, 0, n * sizeof(double));
			other[seed] = 1 - damping;
			for (int u = 0; u < n; u++)
			{
				int degree = start[u + 1] - start[u];

				if (score[u] == 0)
					continue;
				if (degree == 0)
					other[seed] += damping * score[u];
				for (int i = start[u]; i < start[u + 1]; i++)
					other[end[i]] += damping * score[u] / degree;
			}
			score = other;
			other = swap;
		}
		for (int i = 0; i < n; i++)
			best[i] = i;
		order_by = score;
		qsort(best, n, sizeof(int), compare);
		for (int i = 0; i < n; i++)
			if (i < 10 || (score[best[i]] > 0 &&
						   score[best[i]] > score[best[9]] * (1 - 1e-6)))
				printf("%s%d", i == 0 ? "" : " ", best[i]);
		printf("\n");
		fflush(stdout);
	}
	return 0;
}
