// The entities of a type: filters made from the schema, sorted columns, pages; all that
// match as a file.
import { h, icon, replace } from './dom';
import { Exact, numberOf, read, write } from './json';
import { busy, callBox, entityLink, hintList, needs, picker, problemBox, typeColor, withheldText, type Context } from './parts';
import { amend, link } from './route';
import { humanName, named, type Property } from './schema';
import { valueOf } from './screen_entity';
import { csv } from './screen_query';
import type { Arguments, Json } from './server';
import { number, t } from './text';

const PAGE = 50;
const COLUMNS = 7;
const FEW = 8;
// Rows of a file, and of each call for it.
const SAVED = 10000;
const SAVED_AT_ONCE = 200;

type Filters = Record<string, Json>;
interface Sort { field: string; order: 'asc' | 'desc' }
interface Row { id: string; data: Json }

const parsed = <T>(text: string | null, fallback: T): T => {
  if (text === null) return fallback;
  try { return read(text) as T; } catch { return fallback; }
};

export async function listScreen(context: Context, main: HTMLElement, typeName: string, query: URLSearchParams): Promise<void> {
  const { schema, server } = context;
  replace(main, busy());
  const type = await schema.detail(typeName);
  const tool = schema.has(`list_${typeName}`) ? `list_${typeName}` : 'find_nodes';
  const missing = needs(context, tool);
  if (missing) return replace(main, h('div', { class: 'page' }, h('h1', {}, type.title), missing));
  document.title = `${type.title} · kg_graph`;

  let filters: Filters = parsed(query.get('f'), {});
  let sort: Sort[] = parsed(query.get('s'), []);
  let search = query.get('q') ?? '';
  let offset = Math.max(0, Number(query.get('o')) || 0);
  const cursors: Arguments[] = [];
  const results = h('div', { class: 'results', 'aria-live': 'polite' });
  const active = h('div', { class: 'active' });
  const panel = h('form', { class: 'filters', 'aria-label': t('filters'), on: { submit: (event: Event) => event.preventDefault() } });
  let asked = 0;

  const address = () => link('l', typeName, {
    q: search, f: Object.keys(filters).length ? write(filters) : null, s: sort.length ? write(sort) : null, o: offset || null,
  });
  const matching = (limit: number): Arguments => {
    const args: Arguments = tool === 'find_nodes' ? { node_label: typeName } : {};
    if (Object.keys(filters).length) args.filters = filters;
    if (search) args.search = search;
    if (sort.length) args.sort = sort;
    args.limit = limit;
    return args;
  };
  const argumentsNow = (): Arguments => {
    if (cursors.length) return cursors[cursors.length - 1];
    const args = matching(PAGE);
    if (offset) args.offset = offset;
    return args;
  };
  const rowsOf = (reply: Json): Row[] => (tool === 'find_nodes' ? reply.nodes.map((node: Json) => ({ id: node.id, data: node.properties })) : reply.items);

  /** The documents of all rows that match, in the order of the list, and whether there are more. */
  const documents = async (): Promise<{ found: Json[]; more: boolean }> => {
    const found: Json[] = [];
    for (;;) {
      const reply = await server.call(tool, { ...matching(SAVED_AT_ONCE), ...(found.length ? { offset: found.length } : {}) });
      const rows = rowsOf(reply);
      // A reply that was cut has the last rows without their properties: the next one begins there.
      const cut = rows.findIndex((row) => row.data === undefined);
      const whole = cut < 0 ? rows : rows.slice(0, Math.max(cut, 1));
      found.push(...whole.map(({ id, data }) => (data !== undefined && type.id in data ? data : { [type.id]: id, ...data })));
      if (!reply.truncated || rows.length === 0 || found.length >= SAVED) return { found, more: Boolean(reply.truncated) };
    }
  };
  const fileButton = (kind: 'csv' | 'json', said: HTMLElement) => h('button', { type: 'button', class: 'small', 'aria-label': t(kind === 'csv' ? 'asCsv' : 'saveJson'), title: t(kind === 'csv' ? 'asCsv' : 'saveJson'), on: { click: async (event: Event) => {
    const button = event.currentTarget as HTMLButtonElement;
    button.disabled = true;
    try {
      const { found, more } = await documents();
      const names = type.properties.map((property) => property.name);
      const content = kind === 'csv' ? csv(names, found.map((one) => names.map((name) => one[name] ?? null))) : `${write(found, 1)}\n`;
      context.save!(`${typeName}.${kind}`, new Blob([content], { type: kind === 'csv' ? 'text/csv' : 'application/json' }));
      replace(said, more ? t('queryMore', { n: found.length }) : t('queryRows', { n: found.length }));
    } catch (problem) {
      replace(results, problemBox(context, problem));
    }
    button.disabled = false;
  } } }, icon('down'), kind.toUpperCase());
  const change = (redraw = false) => {
    offset = 0;
    cursors.length = 0;
    amend(address());
    if (redraw) drawFilters();
    void load();
  };
  const set = (name: string, condition: Json | undefined) => {
    if (condition === undefined) delete filters[name];
    else filters[name] = condition;
    change();
  };

  const drawFilters = () => {
    const indexed = type.properties.filter((property) => property.indexed);
    replace(panel,
      h('h2', {}, t('filters')),
      indexed.length === 0 && h('p', { class: 'muted' }, t('none')),
      indexed.map((property) => control(context, property, filters[property.name], (condition) => set(property.name, condition))));
  };

  const drawActive = () => replace(active, Object.entries(filters).map(([name, condition]) => {
    const title = type.properties.find((property) => property.name === name)?.title ?? name;
    return h('button', { type: 'button', class: 'small filter-chip', on: { click: () => { delete filters[name]; change(true); } } }, `${title} ${inWords(condition)}`, icon('close'));
  }), Object.keys(filters).length > 1 && h('button', { type: 'button', class: 'small', on: { click: () => { filters = {}; change(true); } } }, t('clearFilters')));

  const load = async () => {
    const mine = ++asked;
    drawActive();
    results.setAttribute('aria-busy', 'true');
    const args = argumentsNow();
    try {
      const reply = await server.call(tool, args);
      if (mine === asked) showPage(args, reply);
    } catch (problem) {
      if (mine === asked) replace(results, problemBox(context, problem));
    }
    results.removeAttribute('aria-busy');
  };

  const showPage = (args: Arguments, reply: Json) => {
    const rows = rowsOf(reply);
    const marks: string[] = Array.isArray(reply.untrusted) ? reply.untrusted : reply.untrusted?.[typeName] ?? [];
    const columns = type.properties.filter((property) => property.name !== named(type)).slice(0, COLUMNS);
    const label = type.properties.find((property) => property.name === type.label);
    const total = Number(reply.total ?? reply.total_at_least ?? rows.length);
    const start = tool === 'find_nodes' ? (Number(cursors.length) * PAGE) : offset;
    const sum = reply.total === undefined && reply.total_at_least !== undefined ? t('totalAtLeast', { n: total }) : number(total);
    const next = () => {
      if (tool === 'find_nodes') cursors.push(reply.next);
      else offset += rows.length;
      amend(address());
      void load().then(() => results.scrollIntoView({ block: 'start' }));
    };
    const previous = () => {
      if (tool === 'find_nodes') cursors.pop();
      else offset = Math.max(0, offset - PAGE);
      amend(address());
      void load().then(() => results.scrollIntoView({ block: 'start' }));
    };
    const left = withheldText(reply);
    const saved = h('span', { class: 'muted', role: 'status' });
    replace(results,
      rows.length === 0 ? h('div', { class: 'empty' }, h('p', {}, t('empty')), hintList(context, reply)) :
        h('div', { class: 'scroll wide', tabindex: 0, role: 'region', 'aria-label': type.title }, h('table', { class: 'data rows' },
          h('caption', { class: 'offscreen' }, type.title),
          h('thead', {}, h('tr', {}, header(label?.name ?? 'id', label?.title ?? humanName(type.id), label ? label.indexed : true), columns.map((property) => header(property.name === type.id ? 'id' : property.name, property.title, property.indexed || property.name === type.id)))),
          h('tbody', {}, rows.map((row) => h('tr', {},
            h('th', { scope: 'row' }, entityLink(schema, `${typeName}:${row.id}`, schema.label(typeName, row.data, row.id))),
            columns.map((property) => cell(context, property, row.data[property.name], marks))))))),
      left && h('p', { class: 'notice' }, left),
      rows.length > 0 && h('div', { class: 'pager' },
        h('span', { class: 'muted' }, t('rows', { from: start + 1, to: start + rows.length, total: sum })),
        h('button', { type: 'button', class: 'small', disabled: start === 0, on: { click: previous } }, t('previous')),
        h('button', { type: 'button', class: 'small', disabled: start + rows.length >= total || !reply.truncated, on: { click: next } }, t('next')),
        context.save !== undefined && [fileButton('csv', saved), fileButton('json', saved), saved]),
      callBox([{ tool, arguments: args }]));
  };

  const header = (field: string, title: string, sortable: boolean) => {
    const now = sort.find((one) => one.field === field);
    const turn = () => {
      sort = now?.order === 'desc' ? [] : [{ field, order: now ? 'desc' : 'asc' }];
      change();
    };
    return h('th', { scope: 'col', 'aria-sort': now ? (now.order === 'asc' ? 'ascending' : 'descending') : undefined },
      sortable ? h('button', { type: 'button', class: 'sort', title: t('sortBy', { name: title }), on: { click: turn } }, title, h('span', { class: 'sort-mark', 'aria-hidden': 'true' }, now ? (now.order === 'asc' ? '↑' : '↓') : '↕')) : title);
  };

  let timer = 0;
  const searchField = h('input', {
    type: 'text', id: 'list-search', value: search, placeholder: t('searchIn'), 'aria-label': t('searchIn'),
    on: { input: (event: Event) => { clearTimeout(timer); timer = window.setTimeout(() => { search = (event.target as HTMLInputElement).value.trim(); change(); }, 250); } },
  });
  drawFilters();
  replace(main, h('div', { class: 'page list-page', style: { '--dot': typeColor(schema, typeName) } },
    h('header', { class: 'list-head' },
      h('h1', {}, h('span', { class: 'dot', 'aria-hidden': 'true' }), type.title), type.description && h('p', { class: 'lead' }, type.description)),
    h('div', { class: 'list-body' }, panel,
      h('div', { class: 'list-main' }, h('div', { class: 'picker' }, icon('search'), searchField), active, results))));
  await load();
}

