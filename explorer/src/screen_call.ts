// What any reading tool answers: a picture where there are nodes and edges, the
// paths, a table of rows, or the reply as it is.  A call that writes is not made
// here: an address must not change anything.
import { h, replace } from './dom';
import { Graph } from './graph';
import { Layout } from './layout';
import { busy, callBox, entityLink, problemBox, withheldText, type Context } from './parts';
import { link } from './route';
import { humanName } from './schema';
import { showPaths } from './screen_paths';
import type { Arguments, Call, Json } from './server';
import { t } from './text';
import { View } from './view';

export async function callScreen(context: Context, main: HTMLElement, tool: string, query: URLSearchParams): Promise<void> {
  let args: Arguments;
  try { args = JSON.parse(query.get('a') ?? '{}'); } catch { args = {}; }
  const call: Call = { tool, arguments: args };
  const known = context.schema.tools.get(tool) as Json;
  if (known?.annotations?.readOnlyHint !== true)
    return replace(main, h('div', { class: 'page' }, h('h1', {}, tool), h('p', { class: 'notice' }, t('missingTool', { tool })), callBox([call])));
  replace(main, busy());
  try {
    showReply(context, main, call, await context.server.call(tool, args));
  } catch (problem) {
    replace(main, h('div', { class: 'page' }, problemBox(context, problem)));
  }
}

export function showReply(context: Context, main: HTMLElement, call: Call, reply: Json, grow?: (view: View, graph: Graph, layout: Layout) => void): void {
  const { schema } = context;
  document.title = `${call.tool} · kg_graph`;
  if (Array.isArray(reply?.paths) && Array.isArray(reply.nodes)) return showPaths(context, main, call, reply, [], t('empty'));
  if (Array.isArray(reply?.nodes) && reply.nodes.length > 0 && Array.isArray(reply.edges)) {
    const graph = new Graph(schema);
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
    replace(view.bar, h('h1', { class: 'view-title' }, call.tool));
    view.addCall(call);
    replace(main, view.element);
    view.refresh();
    layout.run(fresh);
    const left = withheldText(reply);
    const total = Number(reply.total ?? fresh.length);
    view.say([reply.truncated ? t('shown', { shown: fresh.length, total }) : t('shownAll', { total: fresh.length }), left].filter(Boolean).join(' · '),
      ...(reply.next ? [h('a', { class: 'button small', href: link('c', call.tool, { a: JSON.stringify(reply.next) }) }, left ? t('getWithheld') : t('more'))] : []));
    grow?.(view, graph, layout);
    return;
  }
  replace(main, h('div', { class: 'page' }, h('h1', {}, call.tool), answer(context, reply),
    reply?.next && h('p', {}, h('a', { class: 'button', href: link('c', call.tool, { a: JSON.stringify(reply.next) }) }, t('more'))), callBox([call])));
}

/** Rows as a table, anything else as it is. */
function answer(context: Context, reply: Json): HTMLElement {
  const rows: Json[] | undefined = reply?.items ?? reply?.entities ?? reply?.ranked ?? (Array.isArray(reply?.nodes) && reply.nodes.length ? reply.nodes : undefined) ?? reply?.rows;
  if (!Array.isArray(rows) || rows.length === 0) return h('pre', { class: 'json whole', tabindex: 0 }, JSON.stringify(reply, null, 2));
  const flat = rows.map((row) => (Array.isArray(row) ? Object.fromEntries(row.map((value, i) => [reply.columns?.[i] ?? String(i + 1), value])) : typeof row === 'object' && row !== null ? { ...row, ...(row.data ?? row.properties ?? {}), data: undefined, properties: undefined } : { value: row }));
  const names = [...new Set(flat.flatMap((row) => Object.keys(row).filter((name) => row[name] !== undefined)))].slice(0, 10);
  const value = (one: Json) => (typeof one === 'string' && /^[\w/-]+:\S/.test(one) && context.schema.types.has(one.slice(0, one.indexOf(':'))) ? entityLink(context.schema, one, one) : typeof one === 'object' && one !== null ? JSON.stringify(one) : String(one ?? ''));
  return h('div', { class: 'scroll wide', tabindex: 0, role: 'region', 'aria-label': t('result') }, h('table', { class: 'data' },
    h('thead', {}, h('tr', {}, names.map((name) => h('th', { scope: 'col' }, humanName(name))))),
    h('tbody', {}, flat.slice(0, 500).map((row) => h('tr', {}, names.map((name) => h('td', {}, h('div', { class: 'clamp' }, value(row[name])))))))));
}
