// The schema as a picture: a card for each type, an arrow for what relates two.
import { forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force';
import { h, onTheme, replace, svg } from './dom';
import { busy, callBox, needs, pageOf, saves, typeColor, type Context } from './parts';
import { FONT, isFree, palette, shortened, type Area, type Palette } from './picture';
import { link } from './route';
import { relationName, type Relation, type Schema, type Type } from './schema';
import { number, t } from './text';

const WIDTH = 212;
const LINE = 19;
const HEAD = 38;
const PROPERTIES = 8;
const LOOPS = 6;
const NAMES = 4;
const LONGEST = 26;
// Of a label's letter, and of its line.
const LETTER = 6.6;
const LABEL_LINE = 15;

interface Card { type: Type; x: number; y: number; height: number; loops: Relation[]; index?: number; vx?: number; vy?: number }
interface Line { from: Card; to: Card; names: string[]; both: boolean }

export async function schemaScreen(context: Context, main: HTMLElement): Promise<void> {
  const missing = needs(context, 'get_graph_schema');
  if (missing) return replace(main, pageOf(t('schema'), missing));
  const { schema } = context;
  document.title = `${t('schema')} · kg_graph`;
  const frame = h('div', { class: 'schema-frame', tabindex: 0, role: 'region', 'aria-label': t('picture') });
  replace(main, busy());
  await Promise.all([...schema.types.keys()].slice(0, 60).map((name) => schema.detail(name)));
  const draw = () => replace(frame, picture(schema));
  draw();
  onTheme(frame, draw);
  const source = () => new XMLSerializer().serializeToString(frame.querySelector('svg')!);
  const names = new Set(schema.relations.map((relation) => relation.name));
  const head = (...words: string[]) => h('thead', {}, h('tr', {}, words.map((word) => h('th', { scope: 'col' }, word))));
  replace(main, h('div', { class: 'schema-page' },
    h('header', { class: 'view-bar' }, h('h1', { class: 'view-title' }, t('schema')), h('span', { class: 'muted' }, t('schemaText', { types: schema.types.size, relations: names.size })),
      saves(context, 'schema', source)),
    frame,
    h('section', { class: 'tables', 'aria-label': t('table') }, h('details', { class: 'table-box' }, h('summary', {}, t('table')),
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('types') }, h('table', { class: 'data' }, h('caption', {}, `${t('types')} (${number(schema.types.size)})`), head(t('type'), t('name'), t('properties')),
        h('tbody', {}, [...schema.types.values()].map((type) => h('tr', {}, h('td', {}, h('a', { class: 'entity', href: link('l', type.name) }, h('span', { class: 'dot', style: { '--dot': typeColor(schema, type.name) }, 'aria-hidden': 'true' }), h('span', { class: 'name' }, type.title))),
          h('td', {}, h('code', {}, type.name)), h('td', {}, type.properties.map((property) => property.title).join(', '))))))),
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('relations') }, h('table', { class: 'data' }, h('caption', {}, `${t('relations')} (${number(names.size)})`), head(t('from'), t('relation'), t('to'), t('inverse'), t('properties')),
        h('tbody', {}, schema.relations.map((relation) => h('tr', {}, h('td', {}, schema.type(relation.from).title), h('td', {}, h('code', {}, relation.name)), h('td', {}, schema.type(relation.to).title),
          h('td', {}, relation.symmetric ? t('symmetric') : relation.inverse ? h('code', {}, relation.inverse) : ''), h('td', {}, relation.properties.map((property) => property.name).join(', ')))))))),
      callBox([{ tool: 'get_graph_schema', arguments: { expand_schema: true } }]))));
}

