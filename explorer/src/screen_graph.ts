// The neighbourhood of an entity, which grows where a node is clicked.
import { announce, h, replace } from './dom';
import { Graph, type Node } from './graph';
import { canGroup, edgesTo, groupsOf, handlesOf, isHub, PAGE, type Group, type Member } from './groups';
import { read, write } from './json';
import { Layout } from './layout';
import { busy, entityLink, needs, pageOf, problemBox, problemPage, withheldText, type Context } from './parts';
import { amend, link } from './route';
import { splitHandle, type Direction } from './schema';
import type { Arguments, Call, Json } from './server';
import { t, tame } from './text';
import { View } from './view';

const FIRST = 100;
const MORE = 60;
const DIRECTIONS = ['both', 'outgoing', 'incoming'] as const;

export async function graphScreen(context: Context, main: HTMLElement, handle: string, query: URLSearchParams): Promise<void> {
  const missing = needs(context, 'explore_neighbors');
  if (missing) return replace(main, pageOf(t('neighbourhood'), missing));
  const { schema, server } = context;
  const hops = Math.max(1, Math.min(6, Number(query.get('hops')) || 1));
  const direction = DIRECTIONS.find((one) => one === query.get('dir')) ?? 'both';
  const only = query.getAll('rel');
  const edgeColumns = schema.relations.some((relation) => relation.properties.length > 0);
  const ask = (node: string, steps: number, most: number): Call => {
    const { type, id } = splitHandle(node);
    const args: Arguments = { start_node: { label: type, node_id: id }, max_hops: steps };
    if (direction !== 'both') args.direction = direction;
    if (only.length) args.relationship_types = only;
    if (edgeColumns) args.edge_columns = ['*'];
    args.limit = most;
    return { tool: 'explore_neighbors', arguments: args };
  };

  replace(main, busy());
  const graph = new Graph(schema, context.most);
  const grown: string[] = query.getAll('x');
  let pages = Math.max(1, Number(query.get('pages')) || 1);
  for (const one of query.getAll('ht')) graph.hiddenTypes.add(one);
  for (const one of query.getAll('hr')) graph.hiddenRelations.add(one);
  for (const one of query.getAll('hn')) graph.hiddenNodes.add(one);

  const state = (more: Record<string, string | number | string[] | null> = {}) => link('g', handle, {
    hops: hops > 1 ? hops : null, dir: direction === 'both' ? null : direction, rel: only, pages: pages > 1 ? pages : null, x: grown,
    ht: [...graph.hiddenTypes], hr: [...graph.hiddenRelations], hn: [...graph.hiddenNodes], ...more,
  });
  const remember = () => amend(state());

  const next = new Map<string, Arguments | null>();
  let lastReply: Json;
  let call = ask(handle, hops, FIRST);
  let reply: Json;
  try {
    reply = await server.call(call.tool, call.arguments);
  } catch (problem) {
    return replace(main, problemPage(context, problem));
  }
  const grouping = canGroup(context, only);
  const neighbours = Number(reply.total ?? reply.total_at_least ?? 1) - 1;
  const hub = grouping && hops === 1 && isHub(reply);
  const fresh = graph.add(hub ? { ...reply, nodes: reply.nodes.slice(0, 1) } : reply);
  const start = graph.nodes.get(handle) ?? fresh[0];
  if (start) start.start = true;
  const label = start?.label ?? handle;
  document.title = tame(`${label} · ${t('neighbourhood')}`);

  const grow = async (node: Node): Promise<void> => {
    if (next.get(node.key) === null && node.grown) return announce(t('nothingNew'));
    grown.push(node.key);
    remember();
    await growOne(node);
  };
  const layout = new Layout(graph, (done) => {
    if (done) view.picture.fit(false);
    else view.picture.draw();
  });
  const view = new View(context, graph, label, {
    grow, hide: remember, filtered: remember, member: (group) => memberOf(group),
  });

  /** The neighbours of a hub: each group as a node, the members of a small one as nodes of their own. */
  const addGroups = async (around: Node): Promise<Node[]> => {
    const groups = await groupsOf(context, around.key, direction, only);
    const ends = await Promise.all(groups.map(async (group) => {
      view.addCall(group.call);
      if (group.total > PAGE) return null;
      const small = edgesTo(group, handlesOf(group.reply));
      view.addCall(small);
      return server.call(small.tool, small.arguments);
    }));
    const came: Node[] = [];
    groups.forEach((group, i) => came.push(...(ends[i] ? graph.add(ends[i], around) : graph.addGroup(group, around, came.length))));
    return came;
  };
  const takeOut = async (group: Pick<Group, 'hub' | 'relation' | 'direction'>, handle: string): Promise<void> => {
    const one = edgesTo(group, [handle]);
    let told: Json;
    try {
      told = await server.call(one.tool, one.arguments);
    } catch (problem) {
      return view.say('', problemBox(context, problem));
    }
    view.addCall(one);
    const came = graph.add(told, graph.nodes.get(group.hub));
    view.refresh();
    if (came.length) layout.run(came);
    if (graph.full) tell();
  };
  const memberOf = (group: Group): Member => {
    const isOut = (handle: string) => [...graph.members(group)].some((node) => node.key === handle);
    const drawn = (handle: string) => isOut(handle) && !graph.hiddenNodes.has(handle);
    return { drawn, turn: async (handle) => {
      if (drawn(handle)) graph.hiddenNodes.add(handle);
      else graph.hiddenNodes.delete(handle);
      if (!isOut(handle)) {
        await takeOut(group, handle);
        if (isOut(handle)) grown.push(write([group.hub, group.relation, group.direction, handle]));
      }
      remember();
      view.refresh();
    } };
  };

  const growOne = async (node: Node): Promise<void> => {
    const args = next.get(node.key) ?? ask(node.key, 1, MORE).arguments;
    let more: Json;
    try {
      more = await server.call('explore_neighbors', args);
    } catch (problem) {
      return view.say('', problemBox(context, problem));
    }
    view.addCall({ tool: 'explore_neighbors', arguments: args });
    const grouped = grouping && !node.grown && isHub(more);
    let came: Node[];
    try {
      came = grouped ? await addGroups(node) : graph.add(more, node);
    } catch (problem) {
      return view.say('', problemBox(context, problem));
    }
    next.set(node.key, more.truncated && !grouped ? more.next : null);
    const again = !node.grown;
    node.grown = true;
    view.refresh();
    if (again && view.picture.chosen.node === node) view.picture.choose({ node });
    if (came.length) layout.run(came);
    announce(came.length ? t('grown', { n: came.length }) : graph.full ? t('full', { n: context.most }) : t('nothingNew'));
    tell();
  };

  const moreOfAll = async (): Promise<void> => {
    pages++;
    remember();
    await followNext();
  };
  const followNext = async (): Promise<void> => {
    const args = lastReply.next as Arguments | undefined;
    if (!args) return;
    try {
      reply = await server.call('explore_neighbors', args);
    } catch (problem) {
      return view.say('', problemBox(context, problem));
    }
    view.addCall({ tool: 'explore_neighbors', arguments: args });
    lastReply = reply;
    const came = graph.add(reply, start);
    view.refresh();
    layout.run(came);
    tell();
  };
  // How much of it is here, and how to get the rest.
  const tell = () => {
    if (hub) return view.say(t('grouped', { n: neighbours }));
    const total = Number(lastReply.total ?? lastReply.total_at_least ?? graph.nodes.size);
    const shown = Math.min(total, graph.nodes.size);
    const left = withheldText(lastReply);
    const button = lastReply.truncated && lastReply.next && h('button', { type: 'button', class: 'small', on: { click: () => void moreOfAll() } }, left ? t('getWithheld') : t('more'));
    view.say([lastReply.truncated ? t('shown', { shown, total }) : t('shownAll', { total: graph.nodes.size }), left].filter(Boolean).join(' · '), ...(button ? [button] : []));
  };

  const choice = (id: string, word: string, values: [string, string][], chosen: string, change: (value: string) => void) => h('label', { class: 'choice', for: id }, h('span', {}, word),
    h('select', { id, on: { change: (event: Event) => change((event.target as HTMLSelectElement).value) } }, values.map(([value, text]) => h('option', { value, selected: value === chosen }, text))));
  replace(view.bar,
    h('h1', { class: 'view-title' }, entityLink(schema, handle, label)),
    choice('hops', t('hops'), ['1', '2', '3', '4'].map((one) => [one, one]), String(hops), (value) => context.go(state({ hops: value, pages: null, x: [] }))),
    choice('direction', t('direction'), [['both', t('dirBoth')], ['outgoing', t('dirOutgoing')], ['incoming', t('dirIncoming')]], direction, (value) => context.go(state({ dir: value, pages: null, x: [] }))),
    grown.length + graph.hiddenNodes.size > 0 && h('a', { class: 'button small', href: link('g', handle, { hops: hops > 1 ? hops : null }) }, t('reset')));
  view.addCall(call);
  lastReply = reply;
  if (hub && start) {
    try {
      fresh.push(...await addGroups(start));
    } catch (problem) {
      return replace(main, problemPage(context, problem));
    }
  }
  replace(main, view.element);
  view.refresh();
  layout.run(fresh);
  tell();
  for (let page = 1; page < pages; page++) await followNext();
  for (const step of [...grown]) {
    const out = takenOut(step);
    const node = graph.nodes.get(out?.hub ?? step);
    if (node) await (out ? takeOut(out, out.handle) : growOne(node));
  }
}

/** What the address says of a member that was taken out of its group; null where it says something else. */
function takenOut(step: string): { hub: string; relation: string; direction: Direction; handle: string } | null {
  if (step[0] !== '[') return null;
  try {
    const [hub, relation, direction, handle] = read(step);
    return { hub, relation, direction, handle: String(handle) };
  } catch {
    return null;
  }
}
