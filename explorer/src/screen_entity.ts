// An entity's page: what it is, what it is connected to, what was done to it.
import { h, icon, replace } from './dom';
import { canEdit, edit } from './edit';
import { canGroup, groupBox, groupHead, groupsOf, HUB, sorted, titleOf, type Way } from './groups';
import { Exact, write } from './json';
import { busy, callBox, chip, copyButton, entityLink, problemBox, problemPage, withheldText, type Context } from './parts';
import { link } from './route';
import { humanName, splitHandle, type Direction, type Property, type Type } from './schema';
import type { Call, Json } from './server';
import { number, t, tame, time } from './text';

const OWN = new Set(['id', 'entity_type', 'untrusted', 'content_types', 'citations', 'hints', 'withheld', 'truncated', 'next', 'reason', 'repaired']);
const SHORT = 10;

interface Ends extends Way { ends: { handle: string; label: string }[] }

export async function entity(context: Context, main: HTMLElement, handle: string): Promise<void> {
  replace(main, busy());
  const { type: typeName } = splitHandle(handle);
  const { schema, server } = context;
  const call: Call = schema.has('describe_entity')
    ? { tool: 'describe_entity', arguments: { id: handle } }
    : { tool: `get_${typeName}`, arguments: { id: splitHandle(handle).id } };
  let told: Json;
  let type: Type;
  try {
    [told, type] = await Promise.all([server.call(call.tool, call.arguments), schema.detail(typeName)]);
  } catch (problem) {
    replace(main, problemPage(context, problem));
    return;
  }
  const data = call.tool === 'describe_entity' ? unwrapped(told) : told.entity?.data ?? {};
  const untrusted: string[] = told.untrusted ?? told.entity?.untrusted ?? [];
  const { id } = splitHandle(handle);
  const label = schema.label(typeName, data, id);
  const relations = h('section', { 'aria-labelledby': 'relations' });
  const past = h('section', { 'aria-labelledby': 'history', hidden: true });
  const withheld = withheldText(told);
  const own = h('section', { 'aria-labelledby': 'properties' });
  const showProperties = () => replace(own,
    h('h2', { id: 'properties' }, t('properties')),
    properties(context, type, without(data, label === id ? type.id : undefined), untrusted),
    withheld && h('p', { class: 'notice' }, withheld));
  const editing: HTMLButtonElement = h('button', { type: 'button', on: { click: async () => {
    editing.disabled = true;
    try {
      await edit(context, own, handle, type, (changed) => {
        editing.disabled = false;
        if (changed) return void entity(context, main, handle);
        showProperties();
        editing.focus();
      });
    } catch (problem) {
      editing.disabled = false;
      replace(own, h('h2', { id: 'properties' }, t('properties')), problemBox(context, problem));
    }
  } } }, icon('edit'), t('edit'));
  showProperties();
  document.title = tame(`${label} · kg_graph`);
  replace(main, h('article', { class: 'page entity-page' },
    h('header', { class: 'entity-head' },
      chip(schema, typeName),
      h('h1', { dir: 'auto' }, label),
      h('div', { class: 'handle-row' }, h('code', {}, handle), copyButton(() => handle)),
      h('div', { class: 'actions' },
        schema.has('explore_neighbors') && h('a', { class: 'button primary', href: link('g', handle) }, icon('graph'), t('neighbourhood')),
        schema.has('find_paths') && h('a', { class: 'button', href: link('p', '', { from: handle }) }, icon('path'), t('pathsFrom')),
        canEdit(context, typeName) && editing)),
    h('div', { class: 'columns' },
      own, relations),
    past, callBox([call])));
  await Promise.all([showRelations(context, relations, handle), showHistory(context, past, typeName, id)]);
}

/** describe_entity tells properties beside its own members, "data.id" where they clash. */
export function unwrapped(told: Json): Json {
  const data: Json = {};
  for (const [name, value] of Object.entries(told)) {
    if (name.startsWith('data.') && OWN.has(name.slice(5))) data[name.slice(5)] = value;
    else if (!OWN.has(name)) data[name] = value;
  }
  return data;
}

/** Without what stands above it already. */
export const without = (data: Json, name: string | undefined): Json => Object.fromEntries(Object.entries(data).filter(([one]) => one !== name));

