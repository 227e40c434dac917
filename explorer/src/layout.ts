// Where nodes are.  What has a place keeps it when more comes: only new nodes
// move.  The layout is a pure function of what was added in which order.
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force';
import type { Edge, Graph, Node } from './graph';

const FRAME_MS = 10;

export class Layout {
  private stopped = true;
  private timer = 0;

  constructor(private readonly graph: Graph, private readonly moved: (done: boolean) => void) {}

  /** Finds places for the new nodes among the others. */
  run(fresh: Node[]): void {
    this.stop();
    const nodes = [...this.graph.nodes.values()];
    const first = fresh.length === nodes.length;
    const isNew = new Set(fresh);
    if (first) {
      const root = nodes.find((node) => node.start);
      nodes.forEach((node, i) => {
        const ring = 60 + 34 * Math.sqrt(i);
        node.x = Math.cos(i * 2.399963) * ring;
        node.y = Math.sin(i * 2.399963) * ring;
      });
      if (root) Object.assign(root, { x: 0, y: 0, fx: 0, fy: 0 });
    } else nodes.forEach((node) => { if (!isNew.has(node)) Object.assign(node, { fx: node.x, fy: node.y }); });
    const many = nodes.length > 400;
    const simulation = forceSimulation(nodes)
      .force('link', forceLink<Node, Edge>([...this.graph.edges.values()])
        .distance((edge) => 62 + 5 * Math.sqrt(Math.min(edge.source.degree, edge.target.degree)))
        .strength((edge) => 1 / Math.min(edge.source.degree, edge.target.degree)))
      .force('charge', forceManyBody<Node>().strength((node) => -150 - 22 * Math.sqrt(node.degree)).distanceMax(many ? 500 : 900).theta(many ? 1.1 : 0.9))
      .force('collide', forceCollide<Node>((node) => radius(node) + 9).strength(0.8))
      .force('x', forceX<Node>().strength(0.035))
      .force('y', forceY<Node>().strength(0.05))
      .alphaDecay(many ? 0.04 : 0.0228)
      .stop();
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.stopped = false;
    const frame = () => {
      if (this.stopped) return;
      const end = performance.now() + FRAME_MS;
      do simulation.tick();
      while (performance.now() < end && simulation.alpha() > 0.006);
      const done = simulation.alpha() <= 0.006;
      if (done) {
        this.stopped = true;
        for (const node of nodes) node.fx = node.fy = null;
      }
      if (done || !still) this.moved(done);
      if (!done) this.timer = requestAnimationFrame(frame);
    };
    frame();
  }

  stop(): void {
    this.stopped = true;
    cancelAnimationFrame(this.timer);
    for (const node of this.graph.nodes.values()) node.fx = node.fy = null;
  }
}

/** How far apart the two rings of a group are. */
export const RING = 3.5;

/** A group is larger the more it stands for. */
export const radius = (node: Node): number => (node.start ? 11 : 6.5) + Math.min(6, 1.1 * Math.sqrt(node.degree)) + (node.group ? RING + 3 * Math.log10(node.stands + 1) : 0);

/** Paths from left to right: a column for each distance from the start. */
export function layers(paths: string[][], graph: Graph): void {
  const column = new Map<string, number>();
  for (const path of paths) path.forEach((key, i) => column.set(key, Math.max(column.get(key) ?? 0, i)));
  const columns: Node[][] = [];
  for (const [key, i] of column) {
    const node = graph.nodes.get(key);
    if (node) (columns[i] ??= []).push(node);
  }
  columns.forEach((nodes, i) => {
    const place = (node: Node): number => {
      const before = [...graph.edges.values()].flatMap((edge) =>
        edge.source === node && (column.get(edge.target.key) ?? 0) < i ? [edge.target.y] : edge.target === node && (column.get(edge.source.key) ?? 0) < i ? [edge.source.y] : []);
      return before.length ? before.reduce((a, b) => a + b, 0) / before.length : 0;
    };
    const sorted = i === 0 ? nodes : nodes.map((node) => [place(node), node] as const).sort((a, b) => a[0] - b[0] || (a[1].key < b[1].key ? -1 : 1)).map((pair) => pair[1]);
    sorted.forEach((node, j) => Object.assign(node, { x: i * 190, y: (j - (sorted.length - 1) / 2) * 78 }));
  });
}
