// Parts that several screens have: names with their colour, the call of a
// picture, errors with what repairs them, a field that suggests entities.
import { announce, copyText, h, icon, replace } from './dom';
import { pngOf } from './export';
import { write } from './json';
import { link } from './route';
import { humanName, relationName, splitHandle, type Schema } from './schema';
import { ServerGone, ToolError, Unauthorized, type Call, type Json, type Server } from './server';
import { t, type Word } from './text';

export interface Context {
  server: Server; schema: Schema;
  go(address: string): void; signIn(expired: boolean): void; refresh(): void;
  /** How many nodes a picture has at most. */
  most: number;
  /** Puts a file where the person finds it; undefined: there is no way. */
  save?(name: string, blob: Blob): void;
}

export const typeColor = (schema: Schema, type: string): string => `var(--c${schema.type(type).color})`;

export function dot(schema: Schema, type: string): HTMLElement {
  return h('span', { class: 'dot', style: { '--dot': typeColor(schema, type) }, 'aria-hidden': 'true' });
}

export function entityLink(schema: Schema, handle: string, label?: string): HTMLElement {
  const { type, id } = splitHandle(handle);
  return h('a', { class: 'entity', href: link('e', handle), title: handle }, dot(schema, type), h('span', { class: 'name', dir: 'auto' }, label ?? id));
}

export function chip(schema: Schema, type: string): HTMLElement {
  return h('a', { class: 'chip', href: link('l', type), style: { '--dot': typeColor(schema, type) } }, h('span', { class: 'dot', 'aria-hidden': 'true' }), schema.type(type).title);
}

export function copyButton(text: () => string, label: string = t('copy')): HTMLButtonElement {
  const word = h('span', {}, label);
  return h('button', { type: 'button', class: 'small', on: { click: async () => {
    if (!(await copyText(text()))) return;
    word.textContent = t('copied');
    announce(t('copied'));
    setTimeout(() => { word.textContent = label; }, 1500);
  } } }, icon('copy'), word);
}

/** The buttons that save a picture, whose SVG is source(). */
export function saves(context: Context, name: string, source: () => string): HTMLElement | false {
  const { save } = context;
  const button = (kind: string, label: string, action: () => void) => h('button', { type: 'button', class: 'small', 'aria-label': label, title: label, on: { click: action } }, icon('down'), kind);
  return save !== undefined && h('div', { class: 'saves' },
    button('SVG', t('asSvg'), () => save(`${name}.svg`, new Blob([source()], { type: 'image/svg+xml' }))),
    button('PNG', t('asPng'), async () => save(`${name}.png`, await pngOf(source()))));
}

