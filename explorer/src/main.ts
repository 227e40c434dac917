// The page: who answers, the bar at the top, and which screen is shown.
import { Chat, MOST } from './chat';
import { download, h, icon, replace } from './dom';
import { HostServer } from './host';
import { busy, picker, problemPage, type Context } from './parts';
import { current, go, link, start as startRoutes } from './route';
import { Schema } from './schema';
import { entity } from './screen_entity';
import { callScreen } from './screen_call';
import { graphScreen } from './screen_graph';
import { home } from './screen_home';
import { listScreen } from './screen_list';
import { pathScreen } from './screen_paths';
import { queryScreen } from './screen_query';
import { schemaScreen } from './screen_schema';
import { HttpServer, ServerGone, Unauthorized, type Server } from './server';
import { SignIn } from './signin';
import { language, t } from './text';
import { keepsViews, viewsScreen } from './views';

const VERSION = '1';
const root = document.getElementById('app')!;
const main = h('main', { id: 'main', tabindex: -1 });
const bar = h('header', { class: 'bar' });
// What kgctl wrote into the page: where it answers, whether it answers without a
// token, and the page's OAuth client.
const told = document.querySelector<HTMLMetaElement>('meta[name="kg-endpoint"]')!;
let endpoint = '';

let server: Server;
/** Where the page is one of a chat. */
let chat: Chat | null = null;
let context: Context | null = null;
/** Where the page gets its tokens by OAuth. */
let oauth: SignIn | null = null;
let shown = 0;

function frame(): void {
  document.documentElement.lang = language;
  document.title = t('title');
  replace(root,
    h('a', { class: 'skip', href: '#main', on: { click: (event: Event) => { event.preventDefault(); main.focus(); } } }, t('skip')),
    bar, main, h('div', { id: 'live', class: 'offscreen', 'aria-live': 'polite' }));
}

const logo = () => h('a', { class: 'brand', href: '#/' }, h('span', { class: 'mark', 'aria-hidden': 'true' }, mark()), h('span', {}, 'kg_graph'));
function mark(): Node {
  const image = h('span', { class: 'mark-image' });
  image.append(h('i', {}), h('i', {}), h('i', {}));
  return image;
}

function showBar(): void {
  const { screen } = current();
  const item = (to: string, name: string, text: string) => h('a', { href: link(to), 'aria-current': screen === name ? 'page' : undefined }, text);
  replace(bar, chat ? chat.back : logo(),
    context && context.schema.has('search_entities') && picker(context, { id: 'search', label: t('search'), hint: t('searchHint'), choose: (handle) => go(link('e', handle)) }),
    context && h('nav', { 'aria-label': t('title') },
      !chat && item('', '', t('home')),
      context.schema.types.size > 0 && item('s', 's', t('schema')),
      context.schema.has('find_paths') && item('p', 'p', t('paths')),
      context.schema.has('query') && item('q', 'q', t('query')),
      keepsViews(context) && item('v', 'v', t('views'))),
    h('div', { class: 'bar-end' },
      context && keepsViews(context) && screen !== 'v' && h('button', { type: 'button', class: 'tool', title: t('saveView'), 'aria-label': t('saveView'), on: { click: () => go(link('v', '', { a: location.hash || '#/' })) } }, icon('keep')),
      chat ? chat.resize : h('button', { type: 'button', class: 'tool', title: t('theme'), 'aria-label': t('theme'), on: { click: turnTheme } }, icon('theme')),
      server instanceof HttpServer && server.hasToken && h('button', { type: 'button', class: 'tool', title: t('signOut'), 'aria-label': t('signOut'), on: { click: signOut } }, icon('leave'))));
}

function turnTheme(): void {
  const html = document.documentElement;
  const dark = html.dataset.theme ? html.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  html.dataset.theme = dark ? 'light' : 'dark';
  document.dispatchEvent(new Event('kg-theme'));
}

function signOut(): void {
  server = new HttpServer(endpoint, null, VERSION);
  context = null;
  showBar();
  signIn(oauth ? t('signedOut') : null);
  oauth?.signOut().catch((problem: Error) => signIn(`${t('signedOut')} ${problem.message}`));
}

const refused = (problem: Unauthorized): string => `${t('wrongToken')} ${problem.message ? t('saidServer', { text: problem.message }) : ''}`;

/** To the authorization server, and back to the same address with a token. */
async function leave(): Promise<void> {
  replace(main, busy());
  try {
    await oauth!.leave();
  } catch (problem) {
    signIn((problem as Error).message);
  }
}

/** The page was opened, or the browser is back from the authorization server. */
async function enter(signing: SignIn): Promise<void> {
  showBar();
  replace(main, busy());
  let token: string | null;
  try {
    token = await signing.returned();
  } catch (problem) {
    return signIn((problem as Error).message);
  }
  if (token === null) return leave();
  server = new HttpServer(endpoint, token, VERSION);
  await begin();
}

