// The address says which screen and with which arguments: handles, names of
// types and relationship types, arguments of calls.  Nothing else, never a token.

export interface Route { screen: string; subject: string; query: URLSearchParams }

export function parse(hash: string): Route {
  const text = hash.replace(/^#\/?/, '');
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  const slash = path.indexOf('/');
  const subject = slash < 0 ? '' : path.slice(slash + 1);
  return { screen: slash < 0 ? path : path.slice(0, slash), subject: decode(subject), query: new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)) };
}

function decode(text: string): string {
  try { return decodeURIComponent(text); } catch { return text; }
}

export type Query = Record<string, string | number | string[] | undefined | null>;

export function link(screen: string, subject = '', query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === '') continue;
    if (Array.isArray(value)) value.forEach((one) => params.append(name, one));
    else params.set(name, String(value));
  }
  const text = params.toString();
  const path = subject === '' ? screen : `${screen}/${encodeURIComponent(subject).replace(/%3A/g, ':')}`;
  return `#/${path}${text === '' ? '' : `?${text}`}`;
}

type Listener = () => void;
let listener: Listener = () => {};
/** In a chat, where the page has no address: the way here. */
let way: string[] | null = null;

export function start(onChange: Listener): void {
  listener = onChange;
  window.addEventListener('hashchange', () => listener());
}

/** The same without the window's address: links are followed here. */
export function startWithin(onChange: Listener): void {
  listener = onChange;
  way = [];
  document.addEventListener('click', (event) => {
    const address = (event.target as Element).closest?.('a')?.getAttribute('href');
    if (!address?.startsWith('#/')) return;
    event.preventDefault();
    go(address);
  });
}

const address = (): string => (way ? way[way.length - 1] ?? '' : location.hash);

export function current(): Route {
  return parse(address());
}

export function go(to: string): void {
  if (!way) {
    if (location.hash === to) listener();
    else location.hash = to;
    return;
  }
  if (address() !== to) way.push(to);
  listener();
}

export const canGoBack = (): boolean => way !== null && way.length > 1;
export function goBack(): void {
  way?.pop();
  listener();
}

/** The address of the same screen in another state: no new step for "back". */
export function amend(to: string): void {
  if (way) way[way.length - 1] = to;
  else history.replaceState(null, '', to);
}