export function properties(context: Context, type: Type, data: Json, untrusted: string[]): HTMLElement {
  const declared = type.properties.filter((property) => data[property.name] !== undefined && data[property.name] !== null);
  const names = new Set(declared.map((property) => property.name));
  const others = Object.keys(data).filter((name) => !names.has(name) && data[name] !== null);
  const entry = (name: string, title: string, property?: Property) => {
    const outside = untrusted.includes(name) || property?.untrusted === true;
    return h('div', { class: 'property' },
      h('dt', { title: property?.description }, title),
      h('dd', {}, outside ? h('figure', { class: 'untrusted' }, h('figcaption', { title: t('untrustedHint') }, t('untrusted')), valueOf(context, data[name], property)) : valueOf(context, data[name], property)));
  };
  const list = h('dl', { class: 'properties' }, declared.map((property) => entry(property.name, property.title, property)), others.map((name) => entry(name, humanName(name))));
  return list.childElementCount ? list : h('p', { class: 'muted' }, t('none'));
}

export function valueOf(context: Context, value: Json, property?: Property): Node {
  if (value === null || value === undefined) return h('span', { class: 'muted' }, '–');
  if (typeof value === 'boolean') return h('span', {}, value ? t('yes') : t('no'));
  if (typeof value === 'number') return h('span', { class: 'num' }, Number.isInteger(value) && Math.abs(value) < 1e15 && property?.title.toLowerCase() !== 'year' && Math.abs(value) >= 10000 ? number(value) : String(value));
  if (value instanceof Exact) return h('span', { class: 'num' }, value.text);
  if (Array.isArray(value)) {
    if (value.length === 0) return h('span', { class: 'muted' }, '–');
    const plain = value.every((item) => typeof item !== 'object' || item instanceof Exact);
    if (plain && value.every((item) => String(item).length < 40)) return h('span', { class: 'values' }, value.map((item) => h('span', { class: 'value' }, valueOf(context, item, property))));
    return h('ul', { class: 'texts' }, value.map((item) => h('li', {}, valueOf(context, item, property))));
  }
  if (typeof value === 'object') return h('pre', { class: 'json', tabindex: 0 }, write(value, 2));
  if (property?.ref?.byId) return entityLink(context.schema, `${property.ref.type}:${value}`, String(value));
  if (property?.type === 'date-time') return h('time', { datetime: value, title: value }, time(value));
  return h('span', { class: 'text', dir: 'auto' }, String(value));
}

async function showRelations(context: Context, section: HTMLElement, handle: string): Promise<void> {
  const { schema, server } = context;
  const { type, id } = splitHandle(handle);
  const heading = h('h2', { id: 'relations' }, t('relations'));
  if (!schema.has('explore_neighbors')) return;
  replace(section, heading, busy());
  const near: Call = { tool: 'explore_neighbors', arguments: { start_node: { label: type, node_id: id }, max_hops: 1, limit: HUB + 1 } };
  let boxes: HTMLElement[];
  let cut = false;
  try {
    const reply = await server.call(near.tool, near.arguments);
    const grouped = reply.truncated && canGroup(context);
    boxes = grouped ? (await groupsOf(context, handle)).map((group) => groupBox(context, group)) : told(context, handle, reply).map((group) => endsBox(context, group));
    cut = reply.truncated && !grouped;
  } catch (problem) {
    replace(section, heading, problemBox(context, problem));
    return;
  }
  replace(section, heading, boxes.length === 0 ? h('p', { class: 'muted' }, t('noRelations')) : boxes, cut && h('p', { class: 'notice' }, t('mayMore')));
}