// Asks for a token.  It goes into the object that talks to the server, no further.
function signIn(message: string | null): void {
  document.title = t('title');
  if (oauth) return replace(main, oauth.screen(message, () => void leave()));
  const field = h('textarea', { id: 'token', rows: 4, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', 'aria-describedby': 'token-text', required: true });
  field.addEventListener('keydown', (event) => {
    // A token has no lines.
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    field.form?.requestSubmit();
  });
  const problem = h('p', { class: 'problem-line', role: 'alert' }, message);
  const submit = async (event: Event) => {
    event.preventDefault();
    const token = field.value.replace(/\s+/g, '');
    if (token === '') return field.focus();
    problem.textContent = '';
    server = new HttpServer(endpoint, token, VERSION);
    try {
      await connect();
    } catch (error) {
      problem.textContent = error instanceof Unauthorized ? refused(error) : error instanceof ServerGone ? t('gone') : t('saidServer', { text: (error as Error).message });
      field.select();
      return;
    }
    field.value = '';
    showBar();
    void show();
  };
  replace(main, h('div', { class: 'page sign-in' },
    h('form', { class: 'panel', on: { submit } },
      h('h1', {}, t('signIn')), problem,
      h('p', { id: 'token-text' }, t('signInText')),
      h('label', { for: 'token' }, t('token')), field,
      h('button', { type: 'submit', class: 'primary' }, t('signIn')))));
  field.focus();
}

async function connect(): Promise<void> {
  const schema = await Schema.load(server);
  context = {
    server, schema, go, refresh: () => void begin(),
    signIn: (expired) => { if (!document.getElementById('token')) setTimeout(() => (oauth ? void leave() : signIn(expired ? t('signInAgain') : null))); },
    most: chat ? MOST : Infinity, save: server instanceof HostServer ? server.save : download,
  };
}

async function show(): Promise<void> {
  if (!context) return;
  const mine = ++shown;
  const { screen, subject, query } = current();
  const place = h('div', { class: 'screen' });
  replace(main, place);
  showBar();
  document.title = t('title');
  window.scrollTo(0, 0);
  try {
    if (context.schema.tools.size === 0 && !chat) replace(place, h('div', { class: 'page' }, h('h1', {}, t('noTools')), h('p', {}, t('noToolsText'))));
    else if (screen === 'e') await entity(context, place, subject);
    else if (screen === 'g') await graphScreen(context, place, subject, query);
    else if (screen === 'l') await listScreen(context, place, subject, query);
    else if (screen === 'p') await pathScreen(context, place, query);
    else if (screen === 'q') await queryScreen(context, place, query);
    else if (screen === 's') await schemaScreen(context, place);
    else if (screen === 'v' && keepsViews(context)) viewsScreen(context, place, query);
    else if (screen === 'c') await callScreen(context, place, subject, query);
    else await home(context, place);
  } catch (problem) {
    if (mine === shown) replace(place, problemPage(context, problem));
  }
}

async function begin(): Promise<void> {
  showBar();
  replace(main, busy());
  try {
    await connect();
  } catch (problem) {
    // A token that the server never accepted will not be better the next time.
    if (problem instanceof Unauthorized) return oauth && context ? leave() : signIn(oauth ? refused(problem) : null);
    const nobody = { server, schema: null as never, go, refresh: () => void begin(), signIn: () => signIn(null), most: 0 };
    if (problem instanceof ServerGone || chat) return replace(main, problemPage(nobody, problem));
    return signIn(t('saidServer', { text: (problem as Error).message }));
  }
  showBar();
  await show();
}

/** By itself: kgctl serves it, and lets nobody have it in a frame. */
function startAlone(): void {
  endpoint = new URL(told.content, location.href.split('#')[0]).href;
  server = new HttpServer(endpoint, null, VERSION);
  frame();
  startRoutes(() => void show());
  if (told.dataset.client !== undefined) {
    oauth = new SignIn(endpoint, told.dataset.client);
    void enter(oauth);
  } else if (told.dataset.token === 'required') {
    showBar();
    signIn(null);
  } else void begin();
}

function startInChat(): void {
  chat = new Chat(document.documentElement, {
    ready: () => { frame(); replace(main, busy()); },
    show: (from, address) => {
      server = from;
      context = null;
      go(address);
      void begin();
    },
    redraw: () => void show(),
    rebar: showBar,
    cancelled: () => replace(main, h('div', { class: 'page' }, h('p', { class: 'notice', role: 'status' }, t('cancelled')))),
    ended: () => replace(root),
  });
  chat.begin(VERSION).catch((problem: Error) => {
    frame();
    replace(main, h('div', { class: 'page' }, h('p', { class: 'notice', role: 'alert' }, t('saidServer', { text: problem.message }))));
  });
}

if (window.parent === window) startAlone();
else startInChat();