const quote = (text: string): string => (/^[\w.:/@%+=,-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);

const isJson = (text: string): boolean => {
  try { JSON.parse(text); } catch { return false; }
  return true;
};

/** The same call for a shell: name=value, where what is JSON is taken as JSON. */
export function command(call: Call): string {
  const words = Object.entries(call.arguments).map(([name, value]) => quote(`${name}=${typeof value === 'string' && !isJson(value) ? value : write(value)}`));
  return ['kgctl call', call.tool, ...words].join(' ');
}

export function callBox(calls: Call[]): HTMLElement {
  const shown = calls.filter((call, i) => calls.findIndex((other) => write(other) === write(call)) === i);
  const json = () => write(shown.length === 1 ? shown[0] : shown, 2);
  const commands = () => shown.map(command).join('\n');
  const block = (title: Word, text: () => string) => h('div', { class: 'code' },
    h('div', { class: 'code-head' }, h('span', {}, t(title)), copyButton(text)), h('pre', { tabindex: 0, 'aria-label': t(title) }, text()));
  return h('details', { class: 'call' }, h('summary', {}, t('call'), ' ', h('code', {}, shown[shown.length - 1]?.tool ?? '')),
    h('p', { class: 'muted' }, shown.length > 1 ? t('callsText', { n: shown.length }) : t('callText')), block('asJson', json), block('asCommand', commands));
}

/** The screen that shows what a call answers. */
export function addressOf(call: Call): string {
  const args = call.arguments;
  const known = (names: string[]) => Object.keys(args).every((name) => names.includes(name));
  const ids = args.from?.ids?.length === 1 && args.to?.ids?.length === 1;
  if (call.tool.startsWith('list_') && !call.tool.endsWith('_ids') && known(['filters', 'search', 'sort', 'limit', 'offset', 'fields']))
    return link('l', call.tool.slice(5), { f: args.filters && write(args.filters), q: args.search, s: args.sort && write(args.sort) });
  if (call.tool === 'explore_neighbors' && args.start_node?.label && known(['start_node', 'max_hops', 'direction', 'limit', 'edge_columns', 'relationship_types']))
    return link('g', `${args.start_node.label}:${args.start_node.node_id}`, { hops: args.max_hops, dir: args.direction, rel: args.relationship_types });
  if (call.tool === 'find_paths' && ids && known(['from', 'to', 'max_hops', 'mode', 'limit', 'edge_columns']))
    return link('p', '', { from: `${args.from.label}:${args.from.ids[0]}`, to: `${args.to.label}:${args.to.ids[0]}`, max: args.max_hops, mode: args.mode });
  if (call.tool === 'query' && known(['sql', 'limit'])) return link('q', '', { sql: String(args.sql) });
  if (call.tool === 'describe_entity' && known(['id'])) return link('e', String(args.id));
  return link('c', call.tool, { a: write(args) });
}

const brief = (value: Json): string => {
  const text = typeof value === 'string' ? value : write(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
};

function toolError(context: Context, problem: ToolError): HTMLElement {
  const error = problem.error;
  const suggestions: string[] = (Array.isArray(error.did_you_mean) ? error.did_you_mean : error.did_you_mean !== undefined ? [error.did_you_mean] : []).map(String);
  const hidden = error.code === 'NOT_FOUND';
  const row = (word: Word, value: Json) => value !== undefined && [h('dt', {}, t(word)), h('dd', {}, h('code', {}, brief(value)))];
  const repair: Call | undefined = error.call;
  const box = h('section', { class: 'problem', role: 'alert' },
    h('h2', {}, hidden ? t('hidden') : t('failed')),
    h('p', { class: 'lead' }, hidden ? t('hiddenText', { handle: String(error.got ?? problem.call.arguments.id ?? '') }) : problem.message));
  const rows = hidden ? [] : [row('where', error.path), row('got', error.got), row('expected', error.expected)].filter(Boolean);
  if (rows.length) box.append(h('dl', { class: 'facts' }, ...(rows as HTMLElement[][]).flat()));
  if (hidden && suggestions.length)
    box.append(h('p', {}, t('nearest'), ': ', suggestions.map((handle, i) => [i > 0 && ', ', handle.includes(':') ? entityLink(context.schema, handle, handle) : h('code', {}, handle)])));
  else if (Array.isArray(error.allowed)) {
    const allowed: string[] = error.allowed.map(String);
    box.append(h('details', { class: 'allowed' }, h('summary', {}, `${t('allowed')} (${allowed.length})`), h('p', {}, allowed.map((one, i) => [i > 0 && ' ', h('code', {}, one)]))));
  }
  if (repair)
    box.append(h('div', { class: 'repair' },
      h('h3', {}, t('repair')), h('pre', { tabindex: 0, 'aria-label': t('repair') }, command(repair)),
      context.schema.reads(repair.tool) && h('a', { class: 'button primary', href: addressOf(repair) }, t('repairButton'))));
  box.append(callBox([problem.call]));
  return box;
}

/** What stands where an answer should have stood. */
export function problemBox(context: Context, problem: unknown): HTMLElement {
  if (problem instanceof ToolError) return toolError(context, problem);
  if (problem instanceof Unauthorized) {
    context.signIn(true);
    return h('section', { class: 'problem' }, h('p', {}, t('signInAgain')));
  }
  const gone = problem instanceof ServerGone;
  return h('section', { class: 'problem', role: 'alert' },
    h('h2', {}, gone ? t('gone') : t('failed')),
    h('p', { class: 'lead' }, gone ? t('goneText') : t('saidServer', { text: (problem as Error)?.message ?? String(problem) })),
    h('button', { type: 'button', class: 'primary', on: { click: () => context.refresh() } }, t('retry')));
}

/** A page of its own for that, with the heading that every page has. */
export function problemPage(context: Context, problem: unknown): HTMLElement {
  return pageOf(t('title'), problemBox(context, problem));
}

export function pageOf(title: string, content: HTMLElement): HTMLElement {
  return h('div', { class: 'page' }, h('h1', { class: 'offscreen' }, title), content);
}

export function needs(context: Context, ...tools: string[]): HTMLElement | null {
  const missing = tools.find((tool) => !context.schema.has(tool));
  return missing === undefined ? null : h('p', { class: 'notice' }, t('missingTool', { tool: missing }));
}

/** How much a reply left out, in words; empty where it is whole. */
export function withheldText(reply: Json): string {
  const withheld = reply?.withheld;
  if (!withheld || typeof withheld !== 'object') return '';
  const known: Record<string, Word> = { items: 'withheldItems', node_properties: 'withheldNode', edge_properties: 'withheldEdge' };
  const parts = Object.entries(withheld).filter(([, n]) => typeof n === 'number' && n > 0)
    .map(([name, n]) => (known[name] ? t(known[name], { n: n as number }) : t('withheldOther', { n: n as number, name: humanName(name) })));
  return parts.length ? t('withheld', { what: parts.join(', ') }) : '';
}

/** What is said where nothing was found, and what to ask instead. */
export function hintList(context: Context, reply: Json): HTMLElement | null {
  const { schema } = context;
  const told: Json[] = reply?.hints ?? [];
  if (!told.length) return null;
  const near = (one: Json) => (typeof one === 'object' && one !== null && one.id !== undefined
    ? (one.type ? entityLink(schema, `${one.type}:${one.id}`, one.label ?? one.id) : String(one.label ?? one.id)) : String(one));
  const edge = (one: Json) => `${one.direction === 'incoming' ? '← ' : ''}${relationName(one.type)}${one.direction === 'outgoing' ? ' →' : ''} (${one.edges})`;
  const values = (all: Json, shown: (one: Json) => Node | string) => Array.isArray(all) && all.length > 0
    && h('span', { class: 'values' }, all.slice(0, 8).map((one: Json) => h('span', { class: 'value', dir: 'auto' }, shown(one))));
  return h('ul', { class: 'texts hints' }, told.map((hint) => h('li', {}, h('p', {}, String(hint.message ?? '')),
    values(hint.nearest, near), values(hint.edges, edge), values(hint.types, (one) => `${schema.type(one.type).title} (${one.nodes})`),
    hint.call && h('a', { class: 'button small', href: addressOf(hint.call) }, t('repairButton')))));
}

export const busy = (): HTMLElement => h('p', { class: 'busy', role: 'status' }, h('span', { class: 'spinner', 'aria-hidden': 'true' }), t('loading'));

/** A field that suggests entities by what is typed (a combobox of ARIA 1.2). */
export function picker(context: Context, options: { id: string; label: string; hint: string; value?: string; big?: boolean; types?: string[]; cleared?(): void; choose(handle: string, label: string): void }): HTMLElement {
  const listId = `${options.id}-list`;
  const input = h('input', {
    id: options.id, type: 'text', role: 'combobox', autocomplete: 'off', spellcheck: 'false', 'aria-autocomplete': 'list', 'aria-expanded': 'false',
    'aria-controls': listId, 'aria-label': options.label, placeholder: options.hint, value: options.value ?? '',
  });
  const list = h('ul', { id: listId, role: 'listbox', class: 'suggestions', 'aria-label': options.label, hidden: true });
  const root = h('div', { class: options.big ? 'picker big' : 'picker' }, icon('search'), input, list);
  let items: { handle: string; label: string }[] = [];
  let active = -1;
  let asked = 0;
  let timer = 0;

  const close = () => {
    list.hidden = true;
    active = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const mark = (index: number) => {
    active = index;
    [...list.children].forEach((item, i) => item.setAttribute('aria-selected', String(i === index)));
    const item = list.children[index];
    if (item) {
      input.setAttribute('aria-activedescendant', item.id);
      item.scrollIntoView({ block: 'nearest' });
    }
  };
  const take = (index: number) => {
    const item = items[index];
    if (!item) return;
    close();
    input.value = item.label;
    options.choose(item.handle, item.label);
  };
  const suggest = async () => {
    const query = input.value.trim();
    const mine = ++asked;
    if (query === '') return close();
    let reply: Json;
    try {
      reply = await context.server.call('search_entities', options.types ? { query, node_types: options.types, limit: 8 } : { query, limit: 8 });
    } catch (problem) {
      if (problem instanceof Unauthorized) context.signIn(true);
      return close();
    }
    if (mine !== asked || document.activeElement !== input) return;
    items = reply.items.map((item: Json) => ({ handle: String(item.id), label: String(item.name ?? splitHandle(String(item.id)).id) }));
    replace(list, items.map((item, i) => h('li', {
      id: `${listId}-${i}`, role: 'option', 'aria-selected': 'false',
      on: { mousedown: (event: MouseEvent) => event.preventDefault(), click: () => take(i) },
    }, dot(context.schema, splitHandle(item.handle).type), h('span', { class: 'name', dir: 'auto' }, item.label), h('span', { class: 'handle' }, item.handle.endsWith(`:${item.label}`) ? splitHandle(item.handle).type : item.handle))),
    items.length === 0 && h('li', { class: 'nothing', role: 'option', 'aria-disabled': 'true', 'aria-selected': 'false', id: `${listId}-none` }, t('noMatch')));
    list.hidden = false;
    active = -1;
    input.setAttribute('aria-expanded', 'true');
  };
  input.addEventListener('input', () => {
    if (input.value === '') options.cleared?.();
    clearTimeout(timer);
    timer = window.setTimeout(suggest, 140);
  });
  input.addEventListener('keydown', async (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (list.hidden) await suggest();
      else if (items.length) mark((active + (event.key === 'ArrowDown' ? 1 : items.length + (active < 0 ? 0 : -1))) % items.length);
    } else if (event.key === 'Escape') close();
    else if (event.key === 'Enter') {
      event.preventDefault();
      clearTimeout(timer);
      if (list.hidden || active < 0) await suggest();
      take(active < 0 ? 0 : active);
    }
  });
  input.addEventListener('blur', () => close());
  return root;
}

