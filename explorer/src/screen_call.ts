// What any reading tool answers: a picture where there are nodes and edges, the
// paths, a table of rows, or the reply as it is.  A call that writes is not made
// here: an address must not change anything.
import { h, replace } from './dom';
import { Graph } from './graph';
import { read, write } from './json';
import { Layout } from './layout';
import { busy, callBox, entityLink, problemBox, problemPage, withheldText, type Context } from './parts';
import { link } from './route';
import { humanName, splitHandle } from './schema';
import { showPaths } from './screen_paths';
import type { Arguments, Call, Json } from './server';
import { t } from './text';
import { View } from './view';

export async function callScreen(context: Context, main: HTMLElement, tool: string, query: URLSearchParams): Promise<void> {
  let args: Arguments;
  try { args = read(query.get('a') ?? '{}'); } catch { args = {}; }
  const call: Call = { tool, arguments: args };
  if (!context.schema.reads(tool) && !context.server.holds?.(call))
    return replace(main, h('div', { class: 'page' }, h('h1', {}, tool), h('p', { class: 'notice' }, t('missingTool', { tool })), callBox([call])));
  replace(main, busy());
  try {
    showReply(context, main, call, await context.server.call(tool, args));
  } catch (problem) {
    replace(main, problemPage(context, problem));
  }
}

export function showReply(context: Context, main: HTMLElement, call: Call, reply: Json, grow?: (view: View, graph: Graph, layout: Layout) => void): void {
  const { schema } = context;
  document.title = `${call.tool} · kg_graph`;
  if (Array.isArray(reply?.paths) && Array.isArray(reply.nodes)) return showPaths(context, main, call, reply, [], t('empty'));
  if (Array.isArray(reply?.nodes) && reply.nodes.length > 0 && Array.isArray(reply.edges)) {
    const graph = new Graph(schema, context.most);
    const fresh = graph.add(reply);
    const starts = new Set<string>([...(reply.seeds ?? []), ...(call.arguments.start_node ? [`${call.arguments.start_node.label}:${call.arguments.start_node.node_id}`] : [])].map(String));
    for (const node of fresh) node.start = starts.has(node.key);
    let growing: ((node: never) => Promise<void>) | undefined;
    const view = new View(context, graph, call.tool, { grow: async (node) => growing?.(node as never) });
    const layout = new Layout(graph, (done) => (done ? view.picture.fit(false) : view.picture.draw()));
    growing = async (node: never) => {
      const { key, type, id } = node as { key: string; type: string; id: string };
      if (!schema.has('explore_neighbors')) return;
      const more: Call = { tool: 'explore_neighbors', arguments: { start_node: { label: type, node_id: id }, max_hops: 1, limit: 60 } };
      try {
        const told = await context.server.call(more.tool, more.arguments);
        const came = graph.add(told, graph.nodes.get(key));
        graph.nodes.get(key)!.grown = true;
        view.addCall(more);
        view.refresh();
        if (came.length) layout.run(came);
      } catch (problem) {
        view.say('', problemBox(context, problem));
      }
    };
    replace(view.bar, title(context, call, fresh.filter((node) => node.start).map((node) => node.label)));
    view.addCall(call);
    replace(main, view.element);
    view.refresh();
    layout.run(fresh);
    const left = withheldText(reply);
    const total = Number(reply.total ?? fresh.length);
    view.say([reply.truncated ? t('shown', { shown: fresh.length, total }) : t('shownAll', { total: fresh.length }), left].filter(Boolean).join(' · '),
      ...(reply.next ? [h('a', { class: 'button small', href: link('c', call.tool, { a: write(reply.next) }) }, left ? t('getWithheld') : t('more'))] : []));
    grow?.(view, graph, layout);
    return;
  }
  replace(main, h('div', { class: 'page' }, title(context, call), answer(context, reply),
    reply?.next && h('p', {}, h('a', { class: 'button', href: link('c', call.tool, { a: write(reply.next) }) }, t('more'))), callBox([call])));
}

/** What was asked, in words as far as they are known. */
function title(context: Context, call: Call, starts: string[] = []): HTMLElement {
  const said = context.schema.tools.get(call.tool)?.title ?? humanName(call.tool);
  return h('h1', { class: 'view-title' }, [starts.slice(0, 3).join(', '), said].filter(Boolean).join(' · ') || t('result'));
}

type Row = Record<string, Json>;

/** The entity that a row is of: {type, id} of graph tools, a handle as id of BFS-QL. */
function entityOf(row: Json): { type: string; id: string } | null {
  if (typeof row?.id !== 'string') return null;
  if (typeof row.type === 'string') return { type: row.type, id: row.id };
  return typeof row.entity_type === 'string' && row.id.startsWith(`${row.entity_type}:`) ? splitHandle(row.id) : null;
}

/** What else a row says: what is in its properties, beside its own members. */
function cells(row: Json, columns: string[] | undefined): Row {
  if (Array.isArray(row)) return Object.fromEntries(row.map((value, i) => [columns?.[i] ?? String(i + 1), value]));
  if (typeof row !== 'object' || row === null) return { value: row };
  const { data, properties, metadata, ...own } = row;
  return { ...own, ...(data ?? properties ?? metadata ?? {}) };
}

/** Rows as a table, anything else as it is. */
function answer(context: Context, reply: Json): HTMLElement {
  const { schema } = context;
  const rows: Json[] | undefined = [reply?.items, reply?.entities, reply?.claims, reply?.ranked, reply?.nodes, reply?.rows].find((one) => Array.isArray(one) && one.length > 0);
  if (!rows) return h('pre', { class: 'json whole', tabindex: 0 }, write(reply, 2));
  const entities = rows.map(entityOf);
  const named = entities.some((entity) => entity !== null);
  const flat = rows.map((row, i) => {
    const cell = cells(row, reply.columns);
    const entity = entities[i];
    if (!entity) return cell;
    const label = schema.types.get(entity.type)?.label;
    const { type, entity_type, id, name, [label ?? '']: own, ...rest } = cell;
    return label === 'name' || name === undefined || name === own ? rest : { name, ...rest };
  });
  const names = [...new Set(flat.flatMap((row) => Object.keys(row).filter((name) => row[name] !== undefined)))].slice(0, 10);
  const value = (one: Json) => (typeof one === 'string' && /^[\w/-]+:\S/.test(one) && schema.types.has(splitHandle(one).type) ? entityLink(schema, one, one) : typeof one === 'object' && one !== null ? write(one) : String(one ?? ''));
  const entityCell = (row: Json, entity: { type: string; id: string } | null) => h('th', { scope: 'row' },
    entity && entityLink(schema, `${entity.type}:${entity.id}`, typeof row.name === 'string' ? row.name : schema.label(entity.type, row.properties ?? row.data ?? row.metadata, entity.id)));
  const total = reply.total ?? reply.total_at_least;
  return h('div', {},
    typeof total === 'number' && h('p', { class: 'muted' }, t('rows', { from: 1, to: rows.length, total: reply.total === undefined ? t('totalAtLeast', { n: total }) : total })),
    h('div', { class: 'scroll wide rows', tabindex: 0, role: 'region', 'aria-label': t('result') }, h('table', { class: 'data' },
      h('thead', {}, h('tr', {}, named && h('th', { scope: 'col' }, t('name')), names.map((name) => h('th', { scope: 'col' }, humanName(name))))),
      h('tbody', {}, flat.slice(0, 500).map((row, i) => h('tr', {}, named && entityCell(rows[i], entities[i]), names.map((name) => h('td', {}, h('div', { class: 'clamp' }, value(row[name]))))))))));
}
