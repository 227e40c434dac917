// What kinds of things there are: entity types and relationship types as
// get_graph_schema tells them, with the titles of the types' JSON Schemas.
import { read } from './json';
import type { Json, Resource, Server, Tool } from './server';

export interface Property {
  name: string;
  title: string;
  type: string;
  array: boolean;
  indexed: boolean;
  nullable: boolean;
  values?: string[];
  description?: string;
  relationship?: string;
  ref?: { type: string; byId: boolean };
  untrusted: boolean;
}
export interface Type {
  name: string;
  title: string;
  description?: string;
  id: string;
  label?: string;
  summary: string[];
  properties: Property[];
  color: number;
}
export type Direction = 'outgoing' | 'incoming' | 'both';
export interface Relation { name: string; inverse?: string; symmetric: boolean; from: string; to: string; properties: Property[] }

export const COLORS = 10;

export const humanName = (name: string): string => {
  const words = name.replace(/[_-]+/g, ' ').trim();
  return words === '' ? name : words[0].toUpperCase() + words.slice(1);
};

/** The property that an entity is shown by. */
export const named = (type: Type): string => type.label ?? type.id;

// A relationship type as a reader reads it: IN_COUNTRY is "in country".
export const relationName = (name: string): string => name.replace(/_/g, ' ').toLowerCase();

export function splitHandle(handle: string): { type: string; id: string } {
  const at = handle.indexOf(':');
  return at < 0 ? { type: '', id: handle } : { type: handle.slice(0, at), id: handle.slice(at + 1) };
}

export class Schema {
  readonly types = new Map<string, Type>();
  readonly relations: Relation[] = [];
  readonly tools = new Map<string, Tool>();
  private uris = new Map<string, string>();
  private details = new Map<string, Promise<Type>>();

  private constructor(private readonly server: Server) {}

  static async load(server: Server): Promise<Schema> {
    const schema = new Schema(server);
    for (const tool of await server.tools()) schema.tools.set(tool.name, tool);
    const told = schema.tools.has('get_graph_schema') ? await server.call('get_graph_schema', { expand_schema: true }) : { node_types: [], relationship_types: [] };
    const resources = await server.resources().catch((): Resource[] => []);
    for (const resource of resources) if (resource.uri.includes('/schema/')) schema.uris.set(resource.name, resource.uri);
    const titles = new Map(resources.map((resource) => [resource.name, resource.title]));
    told.node_types.forEach((type: Json, index: number) => schema.types.set(type.name, {
      name: type.name, title: titles.get(type.name) ?? humanName(type.name), description: type.description,
      id: type.id_property ?? 'id', label: type.label_property, summary: [],
      properties: (type.properties ?? []).map(property), color: index % COLORS,
    }));
    for (const relation of told.relationship_types)
      schema.relations.push({
        name: relation.name, inverse: relation.inverse, symmetric: relation.symmetric === true,
        from: relation.from, to: relation.to, properties: (relation.properties ?? []).map(property),
      });
    return schema;
  }

  type(name: string): Type {
    return this.types.get(name) ?? { name, title: humanName(name), id: 'id', summary: [], properties: [], color: hash(name) % COLORS };
  }

  has(tool: string): boolean { return this.tools.has(tool); }
  /** An address calls only tools that read. */
  reads(tool: string): boolean { return this.tools.get(tool)?.annotations?.readOnlyHint === true; }

  /** What the type's own JSON Schema says besides: titles, order, references. */
  detail(name: string): Promise<Type> {
    let detail = this.details.get(name);
    if (!detail) {
      detail = this.read(this.type(name));
      this.details.set(name, detail);
    }
    return detail;
  }

  private async read(type: Type): Promise<Type> {
    const uri = this.uris.get(type.name);
    if (!uri) return type;
    let schema: Json;
    try { schema = read(await this.server.read(uri)); } catch { return type; }
    type.title = schema.title ?? type.title;
    type.summary = schema['x-summary-fields'] ?? [];
    const required: string[] = schema.required ?? [];
    const declared = schema.properties ?? {};
    for (const property of type.properties) {
      const own = declared[property.name];
      if (!own) continue;
      const item = own.items ?? own;
      property.title = own.title ?? property.title;
      property.untrusted = own['x-untrusted'] === true;
      if (typeof item['x-ref'] === 'string') property.ref = { type: item['x-ref'], byId: item['x-ref-field'] === undefined };
    }
    const rank = (property: Property): number => {
      if (property.name === type.label) return 0;
      if (property.name === type.id) return 1;
      const summary = type.summary.indexOf(property.name);
      return summary >= 0 ? 2 + summary : required.includes(property.name) ? 50 : 100;
    };
    type.properties.sort((a, b) => rank(a) - rank(b));
    return type;
  }

  label(type: string, properties: Json | undefined, id: string): string {
    const name = this.types.get(type)?.label;
    const value = name === undefined ? undefined : properties?.[name];
    return typeof value === 'string' && value !== '' ? value : id;
  }

  /** The relationship types of a type, each way round that there is, with the types they lead to. */
  around(type: string): { relation: Relation; direction: Direction; type: string }[] {
    const all = new Map<string, { relation: Relation; direction: Direction; type: string }>();
    const add = (relation: Relation, direction: Direction, other: string) => {
      const key = `${direction} ${relation.name} ${other}`;
      if (!all.has(key)) all.set(key, { relation, direction, type: other });
    };
    for (const relation of this.relations) {
      if (relation.from === type) add(relation, relation.symmetric ? 'both' : 'outgoing', relation.to);
      if (relation.to === type) add(relation, relation.symmetric ? 'both' : 'incoming', relation.from);
    }
    return [...all.values()];
  }
}

function property(told: Json): Property {
  return {
    name: told.name, title: humanName(told.name), type: told.type ?? 'any', array: told.array === true, indexed: told.indexed === true,
    nullable: told.nullable !== false, values: told.values, description: told.description, relationship: told.relationship, untrusted: false,
  };
}

function hash(text: string): number {
  let value = 0;
  for (let i = 0; i < text.length; i++) value = (value * 31 + text.charCodeAt(i)) >>> 0;
  return value;
}
