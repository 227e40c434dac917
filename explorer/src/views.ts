// Saved views: a name and an address of the page.  The address has all that a screen
// shows, so nothing else is stored.  They are in the browser's localStorage, for each
// server and tenant; a file takes them elsewhere.
import { announce, h, icon, replace } from './dom';
import { write } from './json';
import type { Context } from './parts';
import { amend, link, parse } from './route';
import { splitHandle, type Schema } from './schema';
import type { Json } from './server';
import { t, type Word } from './text';

interface SavedView { name: string; address: string }
/** Why something was not done, in words; stored: what the browser has is no list of views. */
class Refused extends Error {
  constructor(message: string, readonly stored?: string) { super(message); }
}

const SCREENS: Record<string, Word> = { '': 'home', e: 'entityPage', g: 'neighbourhood', l: 'list', p: 'paths', q: 'query', s: 'schema', c: 'tool' };
const LARGEST = 1_000_000;

// ---- what is stored, and a file ----

/** The views of a text, each checked; their names may repeat. */
function viewsOf(text: string): SavedView[] {
  let told: Json;
  try { told = JSON.parse(text); } catch { throw new Refused(t('viewsNoJson')); }
  if (!Array.isArray(told?.views)) throw new Refused(t('viewsNoList'));
  return told.views.map((view: Json, i: number): SavedView => {
    for (const member of ['name', 'address'])
      if (typeof view?.[member] !== 'string' || view[member].trim() === '') throw new Refused(t('viewsNoMember', { n: i + 1, member }));
    // An address leads to a screen of this page, and nowhere else.
    if (!view.address.startsWith('#/') || !(parse(view.address).screen in SCREENS)) throw new Refused(t('viewsNoAddress', { n: i + 1, address: view.address.slice(0, 100) }));
    return { name: view.name.trim(), address: view.address };
  });
}

const textOf = (views: SavedView[]): string => `${write({ views }, 1)}\n`;

/** The views with others, none twice, none lost: a name that is taken gets a number. */
function joined(views: SavedView[], others: SavedView[]): { all: SavedView[]; added: number; renamed: number } {
  const all = [...views];
  const names = new Set(views.map((view) => view.name));
  const there = new Set(views.map((view) => write([view.name, view.address])));
  let renamed = 0;
  for (const view of others) {
    if (there.has(write([view.name, view.address]))) continue;
    there.add(write([view.name, view.address]));
    let { name } = view;
    for (let n = 2; names.has(name); n++) name = `${view.name} (${n})`;
    if (name !== view.name) renamed++;
    names.add(name);
    all.push({ name, address: view.address });
  }
  return { all, added: all.length - views.length, renamed };
}

class Store {
  private readonly key: string;
  constructor(place: string) { this.key = `kg_graph views ${place}`; }

  read(): SavedView[] {
    let text: string | null;
    try { text = localStorage.getItem(this.key); } catch (problem) { throw new Refused(t('viewsNoStore', { text: (problem as Error).message })); }
    if (text === null) return [];
    try { return joined([], viewsOf(text)).all; } catch (problem) { throw new Refused(t('viewsDamaged', { problem: (problem as Error).message }), text); }
  }

  /** Reads anew and stores: another window may have stored since. */
  change(how: (views: SavedView[]) => SavedView[]): void {
    const views = how(this.read());
    try { localStorage.setItem(this.key, textOf(views)); } catch (problem) { throw new Refused(t('viewsNoStore', { text: (problem as Error).message })); }
  }

  clear(): void { localStorage.removeItem(this.key); }
}

// ---- the screen ----

/** A view in words: its screen, and of what. */
function described(schema: Schema, address: string): string {
  const { screen, subject, query } = parse(address);
  const of = screen === 'l' ? schema.type(subject).title : screen === 'p' ? [query.get('from'), query.get('to')].filter(Boolean).join(' – ') : screen === 'q' ? (query.get('sql') ?? '').replace(/\s+/g, ' ').slice(0, 60) : subject;
  return [t(SCREENS[screen] ?? 'home'), of].filter(Boolean).join(': ');
}

/** A type or tool of the view that the caller does not have. */
function missing(schema: Schema, address: string): string | undefined {
  const { screen, subject, query } = parse(address);
  const types = screen === 'l' ? [subject] : screen === 'e' || screen === 'g' ? [splitHandle(subject).type] : screen === 'p' ? ['from', 'to'].flatMap((end) => query.get(end) ?? []).map((handle) => splitHandle(handle).type) : [];
  return screen === 'c' && !schema.has(subject) ? subject : types.find((type) => !schema.types.has(type));
}

/** Views are kept where a server is known by its address: not in a chat. */
export const keepsViews = (context: Context): boolean => context.server.place !== undefined;