function place(schema: Schema): { cards: Card[]; lines: Line[] } {
  const cards = new Map<string, Card>();
  for (const type of schema.types.values()) {
    const loops = schema.relations.filter((relation) => relation.from === type.name && relation.to === type.name);
    const rows = Math.min(type.properties.length, PROPERTIES) + (type.properties.length > PROPERTIES ? 1 : 0) + Math.min(loops.length, LOOPS) + (loops.length > LOOPS ? 1 : 0);
    cards.set(type.name, { type, x: 0, y: 0, height: HEAD + rows * LINE + (loops.length ? 9 : 0) + 8, loops });
  }
  const lines = new Map<string, Line>();
  for (const relation of schema.relations) {
    const [from, to] = [cards.get(relation.from), cards.get(relation.to)];
    if (!from || !to || from === to) continue;
    const key = `${relation.from} ${relation.to} ${relation.symmetric}`;
    const line = lines.get(key) ?? { from, to, names: [], both: relation.symmetric };
    lines.set(key, line);
    if (!line.names.includes(relation.name)) line.names.push(relation.name);
  }
  pack(components([...cards.values()], [...lines.values()]).map((part) => arrange(part, [...lines.values()])));
  return { cards: [...cards.values()], lines: [...lines.values()] };
}

/** What hangs together, the largest first. */
function components(cards: Card[], lines: Line[]): Card[][] {
  const of = new Map(cards.map((card) => [card, [card]]));
  for (const { from, to } of lines) {
    const [a, b] = [of.get(from)!, of.get(to)!];
    if (a === b) continue;
    a.push(...b);
    for (const card of b) of.set(card, a);
  }
  return [...new Set(of.values())].sort((a, b) => b.length - a.length || b[0].height - a[0].height);
}

function arrange(cards: Card[], lines: Line[]): Card[] {
  if (cards.length < 2) return cards;
  const own = lines.filter((line) => cards.includes(line.from));
  cards.forEach((card, i) => Object.assign(card, { x: Math.cos(i * 2.4) * 120 * Math.sqrt(i + 1), y: Math.sin(i * 2.4) * 60 * Math.sqrt(i + 1) }));
  forceSimulation(cards).force('link', forceLink(own.map((line) => ({ source: line.from, target: line.to }))).distance(330).strength(0.4))
    .force('charge', forceManyBody().strength(-1600)).force('x', forceX(0).strength(0.03)).force('y', forceY(0).strength(0.12)).force('boxes', () => separate(cards, own, 0.4)).stop().tick(320);
  for (let i = 0; i < 80; i++) separate(cards, own, 1);
  return cards;
}

/** In rows, of about the shape of a window. */
function pack(parts: Card[][]): void {
  const gap = 46;
  const boxes = parts.map((cards) => {
    const left = Math.min(...cards.map((card) => card.x)) - WIDTH / 2;
    const top = Math.min(...cards.map((card) => card.y - card.height / 2));
    return { cards, left, top, width: Math.max(...cards.map((card) => card.x)) + WIDTH / 2 - left, height: Math.max(...cards.map((card) => card.y + card.height / 2)) - top };
  });
  const area = boxes.reduce((sum, box) => sum + (box.width + gap) * (box.height + gap), 0);
  const width = Math.max(...boxes.map((box) => box.width), Math.sqrt(area * 2.1));
  let [x, y, tall] = [0, 0, 0];
  for (const box of boxes) {
    if (x > 0 && x + box.width > width) [x, y, tall] = [0, y + tall + gap, 0];
    for (const card of box.cards) Object.assign(card, { x: card.x - box.left + x, y: card.y - box.top + y });
    x += box.width + gap;
    tall = Math.max(tall, box.height);
  }
}

const namesOf = (line: Line): string[] => (line.names.length > NAMES ? [...line.names.slice(0, NAMES - 1).map(relationName), `+${line.names.length - NAMES + 1}`] : line.names.map(relationName));
const labelSize = (line: Line): [number, number] => [LETTER * Math.max(...namesOf(line).map((name) => Math.min(LONGEST, name.length))) + 8, LABEL_LINE * namesOf(line).length + 4];

