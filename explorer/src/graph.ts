// What a picture shows: nodes and edges of the replies that were asked for,
// each once, whichever reply told it.  A group of a hub's neighbours is one node.
import { keyOf, type Group } from './groups';
import { write } from './json';
import type { Json } from './server';
import type { Schema } from './schema';
import { number } from './text';

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
  group?: Group;
  /** For how many it stands: of a group those that are not drawn one by one. */
  stands: number;
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

/** Beside the node that it came with, away from the middle. */
function place(node: Node, around: Node, turn: number): void {
  node.depth = around.depth + 1;
  const angle = turn * 2.399963;
  const away = 40 + 6 * Math.sqrt(turn);
  const out = Math.atan2(around.y, around.x);
  node.x = around.x + Math.cos(out) * 50 + Math.cos(angle) * away;
  node.y = around.y + Math.sin(out) * 50 + Math.sin(angle) * away;
}

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
      if (around) place(node, around, fresh.length);
      this.nodes.set(node.key, node);
      fresh.push(node);
    }
    for (const told of reply.edges ?? []) this.addEdge(told, marks);
    this.settle();
    return fresh;
  }

  /** Adds a group, unless it is there. */
  addGroup(group: Group, hub: Node, turn: number): Node[] {
    const key = keyOf(group);
    if (this.nodes.has(key)) return [];
    const node: Node = { key, type: group.type, id: '', label: '', depth: 0, properties: {}, untrusted: [], x: 0, y: 0, degree: 0, grown: false, start: false, group, stands: group.total };
    place(node, hub, turn);
    this.nodes.set(key, node);
    const [subject, object] = group.direction === 'incoming' ? [key, hub.key] : [hub.key, key];
    this.addEdge({ predicate: group.relation, subject, object });
    this.settle();
    return [node];
  }

  /** The members of a group that are drawn one by one. */
  members({ hub, relation, direction, type }: Group): Set<Node> {
    const found = new Set<Node>();
    for (const edge of this.edges.values()) {
      if (edge.relation !== relation) continue;
      if (direction !== 'incoming' && edge.source.key === hub) found.add(edge.target);
      if (direction !== 'outgoing' && edge.target.key === hub) found.add(edge.source);
    }
    return new Set([...found].filter((node) => node.type === type && !node.group));
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
      properties, untrusted: [], x: 0, y: 0, degree: 0, grown: false, start: false, stands: 1,
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
    for (const node of this.nodes.values()) {
      if (!node.group) continue;
      node.stands = Math.max(0, node.group.total - this.members(node.group).size);
      node.label = `${number(node.stands)} × ${this.schema.type(node.type).title}`;
    }
    for (const list of pairs.values())
      list.forEach((edge, i) => {
        const turned = edge.source.key > edge.target.key ? -1 : 1;
        edge.bend = edge.source === edge.target ? i + 1 : (i - (list.length - 1) / 2) * turned;
      });
  }

  visible(node: Node): boolean {
    return node.start || !(node.stands === 0 || this.hiddenTypes.has(node.type) || this.hiddenNodes.has(node.key));
  }
  shows(edge: Edge): boolean {
    return !this.hiddenRelations.has(edge.relation) && this.visible(edge.source) && this.visible(edge.target);
  }
  shownNodes(): Node[] { return [...this.nodes.values()].filter((node) => this.visible(node)); }
  shownEdges(): Edge[] { return [...this.edges.values()].filter((edge) => this.shows(edge)); }

  count(of: 'type' | 'relation'): Map<string, number> {
    const counts = new Map<string, number>();
    const add = (name: string, n: number) => counts.set(name, (counts.get(name) ?? 0) + n);
    if (of === 'type') for (const node of this.nodes.values()) add(node.type, node.stands);
    else for (const edge of this.edges.values()) add(edge.relation, edge.source.stands * edge.target.stands);
    return new Map([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)));
  }
}