export function viewsScreen(context: Context, main: HTMLElement, query: URLSearchParams): void {
  const { schema, save } = context;
  const store = new Store(context.server.place ?? '');
  const given = query.get('a');
  const said = h('div', { class: 'views-said', role: 'status' });
  const list = h('div', {});
  document.title = `${t('views')} · kg_graph`;

  const tell = (text: string, ...more: HTMLElement[]) => replace(said, h('p', { class: 'notice' }, text, ' ', more));
  /** Does something with the store; what refuses is told, and false is returned. */
  const attempt = (what: () => void): boolean => {
    try {
      what();
      return true;
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      tell(problem.message);
      return false;
    }
  };
  const named = (text: string, views: SavedView[]): string => {
    const name = text.trim();
    if (name === '') throw new Refused(t('viewNoName'));
    if (views.some((view) => view.name === name)) throw new Refused(t('viewExists', { name }));
    return name;
  };
  const same = (a: SavedView) => (b: SavedView) => a.name === b.name && a.address === b.address;
  const button = (word: Word, view: SavedView, action: () => void, mark: string) => h('button', { type: 'button', class: 'small', 'aria-label': `${t(word)}: ${view.name}`, on: { click: action } }, icon(mark), t(word));

  const remove = (view: SavedView) => {
    if (!attempt(() => store.change((views) => views.filter((one) => !same(view)(one))))) return;
    show();
    tell(t('viewDeleted', { name: view.name }), h('button', { type: 'button', class: 'small', on: { click: () => {
      if (!attempt(() => store.change((views) => joined(views, [view]).all))) return;
      replace(said);
      show();
    } } }, t('undo')));
    said.querySelector('button')?.focus();
  };
  const rename = (view: SavedView, row: HTMLElement) => {
    const field = h('input', { type: 'text', id: 'view-rename', value: view.name, 'aria-label': `${t('rename')}: ${view.name}`, autocomplete: 'off' });
    const done = () => {
      show();
      list.querySelector<HTMLElement>('a')?.focus();
    };
    const submit = (event: Event) => {
      event.preventDefault();
      if (field.value.trim() === view.name) return done();
      const ok = attempt(() => store.change((views) => {
        const name = named(field.value, views);
        if (!views.some(same(view))) throw new Refused(t('viewGone', { name: view.name }));
        return views.map((one) => (same(view)(one) ? { ...one, name } : one));
      }));
      if (!ok) return field.focus();
      replace(said);
      announce(t('viewSaved', { name: field.value.trim() }));
      done();
    };
    replace(row, h('form', { class: 'view-form', on: { submit } }, field,
      h('button', { type: 'submit', class: 'small' }, t('save')), h('button', { type: 'button', class: 'small', on: { click: done } }, t('cancel'))));
    field.select();
  };

  const row = (view: SavedView): HTMLElement => {
    const gone = missing(schema, view.address);
    const name = h('div', { class: 'view-name' }, h('a', { href: view.address, dir: 'auto' }, view.name), h('span', { class: 'muted' }, described(schema, view.address)),
      gone !== undefined && h('span', { class: 'notice' }, t('viewLost', { name: gone })));
    const item: HTMLElement = h('li', {}, name, h('div', { class: 'view-actions' }, button('rename', view, () => rename(view, item), 'edit'), button('remove', view, () => remove(view), 'close')));
    return item;
  };
  const show = () => {
    let views: SavedView[] = [];
    try {
      views = store.read();
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      const { stored } = problem;
      return replace(list, h('section', { class: 'problem', role: 'alert' }, h('h2', {}, t('failed')), h('p', { class: 'lead' }, problem.message),
        stored !== undefined && save !== undefined && h('button', { type: 'button', class: 'primary', on: { click: () => {
          save('views-damaged.txt', new Blob([stored], { type: 'text/plain' }));
          store.clear();
          show();
        } } }, t('viewsAnew'))));
    }
    replace(list, views.length === 0 ? h('p', { class: 'muted' }, t('viewsNone')) : h('ul', { class: 'views', 'aria-label': t('views') }, views.map(row)),
      h('div', { class: 'actions' },
        save !== undefined && views.length > 0 && h('button', { type: 'button', on: { click: () => save('views.json', new Blob([textOf(views)], { type: 'application/json' })) } }, icon('down'), t('viewsExport')),
        h('button', { type: 'button', on: { click: () => file.click() } }, t('viewsImport')), file));
  };
  const file = h('input', { type: 'file', id: 'views-file', hidden: true, accept: '.json,application/json', on: { change: () => void load() } });
  const load = async () => {
    const [chosen] = file.files ?? [];
    if (!chosen) return;
    let text = '';
    try { if (chosen.size <= LARGEST) text = await chosen.text(); } catch { /* told as no JSON */ }
    file.value = '';
    attempt(() => {
      let views: SavedView[];
      try {
        if (chosen.size > LARGEST) throw new Refused(t('viewsLarge', { n: LARGEST }));
        views = viewsOf(text);
      } catch (problem) {
        throw new Refused(t('viewsRefused', { file: chosen.name, problem: (problem as Error).message }));
      }
      let added = 0;
      let renamed = 0;
      store.change((before) => {
        const result = joined(before, views);
        ({ added, renamed } = result);
        return result.all;
      });
      show();
      tell([t('viewsImported', { added, there: views.length - added }), renamed > 0 && t('viewsRenamed', { n: renamed })].filter(Boolean).join(' '));
    });
  };

  const saving = given !== null && given.startsWith('#/') && form(described(schema, given), (name) => {
    const ok = attempt(() => store.change((views) => [...views, { name: named(name, views), address: given }]));
    if (!ok) return false;
    amend(link('v'));
    show();
    tell(t('viewSaved', { name: name.trim() }), h('a', { class: 'button small', href: given }, t('viewBack')));
    said.querySelector('a')?.focus();
    return true;
  });
  replace(main, h('div', { class: 'page views-page' }, h('h1', {}, t('views')), h('p', { class: 'lead' }, t('viewsText')), saving, said, list));
  show();
  main.querySelector<HTMLInputElement>('#view-name')?.select();
}

function form(what: string, submit: (name: string) => boolean): HTMLElement {
  const field = h('input', { type: 'text', id: 'view-name', value: what, autocomplete: 'off' });
  const element = h('form', { class: 'view-form', on: { submit: (event: Event) => {
    event.preventDefault();
    if (submit(field.value)) element.remove();
    else field.focus();
  } } }, h('label', { for: 'view-name' }, t('viewName', { what })), field, h('button', { type: 'submit', class: 'primary' }, t('save')));
  return element;
}