// Cards are wider than high; no two may lie on each other, and what relates two
// has its name between them.
function separate(cards: Card[], lines: Line[], strength: number): void {
  const sizes = new Map<Card, Map<Card, [number, number]>>();
  for (const line of lines)
    for (const [a, b] of [[line.from, line.to], [line.to, line.from]]) {
      const known = sizes.get(a) ?? new Map<Card, [number, number]>();
      const [before, size] = [known.get(b) ?? [0, 0], labelSize(line)];
      sizes.set(a, known.set(b, [Math.max(before[0], size[0]), before[1] + size[1]]));
    }
  for (const [i, a] of cards.entries())
    for (const b of cards.slice(i + 1)) {
      const dx = b.x - a.x || 0.1;
      const dy = b.y - a.y || 0.1;
      const [wide, high] = sizes.get(a)?.get(b) ?? [0, 0];
      const overX = WIDTH + Math.max(70, wide + 24) - Math.abs(dx);
      const overY = (a.height + b.height) / 2 + Math.max(50, high + 24) - Math.abs(dy);
      if (overX <= 0 || overY <= 0) continue;
      if (overX < overY * 1.6) {
        a.x -= (Math.sign(dx) * overX * strength) / 2;
        b.x += (Math.sign(dx) * overX * strength) / 2;
      } else {
        a.y -= (Math.sign(dy) * overY * strength) / 2;
        b.y += (Math.sign(dy) * overY * strength) / 2;
      }
    }
}

/** Where a line from the middle of one card to that of another leaves it. */
function rim(card: Card, toward: { x: number; y: number }): [number, number] {
  const dx = toward.x - card.x;
  const dy = toward.y - card.y;
  const s = Math.min((WIDTH / 2 + 5) / (Math.abs(dx) || 1e-6), (card.height / 2 + 5) / (Math.abs(dy) || 1e-6));
  return [card.x + dx * s, card.y + dy * s];
}

