// A hub: an entity with more neighbours than are shown one by one.  They are grouped by
// relationship type, direction and type.  A group is read page by page, and searched.
import { announce, h, icon, replace } from './dom';
import { write } from './json';
import { dot, entityLink, problemBox, type Context } from './parts';
import { relationName, splitHandle, type Direction, type Relation } from './schema';
import type { Arguments, Call, Json } from './server';
import { number, t } from './text';

/** An entity with more neighbours is a hub. */
export const HUB = 200;
/** Members on a page.  A picture draws a group of so few one by one. */
export const PAGE = 20;

export interface Way { relation: string; direction: Direction; title: string }
/** reply: the first page, as the call returned it. */
export interface Group extends Way { hub: string; type: string; total: number; call: Call; reply: Json }
/** What a picture does with a member: whether it is drawn, and the other way round. */
export interface Member { drawn(handle: string): boolean; turn(handle: string): Promise<void> }

/** Backwards a relationship has its inverse name, where it has one. */
export function titleOf(relation: Relation, direction: Direction): string {
  return relationName(direction === 'incoming' && relation.inverse ? relation.inverse : relation.name);
}

export function sorted<T extends Way>(groups: T[]): T[] {
  const order: Direction[] = ['outgoing', 'both', 'incoming'];
  return groups.sort((a, b) => order.indexOf(a.direction) - order.indexOf(b.direction) || (a.title < b.title ? -1 : 1));
}

const icons: Record<Direction, string> = { outgoing: 'out', incoming: 'into', both: 'both' };
/** What stands above the members: direction, relationship type, how many. */
export function groupHead(way: Way, total: number, ...more: (HTMLElement | string)[]): HTMLElement {
  return h('h3', {}, icon(icons[way.direction]), h('span', { class: 'offscreen' }, `${t(way.direction)}: `), h('span', { title: way.relation }, way.title), more, h('span', { class: 'count' }, number(total)));
}

/** Can neighbours be grouped with the caller's tools, and by these relationship types? */
export const canGroup = ({ schema }: Context, only: string[] = []): boolean => schema.has('find_nodes') && schema.has('traverse_relationships')
  && only.every((name) => schema.relations.some((relation) => relation.name === name));

/** Was this the first page of one step around a hub?  Its total counts the hub. */
export const isHub = (reply: Json): boolean => reply.truncated === true && Number(reply.total ?? reply.total_at_least ?? 0) > HUB + 1;

const AGAINST: Record<Direction, Direction> = { outgoing: 'incoming', incoming: 'outgoing', both: 'both' };

/** The call for the first page of a group, of those that a search finds. */
function membersOf(context: Context, group: Pick<Group, 'hub' | 'type' | 'relation' | 'direction'>, search: string): Call {
  const { type, id } = splitHandle(group.hub);
  const label = context.schema.type(group.type).label;
  const args: Arguments = { node_label: group.type };
  if (search) args.search = search;
  args.related = [{ type: group.relation, direction: AGAINST[group.direction], to: { label: type, ids: [id] } }];
  args.columns = [label ?? context.schema.type(group.type).id];
  args.limit = PAGE;
  return { tool: 'find_nodes', arguments: args };
}

/** The groups around a hub, the relationship types and the direction as they are chosen. */
export async function groupsOf(context: Context, hub: string, direction: Direction = 'both', only: string[] = []): Promise<Group[]> {
  const ways = context.schema.around(splitHandle(hub).type).filter((way) =>
    (direction === 'both' || way.direction === 'both' || way.direction === direction) && (only.length === 0 || only.includes(way.relation.name)));
  const groups = await Promise.all(ways.map(async (way): Promise<Group> => {
    const group = { hub, relation: way.relation.name, direction: way.direction, title: titleOf(way.relation, way.direction), type: way.type };
    const call = membersOf(context, group, '');
    const reply = await context.server.call(call.tool, call.arguments);
    return { ...group, total: Number(reply.total ?? reply.total_at_least ?? reply.nodes.length), call, reply };
  }));
  return sorted(groups.filter((group) => group.total > 0));
}

