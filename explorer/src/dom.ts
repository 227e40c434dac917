// Elements.  Every text becomes a text node: what comes from the graph is never
// read as HTML, whatever it looks like.
import { tame } from './text';

type Child = Node | string | number | null | undefined | false | Child[];
type Listener = (event: any) => void;
export type Props = {
  class?: string;
  on?: Record<string, Listener>;
  style?: Record<string, string>;
  [attribute: string]: unknown;
};

function append(parent: Node, child: Child): void {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) child.forEach((one) => append(parent, one));
  else parent.appendChild(child instanceof Node ? child : document.createTextNode(tame(String(child))));
}

function set(element: Element, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'on') for (const [event, listener] of Object.entries(value as Record<string, Listener>)) element.addEventListener(event, listener);
    else if (name === 'style') for (const [key, text] of Object.entries(value as Record<string, string>)) (element as HTMLElement).style.setProperty(key, text);
    else if (name === 'value') (element as HTMLInputElement).value = String(value);
    else element.setAttribute(name, value === true ? '' : name === 'title' || name === 'aria-label' ? tame(String(value)) : String(value));
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, props);
  append(element, children);
  return element;
}

export function svg(tag: string, props: Props = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  set(element, props);
  append(element, children);
  return element;
}

/** Where the focus was when its element went, while nothing has come in its place. */
let lost: { tag: string; id: string; text: string; index: number; alike: string } | null = null;

const textOf = (element: Element): string => element.getAttribute('aria-label') ?? element.getAttribute('title') ?? element.textContent ?? '';
const kin = (element: Element): string => `${element.localName}.${element.classList[0] ?? ''}`;

// Who uses the keyboard stays where he was: at what has the same id, or the same
// words, or stands in the same place; else at the page's main part.
function refocus(parent: Element): void {
  if (lost === null) return;
  const { tag, id, text, index, alike } = lost;
  const same = [...parent.querySelectorAll<HTMLElement>(tag)].filter((one) => !(one as HTMLButtonElement).disabled);
  const row = same.filter((one) => kin(one) === alike);
  const found = (id !== '' && same.find((one) => one.id === id)) || (text !== '' && row.find((one) => textOf(one) === text)) || (index >= 0 && row[Math.min(index, row.length - 1)]);
  if (found) found.focus({ preventScroll: true });
  if (found) lost = null;
  else document.getElementById('main')?.focus({ preventScroll: true });
}

export function replace(parent: Element, ...children: Child[]): void {
  const active = document.activeElement;
  if (active && active !== parent && parent.contains(active)) {
    const alike = kin(active);
    const row = [...parent.querySelectorAll(active.localName)].filter((one) => kin(one) === alike);
    lost = { tag: active.localName, id: active.id, text: textOf(active), alike, index: active.matches('.filter-chip') ? row.indexOf(active) : -1 };
  } else if (active && active !== document.body && active.id !== 'main') lost = null;
  parent.replaceChildren();
  append(parent, children);
  refocus(parent);
}

const paths: Record<string, string> = {
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  fit: 'M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10M11 11l3.5 3.5',
  graph: 'M5.3 4.6 10 3.7M4.6 6.3 6.8 10.6M11.2 5.2 8.6 10.6M3.7 3a1.9 1.9 0 1 0 0 3.8 1.9 1.9 0 0 0 0-3.8M12 1.6a1.9 1.9 0 1 0 0 3.8 1.9 1.9 0 0 0 0-3.8M7.7 10.5a1.9 1.9 0 1 0 0 3.8 1.9 1.9 0 0 0 0-3.8',
  path: 'M3 12.5c5 0 1-9 6-9h4M10.5 1 13 3.5 10.5 6',
  out: 'M3 8h9M9 5l3 3-3 3',
  into: 'M13 8H4M7 5 4 8l3 3',
  both: 'M3 8h10M5.5 5.5 3 8l2.5 2.5M10.5 5.5 13 8l-2.5 2.5',
  theme: 'M8 2a6 6 0 1 0 6 6A4.5 4.5 0 0 1 8 2',
  keep: 'M4 2h8v12l-4-3-4 3z',
  leave: 'M6 3H3v10h3M7 8h7M11 5l3 3-3 3',
  edit: 'M3 13l1-3.5L10.5 3 13 5.5 6.5 12z',
  close: 'm4 4 8 8M12 4l-8 8',
  back: 'M13 8H3M7 4 3 8l4 4',
  page: 'M4 2h5l3 3v9H4zM9 2v3h3',
  down: 'M8 2v9M4.5 7.5 8 11l3.5-3.5M3 14h10',
  swap: 'M3 5.5h9M9.5 3 12 5.5 9.5 8M13 10.5H4M6.5 8 4 10.5 6.5 13',
};

// A decoration: what it stands for is said by the text or label beside it.
export function icon(name: keyof typeof paths | string): SVGElement {
  return svg('svg', { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false' }, svg('path', { d: paths[name] }));
}

// After the colors changed, for as long as the element is in the page.
export function onTheme(element: Element, repaint: () => void): void {
  const stop = new AbortController();
  const changed = () => (element.isConnected ? repaint() : stop.abort());
  document.addEventListener('kg-theme', changed, { signal: stop.signal });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed, { signal: stop.signal });
}

// Says something to whoever does not see the page.
export function announce(text: string): void {
  const live = document.getElementById('live');
  if (live) live.textContent = tame(text);
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h('textarea', { class: 'offscreen', 'aria-hidden': 'true' });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

export function download(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = h('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
