// What a picture shows: nodes and edges of the replies that were asked for,
// each once, whichever reply told it.
import { write } from './json';
import type { Json } from './server';
import type { Schema } from './schema';

export interface Node {
  key: string;
  type: string;
  id: string;
  label: string;
  depth: number;
  properties: Json;
  untrusted: string[];
  x: number;
  y: number;
  fx?: number | null;
  fy?: number | null;
  degree: number;
  grown: boolean;
  start: boolean;
}
export interface Edge {
  key: string;
  relation: string;
  source: Node;
  target: Node;
  symmetric: boolean;
  properties: Json;
  untrusted: string[];
  /** Which of several between the same two nodes: they bend apart. */
  bend: number;
}

export const handleOf = (end: Json): string => `${end.type}:${end.id}`;

const stable = (value: Json): string => write(value ?? null);

export class Graph {
  readonly nodes = new Map<string, Node>();
  readonly edges = new Map<string, Edge>();
  readonly hiddenTypes = new Set<string>();
  readonly hiddenRelations = new Set<string>();
  readonly hiddenNodes = new Set<string>();
  private readonly symmetric: Set<string>;
  private readonly between = new Map<string, Edge[]>();

  /** Some nodes were left out, because there are as many as may be. */
  full = false;

  constructor(private readonly schema: Schema, private readonly most = Infinity) {
    this.symmetric = new Set(schema.relations.filter((relation) => relation.symmetric).map((relation) => relation.name));
  }

  /** Adds what a reply tells; answers which nodes are new. */
  add(reply: Json, around?: Node): Node[] {
    const fresh: Node[] = [];
    const marks = reply.untrusted ?? {};
    for (const told of reply.nodes ?? []) {
      const node = this.read(told);
      const known = this.nodes.get(node.key);
      if (known) {
        if (Object.keys(node.properties).length > Object.keys(known.properties).length) known.properties = node.properties;
        continue;
      }
      if (this.nodes.size >= this.most) {
        this.full = true;
        continue;
      }
      node.untrusted = Array.isArray(marks) ? [] : marks[node.type] ?? [];
      if (around) {
        node.depth = around.depth + 1;
        const angle = fresh.length * 2.399963;
        const away = 40 + 6 * Math.sqrt(fresh.length);
        const out = Math.atan2(around.y, around.x);
        node.x = around.x + Math.cos(out) * 50 + Math.cos(angle) * away;
        node.y = around.y + Math.sin(out) * 50 + Math.sin(angle) * away;
      }
      this.nodes.set(node.key, node);
      fresh.push(node);
    }
    for (const told of reply.edges ?? []) this.addEdge(told, marks);
    this.settle();
    return fresh;
  }

  /** graph tools tell {type, id, properties}, BFS-QL {id: handle, entity_type, metadata}. */
  private read(told: Json): Node {
    const bfs = told.entity_type !== undefined;
    const handle: string = bfs ? String(told.id) : handleOf(told);
    const at = handle.indexOf(':');
    const type = bfs ? String(told.entity_type) : String(told.type);
    const id = handle.slice(at + 1);
    const properties = told.properties ?? told.metadata ?? {};
    return {
      key: handle, type, id, label: this.schema.label(type, properties, id), depth: told.depth ?? 0,
      properties, untrusted: [], x: 0, y: 0, degree: 0, grown: false, start: false,
    };
  }

  addEdge(told: Json, marks: Json = {}): void {
    const from = told.from !== undefined ? handleOf(told.from) : told.subject ?? told.source;
    const to = told.to !== undefined ? handleOf(told.to) : told.object ?? told.target;
    const relation: string = told.type ?? told.predicate;
    const source = this.nodes.get(from);
    const target = this.nodes.get(to);
    if (!source || !target) return;
    const properties = told.properties ?? told.metadata ?? {};
    const ends = `${relation} ${from} ${to}`;
    const known = this.between.get(ends) ?? [];
    const bare = Object.keys(properties).length === 0;
    if (bare ? known.length > 0 : known.some((edge) => stable(edge.properties) === stable(properties))) return;
    const plain = known.find((edge) => Object.keys(edge.properties).length === 0);
    if (plain) {
      plain.properties = properties;
      return;
    }
    const edge: Edge = {
      key: `${ends} ${known.length}`, relation, source, target, symmetric: this.symmetric.has(relation), properties,
      untrusted: Array.isArray(marks) ? [] : marks[relation] ?? [], bend: 0,
    };
    this.between.set(ends, [...known, edge]);
    this.edges.set(edge.key, edge);
  }

  private settle(): void {
    const pairs = new Map<string, Edge[]>();
    for (const node of this.nodes.values()) node.degree = 0;
    for (const edge of this.edges.values()) {
      edge.source.degree++;
      edge.target.degree++;
      const pair = edge.source.key < edge.target.key ? `${edge.source.key} ${edge.target.key}` : `${edge.target.key} ${edge.source.key}`;
      const list = pairs.get(pair);
      if (list) list.push(edge);
      else pairs.set(pair, [edge]);
    }
    for (const list of pairs.values())
      list.forEach((edge, i) => {
        const turned = edge.source.key > edge.target.key ? -1 : 1;
        edge.bend = edge.source === edge.target ? i + 1 : (i - (list.length - 1) / 2) * turned;
      });
  }

  visible(node: Node): boolean {
    return node.start || !(this.hiddenTypes.has(node.type) || this.hiddenNodes.has(node.key));
  }
  shows(edge: Edge): boolean {
    return !this.hiddenRelations.has(edge.relation) && this.visible(edge.source) && this.visible(edge.target);
  }
  shownNodes(): Node[] { return [...this.nodes.values()].filter((node) => this.visible(node)); }
  shownEdges(): Edge[] { return [...this.edges.values()].filter((edge) => this.shows(edge)); }

  count(of: 'type' | 'relation'): Map<string, number> {
    const counts = new Map<string, number>();
    if (of === 'type') for (const node of this.nodes.values()) counts.set(node.type, (counts.get(node.type) ?? 0) + 1);
    else for (const edge of this.edges.values()) counts.set(edge.relation, (counts.get(edge.relation) ?? 0) + 1);
    return new Map([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
  }
}