function cell(context: Context, property: Property, value: Json, marks: string[]): HTMLElement {
  const outside = property.untrusted || marks.includes(property.name);
  return h('td', { class: typeof value === 'number' || value instanceof Exact ? 'num' : undefined }, h('div', { class: outside ? 'clamp outside' : 'clamp', title: outside ? t('untrustedHint') : undefined }, value === undefined || value === null ? '' : valueOf(context, value, property)));
}

const words: Record<string, string> = { eq: '=', ne: '≠', gt: '>', gte: '≥', lt: '<', lte: '≤', in: '∈', contains_any: '∈' };
function inWords(condition: Json): string {
  if (typeof condition !== 'object' || condition === null || condition instanceof Exact) return `= ${condition}`;
  if (Array.isArray(condition)) return condition.map(inWords).join(', ');
  return Object.entries(condition).map(([operator, value]) => `${operator === 'contains' ? t('contains') : words[operator] ?? operator} ${Array.isArray(value) ? value.join(', ') : typeof value === 'object' ? write(value) : value}`).join(', ');
}

/** A control for a property, as its type wants it. */
function control(context: Context, property: Property, now: Json, set: (condition: Json | undefined) => void): HTMLElement {
  const id = `filter-${property.name}`;
  const field = (input: HTMLElement | HTMLElement[], labelled = true) => h('div', { class: 'field' },
    labelled ? h('label', { for: id, title: property.description }, property.title) : h('span', { class: 'field-title', title: property.description, id: `${id}-title` }, property.title), input);
  const select = (choices: [string, string][], value: string, change: (value: string) => void) => h('select', { id, on: { change: (event: Event) => change((event.target as HTMLSelectElement).value) } },
    [['', t('any')] as [string, string], ...choices].map(([one, text]) => h('option', { value: one, selected: one === value }, text)));
  if (property.type === 'boolean') {
    const value = now === undefined ? '' : String(now?.eq ?? now);
    return field(select([['true', t('yes')], ['false', t('no')]], value, (one) => set(one === '' ? undefined : one === 'true')));
  }
  if (property.type === 'enum') {
    const values = (property.values ?? []).map(String);
    const typed = (one: string) => (property.values ?? []).find((value) => String(value) === one) ?? one;
    const operator = property.array ? 'contains_any' : 'in';
    const chosen: string[] = (now === undefined ? [] : Array.isArray(now?.[operator]) ? now[operator] : [now?.eq ?? now]).map(String);
    if (values.length > FEW) return field(select(values.map((one) => [one, one]), chosen[0] ?? '', (one) => set(one === '' ? undefined : typed(one))));
    const boxes = values.map((one) => h('label', { class: 'box' }, h('input', { type: 'checkbox', value: one, checked: chosen.includes(one), on: { change: () => {
      const on = boxes.map((box) => box.querySelector('input')!).filter((box) => box.checked).map((box) => typed(box.value));
      set(on.length === 0 ? undefined : on.length === 1 && !property.array ? on[0] : { [operator]: on });
    } } }), h('span', {}, one)));
    return field(h('div', { role: 'group', 'aria-labelledby': `${id}-title` }, boxes), false);
  }
  const day = property.type === 'date' || property.type === 'date-time';
  if (day || property.type === 'integer' || property.type === 'number') {
    const range: Json = typeof now === 'object' && now !== null && !Array.isArray(now) && !(now instanceof Exact) ? now : now === undefined ? {} : { gte: now, lte: now };
    const shown = (value: Json) => (value === undefined ? '' : day ? String(value).slice(0, 10) : String(value));
    const input = (word: string, value: Json, which: string) => h('input', { type: day ? 'date' : 'text', inputmode: day ? undefined : 'decimal', 'aria-label': `${property.title} ${word}`, placeholder: day ? undefined : word, value: shown(value), id: which === 'gte' ? id : undefined });
    const from = input(t('least'), range.gte ?? range.gt, 'gte');
    const to = input(t('most'), range.lte ?? range.lt, 'lte');
    const value = (text: string, end: boolean): Json => (property.type === 'date' ? text : day ? `${text}T${end ? '23:59:59.999' : '00:00:00'}Z` : numberOf(text));
    const changed = () => {
      const condition: Json = {};
      if (from.value !== '') condition.gte = value(from.value, false);
      if (to.value !== '') condition.lte = value(to.value, true);
      set(Object.keys(condition).length ? condition : undefined);
    };
    from.addEventListener('change', changed);
    to.addEventListener('change', changed);
    return field(h('div', { class: 'range' }, from, to));
  }
  if (property.ref?.byId && !property.array && context.schema.has('search_entities')) {
    const { type: target } = property.ref;
    const value = now === undefined ? '' : String(now?.eq ?? (typeof now === 'object' ? '' : now));
    const entity = picker(context, { id, label: property.title, hint: t('any'), value, types: [target], cleared: () => set(undefined), choose: (handle) => set(handle.slice(handle.indexOf(':') + 1)) });
    return field(entity);
  }
  let timer = 0;
  const value = now === undefined ? '' : String(now?.contains ?? now?.eq ?? (typeof now === 'object' ? '' : now));
  return field(h('input', { type: 'text', id, placeholder: t('contains'), value, autocomplete: 'off', on: { input: (event: Event) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      const text = (event.target as HTMLInputElement).value;
      set(text === '' ? undefined : { contains: text });
    }, 300);
  } } }));
}
