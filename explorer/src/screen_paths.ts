// How two entities are connected: the paths between them, from left to right.
import { h, icon, replace } from './dom';
import { Graph, handleOf } from './graph';
import { write } from './json';
import { layers } from './layout';
import { busy, entityLink, hintList, needs, pageOf, picker, problemBox, withheldText, type Context } from './parts';
import { link } from './route';
import { relationName, splitHandle } from './schema';
import type { Arguments, Call, Json } from './server';
import { t } from './text';
import { View } from './view';

const LIMIT = 30;
const MODES = ['shortest', 'all_shortest', 'simple'] as const;

export async function pathScreen(context: Context, main: HTMLElement, query: URLSearchParams): Promise<void> {
  const missing = needs(context, 'find_paths');
  if (missing) return replace(main, pageOf(t('paths'), missing));
  const { schema, server } = context;
  const from = query.get('from') ?? '';
  const to = query.get('to') ?? '';
  const most = Math.max(1, Math.min(6, Number(query.get('max')) || 4));
  const mode = MODES.find((one) => one === query.get('mode')) ?? 'all_shortest';
  const go = (change: Record<string, string>) => context.go(link('p', '', { from, to, max: most, mode, ...change }));
  const end = (name: 'from' | 'to', word: string, handle: string) => h('div', { class: 'path-end' },
    h('span', { class: 'choice-word' }, word),
    picker(context, { id: `path-${name}`, label: word, hint: t('search1'), value: handle, choose: (chosen) => go({ [name]: chosen }) }));
  const choice = (id: string, word: string, values: [string, string][], chosen: string, name: string) => h('label', { class: 'choice', for: id }, h('span', {}, word),
    h('select', { id, on: { change: (event: Event) => go({ [name]: (event.target as HTMLSelectElement).value }) } }, values.map(([value, text]) => h('option', { value, selected: value === chosen }, text))));
  const form = h('div', { class: 'path-form', role: 'search', 'aria-label': t('paths') },
    end('from', t('from'), from),
    h('button', { type: 'button', class: 'tool', title: t('swap'), 'aria-label': t('swap'), on: { click: () => go({ from: to, to: from }) } }, icon('swap')),
    end('to', t('to'), to),
    choice('most', t('atMost'), ['1', '2', '3', '4', '5', '6'].map((one) => [one, one === '1' ? t('step') : t('steps', { n: Number(one) })]), String(most), 'max'),
    choice('mode', t('mode'), [['shortest', t('modeShortest')], ['all_shortest', t('modeAll')], ['simple', t('modeSimple')]], mode, 'mode'));
  document.title = `${t('paths')} · kg_graph`;
  if (!from || !to) {
    replace(main, h('h1', { class: 'offscreen' }, t('paths')), form, h('div', { class: 'page center' }, h('p', { class: 'muted' }, t('chooseTwo'))));
    return;
  }
  const ends = (handle: string): Arguments => ({ label: splitHandle(handle).type, ids: [splitHandle(handle).id] });
  const args: Arguments = { from: ends(from), to: ends(to), max_hops: most, mode, limit: LIMIT };
  if (schema.relations.some((relation) => relation.properties.length > 0)) args.edge_columns = ['*'];
  const call: Call = { tool: 'find_paths', arguments: args };
  const place = h('div', { class: 'screen' }, busy());
  replace(main, h('h1', { class: 'offscreen' }, t('paths')), form, place);
  let reply: Json;
  try {
    reply = await server.call(call.tool, args);
  } catch (problem) {
    return replace(place, h('div', { class: 'page' }, problemBox(context, problem)));
  }
  // The ends by their names, once they are known.
  for (const node of reply.nodes ?? [])
    for (const [name, handle] of [['from', from], ['to', to]])
      if (handleOf(node) === handle) form.querySelector<HTMLInputElement>(`#path-${name}`)!.value = schema.label(node.type, node.properties, node.id);
  showPaths(context, place, call, reply, [from, to], t('noPath', { n: most }));
}

/** The reply of find_paths as a picture. */
export function showPaths(context: Context, place: HTMLElement, call: Call, reply: Json, ends: string[], none: string): void {
  const { schema } = context;
  const graph = new Graph(schema, context.most);
  const paths: Json[] = reply.paths ?? [];
  graph.add({ nodes: reply.nodes, edges: paths.flatMap((path) => path.path.filter((step: Json) => typeof step === 'object')), untrusted: reply.untrusted });
  const handles: string[][] = paths.map((path) => path.path.filter((step: Json) => typeof step === 'string'));
  layers(handles, graph);
  handles.forEach((path) => path.forEach((handle, i) => {
    const node = graph.nodes.get(handle);
    if (node) node.depth = Math.max(node.depth, i);
  }));
  const labels: Record<string, string> = {};
  for (const node of graph.nodes.values()) {
    labels[node.key] = node.label;
    node.start = ends.includes(node.key) || handles.some((path) => path[0] === node.key || path[path.length - 1] === node.key);
  }
  if (paths.length === 0) {
    const view = h('div', { class: 'page center' }, h('p', {}, none), hintList(context, reply));
    return replace(place, view);
  }
  const view = new View(context, graph, t('paths'), {}, true);
  view.addExtra(h('ol', { class: 'paths' }, paths.map((path) => h('li', {}, steps(context, path.path, labels)))));
  view.addCall(call);
  replace(place, view.element);
  view.refresh();
  const left = withheldText(reply);
  const shown = paths.length === 1 ? t('pathFound') : t('pathsFound', { n: paths.length });
  const more = reply.next && h('a', { class: 'button small', href: link('c', 'find_paths', { a: write(reply.next) }) }, left ? t('getWithheld') : t('more'));
  view.say([shown, reply.truncated && (reply.total ?? reply.total_at_least) !== undefined && t('mayMore'), left].filter(Boolean).join(' · '), ...(more ? [more] : []));
  view.picture.fit();
}

function steps(context: Context, path: Json[], labels: Record<string, string>): (HTMLElement | string)[] {
  let before = '';
  const both = new Set(context.schema.relations.filter((relation) => relation.symmetric).map((relation) => relation.name));
  return path.flatMap((step: Json) => {
    if (typeof step === 'string') {
      before = step;
      return [entityLink(context.schema, step, labels[step] ?? splitHandle(step).id)];
    }
    const along = handleOf(step.from) === before;
    if (both.has(step.type)) return [h('span', { class: 'hop', title: step.type }, ` — ${relationName(step.type)} — `)];
    return [h('span', { class: 'hop', title: step.type }, along ? ` — ${relationName(step.type)} → ` : ` ← ${relationName(step.type)} — `)];
  });
}