/** The call for some members with the edges to their hub. */
export function edgesTo(way: Pick<Group, 'hub' | 'relation' | 'direction'>, members: string[]): Call {
  const { type, id } = splitHandle(way.hub);
  const to = { label: splitHandle(members[0]).type, ids: members.map((member) => splitHandle(member).id) };
  return { tool: 'traverse_relationships', arguments: { from: { label: type, ids: [id] }, relationships: [{ type: way.relation, direction: way.direction, to }], limit: members.length } };
}

export const handlesOf = (reply: Json): string[] => reply.nodes.map((node: Json) => `${node.type}:${node.id}`);

/** Names a group, for a picture and its address. */
export const keyOf = (group: Pick<Group, 'hub' | 'relation' | 'direction' | 'type'>): string => write([group.hub, group.relation, group.direction, group.type]);

interface Place { reply: Json; start: number }

/** The members of a group: a page of them, those that a search finds. */
export function groupBox(context: Context, group: Group, member?: Member): HTMLElement {
  const { schema, server } = context;
  const list = h('ul', { class: member ? 'ends in-rows' : 'ends' });
  const foot = h('div', { class: 'group-foot' });
  let place: Place = { reply: group.reply, start: 0 };
  let before: Place[] = [];
  let asked = 0;
  let timer = 0;

  const show = () => {
    const { reply, start } = place;
    const total = Number(reply.total ?? reply.total_at_least ?? 0);
    replace(list, reply.nodes.length === 0 ? h('li', { class: 'muted' }, t(reply.truncated ? 'searchCut' : 'empty')) : reply.nodes.map((node: Json) => {
      const handle = `${node.type}:${node.id}`;
      const label = schema.label(node.type, node.properties, String(node.id));
      return h('li', {}, entityLink(schema, handle, label), member && turner(member, handle, label));
    }));
    const sum = reply.total === undefined ? t('totalAtLeast', { n: total }) : total;
    replace(foot, group.total > PAGE && [
      h('span', { class: 'muted', role: 'status' }, reply.nodes.length > 0 && t('rows', { from: start + 1, to: start + reply.nodes.length, total: sum })),
      h('button', { type: 'button', class: 'small', disabled: before.length === 0, on: { click: () => { place = before.pop()!; show(); } } }, t('previous')),
      h('button', { type: 'button', class: 'small', disabled: !reply.truncated || !reply.next, on: { click: () => void load(reply.next, start + reply.nodes.length, [...before, place]) } }, t('next'))]);
  };
  const load = async (args: Arguments, start: number, past: Place[]): Promise<void> => {
    const mine = ++asked;
    let reply: Json;
    try {
      reply = await server.call('find_nodes', args);
    } catch (problem) {
      if (mine === asked) replace(foot, problemBox(context, problem));
      return;
    }
    if (mine !== asked) return;
    place = { reply, start };
    before = past;
    show();
  };
  const search = (event: Event) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void load(membersOf(context, group, (event.target as HTMLInputElement).value.trim()).arguments, 0, []), 250);
  };
  show();
  const type = schema.type(group.type);
  return h('div', { class: 'group' },
    groupHead(group, group.total, dot(schema, group.type), type.title),
    group.total > PAGE && h('div', { class: 'picker' }, icon('search'), h('input', {
      type: 'text', class: 'group-search', autocomplete: 'off', spellcheck: 'false', placeholder: t('searchIn'),
      'aria-label': `${t('searchIn')}: ${group.title}, ${type.title}`, on: { input: search },
    })),
    list, foot);
}

function turner(member: Member, handle: string, label: string): HTMLElement {
  const button = h('button', { type: 'button', class: 'small' });
  const tell = () => {
    const drawn = member.drawn(handle);
    const word = t(drawn ? 'hide' : 'draw');
    replace(button, icon(drawn ? 'minus' : 'plus'), word);
    button.setAttribute('aria-label', `${word}: ${label}`);
  };
  button.addEventListener('click', async () => {
    const before = member.drawn(handle);
    button.disabled = true;
    await member.turn(handle);
    button.disabled = false;
    button.focus({ preventScroll: true });
    tell();
    if (member.drawn(handle) !== before) announce(t(before ? 'hiddenNow' : 'drawn', { name: label }));
  });
  tell();
  return button;
}