/** From a reply that is whole. */
function told(context: Context, handle: string, reply: Json): Ends[] {
  const labels = new Map<string, string>();
  for (const node of reply.nodes) labels.set(`${node.type}:${node.id}`, context.schema.label(node.type, node.properties, node.id));
  const relations = new Map(context.schema.relations.map((relation) => [relation.name, relation]));
  const groups = new Map<string, Ends>();
  for (const edge of reply.edges) {
    const relation = relations.get(edge.type) ?? { name: edge.type, symmetric: false, from: '', to: '', properties: [] };
    const [from, to] = [`${edge.from.type}:${edge.from.id}`, `${edge.to.type}:${edge.to.id}`];
    const ways: [Direction, string][] = relation.symmetric ? [['both', from === handle ? to : from]] : [];
    if (!relation.symmetric && from === handle) ways.push(['outgoing', to]);
    if (!relation.symmetric && to === handle) ways.push(['incoming', from]);
    for (const [direction, end] of ways) {
      const key = `${direction} ${relation.name}`;
      const group: Ends = groups.get(key) ?? { relation: relation.name, direction, title: titleOf(relation, direction), ends: [] };
      groups.set(key, group);
      if (!group.ends.some((other) => other.handle === end)) group.ends.push({ handle: end, label: labels.get(end) ?? splitHandle(end).id });
    }
  }
  return sorted([...groups.values()]);
}

function endsBox(context: Context, group: Ends): HTMLElement {
  const list = h('ul', { class: 'ends' });
  const foot = h('div', {});
  const total = group.ends.length;
  let shown = Math.min(SHORT, total);
  const fill = () => {
    replace(list, group.ends.slice(0, shown).map((end) => h('li', {}, entityLink(context.schema, end.handle, end.label))));
    replace(foot, shown < total && h('button', { type: 'button', class: 'small', on: { click: more } }, t('moreOf', { shown, total })));
  };
  const more = () => {
    shown = Math.min(total, shown + 50);
    fill();
  };
  fill();
  return h('div', { class: 'group' }, groupHead(group, total), list, foot);
}

async function showHistory(context: Context, section: HTMLElement, type: string, id: string): Promise<void> {
  const tool = `history_${type}`;
  if (!context.schema.has(tool)) return;
  section.hidden = false;
  const detail = await context.schema.detail(type);
  const list = h('ol', { class: 'history' });
  const foot = h('div', {});
  const ask = async (args: Json) => {
    try {
      const reply = await context.server.call(tool, args);
      list.append(...reply.changes.map((change: Json) => changeItem(context, change, detail)));
      replace(foot, reply.truncated && reply.next && h('button', { type: 'button', class: 'small', on: { click: () => ask(reply.next) } }, t('more')));
    } catch (problem) {
      replace(foot, problemBox(context, problem));
    }
  };
  replace(section, h('h2', { id: 'history' }, t('history')), list, foot);
  await ask({ id, limit: 10 });
}

/** What was and what becomes of some properties. */
export function diff(context: Context, type: Type, names: string[], before: Json, after: Json): HTMLElement {
  const declared = new Map(type.properties.map((property) => [property.name, property]));
  const side = (data: Json, name: string) => (data && name in data ? valueOf(context, data[name], declared.get(name)) : h('span', { class: 'muted' }, t('missing')));
  return h('table', { class: 'diff' },
    h('thead', { class: 'offscreen' }, h('tr', {}, h('th', { scope: 'col' }, t('name')), h('th', { scope: 'col' }, t('before')), h('th', { scope: 'col' }, t('after')))),
    h('tbody', {}, names.map((name) => h('tr', {}, h('th', { scope: 'row' }, declared.get(name)?.title ?? humanName(name)), h('td', { class: 'old' }, side(before, name)), h('td', { class: 'new' }, side(after, name))))));
}

function changeItem(context: Context, change: Json, type: Type): HTMLElement {
  const names = [...new Set([...Object.keys(change.before ?? {}), ...Object.keys(change.after ?? {})])];
  const whole = change.verdict === 'created' || change.verdict === 'deleted';
  const who = [change.subject ?? change.by, change.agent].filter(Boolean).join(', ');
  const verdict: Record<string, string> = { created: t('created'), updated: t('updated'), deleted: t('deleted') };
  return h('li', { class: `change ${change.verdict}` },
    h('div', { class: 'change-head' }, h('strong', {}, verdict[change.verdict] ?? change.verdict), ' ', h('time', { datetime: change.at, title: change.at }, time(change.at)),
      who && h('span', { class: 'muted' }, t('by', { who })), change.version !== undefined && h('span', { class: 'muted' }, t('version', { n: change.version }))),
    change.reason && h('p', { class: 'reason' }, `${t('reason')}: `, change.reason),
    whole ? null : diff(context, type, names, change.before, change.after));
}
