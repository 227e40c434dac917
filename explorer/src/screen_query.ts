// A query in SQL: the tables beside it, its rows as a table, and as CSV.
import { h, icon, replace } from './dom';
import { write } from './json';
import { busy, callBox, needs, pageOf, problemBox, type Context } from './parts';
import { amend, link } from './route';
import type { Call, Json } from './server';
import { t } from './text';

const LIMIT = 200;
const EDGE_COLUMNS = ['from', 'to', 'from_type', 'to_type', 'properties'];

interface Table { name: string; columns: string[] }

export async function queryScreen(context: Context, main: HTMLElement, query: URLSearchParams): Promise<void> {
  document.title = `${t('query')} · kg_graph`;
  const missing = needs(context, 'query');
  if (missing) return replace(main, pageOf(t('query'), missing));
  const sql = query.get('sql') ?? '';
  const field = h('textarea', { id: 'query-sql', rows: 7, spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', 'aria-describedby': 'query-text' });
  field.value = sql;
  const result = h('div', { class: 'results' });
  const run = () => { if (field.value.trim() !== '') context.go(link('q', '', { sql: field.value })); };
  // What is typed is in the address, though it has not been run.
  field.addEventListener('change', () => amend(link('q', '', { sql: field.value })));
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run();
  });
  replace(main, h('div', { class: 'page query-page' },
    h('h1', {}, t('query')),
    h('div', { class: 'list-body' },
      tableList(tablesOf(context), (text) => insert(field, text)),
      h('div', { class: 'list-main' },
        h('form', { class: 'query-form', on: { submit: (event: Event) => { event.preventDefault(); run(); } } },
          h('label', { for: 'query-sql' }, t('querySql')), field,
          h('p', { id: 'query-text', class: 'muted' }, t('queryText')),
          h('button', { type: 'submit', class: 'primary' }, t('run'))),
        result))));
  if (sql.trim() === '') return field.focus();
  await answer(context, result, { tool: 'query', arguments: { sql, limit: LIMIT } });
}

// ---- tables ----

function tablesOf(context: Context): Table[] {
  const { schema } = context;
  const tables = [...schema.types.values()].map((type) => ({ name: type.name, columns: columnsOf(type.properties.map((one) => one.name)) }));
  const relations = new Map<string, string[]>();
  for (const relation of schema.relations)
    relations.set(relation.name, [...new Set([...(relations.get(relation.name) ?? EDGE_COLUMNS), ...relation.properties.map((one) => one.name)])]);
  return [...tables, ...[...relations].map(([name, columns]) => ({ name, columns }))];
}

/** The id comes first; where a property is read as "id" too, it is entity_id. */
function columnsOf(properties: string[]): string[] {
  const other = properties.some((name) => name !== 'id' && name.toLowerCase() === 'id');
  return [...new Set([other ? 'entity_id' : 'id', ...properties])];
}

/** As a statement names it. */
const quoted = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) && !['from', 'to', 'select', 'order', 'group', 'user', 'table', 'end'].includes(name) ? name : `"${name.replace(/"/g, '""')}"`);

function tableList(tables: Table[], take: (text: string) => void): HTMLElement {
  const name = (text: string) => h('button', { type: 'button', class: 'small name', on: { click: () => take(quoted(text)) } }, text);
  return h('section', { class: 'filters query-tables', 'aria-label': t('tables') },
    h('h2', {}, t('tables')),
    tables.map((table) => h('details', {}, h('summary', {}, table.name), h('div', { class: 'active' }, name(table.name), table.columns.map(name)))));
}

function insert(field: HTMLTextAreaElement, text: string): void {
  const before = field.value.slice(0, field.selectionStart);
  field.setRangeText(before === '' || /[\s(,.]$/.test(before) ? text : ` ${text}`, field.selectionStart, field.selectionEnd, 'end');
  field.focus();
}

// ---- the answer ----

async function answer(context: Context, place: HTMLElement, call: Call): Promise<void> {
  replace(place, busy());
  let reply: Json;
  try {
    reply = await context.server.call(call.tool, call.arguments);
  } catch (problem) {
    return replace(place, problemBox(context, problem));
  }
  const columns: string[] = reply.columns;
  const rows: Json[][] = reply.rows;
  const types: string[] = reply.types;
  const { save } = context;
  replace(place,
    h('div', { class: 'query-head' },
      h('p', { class: 'muted', role: 'status' }, reply.truncated ? t('queryMore', { n: rows.length }) : t('queryRows', { n: rows.length })),
      save !== undefined && rows.length > 0 && h('button', { type: 'button', class: 'small', 'aria-label': t('asCsv'), title: t('asCsv'), on: { click: () => save('query.csv', new Blob([csv(columns, rows)], { type: 'text/csv' })) } }, icon('down'), 'CSV')),
    columns.length > 0 && h('div', { class: 'scroll wide rows', tabindex: 0, role: 'region', 'aria-label': t('result') }, h('table', { class: 'data' },
      h('thead', {}, h('tr', {}, columns.map((name, i) => h('th', { scope: 'col', title: types[i] }, name)))),
      h('tbody', {}, rows.map((row) => h('tr', {}, row.map((value) => h('td', {}, h('div', { class: 'clamp', dir: 'auto' }, cell(value)))))))),
    ),
    callBox([call]));
}

const cell = (value: Json): Node | string => (value === null ? h('span', { class: 'muted' }, 'NULL') : text(value));
/** Of arrays and objects their JSON; of a number its digits. */
const text = (value: Json): string => (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype ? write(value) : String(value));

/** NULL is empty, an empty text is in quotation marks, as in COPY. */
export function csv(columns: string[], rows: Json[][]): string {
  const one = (value: Json): string => {
    if (value === null) return '';
    const said = text(value);
    return said === '' || /[",\r\n]|^ | $/.test(said) ? `"${said.replace(/"/g, '""')}"` : said;
  };
  return [columns, ...rows].map((row) => row.map(one).join(',')).join('\n') + '\n';
}