function picture(schema: Schema): SVGElement {
  const colors = palette();
  const { cards, lines } = place(schema);
  if (cards.length === 0) return svg('svg', { width: 0, height: 0 });
  const left = Math.min(...cards.map((card) => card.x - WIDTH / 2)) - 40;
  const top = Math.min(...cards.map((card) => card.y - card.height / 2)) - 30;
  const width = Math.max(...cards.map((card) => card.x + WIDTH / 2)) + 40 - left;
  const height = Math.max(...cards.map((card) => card.y + card.height / 2)) + 30 - top;
  return svg('svg', {
    xmlns: 'http://www.w3.org/2000/svg', class: 'schema-picture', viewBox: `${left} ${top} ${width} ${height}`, width: Math.round(width), height: Math.round(height), style: { 'min-width': `${Math.round(width * 0.7)}px`, 'max-width': `${Math.round(width * 1.1)}px` }, role: 'group',
    'aria-label': t('schemaText', { types: schema.types.size, relations: new Set(schema.relations.map((relation) => relation.name)).size }), 'font-family': FONT, 'font-size': 12,
  },
  svg('rect', { x: left, y: top, width, height, fill: colors.back }),
  svg('defs', {}, svg('marker', { id: 'schema-head', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto' }, svg('path', { d: 'M0 0.8 8 4 0 7.2z', fill: colors.muted }))),
  lines.map((line) => path(line, lines, colors)), cards.map((card) => cardOf(card, colors)), labels(cards, lines, colors));
}

function bow(line: Line, lines: Line[]): { d: string; at(s: number): [number, number] } {
  const turned = lines.find((other) => other !== line && ((other.from === line.to && other.to === line.from) || (other.from === line.from && other.to === line.to)));
  const off = turned ? 34 : 0;
  const dx = line.to.x - line.from.x;
  const dy = line.to.y - line.from.y;
  const length = Math.hypot(dx, dy) || 1;
  const by = { x: (line.from.x + line.to.x) / 2 - (dy / length) * off, y: (line.from.y + line.to.y) / 2 + (dx / length) * off };
  const from = rim(line.from, by);
  const to = rim(line.to, by);
  const at = (s: number): [number, number] => [
    (1 - s) * (1 - s) * from[0] + 2 * s * (1 - s) * by.x + s * s * to[0], (1 - s) * (1 - s) * from[1] + 2 * s * (1 - s) * by.y + s * s * to[1]];
  return { d: `M${from.join(' ')}Q${by.x} ${by.y} ${to.join(' ')}`, at };
}

function path(line: Line, lines: Line[], colors: Palette): SVGElement {
  return svg('path', { d: bow(line, lines).d, fill: 'none', stroke: colors.edge, 'stroke-width': 1.5, 'marker-end': line.both ? undefined : 'url(#schema-head)' });
}

/** The names on the lines, where no card lies and no other name: near the middle where that is free. */
function labels(cards: Card[], lines: Line[], colors: Palette): SVGElement[] {
  const boxes: Area[] = cards.map((card) => [card.x - WIDTH / 2, card.y - card.height / 2, card.x + WIDTH / 2, card.y + card.height / 2]);
  const taken: Area[] = [];
  return lines.map((line) => {
    const { at } = bow(line, lines);
    const [wide, high] = labelSize(line);
    const area = (s: number): Area => [at(s)[0] - wide / 2, at(s)[1] - high / 2, at(s)[0] + wide / 2, at(s)[1] + high / 2];
    const places = [0.5, 0.44, 0.56, 0.37, 0.63, 0.3, 0.7, 0.22, 0.78, 0.15, 0.85];
    const s = places.find((one) => isFree(boxes, area(one)) && isFree(taken, area(one))) ?? places.find((one) => isFree(boxes, area(one))) ?? 0.5;
    taken.push(area(s));
    const [x, y] = at(s);
    const names = namesOf(line);
    return svg('g', { class: 'schema-label' }, svg('title', {}, line.names.join(', ')), names.map((name, i) => svg('text', {
      x, y: y + (i - (names.length - 1) / 2) * LABEL_LINE + 4, 'text-anchor': 'middle', fill: colors.text, 'font-size': 11.5, stroke: colors.back, 'stroke-width': 4, 'paint-order': 'stroke', 'stroke-linejoin': 'round',
    }, shortened(name, LONGEST))));
  });
}

function cardOf(card: Card, colors: Palette): SVGElement {
  const { type } = card;
  const color = colors.colors[type.color];
  const [x, y] = [card.x - WIDTH / 2, card.y - card.height / 2];
  let row = y + HEAD + 13;
  const texts: SVGElement[] = [];
  const line = (left: string, right: string, fill: string, strong = false) => {
    texts.push(svg('text', { x: x + 14, y: row, fill, 'font-weight': strong ? 600 : 400 }, shortened(left, right ? 20 : 30)));
    if (right) texts.push(svg('text', { x: x + WIDTH - 14, y: row, fill: colors.muted, 'text-anchor': 'end', 'font-size': 11 }, shortened(right, 12)));
    row += LINE;
  };
  for (const property of type.properties.slice(0, PROPERTIES)) line(property.title, `${property.type}${property.array ? '[]' : ''}`, colors.text, property.name === type.label);
  if (type.properties.length > PROPERTIES) line(`+${type.properties.length - PROPERTIES}`, '', colors.muted);
  const ruler = row - 11;
  if (card.loops.length) row += 9;
  for (const relation of card.loops.slice(0, LOOPS)) line(`↻ ${relationName(relation.name)}`, '', colors.muted);
  if (card.loops.length > LOOPS) line(`+${card.loops.length - LOOPS}`, '', colors.muted);
  return svg('a', { href: link('l', type.name), class: 'schema-card' },
    svg('title', {}, type.description ?? type.title),
    svg('rect', { x, y, width: WIDTH, height: card.height, rx: 10, fill: colors.surface, stroke: colors.edge, 'stroke-width': 1 }),
    svg('circle', { cx: x + 19, cy: y + 20, r: 5.5, fill: color }),
    svg('text', { x: x + 32, y: y + 24.5, fill: colors.text, 'font-size': 13.5, 'font-weight': 650 }, shortened(type.title, 24)),
    svg('line', { x1: x + 1, x2: x + WIDTH - 1, y1: y + HEAD - 2, y2: y + HEAD - 2, stroke: color, 'stroke-width': 2, opacity: 0.55 }),
    card.loops.length > 0 && svg('line', { x1: x + 14, x2: x + WIDTH - 14, y1: ruler, y2: ruler, stroke: colors.edge, opacity: 0.7 }),
    texts);
}
